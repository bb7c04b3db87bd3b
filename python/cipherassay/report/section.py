"""A section of the report, and the finding of the sections."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Sequence
from dataclasses import dataclass

from cipherassay.report.data import ReportData
from cipherassay.report.figures import Figure
from cipherassay.report.gallery import Gallery
from cipherassay.report.tables import Table


@dataclass(frozen=True)
class Fold:
    """Blocks that the page shows when asked for."""

    title: str
    blocks: Sequence[str | Table | Figure | Gallery]


Block = str | Table | Figure | Gallery | Fold


@dataclass(frozen=True)
class Section:
    """A heading with blocks below: paragraphs (plain text), tables, figures, galleries, folds of them."""

    name: str
    """Its anchor in the page."""
    title: str
    blocks: Sequence[Block]
    label: str = ""
    """What the page's navigation calls it, where the title is long."""

    @property
    def flat(self) -> list[str | Table | Figure | Gallery]:
        """Its blocks and those of its folds in their order."""
        found: list[str | Table | Figure | Gallery] = []
        for block in self.blocks:
            found += block.blocks if isinstance(block, Fold) else [block]
        return found

    @property
    def tables(self) -> list[Table]:
        """Its tables in their order."""
        return [block for block in self.flat if isinstance(block, Table)]

    @property
    def figures(self) -> list[Figure]:
        """Its figures in their order."""
        return [block for block in self.flat if isinstance(block, Figure)]

    @property
    def galleries(self) -> list[Gallery]:
        """Its galleries in their order."""
        return [block for block in self.flat if isinstance(block, Gallery)]


def all_sections(data: ReportData) -> list[Section]:
    """Return every section that has something to say about the data.

    A section is a module in ``sections/`` with a number ``ORDER`` and a function
    ``section(data) -> Section | None``.
    """
    from cipherassay.report import sections

    names = [module.name for module in pkgutil.iter_modules(sections.__path__)]
    modules = [importlib.import_module(f"{sections.__name__}.{name}") for name in sorted(names)]
    made = (module.section(data) for module in sorted(modules, key=lambda m: m.ORDER))
    return [section for section in made if section is not None]
