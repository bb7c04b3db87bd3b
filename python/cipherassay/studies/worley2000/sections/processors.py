"""Kernels on modelled processors: the HP paper's tables and figures rebuilt by automatic scheduling."""

from __future__ import annotations

from collections.abc import Sequence

from cipherassay.report.data import ReportData
from cipherassay.report.elements.section import Block, Fold, Section
from cipherassay.report.elements.tables import Table
from cipherassay.results import Row
from cipherassay.studies.worley2000 import kernel_comparisons as comparisons
from cipherassay.studies.worley2000 import kernel_studies as studies
from cipherassay.studies.worley2000 import kernel_tables as tables
from cipherassay.studies.worley2000 import one_key, part_figures
from cipherassay.studies.worley2000.kernels_shown import Kernels, of_the_paper

ORDER = 25


def section(data: ReportData) -> Section | None:
    """Return the section, if kernels were scheduled."""
    rows = of_the_paper(data.kernels)
    if not rows:
        return None
    kernels = Kernels(rows)
    known = {row.cipher or "" for row in rows}
    ciphers = [cipher for cipher in (*data.strategies, *sorted(known)) if cipher in known]
    ciphers = list(dict.fromkeys(ciphers))
    blocks: list[Block] = [_words(rows), *_left(data)]
    blocks += [tables.cycles(kernels, cipher) for cipher in ciphers]
    blocks += [studies.forms(kernels, ciphers), *studies.key_sizes(kernels, ciphers)]
    blocks += studies.recipes(kernels, ciphers)
    blocks += [tables.appendix(kernels, ciphers), tables.memory_and_parallelism(kernels, ciphers)]
    blocks += [comparisons.ranking(kernels, ciphers), comparisons.worth(kernels, ciphers)]
    blocks += [comparisons.readings(kernels, ciphers), studies.limits(kernels, ciphers)]
    blocks += [one_key.table(kernels, ciphers)]
    if "Serpent" in ciphers:
        blocks += [*part_figures.figures(), part_figures.table()]
    blocks += [Fold("Contradictions of the paper, kernels that are missing", _rest(kernels))]
    title = "AES Finalists on PA-RISC and IA-64 (HP, 2000): machine code for modelled processors"
    return Section("processors", title, blocks, label="Processors")


def _rest(kernels: Kernels) -> list[Table]:
    return [comparisons.contradictions(), *comparisons.refusals(kernels)]


def _left(data: ReportData) -> list[str]:
    count = data.kernels_left
    if not count:
        return []
    return [f"{count} kernels were left out for lack of time: the next report makes them and keeps these."]


def _words(made: Sequence[Row]) -> str:
    """Say how many kernels there are, how many are proved, how they compare: computed from the rows."""
    rows = [row for row in made if row.metric == "cycles"]
    proved = [row for row in rows if row.bound == row.value]
    compared = [row for row in _best(rows) if row.reference is not None]
    less = sum(row.value < (row.reference or 0) for row in compared)
    same = sum(row.value == row.reference for row in compared)
    fitted = sum(bool(tables.fitted(row)) for row in compared)
    return (
        f"{len(rows)} kernels made from the cipher files alone: selected, scheduled, written as assembly "
        "text, and simulated from that text; each produced the same outputs as the reference program on "
        "random "
        f"inputs and, where it encrypts or decrypts, on known answers. {len(proved)} schedules are provably "
        f"optimal. Of {len(compared)} that can be compared with the cycles of the paper's "
        f"hand-written code, {less} are faster, {same} tie and {len(compared) - less - same} are slower. "
        f"Parameters of the models were chosen to meet {fitted} of the paper's figures ({tables.FITTED} "
        "beside them)."
    )


def _best(rows: list[Row]) -> list[Row]:
    """Return of each kernel on a processor the faster of straight-line code and code with loops."""
    found: dict[tuple[object, ...], Row] = {}
    for row in rows:
        if row.configuration in ("unrolled", "loop"):
            key = (row.cipher, row.variant, row.operation, row.target)
            if key not in found or row.value < found[key].value:
                found[key] = row
    return list(found.values())
