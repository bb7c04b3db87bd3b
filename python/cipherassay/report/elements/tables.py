"""A table of the report: columns with units, cells that know the row behind their number."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from cipherassay.results import Row


@dataclass(frozen=True)
class Cell:
    """One cell: a text, or a number with the row that it is from."""

    text: str = ""
    row: Row | None = None
    number: float | None = None
    tone: str = ""
    """``good``, ``bad``, ``best``, ``muted``, or empty."""
    note: str = ""
    """Shown with the evidence of the number, and when it is pointed at."""
    under: str = ""
    """A second, smaller line."""
    rank: tuple[int, int] | None = None
    """Its place among so many that it is compared with, 1 the best: the page shades it."""

    @property
    def unsteady(self) -> bool:
        """Whether its number was measured while the machine was unsteady, which the page marks."""
        return self.row is not None and self.row.stable is False


@dataclass(frozen=True)
class Column:
    """One column; neighbours of one `group` share a heading above theirs."""

    title: str
    unit: str = ""
    group: str = ""
    text: bool = False
    """Whether it holds words (set left) rather than numbers (set right)."""
    link: str = ""
    """What the heading leads to: a page of the report and an anchor (``levels/native.html#summary``)."""

    @property
    def heading(self) -> str:
        """The heading where there is one line only: group, title and unit."""
        unit = f" ({self.unit})" if self.unit else ""
        return f"{self.group}: {self.title}{unit}" if self.group else f"{self.title}{unit}"


@dataclass(frozen=True)
class Table:
    """A named table; `name` is its file's name, `notes` stand below it."""

    name: str
    title: str
    columns: Sequence[Column]
    lines: Sequence[Sequence[Cell]]
    notes: Sequence[str] = field(default=())
    dense: bool = False
    """Set smaller on the page: many columns."""
    totals: int = 0
    """So many lines at the end are sums or means of those above: they stay there when a reader sorts."""

    def __post_init__(self) -> None:
        wrong = [len(line) for line in self.lines if len(line) != len(self.columns)]
        if wrong:
            raise ValueError(
                f"table {self.name}: a line of {wrong[0]} cells under {len(self.columns)} columns"
            )
        if not re.fullmatch(r"[a-z0-9-]+", self.name):
            raise ValueError(f"table {self.name!r}: the name must do as a file's name")

    @property
    def unsteady(self) -> bool:
        """Whether one of its cells is."""
        return any(cell.unsteady for line in self.lines for cell in line)


EMPTY = Cell("–", tone="muted")
"""There is no such number."""


def without_empty(
    columns: Sequence[Column], lines: Sequence[Sequence[Cell]]
) -> tuple[list[Column], list[list[Cell]]]:
    """Return columns and lines without the columns that are `EMPTY` in every line."""
    kept = [n for n in range(len(columns)) if any(line[n] != EMPTY for line in lines)]
    return [columns[n] for n in kept], [[line[n] for n in kept] for line in lines]


def number_text(value: float, unit: str | None = None) -> str:
    """Return a number as the report prints it: no more digits than it deserves, a comma between thousands.

    Whole numbers stay whole; cycles from 1,000 on have no decimals, from 100 on one, below two; other
    units three significant digits below 1.
    """
    if not math.isfinite(value):
        raise ValueError(f"not a number to print: {value}")
    if value == int(value) and abs(value) < 1e15:
        return f"{int(value):,}"
    if abs(value) >= 999.95:
        return f"{value:,.0f}"
    if abs(value) >= 99.995:
        return f"{value:.1f}"
    return f"{value:.2f}" if abs(value) >= 1 or unit == "cycles" else f"{value:.3g}"


def printed_text(value: float) -> str:
    """Return a published number with the digits that its paper printed, a comma between thousands."""
    return f"{value:,.10g}"


def probability_cell(row: Row | None) -> Cell:
    """Return the cell of a probability: two decimals, ``< 0.001`` below that."""
    if row is None:
        return EMPTY
    text = "< 0.001" if row.value < 0.001 else f"{row.value:.3f}" if row.value < 0.1 else f"{row.value:.2f}"
    return Cell(text, row, row.value)


def row_cell(row: Row | None, *, tone: str = "") -> Cell:
    """Return the cell that shows a row's value and leads to it."""
    if row is None:
        return EMPTY
    unsteady = "measured while the machine was unsteady" if row.stable is False else ""
    # A paper's number is shown with the paper's own digits; what was computed from one has no such digits.
    printed = row.basis == "published" and round(row.value, 4) == row.value
    text = printed_text(row.value) if printed else number_text(row.value, row.unit)
    return Cell(text, row, row.value, tone, unsteady)


def ratio_cell(ours: Row | None, theirs: Row | None) -> Cell:
    """Return ours / theirs, as ``0.28``; a ratio exists only between equal units."""
    if ours is None or theirs is None or not theirs.value or ours.unit != theirs.unit:
        return EMPTY
    ratio = ours.value / theirs.value
    return Cell(
        ratio_text(ratio), ours, ratio, note=f"{number_text(ours.value)} / {number_text(theirs.value)}"
    )


def ratio_text(ratio: float) -> str:
    """Return a ratio with two decimals, or three digits where two would say nothing."""
    return f"{ratio:.2f}" if ratio >= 0.1 else f"{ratio:.2g}"
