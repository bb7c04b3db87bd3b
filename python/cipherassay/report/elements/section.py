"""A section of the report, and the finding of the sections."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
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
    """What the contents of the page call it, where the title is long."""
    page: str = ""
    """The page that it stands on; `all_sections` fills it in from the section's module."""

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
    PAGE: str
    """The page that the section stands on (`cipherassay.report.pages`); a study's stand on the study's own
    page unless they say otherwise."""

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
    """Return every section that has something to say about the data, each with its page.

    A section is a `SectionModule` in ``report/sections`` or of a study.
    """
    found = cast(list[SectionModule], scanning.modules("report.sections", "sections"))
    made = [(module, module.section(data)) for module in sorted(found, key=lambda one: one.ORDER)]
    return [replace(section, page=_page_of(module)) for module, section in made if section is not None]


def _page_of(module: SectionModule) -> str:
    """Return the page that a module declares; by default the study that it is of."""
    declared: str | None = getattr(module, "PAGE", None)
    package = cast(ModuleType, module).__name__.split(".")
    if declared is None and package[1] != scanning.STUDIES.name:
        raise ValueError(f"{'.'.join(package)} has no PAGE: name the page that its section stands on")
    return declared or package[2]
