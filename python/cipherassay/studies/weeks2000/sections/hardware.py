"""Hardware: the hardware paper's tables and figures rebuilt from devices synthesized here."""

from __future__ import annotations

from cipherassay.ciphers import names as known
from cipherassay.hardware.results.designs import ARCHITECTURES, KEYS, Hardware, names
from cipherassay.report.data import ReportData
from cipherassay.report.elements.section import Block, Fold, Section
from cipherassay.studies.weeks2000 import comparisons, reading, structures, sweeps, tables
from cipherassay.studies.weeks2000.figures import figures
from cipherassay.studies.weeks2000.paper import COMPARABLE, MARK

ORDER = 27


def section(data: ReportData) -> Section | None:
    """Return the section, if devices were synthesized."""
    hardware = Hardware(data.hardware)
    if not hardware:
        return None
    ciphers = list(data.strategies)
    blocks: list[Block] = [*_words(hardware, ciphers), structures.flow(), structures.top_levels()]
    blocks += [
        Fold(f"{cipher}: rounds and key schedule", [structures.rounds(cipher.lower())])
        for cipher in ciphers
        if cipher.lower() in known()
    ]
    blocks += sweeps.figures(data.hardware, ciphers)
    for key in reversed(KEYS):
        blocks += figures(hardware, ciphers, key)
        blocks += [comparisons.fastest(hardware, ciphers, a, key) for a in ARCHITECTURES]
        blocks += [comparisons.per_area(hardware, ciphers, a, key) for a in ARCHITECTURES]
    summaries = [tables.summary(hardware, cipher, key) for cipher in ciphers for key in KEYS]
    blocks.append(Fold("Tables 1 to 10: each cipher and key version", summaries))
    blocks += [comparisons.jump(data.hardware), comparisons.savings(hardware, ciphers)]
    blocks.append(Fold("Why: design by design", reading.reasons(hardware, ciphers)))
    blocks.append(tables.grades(hardware, list(names(ciphers))))
    if any(hardware.literal(name) for name in names(ciphers)):
        blocks.append(comparisons.literal(hardware, ciphers))
    absent = tables.missing(hardware, list(names(ciphers)))
    if absent is not None:
        blocks.append(Fold("What is missing", [absent]))
    blocks.append(Fold("Contradictions of the paper", [comparisons.errata()]))
    title = "Round 2 AES algorithms in hardware (NSA, 2000): devices synthesized to standard cells"
    return Section("hardware", title, blocks, label="Hardware")


def _words(hardware: Hardware, ciphers: list[str]) -> list[str]:
    said = [
        reading.opening(hardware, ciphers),
        reading.withdrawn(hardware, ciphers),
        reading.misses(hardware, ciphers),
        reading.cells(hardware, ciphers),
        reading.literal(hardware, ciphers),
        f"{MARK} behind a number of the paper: its own other numbers contradict it; follow it to see what "
        f"follows. Ratio = our best / the paper's best; green is better. {COMPARABLE}",
        reading.missing(hardware, ciphers),
    ]
    return [text for text in said if text]
