"""The pages of the report: those of files in this folder, and one for each study.

A page is a file ``NAME.toml`` with ``title``, ``label`` (what navigation calls it), ``group`` (the heading of
the navigation that it stands under), ``order``, ``path`` (its file in the report) and ``lead`` (what stands
below its title). A section says in its module which page it stands on: ``PAGE = "NAME"``. The sections of a
study stand on a page of the study's own, which takes its title from the paper's citation.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

from cipherassay import published, scanning
from cipherassay.report.elements.section import Section

OVERVIEW, PAPERS, CIPHERS = "overview", "Papers", "Ciphers"
"""The page that the report begins with; the groups of pages that no file here makes."""
_FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Page:
    """A page: its file, what it is called, and the sections on it."""

    name: str
    path: str
    """Its file within the report's folder: ``levels/native.html``."""
    title: str
    label: str
    group: str = ""
    order: int = 0
    lead: str = ""
    sections: Sequence[Section] = field(default=())

    @property
    def root(self) -> str:
        """The way from the page to the report's folder."""
        return "../" * self.path.count("/")


def pages(sections: Sequence[Section]) -> list[Page]:
    """Return the pages that have sections, and the overview, in the order of the navigation.

    Raises
    ------
    ValueError
        A section stands on a page that there is not.
    """
    known = {page.name: page for page in (*_of_files(), *_of_studies())}
    for section in sections:
        if section.page not in known:
            there_are = ", ".join(sorted(known))
            raise ValueError(
                f"section {section.name} stands on page {section.page!r}; there are: {there_are}"
            )
    made = (replace(p, sections=[s for s in sections if s.page == p.name]) for p in known.values())
    return sorted((p for p in made if p.sections or p.name == OVERVIEW), key=lambda page: page.order)


def path_of(name: str) -> str:
    """Return the file of a page; raises KeyError where there is no such page."""
    return next(page.path for page in (*_of_files(), *_of_studies()) if page.name == name)


@cache
def _of_files() -> tuple[Page, ...]:
    files = sorted(_FOLDER.glob("*.toml"))
    return tuple(Page(path.stem, **tomllib.loads(path.read_text(encoding="utf-8"))) for path in files)


@cache
def _of_studies() -> tuple[Page, ...]:
    return tuple(_study_pages())


def _study_pages() -> Iterator[Page]:
    names = sorted(path.parent.name for path in scanning.STUDIES.glob("*/__init__.py"))
    cited = {one.id: one.citation for one in published.load()}
    known = sorted((cited[name].year, name) for name in names if name in cited)
    for number, (year, name) in enumerate(known):
        citation = cited[name]
        first = citation.authors[0].split()[-1]
        others = {1: "", 2: f" and {citation.authors[-1].split()[-1]}"}.get(len(citation.authors), " et al.")
        yield Page(
            name, f"papers/{name}.html", citation.title, f"{first}{others} {year}", PAPERS, 10 + number,
            f"{', '.join(citation.authors)}: {citation.title}. {citation.venue}, {year}.",
        )  # fmt: skip
