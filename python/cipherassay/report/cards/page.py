"""The page of a card: data sheets of its ciphers; if there are several, first all side by side."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from cipherassay.report.cards.card import INTERRUPTED, RUNNING, Card
from cipherassay.report.cards.side_by_side import side_by_side
from cipherassay.report.data import ReportData
from cipherassay.report.elements.section import Fold, Section
from cipherassay.report.page.rendering import Site
from cipherassay.report.page.rows import RowNumbers
from cipherassay.report.pages import Page
from cipherassay.report.sheets import file_name, sections_of

SECONDS = 5
"""After this time a page that is not finished loads itself again."""


def html(card: Card) -> str:
    """Return the card as one page that needs nothing but itself."""
    data = card.data()
    names = [one.name for one in card.ciphers]
    page = Page(
        "card", "card.html", ", ".join(names), names[0], lead=_lead(names),
        sections=list(_sections(card, data)),
    )  # fmt: skip
    refresh = SECONDS if card.state == RUNNING else 0
    return Site(data, [page], RowNumbers(), alone=True).alone(page, _state(card), refresh)


def _lead(names: list[str]) -> str:
    if len(names) == 1:
        return f"Data sheet: what {names[0]} is, and what it costs on every level."
    return "Data sheets side by side: what these ciphers are, and what they cost on every level."


def _state(card: Card) -> str:
    """Return what the page says of how far it is; nothing of a finished one."""
    total, made = len(card.levels) * len(card.ciphers), len(card.cells)
    if card.state == RUNNING:
        return (
            f"Being made: {made} of {total} cells so far. "
            f"This page loads itself again every {SECONDS} seconds."
        )
    if card.state == INTERRUPTED:
        return f"Interrupted after {made} of {total} cells. The same command goes on from there."
    return ""


def _sections(card: Card, data: ReportData) -> Iterator[Section]:
    if len(card.ciphers) == 1:
        yield from sections_of(data, card.ciphers[0].name)
        return
    yield from side_by_side(data, [one.name for one in card.ciphers])
    for cipher in card.ciphers:
        for section in sections_of(data, cipher.name):
            yield _named(section, cipher.name)


def _named(section: Section, cipher: str) -> Section:
    """Return a section under a name and titles that tell it from those of other ciphers."""
    blocks = [
        replace(block, title=f"{cipher}: {block.title}") if isinstance(block, Fold) else block
        for block in section.blocks
    ]
    label = f"{cipher}: {section.label or section.title}"
    name = f"{file_name(cipher)}-{section.name}"
    return replace(section, name=name, title=f"{cipher}: {section.title}", blocks=blocks, label=label)
