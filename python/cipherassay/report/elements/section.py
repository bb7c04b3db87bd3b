"""A section of the report, and the finding of the sections."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Protocol, cast

from cipherassay import scanning
from cipherassay.report.data import ReportData
from cipherassay.report.elements.figures import Figure
from cipherassay.report.elements.gallery import Gallery
from cipherassay.report.elements.tables import Table


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


class SectionModule(Protocol):
    """A module that makes a section of the report."""

    ORDER: int
    """Sections stand in the order of these numbers."""

    def section(self, data: ReportData) -> Section | None:
        """Return the section, None if the data have nothing for it."""


class Addition(Protocol):
    """A study's module for a general section, ``additions/SECTION.py``, where the section takes blocks."""

    def blocks(self, data: ReportData) -> Sequence[Block]:
        """Return what the section shows besides."""


def additions(section: str) -> list[ModuleType]:
    """Return the modules that studies add to a section, named as the section's module."""
    return [one for one in scanning.brought("additions") if one.__name__.rpartition(".")[2] == section]


def added(section: str, data: ReportData) -> list[Block]:
    """Return the blocks that studies add to a section, named as its module."""
    return [block for one in cast(list[Addition], additions(section)) for block in one.blocks(data)]


def all_sections(data: ReportData) -> list[Section]:
    """Return every section that has something to say about the data.

    A section is a `SectionModule` in ``report/sections`` or of a study.
    """
    found = cast(list[SectionModule], scanning.modules("report.sections", "sections"))
    made = (module.section(data) for module in sorted(found, key=lambda one: one.ORDER))
    return [section for section in made if section is not None]
