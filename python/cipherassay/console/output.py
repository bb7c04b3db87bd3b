"""What commands write: one JSON document or tables on standard output, files whole or not at all."""

from __future__ import annotations

import json
import math
import os
import re
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cipherassay.console.options import reason, unwritable, writable_folder
from cipherassay.console.progress import say
from cipherassay.errors import UsageError, VerificationError

if TYPE_CHECKING:
    from rich.console import Console

Json = Annotated[bool, typer.Option("--json", help="Write one JSON document to standard output.")]
"""The type of every verb's ``--json`` option: ``def verb(json: Json = False)``."""


def write_json(document: Any) -> None:
    """Write exactly one JSON document to standard output; numbers that JSON lacks become null."""
    is_ascii = not (sys.stdout.encoding or "").lower().startswith("utf")
    sys.stdout.write(json.dumps(_plain(document), indent=2, ensure_ascii=is_ascii) + "\n")


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if value is None or isinstance(value, (str, int, float, bool)):
        return value
    if hasattr(value, "item"):  # a NumPy scalar
        return _plain(value.item())
    return str(value)


def output() -> Console:
    """Return the console for results (standard output): 80 columns where there is no terminal, no colours."""
    from cipherassay.console.line_console import LineConsole

    return LineConsole(highlight=False)


def show_table(columns: Sequence[str], rows: Iterable[Sequence[Any]], *, title: str = "") -> None:
    """Print a table to standard output, as `cipherassay.console.tables` fits it into the width.

    Numbers are set right, None is an empty cell.
    """
    from cipherassay.console.tables import table

    body = [list(row) for row in rows]
    right = []
    for n in range(len(columns)):
        cells = [row[n] for row in body if row[n] is not None]
        right.append(bool(cells) and all(isinstance(cell, (int, float)) for cell in cells))
    console = output()
    if title:
        console.print(title, style="bold", markup=False)
    texts = [[format_cell(cell) for cell in row] for row in body]
    for n, line in enumerate(table(columns, texts, right, console.width)):
        console.print(line, style="bold" if n == 0 else None, markup=False)
    console.print()


def format_cell(value: Any) -> str:
    """Return a cell's text: nothing for None; floats with two decimals at most or four digits."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        if not math.isfinite(value):
            return ""
        return f"{value:.2f}".rstrip("0").rstrip(".") if abs(value) >= 10 else f"{value:.4g}"
    return str(value)


def nothing_verified(what: str, why: str) -> VerificationError:
    """Return the error for a verification that found nothing to verify."""
    return VerificationError("A004", f"nothing was verified: there are no {what}", notes=[why])


def output_folder(path: Path) -> Path:
    """Make the folder that a command writes into and check that it can be written.

    Raises
    ------
    UsageError
        ``U030``: it cannot be made or written; ``U031``: there is a file in its place.
    """
    writable_folder(path)
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise unwritable(path, error) from None
    return path


def write_file(path: Path, content: str | bytes) -> None:
    """Write a file whole or not at all: under another name first, then renamed into place."""
    if path.is_dir():
        raise UsageError("U032", f"the file `{path}` cannot be written", notes=["it is a folder"])
    data = content.encode() if isinstance(content, str) else content
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        temporary.write_bytes(data)
        os.replace(temporary, path)
    except OSError as error:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise UsageError("U032", f"the file `{path}` cannot be written", notes=[reason(error)]) from None


def write_files(
    folder: Path, files: Iterable[tuple[str, str | bytes]], about: dict[str, Any], *, json: bool
) -> None:
    """Write files into a folder and say which, or one JSON document: what is known, and the files.

    Raises
    ------
    UsageError
        ``U030`` to ``U032``: the folder or a file cannot be written; ``U033``: it has files of others.
    """
    output_folder(folder)
    files = list(files)
    for name, _ in files:
        if name in OF_FOLDERS:
            _keep(folder / name)
    written = []
    for name, content in files:
        output_folder((folder / name).parent)
        write_file(folder / name, content)
        written.append(str(folder / name))
    if json:
        write_json({**about, "files": written})
    else:
        say("\n".join(f"wrote {path}" for path in written))


OF_FOLDERS = ("README.md", "Makefile", "CMakeLists.txt")
"""Files that a folder of others has under the same names."""
_OURS = re.compile(r"\b(Made|Written) by `?(assay|cipherassay)\b")


def _keep(path: Path) -> None:
    """Refuse to write over a file that no command of ours wrote: it would be lost."""
    if path.is_file() and not _OURS.search(path.read_text(encoding="utf-8", errors="replace")):
        raise UsageError(
            "U033",
            f"`{path}` is no file that `assay` wrote, and would be overwritten",
            help="name another folder with -o DIR",
        )
