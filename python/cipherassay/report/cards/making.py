"""Makes a card: its page stands at once, and is written again as the cells of the coverage table come."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cipherassay import signals
from cipherassay.console.output import write_file
from cipherassay.console.progress import job_progress, say
from cipherassay.coverage import Cell, Level, cells
from cipherassay.errors import AssayError
from cipherassay.jobs import executor
from cipherassay.report.cards.card import FINISHED, INTERRUPTED, Card
from cipherassay.report.cards.catalogue import catalogue_rows
from cipherassay.report.cards.document import document
from cipherassay.report.cards.page import html

if TYPE_CHECKING:
    from cipherassay.lang.cipher import Cipher
    from cipherassay.results import Row

PAUSE_SECONDS = 3.0
"""Between two times that the page is written."""


@dataclass(frozen=True)
class Files:
    """Where a card is written: ``NAME.card.html`` and ``NAME.card.json`` beside it."""

    page: Path
    data: Path


def make_card(
    ciphers: Sequence[Cipher],
    levels: Sequence[Level],
    files: Files,
    *,
    quick: bool = True,
    seconds: float = float("inf"),
    quiet: bool = False,
) -> dict[str, Any]:
    """Make a card and return its document.

    Parameters
    ----------
    quick, seconds
        As of `cipherassay.coverage.cells`.
    quiet : bool
        Whether nothing is said of how far it is.

    Raises
    ------
    UsageError
        ``U032``: a file cannot be written.
    """
    card = Card(ciphers, levels)
    signals.finishing()  # an interruption writes the card once more
    try:
        write(card, files)
        if not quiet:
            say(f"first page: {files.page}")
        with executor() as place, job_progress("card", quiet=quiet) as bar, _writing(card, files) as changed:

            def made(cell: Cell) -> None:
                card.add(cell)
                changed.set()

            for cell in cells(
                ciphers, levels, quick=quick, place=place, progress=bar, seconds=seconds, made=made
            ):
                card.add(cell)
        card.catalogue = _catalogue(card, quiet)
    except BaseException:
        card.state = INTERRUPTED
        with suppress(AssayError):
            write(card, files)
        raise
    card.state = FINISHED
    return write(card, files)


def write(card: Card, files: Files) -> dict[str, Any]:
    """Write a card's page and its JSON, each whole or not at all, and return the document."""
    made = document(card)
    write_file(files.page, html(card))
    write_file(files.data, json.dumps(made, indent=1, ensure_ascii=False) + "\n")
    return made


def _catalogue(card: Card, quiet: bool) -> list[Row]:
    from cipherassay.native.environment import machine_name

    levels = {row.level for cell in card.all_cells for row in cell.rows if row.level}
    return catalogue_rows(levels, machine_name(), (lambda text: None) if quiet else say)


@contextmanager
def _writing(card: Card, files: Files) -> Iterator[threading.Event]:
    """Write the card in a thread beside the work each time that the event is set, until the block ends."""
    changed, over = threading.Event(), threading.Event()

    def work() -> None:
        while not over.is_set():
            if changed.wait(0.2):
                changed.clear()
                # What cannot be written now is told by the last time, which is not in this thread.
                with suppress(AssayError):
                    write(card, files)
                over.wait(PAUSE_SECONDS)

    thread = threading.Thread(target=work, name="assay-card")
    thread.start()
    try:
        yield changed
    finally:
        over.set()
        thread.join()
