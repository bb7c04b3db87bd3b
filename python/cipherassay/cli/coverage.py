"""`assay coverage`: which primitive is made at which level, with the number or the reason."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cipherassay.console.help import RESULTS
from cipherassay.console.output import Json, format_cell, show_table, write_file, write_json
from cipherassay.console.progress import job_progress, say
from cipherassay.errors import VerificationError

if TYPE_CHECKING:
    from cipherassay.coverage import Cell, Level
    from cipherassay.coverage.state import State

WHOLE = 100
"""Numbers from there on are shown without decimals."""
NAMED = 12
"""Cells that a message names of those whose state is another."""
WIDTH = 80
"""Characters of a table; levels that it has no room for stand in another below."""


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("coverage", rich_help_panel=RESULTS)(coverage)


def coverage(
    ciphers: Annotated[
        list[str] | None,
        typer.Argument(help="Ciphers, or your own files; all known ones without it.", show_default=False),
    ] = None,
    level: Annotated[
        list[str] | None, typer.Option("--level", help="Only this level; may be repeated.")
    ] = None,
    quick: Annotated[
        bool,
        typer.Option("--quick", help="One choice for each kernel, one recipe for each design: no searches."),
    ] = False,
    seconds: Annotated[
        float | None, typer.Option(help="Begin nothing more after this time; the table says what is left.")
    ] = None,
    against: Annotated[
        Path | None, typer.Option(help="Fail where a cell has another state than in this file.")
    ] = None,
    write_state: Annotated[
        Path | None, typer.Option(help="Write which cells have a number, and the codes of the others.")
    ] = None,
    json: Json = False,
) -> None:
    """Print what is made of which cipher, or why not.

    A table of primitives and levels: C, Java, processors, small processors, devices, circuits.
    Each cell has a number that passed its check, or the code of a reason that stands below the table. What
    was made before is not made again; Ctrl-C keeps what is finished.
    """
    from cipherassay.ciphers import names
    from cipherassay.coverage import cells, state
    from cipherassay.coverage.level import find_levels
    from cipherassay.jobs import executor
    from cipherassay.review import load_right

    chosen = find_levels(level or [])
    expected = state.read(against) if against else None
    found = [load_right(name) for name in ciphers or names()]
    limit = float("inf") if seconds is None else seconds
    with executor() as place, job_progress("coverage", quiet=json) as bar:
        made = cells(found, chosen, quick=quick, place=place, progress=bar, seconds=limit)
    if write_state:
        write_file(write_state, state.text_of(made))
    if json:
        write_json(document(made, chosen))
    else:
        show(made, chosen)
    if expected is not None:
        demand(made, expected)


def show(made: Sequence[Cell], chosen: Sequence[Level]) -> None:
    """Print the cells as tables, then how many there are of each kind."""
    if len({cell.cipher.slug for cell in made}) == 1:
        show_one(made)
    else:
        show_all(made, chosen)
    if any(cell.row is not None and cell.row.stable is False for cell in made):
        say("*: measured on an unsteady machine")
    say(summary(made))


def demand(made: Sequence[Cell], expected: State) -> None:
    """Compare cells with a kept state of the table.

    Raises
    ------
    VerificationError
        ``R044``: some have another state.
    """
    from cipherassay.coverage import state

    if different := list(state.differences(made, expected)):
        raise VerificationError(
            "R044",
            f"{len(different)} of {len(made)} cells have another state than the file",
            notes=[
                f"{cell.cipher.slug}, {cell.level.name}: {kept or 'nothing'} in the file, now "
                + (cell.status if cell.row else f"{cell.code}, {cell.reason}")
                for cell, kept in different[:NAMED]
            ],
            help="`--write-state` writes the new state",
        )


def document(made: Sequence[Cell], chosen: Sequence[Level]) -> dict[str, Any]:
    """Return the table as JSON has it."""
    from cipherassay.coverage.documents import cell_document

    return {
        "levels": [{"name": one.name, "group": one.group, "title": one.title} for one in chosen],
        "cells": [cell_document(cell) for cell in made],
        "counts": Counter(cell.status for cell in made),
    }


def summary(made: Sequence[Cell]) -> str:
    """Return how many cells there are of each kind."""
    counts = Counter(cell.status for cell in made)
    return (
        f"{len(made)} cells: {counts['number']} numbers, {counts['bound']} with a computed bound, "
        f"{counts['missing']} missing"
    )


def show_one(made: Sequence[Cell]) -> None:
    """Print the cells of one primitive, a line each."""
    lines = [(cell.level.title, _number(cell), _reason(cell)) for cell in made]
    show_table(("level", "number", "reason"), lines, title=made[0].cipher.name)


def show_all(made: Sequence[Cell], chosen: Sequence[Level]) -> None:
    """Print tables of as many levels as there is room for, then the reasons that they name."""
    ciphers = list(dict.fromkeys(cell.cipher.slug for cell in made))
    by_key = {(cell.cipher.slug, cell.level.name): cell for cell in made}
    first = max(map(len, ciphers))
    for levels in _fitting(chosen, first):
        lines = [[slug, *(_number(by_key[slug, one.name]) for one in levels)] for slug in ciphers]
        show_table(("", *(one.name for one in levels)), lines, title=levels[0].group)
    reasons = dict.fromkeys((cell.code, cell.cipher.slug, cell.level.name, _reason(cell)) for cell in made)
    if missing := [one for one in sorted(reasons) if one[3]]:
        show_table(("code", "primitive", "level", "reason"), missing, title="cells without a number")


def _fitting(chosen: Sequence[Level], first: int) -> Iterator[list[Level]]:
    """Yield the levels of each table: those of one group, as many as there is room for."""
    some: list[Level] = []
    width = first
    for level in chosen:
        needed = len(level.name) + 3
        if some and (level.group != some[0].group or width + needed > WIDTH):
            yield some
            some, width = [], first
        some.append(level)
        width += needed
    if some:
        yield some


def _number(cell: Cell) -> str:
    if cell.row is None:
        return cell.code
    value = cell.row.value
    mark = "*" if cell.row.stable is False else ""
    return f"{format_cell(round(value) if value >= WHOLE else value)}{mark}"


def _reason(cell: Cell) -> str:
    return "" if cell.row is not None else cell.reason
