"""The index that the search of every page reads: pages, sections, tables, figures, and where they stand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cipherassay.report.elements.figures import Figure
from cipherassay.report.elements.gallery import Gallery
from cipherassay.report.elements.section import Block, Fold, Section
from cipherassay.report.elements.tables import Table
from cipherassay.report.page.rows import script
from cipherassay.report.pages import Page

_MOST = 300
"""So many letters of a text are searched."""
Entry = tuple[str, str, str, str]
"""What is found: its title, where it stands, its address, more words by which it is found."""


def index(pages: Sequence[Page]) -> str:
    """Return the script that gives the index to the page: ``cipherassay.index([[TITLE, WHERE, ADDRESS,
    WORDS], …])``."""
    return f"cipherassay.index({script([entry for page in pages for entry in _entries(page)])})\n"


def _entries(page: Page) -> Iterator[Entry]:
    yield page.title, page.group or page.label, page.path, page.lead[:_MOST]
    for section in page.sections:
        yield section.title, page.label, f"{page.path}#{section.name}", _words(section)
        for block in section.blocks:
            yield from _of_block(block, page)


def _words(section: Section) -> str:
    return " ".join(block for block in section.blocks if isinstance(block, str))[:_MOST]


def _of_block(block: Block, page: Page) -> Iterator[Entry]:
    if isinstance(block, Table):
        heads = " ".join(dict.fromkeys(column.heading for column in block.columns))
        firsts = " ".join(dict.fromkeys(line[0].text for line in block.lines if line))
        yield block.title, page.label, f"{page.path}#table-{block.name}", f"{firsts} {heads}"[:_MOST]
    elif isinstance(block, Figure):
        yield block.title, page.label, f"{page.path}#figure-{block.name}", block.caption[:_MOST]
    elif isinstance(block, Gallery):
        for picture in block.pictures:
            yield f"{picture.title} {picture.note}".strip(), page.label, f"{page.path}#{picture.name}", ""
    elif isinstance(block, Fold):
        for inner in block.blocks:
            yield from _of_block(inner, page)
