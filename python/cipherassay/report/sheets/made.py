"""Every level that a cipher was to be made at: its number with code and memory, or why there is none."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cipherassay import coverage
from cipherassay.hardware.timing import hold
from cipherassay.report.data import ReportData
from cipherassay.report.elements.section import Block, Section
from cipherassay.report.elements.tables import Cell, Column, Table, row_cell
from cipherassay.report.sheets import file_name
from cipherassay.results import Row

ORDER = 18
CODE, MEMORY = ("code_bytes",), ("ram_bytes", "table_bytes", "context_bytes")
PENDING = "being made"
"""What a cell says that is not made yet."""


def section(data: ReportData, cipher: str) -> Section | None:
    """Return the section: a table per group of levels; None where the data are not of the coverage table."""
    cells = [one for one in data.cells if one.cipher.name == cipher]
    if not cells:
        return None
    groups: dict[str, list[coverage.Cell]] = {}
    for one in cells:
        groups.setdefault(one.level.group, []).append(one)
    blocks: list[Block] = [_table(cipher, group, own) for group, own in groups.items()]
    if any(one.row is not None and hold.fails(one.row) for one in cells):
        blocks.append(hold.WHY)
    words = "A number passed its check. Where there is none, the code and the reason stand in its place."
    return Section("made", "Cost on every level", [words, *blocks], label="Every level")


def _table(cipher: str, group: str, cells: Sequence[coverage.Cell]) -> Table:
    code, memory = any(_row(one, CODE) for one in cells), any(_row(one, MEMORY) for one in cells)
    columns = [Column("level", text=True), Column("number")]
    columns += [Column("code", "bytes")] if code else []
    columns += [Column("memory", "bytes")] if memory else []
    columns.append(Column("remark", text=True))
    lines = []
    for one in cells:
        line = [Cell(one.level.title), _number(one)]
        line += [row_cell(_row(one, CODE))] if code else []
        line += [_memory(one)] if memory else []
        lines.append([*line, Cell("; ".join(remarks(one)))])
    name = "".join(letter if letter.isalnum() else "-" for letter in group)
    title = f"{cipher}: {group}"
    return Table(f"sheet-{file_name(cipher)}-made-{name}", title, columns, lines)


def _number(cell: coverage.Cell) -> Cell:
    if cell.row is not None:
        return row_cell(cell.row)
    return Cell(cell.code, tone="muted") if cell.code else Cell("…", tone="muted")


def remarks(cell: coverage.Cell) -> Iterator[str]:
    """Yield what has to be said of a cell: how its number was obtained, what is wrong, why there is none."""
    row = cell.row
    if row is None:
        yield cell.reason or PENDING
        return
    if hold.fails(row):
        yield (row.certificate or "").partition(";")[0] + ": withdrawn"
    yield row.basis


def _row(cell: coverage.Cell, metrics: Sequence[str]) -> Row | None:
    """Return the row of the first of some metrics that there is, of the first direction or of all code."""
    direction = cell.cipher.directions[0]
    found = (
        row for metric in metrics for row in cell.rows
        if row.metric == metric and row.operation in (direction, None) and not row.part
    )  # fmt: skip
    return next(found, None)


def _memory(cell: coverage.Cell) -> Cell:
    row = _row(cell, MEMORY)
    made = row_cell(row)
    return made if row is None else Cell(made.text, row, made.number, under=row.metric.removesuffix("_bytes"))
