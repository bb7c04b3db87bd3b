"""The hardware paper's numbers for the report: found by table, shown with their digits and their errata."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from cipherassay import published
from cipherassay.hardware.results.designs import FEEDBACK, LATENCY
from cipherassay.published import PublishedRow
from cipherassay.report.elements.tables import EMPTY, Cell
from cipherassay.results import Row
from cipherassay.results.published import published_row

PAPER = "weeks2000"
BLOCK_BITS = 128
"""Bits of a block of all its devices."""
KEYS = {"3in1": "3-in-1", "128": "128-bit"}
"""How the paper calls the key versions."""
SUMMARIES = {
    ("MARS", "3in1"): "table-1",
    ("MARS", "128"): "table-2",
    ("RC6", "3in1"): "table-3",
    ("RC6", "128"): "table-4",
    ("Rijndael", "3in1"): "table-5",
    ("Rijndael", "128"): "table-6",
    ("Serpent", "3in1"): "table-8",
    ("Serpent", "128"): "table-8",
    ("Twofish", "3in1"): "table-9",
    ("Twofish", "128"): "table-10",
}
"""The table of a cipher and key version; Serpent has one design for both."""
COMPARISONS = {
    ("iterative", "3in1"): "table-11",
    ("pipelined", "3in1"): "table-12",
    ("iterative", "128"): "table-15",
    ("pipelined", "128"): "table-16",
}
PER_AREA = {
    ("iterative", "3in1"): "table-13",
    ("pipelined", "3in1"): "table-14",
    ("iterative", "128"): "table-17",
    ("pipelined", "128"): "table-18",
}
FINALISTS = ("MARS", "RC6", "Rijndael", "Serpent", "Twofish")
COMPARABLE = (
    "Ours exclude wires, the clock tree, scan, hold repair and margins, at the library's typical corner; the "
    "paper's are from before layout too, but which of these they include is not printed."
)
"""What ratios to the paper mean: it stands beside each."""
MARK = "†"
"""Stands behind a printed number that the paper's own other numbers contradict."""


@lru_cache(maxsize=1)
def _rows() -> dict[tuple[str, str], list[PublishedRow]]:
    found: dict[tuple[str, str], list[PublishedRow]] = {}
    for row in published.paper(PAPER).rows:
        found.setdefault((row.table, row.cipher), []).append(row)
    return found


def find(
    table: str,
    cipher: str,
    metric: str,
    *,
    configuration: str = "",
    operation: str = "",
    part: str = "",
    key_bits: int = 0,
) -> PublishedRow | None:
    """Return a printed number; one that is printed without a key size holds for all."""
    for row in _rows().get((table, cipher), ()):
        if (
            (row.metric, row.operation, row.part) == (metric, operation, part)
            and configuration in ("", row.configuration)
            and (not key_bits or row.key_bits in (None, key_bits))
        ):
            return row
    return None


def summary(
    cipher: str,
    architecture: str,
    key: str,
    metric: str,
    *,
    operation: str = "",
    part: str = "",
    key_bits: int = 0,
) -> PublishedRow | None:
    """Return a number of Tables 1 to 10, or one that follows from two of them: latency, feedback modes."""
    table = SUMMARIES.get((cipher, key))
    if table is None:
        return None
    configuration = f"{architecture}, {KEYS['3in1' if table == 'table-8' else key]}"

    def printed(name: str, of: str, within: str = "") -> PublishedRow | None:
        return find(
            table, cipher, name, configuration=configuration, operation=of, part=within, key_bits=key_bits
        )

    if part == LATENCY:
        return _latency(printed(metric, f"key_setup_{operation}"), printed(metric, operation))
    if part == FEEDBACK:
        end = {"min": "max", "max": "min"}[metric.rpartition("_")[2]]
        return _feedback(metric, printed(f"time_ns_{end}", "encrypt"))
    return printed(metric, operation, part)


def _latency(setup: PublishedRow | None, block: PublishedRow | None) -> PublishedRow | None:
    if setup is None or block is None:
        return None
    total = setup.value + block.value
    errata = tuple(dict.fromkeys((*setup.errata, *block.errata)))
    note = f"{setup.printed} + {block.printed}"
    return replace(
        block, part=LATENCY, value=total, printed=f"{total:.2f}", obtained="derived", errata=errata, note=note
    )


def _feedback(metric: str, block: PublishedRow | None) -> PublishedRow | None:
    if block is None or not block.value:
        return None
    rate = 1000 * BLOCK_BITS / block.value
    return replace(
        block, part=FEEDBACK, operation="", metric=metric, value=rate, printed=f"{rate:.1f}", unit="Mbit/s",
        obtained="derived", note=f"{BLOCK_BITS} bits in {block.printed} ns",
    )  # fmt: skip


def result(row: PublishedRow | None) -> Row | None:
    """Return a printed number as a row of results."""
    return None if row is None else published_row(row)


def cell(row: PublishedRow | None, scale: float = 1.0, digits: int | None = None) -> Cell:
    """Return the cell of a printed number, marked where the paper contradicts it.

    Parameters
    ----------
    scale, digits
        Shown divided by `scale` with so many decimals; by default with the paper's own digits.
    """
    if row is None:
        return EMPTY
    text = row.printed if digits is None else f"{row.value / scale:.{digits}f}"
    note = "; ".join([row.note] * bool(row.note) + [one.follows for one in errata(row)])
    text += f" {MARK}" if row.errata else ""
    return Cell(text, published_row(row), row.value / scale, "muted", note)


def errata(row: PublishedRow) -> list[published.Erratum]:
    """Return the errata that concern a number."""
    return [one for one in published.paper(PAPER).errata if one.id in row.errata]
