"""`assay new`: scaffolds."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cipherassay.console.options import writable_folder
from cipherassay.console.output import Json, output_folder, write_file, write_json
from cipherassay.console.progress import say


def register(app: typer.Typer) -> None:
    """Add the verb and its parts."""
    new = typer.Typer(no_args_is_help=True, help="Begin a new description from a file that already runs.")
    # With a single part the library would drop its name; this keeps `assay new cipher NAME`.
    new.callback()(lambda: None)
    new.command("cipher")(cipher)
    app.add_typer(new, name="new")


def cipher(
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
    """Write a cipher file that runs: a small cipher in the layout of all cipher files, to be replaced."""
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
