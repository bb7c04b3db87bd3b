"""A card: the ciphers, the levels, the cells that are made so far, and how far it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from cipherassay.coverage import Cell, Level
from cipherassay.report.data import ReportData
from cipherassay.results import Row

if TYPE_CHECKING:
    from cipherassay.lang.cipher import Cipher

RUNNING, FINISHED, INTERRUPTED = "running", "finished", "interrupted"
FIELDS = {
    "native": "rows", "processor": "kernels", "embedded": "embedded", "hardware": "hardware",
    "circuit": "circuits",
}  # fmt: skip
"""The field of a report's data that has the rows of a level."""


@dataclass
class Card:
    """A card.

    Parameters
    ----------
    cells : dict
        What is made so far, by slug of the cipher and name of the level.
    catalogue : sequence of Row
        Rows of the catalogue's ciphers that these are ranked among.
    """

    ciphers: Sequence[Cipher]
    levels: Sequence[Level]
    state: str = RUNNING
    cells: dict[tuple[str, str], Cell] = field(default_factory=dict)
    catalogue: Sequence[Row] = ()

    def add(self, cell: Cell) -> None:
        """Take a cell that is made."""
        self.cells[cell.cipher.slug, cell.level.name] = cell

    @property
    def all_cells(self) -> list[Cell]:
        """Every cell, cipher by cipher; one that is not made has neither a row nor a code."""
        made = dict(self.cells)
        waiting = "interrupted before it was made" if self.state == INTERRUPTED else ""
        return [
            made.get((cipher.slug, level.name), Cell(cipher, level, reason=waiting))
            for cipher in self.ciphers
            for level in self.levels
        ]

    def data(self) -> ReportData:
        """Return what the sections of data sheets read."""
        from cipherassay.native.environment import machine_name
        from cipherassay.results.published import published_rows

        cells = self.all_cells
        names = {one.name for one in self.ciphers}
        own = [row for cell in cells for row in cell.rows]
        rows: dict[str, Any] = {name: [] for name in FIELDS.values()}
        for row in (*dict.fromkeys(own), *(one for one in self.catalogue if one.cipher not in names)):
            if row.level in FIELDS:
                rows[FIELDS[row.level]].append(row)
        return ReportData(
            **rows, published=published_rows(), strategies=self._strategies(), machine=machine_name(),
            described={one.name: one for one in self.ciphers}, cells=cells,
        )  # fmt: skip

    def _strategies(self) -> dict[str, str]:
        """Return the default strategy of these ciphers and of the catalogue's that have rows."""
        from cipherassay import ciphers
        from cipherassay.strategies import preferred

        found = {one.name: preferred(one) for one in self.ciphers}
        for name in dict.fromkeys(row.cipher for row in self.catalogue if row.cipher):
            if name not in found and (slug := ciphers.find(name)):
                found[name] = preferred(ciphers.load(slug))
        return found
