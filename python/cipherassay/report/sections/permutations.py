"""The permutations: our code on this machine and on modelled processors."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from cipherassay.lang.shapes import PERMUTATION
from cipherassay.report.data import ReportData
from cipherassay.report.elements.section import Section
from cipherassay.report.elements.tables import EMPTY, Cell, Column, Table, number_text, row_cell
from cipherassay.results import Row

ORDER = 15
PAGE = "native"
OPERATIONS = {PERMUTATION.forward: "permutation", PERMUTATION.backward: "inverse"}
Key = tuple[str, ...]


def section(data: ReportData) -> Section | None:
    """Return the section, if a permutation was measured."""
    if not data.permutations:
        return None
    here = [row for row in data.rows if row.strategy and row.level == "native"]
    tables = [
        _table(
            data, "permutations", "One state on this machine", ("variant", "strategy"), here,
            lambda row: (row.variant or "", row.strategy or ""),
        )
    ]  # fmt: skip
    modelled = [*data.kernels, *data.elsewhere]
    if any(row.cipher in data.permutations for row in modelled):
        tables.append(
            _table(
                data, "permutations-modelled", "One state on modelled processors", ("variant", "processor"),
                modelled, lambda row: (row.variant or "", row.target or ""),
            )
        )  # fmt: skip
    return Section("permutations", "Permutations", tables)


def _table(
    data: ReportData, name: str, title: str, of: Sequence[str], rows: Iterable[Row], key: Callable[[Row], Key]
) -> Table:
    columns = [Column(text, text=True) for text in ("permutation", *of)]
    columns += [Column(text, "cycles") for text in OPERATIONS.values()]
    columns.append(Column("permutation, per byte", "cycles"))
    found: dict[tuple[str, Key], dict[str, Row]] = {}
    for row in rows:
        if row.cipher in data.permutations and row.metric == "cycles":
            found.setdefault((row.cipher or "", key(row)), {}).setdefault(row.operation or "", row)
    lines = [
        [Cell(cipher), *map(Cell, words), *_cells(data.block_bytes[cipher], each)]
        for (cipher, words), each in found.items()
    ]
    notes = ["Cycles of one state, each input the output of the one before: the median over the inputs."]
    return Table(name, title, columns, lines, notes if name == "permutations" else [])


def _cells(size: int, rows: dict[str, Row]) -> Iterator[Cell]:
    for operation in OPERATIONS:
        yield row_cell(rows.get(operation))
    row = rows.get(PERMUTATION.forward)
    per_byte = row.value / size if row else None
    yield EMPTY if per_byte is None else Cell(number_text(per_byte), row, per_byte)
