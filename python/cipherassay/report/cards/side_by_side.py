"""Several ciphers side by side: what they are, and their numbers level by level."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cipherassay import coverage
from cipherassay.hardware.timing import hold
from cipherassay.report.data import ReportData
from cipherassay.report.elements.section import Section
from cipherassay.report.elements.tables import Cell, Column, Table, number_text, row_cell
from cipherassay.results.row import FAILS_HOLD


def side_by_side(data: ReportData, names: Sequence[str]) -> Iterator[Section]:
    """Yield the sections that compare ciphers, given by name."""
    tables = [_facts(data, names), _costs(data, names)]
    yield Section("side-by-side", "Side by side", tables)


def _facts(data: ReportData, names: Sequence[str]) -> Table:
    described = [data.described[name] for name in names]
    programs = [one.compile(one.key_bits[0]) for one in described]
    lines = [
        [Cell("structure"), *(Cell(one.structure) for one in described)],
        [Cell("block, bits"), *(Cell(str(one.block_bits), number=one.block_bits) for one in described)],
        [Cell("keys, bits"), *(Cell(", ".join(str(n) for n in one.key_bits if n)) for one in described)],
    ]
    counts = []
    for one, program in zip(described, programs, strict=True):
        kinds = program.statistics(one.directions[0])
        counts.append(sum(kind["dynamic"] for kind in kinds.values()))
    lines.append([Cell("operations of a block"), *(Cell(number_text(n), number=n) for n in counts)])
    verdicts = [
        program.constant_time(one.directions[0])["constant_time"]
        for one, program in zip(described, programs, strict=True)
    ]
    lines.append([Cell("constant time"), *(Cell("yes" if one else "no") for one in verdicts)])
    columns = [Column("what", text=True), *(Column(name) for name in names)]
    return Table("card-facts", "What they are", columns, lines)


def _costs(data: ReportData, names: Sequence[str]) -> Table:
    by_key = {(one.cipher.name, one.level.name): one for one in data.cells}
    levels = list({one.level.name: one.level for one in data.cells}.values())
    lines = []
    for level in levels:
        cells = [by_key[name, level.name] for name in names]
        lines.append([Cell(level.title), *(_cost(one, cells) for one in cells)])
    notes = [
        "A block with the shortest key. Blocks have different sizes: below a number of cycles stands that "
        "of a byte. The darker a cell, the better in its line; per byte where that stands."
    ]
    columns = [Column("level", text=True), *(Column(name) for name in names)]
    return Table("card-costs", "Cost on every level", columns, lines, notes)


def _cost(cell: coverage.Cell, beside: Sequence[coverage.Cell]) -> Cell:
    if cell.row is None:
        return Cell(cell.code, note=cell.reason, tone="muted") if cell.code else Cell("…", tone="muted")
    if hold.fails(cell.row):
        return Cell(row_cell(cell.row).text, cell.row, cell.row.value, under=FAILS_HOLD)
    known = [_value(one) for one in beside if one.row is not None and not hold.fails(one.row)]
    rank = None
    if len(known) > 1 and cell.row.unit in ("cycles", "GE", "gates"):
        rank = 1 + sum(one < _value(cell) for one in known), len(known)
    shown = row_cell(cell.row)
    under = f"{number_text(_value(cell))} / byte" if _per_byte(cell) else ""
    return Cell(shown.text, cell.row, cell.row.value, note=shown.note, under=under, rank=rank)


def _per_byte(cell: coverage.Cell) -> bool:
    return cell.row is not None and cell.row.metric == "cycles"


def _value(cell: coverage.Cell) -> float:
    """Return what cells are compared by."""
    value = cell.row.value if cell.row is not None else 0.0
    return value / (cell.cipher.block_bits / 8) if _per_byte(cell) else value
