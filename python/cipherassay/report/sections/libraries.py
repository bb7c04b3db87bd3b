"""The libraries measured beside our code in the same run."""

from __future__ import annotations

from cipherassay.native.comparison import Comparison
from cipherassay.report.data import OPERATIONS, ReportData
from cipherassay.report.elements.section import Section
from cipherassay.report.elements.tables import EMPTY, Cell, Column, Table, number_text, ratio_text, row_cell
from cipherassay.results import Row

ORDER = 60
PAGE = "native"
EQUAL = 1.02
"""Within two percent counts as equal."""


def section(data: ReportData) -> Section | None:
    """Return the section, if any library was measured."""
    names = list(dict.fromkeys(_short_name(row) for row in data.compared if not row.strategy))
    if not names:
        return None
    names.sort(key=str.lower)
    words = (
        "One loop measures our code and each library's by turns, on one core: blocks chained, each the "
        "output of the last. Vector code and AES instructions of the libraries are switched off where they "
        "allow it. Ratio = ours / the fastest library without AES instructions; of our kind: ours / "
        "the fastest that is constant time if ours is, or is not if ours is not."
    )
    tables = [table for bits in data.key_sizes if (table := _table(data, names, bits)).lines]
    blocks: list[str | Table] = [words, _outcome(data), *tables]
    return Section("libraries", "Other libraries, same machine, same run", blocks, "Libraries")


def _outcome(data: ReportData) -> str:
    ratios = [row.ratio for row in data.compared if row.strategy and row.ratio is not None]
    level = sum(ratio <= EQUAL for ratio in ratios)
    slower = len(ratios) - level
    return f"Ours is the fastest or equal (within 2 %) in {level} of {len(ratios)} rows, slower in {slower}."


def _table(data: ReportData, names: list[str], bits: int) -> Table:
    there = {_short_name(row) for row in data.compared if row.key_bits == bits and not row.strategy}
    names = [name for name in names if name in there]
    columns = [Column("cipher", text=True), Column("operation", text=True), Column("ratio")]
    columns.append(Column("of our kind"))
    columns += [Column(name, "", "cycles") for name in ("ours", *names)]
    lines: list[list[Cell]] = []
    for cipher in data.ciphers:
        for operation, called in OPERATIONS.items():
            ours = data.beside_libraries(cipher, operation, bits)
            others = data.libraries(cipher, operation, bits)
            if ours is None or not others:
                continue
            by_name = {_short_name(row): row for row in reversed(others)}
            cells = [_library_cell(by_name.get(name), ours) for name in names]
            words = [Cell(cipher), Cell(called)]
            of_kind = _kind_cell(Comparison(ours, tuple(others)).fastest_of_kind(), ours)
            lines.append([*words, _ratio_cell(ours), of_kind, _marked(row_cell(ours), ours), *cells])
    return Table(f"libraries-{bits}", f"{bits}-bit keys", columns, lines, _notes(data, bits), dense=True)


def _ratio_cell(ours: Row) -> Cell:
    if ours.ratio is None:
        return EMPTY
    tone = "good" if ours.ratio <= EQUAL else "bad"
    return Cell(ratio_text(ours.ratio), ours, ours.ratio, tone, f"against {ours.reference_source}")


def _kind_cell(theirs: Row | None, ours: Row) -> Cell:
    if theirs is None:
        return EMPTY
    ratio = ours.value / theirs.value
    tone = "good" if ratio <= EQUAL else "bad"
    return Cell(ratio_text(ratio), ours, ratio, tone, f"against {theirs.configuration}")


def _marked(cell: Cell, row: Row) -> Cell:
    mark = "†" if _uses_instructions(row) else "‡" if row.basis == "published" else ""
    mark += "°" if row.constant_time else ""
    return Cell(cell.text + mark, cell.row, cell.number, cell.tone, cell.note)


def _library_cell(row: Row | None, ours: Row) -> Cell:
    if row is None:
        return EMPTY
    best = row.configuration == ours.reference_source
    return _marked(row_cell(row, tone="best" if best else ""), row)


def _notes(data: ReportData, bits: int) -> list[str]:
    here = [row for row in data.compared if row.key_bits == bits and not row.strategy]
    notes = []
    if any(row.constant_time for row in data.compared if row.key_bits == bits):
        notes.append("° Constant time: no branch and no address depends on key or data; rows say why.")
    if any(_uses_instructions(row) for row in here):
        notes.append("† uses AES instructions; not compared with.")
    notes += _other_run(data, bits)
    scaled = {
        (row.reference_source or "").partition("scaled by ")[2] for row in here if row.basis == "published"
    }
    kernels = sorted({how.partition(":")[0] for how in scaled})
    notes += [f"‡ Published for another machine, scaled by {kernel}, measured on both." for kernel in kernels]
    return notes


def _other_run(data: ReportData, bits: int) -> list[str]:
    """Say by how much our numbers of this run differ from those of the tables of this machine."""
    pairs = [
        (ours, alone)
        for ours in data.compared
        if ours.strategy and ours.key_bits == bits
        and (alone := data.ours(ours.cipher or "", ours.operation or "", bits, strategy=ours.strategy))
    ]  # fmt: skip
    if not pairs:
        return []
    ours, alone = max(pairs, key=lambda pair: abs(pair[0].value / pair[1].value - 1))
    percent = 100 * (ours.value / alone.value - 1)
    return [
        "Ours here is of the run that measured the libraries, by turns with them; the other tables of this "
        "machine "
        f"have it measured alone. They differ most for {ours.cipher} "
        f"{(ours.operation or '').replace('_', ' ')}: "
        f"{number_text(ours.value, 'cycles')} here, {number_text(alone.value, 'cycles')} alone "
        f"({percent:+.1f} %)."
    ]


def _short_name(row: Row) -> str:
    """Return the library's name without version: the first word."""
    return (row.configuration or "").split()[0].removesuffix("'s")


def _uses_instructions(row: Row) -> bool:
    from cipherassay.native.comparison import AES_INSTRUCTIONS

    return AES_INSTRUCTIONS in (row.configuration or "")
