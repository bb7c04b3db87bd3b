"""`assay new`: the scaffold of a description."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cipherassay.console.help import DESCRIBE
from cipherassay.console.options import writable_folder
from cipherassay.console.output import Json, output_folder, write_file, write_json
from cipherassay.console.progress import say


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("new", rich_help_panel=DESCRIBE)(new)


def new(
    name: Annotated[
        str, typer.Argument(help="The cipher's name as its paper writes it.", show_default=False)
    ],
    folder: Annotated[
        Path, typer.Option("-o", "--output", callback=writable_folder, help="The folder to write into.")
    ] = Path("."),
    like: Annotated[
        str,
        typer.Option(
            "--like", help="What it is like: arx, feistel, permutation or spn; each template runs as it is."
        ),
    ] = "arx",
    json: Json = False,
) -> None:
    """Begin a new description from a file that already runs.

    It is a small cipher in the layout of all cipher files, whose functions are to be replaced.
    """
    from cipherassay.errors import UsageError
    from cipherassay.review import scaffold_cipher

    file_name, text = scaffold_cipher(name, like)
    path = output_folder(folder) / file_name
    if path.exists():
        raise UsageError(
            "U022", f"`{path}` exists already", help="remove it, or name another folder with -o DIR"
        )
    write_file(path, text)
    if json:
        write_json({"file": str(path)})
        return
    typer.echo(str(path))
    say(f"next: replace its functions by the paper's, put known answers into {path.with_suffix('.kat.txt')},")
    say(f"then `assay check {path}` (with --draft while there are no known answers)")
