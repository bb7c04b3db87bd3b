"""`assay list`: what there is: ciphers, strategies, papers, processors, technologies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Any

import typer

from cipherassay.cli.list import entries
from cipherassay.console.help import DESCRIBE
from cipherassay.console.output import Json, output, show_table, write_json
from cipherassay.console.processor import Folder
from cipherassay.console.tables import grid
from cipherassay.errors import UsageError, nearest

KINDS = ("ciphers", "strategies", "published", "processors", "technologies")
_COLUMNS = {
    "ciphers": ("name", "aliases", "block_bits", "key_bits"),
    "strategies": ("name", "title"),
    "published": ("name", "year", "title"),
    "processors": ("name", "isa", "order", "issue", "mhz", "title"),
    "technologies": ("name", "cells", "timing", "here", "title"),
}
"""What a table of 80 columns has room for; ``--json`` gives everything."""


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("list", rich_help_panel=DESCRIBE)(list_)


def list_(
    kind: Annotated[str, typer.Argument(help=f"{', '.join(KINDS)}; all without it.")] = "",
    long: Annotated[
        bool, typer.Option("--long", "-l", help="A line for each cipher, with its aliases.")
    ] = False,
    path: Folder = None,
    json: Json = False,
) -> None:
    """List ciphers, strategies, papers, processors, technologies.

    Processors of issue slots are there as NAME-infinite, too, without limits on ports. Technologies with
    timing serve synthesis, the others only count cells.
    """
    if kind and kind not in KINDS:
        raise UsageError("U015", f"there is no list of `{kind}`", help=nearest(kind, KINDS))
    documents = {name: _entries(name, path) for name in KINDS if kind in ("", name)}
    if json:
        write_json(documents)
        return
    for name, found in documents.items():
        if name == "ciphers" and not long:
            _show_ciphers(found)
            continue
        for title, columns, some in _tables(name, found):
            heads = [column.replace("_", " ") for column in columns]
            show_table(heads, [[_words(one[c]) for c in columns] for one in some], title=title)


def _entries(kind: str, path: Any) -> entries.Entries:
    of_kind = getattr(entries, kind)
    found: entries.Entries = of_kind(path) if kind == "processors" else of_kind()
    return found


def _show_ciphers(found: Sequence[dict[str, Any]]) -> None:
    """Print the ciphers family by family, several in a line: name, bits of the block, bits of the keys."""
    console = output()
    for title, _, some in _tables("ciphers", found):
        console.print(title, style="bold")
        for line in grid([f"{one['name']} {_sizes(one)}" for one in some], console.width):
            console.print(f"  {line}", markup=False)
    console.print(f"{len(found)} ciphers: name block/keys in bits; `assay list ciphers --long` has aliases")


def _sizes(one: dict[str, Any]) -> str:
    """Return ``128/128-256``: the block, the least and the longest key; ``320`` without a key."""
    bits = sorted(one["key_bits"])
    keys = list(dict.fromkeys((bits[0], bits[-1]))) if bits else []
    return "/".join([str(one["block_bits"]), *(["-".join(map(str, keys))] if keys else [])])


def _tables(
    kind: str, found: Sequence[dict[str, Any]]
) -> Iterator[tuple[str, tuple[str, ...], Sequence[dict[str, Any]]]]:
    """Yield title, columns and entries of each table of a list: ciphers by what they are built like."""
    if kind != "ciphers":
        yield kind, _COLUMNS[kind], found
        return
    from cipherassay.lang.naming import STRUCTURES

    for structure in STRUCTURES:
        if some := [one for one in found if one["structure"] == structure]:
            yield structure, _COLUMNS[kind], some


def _words(value: Any) -> Any:
    return ", ".join(map(str, value)) if isinstance(value, (list, tuple)) else value
