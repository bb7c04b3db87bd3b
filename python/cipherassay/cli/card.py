"""`assay card`: one page on one cipher, or on several side by side."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cipherassay.console.help import DESCRIBE
from cipherassay.console.options import writable_place
from cipherassay.console.output import Json, output_folder, write_json
from cipherassay.console.progress import say
from cipherassay.errors import UsageError

if TYPE_CHECKING:
    from cipherassay.report.cards.making import Files

PAGE, DATA = ".html", ".json"


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("card", rich_help_panel=DESCRIBE)(card)


def card(
    ciphers: Annotated[
        list[str],
        typer.Argument(help="Ciphers, or your own files; several stand side by side.", show_default=False),
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "-o", "--output", callback=writable_place, metavar="DIR|FILE.html",
            help="Where to write (default: NAME.card.html here; the JSON beside it).", show_default=False,
        ),
    ] = None,
    level: Annotated[
        list[str] | None,
        typer.Option("--level", help="Only this level of `assay coverage`; may be repeated."),
    ] = None,
    full: Annotated[
        bool,
        typer.Option("--full", help="Search, as a report does; else one choice for each kernel and design."),
    ] = False,
    seconds: Annotated[
        float | None, typer.Option(help="Begin nothing more after this time; the page says what is left.")
    ] = None,
    json: Json = False,
) -> None:
    """Make a data sheet of a cipher, yours too: one page, and its JSON.

    The page needs no other file.
    What it is, its structure drawn, operations, S-boxes with circuits, cost on this machine, on every
    modelled and small processor and in gates, constant time, rank, and what was not made and why. The page
    stands within seconds and fills as numbers come; Ctrl-C keeps what is finished.
    """
    from cipherassay import tools
    from cipherassay.coverage.level import find_levels
    from cipherassay.report.cards import make_card
    from cipherassay.review import load_right

    chosen = find_levels(level or [])
    tools.require_packages(*tools.MEASURING)
    found = [load_right(name) for name in ciphers]
    slugs = [one.slug for one in found]
    if twice := sorted({slug for slug in slugs if slugs.count(slug) > 1}):
        raise UsageError(
            "U042", f"two of the ciphers are called `{twice[0]}`",
            help="a page tells ciphers apart by their names: give each its own in `Cipher(…)`",
        )  # fmt: skip
    files = _files(output, "-".join(slugs))
    made = make_card(
        found, chosen, files, quick=not full, seconds=float("inf") if seconds is None else seconds, quiet=json
    )
    if json:
        write_json({"page": str(files.page), **made})
    else:
        say("the card:")
        typer.echo(str(files.page))


def _files(output: Path | None, name: str) -> Files:
    """Return where page and JSON are written: a file's name ends in ``.html``, all else is a folder."""
    from cipherassay.report.cards.making import Files

    if output is not None and output.suffix == PAGE and not output.is_dir():
        return Files(output, output.with_suffix(DATA))
    folder = output_folder(output) if output is not None else Path()
    return Files(folder / f"{name}.card{PAGE}", folder / f"{name}.card{DATA}")
