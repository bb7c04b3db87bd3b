"""Tables 1 and 2 of the HP paper rebuilt: published equation sets as we measure them, and as printed."""

from __future__ import annotations

from collections.abc import Sequence

from cipherassay.report.data import ReportData
from cipherassay.report.elements.tables import EMPTY, Cell, Column, Table, printed_text
from cipherassay.results import Row

TITLES = {
    "infinite": ("hp-table-1", "The HP paper's Table 1 rebuilt: as many operations in a cycle as are ready"),
    "two-alu": ("hp-table-2", "The HP paper's Table 2 rebuilt: two operations a cycle"),
}
SHORT = {"ops": "ops", "cycles": "cycles", "width": "width", "temporaries": "temps"}
NOTE = (
    "Each set's equations, read from published source text, checked on every input and counted by the "
    "paper's rules; in brackets what the paper prints where that differs. Temporaries follow a rule of our "
    "own (results alive at once): the paper's rule is not known."
)


def equation_tables(data: ReportData, boxes: Sequence[str]) -> list[Table]:
    """Return the two tables; none without the rows."""
    made = []
    for target, (name, title) in TITLES.items():
        rows = [row for row in data.of_study("equations") if row.target == target]
        if rows:
            made.append(_table(name, title, rows, boxes))
    return made


def _table(name: str, title: str, rows: Sequence[Row], boxes: Sequence[str]) -> Table:
    sets = list(dict.fromkeys(row.configuration or "" for row in rows))
    metrics = [m for m in SHORT if any(row.metric == m for row in rows)]
    found = {(row.variant, row.configuration, row.metric): row for row in rows}
    columns = [Column("box", text=True)]
    columns += [Column(SHORT[m], group=one) for one in sets for m in metrics]
    lines = [
        [Cell(box), *(_cell(found.get((box, one, m))) for one in sets for m in metrics)] for box in boxes
    ]
    return Table(name, title, columns, lines, [_agreement(rows, metrics), NOTE], dense=True)


def _cell(row: Row | None) -> Cell:
    if row is None:
        return EMPTY
    if row.reference is None or row.value == row.reference:
        return Cell(printed_text(row.value), row, row.value)
    return Cell(f"{printed_text(row.value)} ({printed_text(row.reference)})", row, row.value, "muted")


def _agreement(rows: Sequence[Row], metrics: Sequence[str]) -> str:
    parts = []
    for metric in metrics:
        of = [row for row in rows if row.metric == metric]
        parts.append(f"{SHORT[metric]} {sum(row.value == row.reference for row in of)} of {len(of)}")
    return f"As printed: {', '.join(parts)}."
