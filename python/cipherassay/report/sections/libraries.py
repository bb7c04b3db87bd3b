"""The libraries measured beside our code in the same run."""

from __future__ import annotations

from cipherassay.report.data import KEY_BITS, OPERATIONS, ReportData
from cipherassay.report.section import Section
from cipherassay.report.tables import EMPTY, Cell, Column, Table, ratio_cell, row_cell
from cipherassay.results import Row

ORDER = 60
EQUAL = 1.02
"""Within two percent counts as equal."""


def section(data: ReportData) -> Section | None:
    """Return the section, if any library was measured."""
    names = sorted(
        {row.configuration or "" for row in data.rows if not row.strategy and row.level == "native"}
    )
    if not names:
        return None
    words = (
        "The same harness measures each library's own code for one block (each input the output of the one "
        "before) and for key setup, in the same run as ours. Ratio: ours by the fastest library; up to "
        f"{EQUAL:.2f} counts as equal."
    )
    tables = [_table(data, names, bits) for bits in KEY_BITS]
    return Section(
        "libraries",
        "Other libraries, same machine, same run",
        [words, *(t for t in tables if t.lines)],
        label="Libraries",
    )


def _table(data: ReportData, names: list[str], bits: int) -> Table:
    columns = [Column("cipher", text=True), Column("operation", text=True), Column("ours"), Column("ratio")]
    columns += [Column(name, "", "cycles") for name in names]
    lines = []
    for cipher in data.ciphers:
        first = True
        for operation, called in OPERATIONS.items():
            ours, others = data.ours(cipher, operation, bits), data.libraries(cipher, operation, bits)
            if ours is None or not others:
                continue
            by_name = {row.configuration: row for row in reversed(others)}
            cells = [_library_cell(by_name.get(name), others[0]) for name in names]
            ratio = ratio_cell(ours, others[0])
            tone = "good" if (ratio.number or 9.0) <= EQUAL else "bad"
            marked = Cell(ratio.text, ratio.row, ratio.number, tone, ratio.note)
            lines.append([Cell(cipher if first else ""), Cell(called), row_cell(ours), marked, *cells])
            first = False
    return Table(f"libraries-{bits}", f"{bits}-bit keys: cycles", columns, lines)


def _library_cell(row: Row | None, best: Row) -> Cell:
    return EMPTY if row is None else row_cell(row, tone="best" if row is best else "")
