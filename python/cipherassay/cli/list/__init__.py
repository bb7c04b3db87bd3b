"""`assay list`: what there is: ciphers, strategies, papers, processors, technologies."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
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
_GROUPED_BY = {"ciphers": "structure", "strategies": "makes"}
"""The entry by which a list is divided."""


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("list", rich_help_panel=DESCRIBE)(list_)


def list_(
    kind: Annotated[str, typer.Argument(help=f"{', '.join(KINDS)}; all without it.")] = "",
    words: Annotated[
        str, typer.Argument(metavar="[WORDS]", help="Only lines that have these words, in any case.")
    ] = "",
    long: Annotated[
        bool, typer.Option("--long", "-l", help="A line each: aliases of ciphers, titles of strategies.")
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
    if words:
        documents = {name: [one for one in found if _has(one, words)] for name, found in documents.items()}
        if not any(documents.values()):
            raise UsageError("U063", f"nothing in the list has `{words}`", help=f"assay list {kind}".strip())
    if json:
        write_json(documents)
        return
    for name, found in documents.items():
        if name in _SHORT and not (long or words):
            _show_short(name, found)
            continue
        for title, some in _groups(name, found):
            columns = _COLUMNS[name]
            heads = [column.replace("_", " ") for column in columns]
            show_table(heads, [[_words(one[c]) for c in columns] for one in some], title=title)


def _entries(kind: str, path: Any) -> entries.Entries:
    of_kind = getattr(entries, kind)
    found: entries.Entries = of_kind(path) if kind == "processors" else of_kind()
    return found


def _has(entry: dict[str, Any], words: str) -> bool:
    """Return whether an entry has words in what is said of it; passes are said by `assay show`."""
    said = " ".join(str(_words(value)) for key, value in entry.items() if key != "passes")
    return words.lower() in said.lower()


def _show_short(kind: str, found: Sequence[dict[str, Any]]) -> None:
    """Print entries group by group, several in a line."""
    cell, footer = _SHORT[kind]
    console = output()
    for title, some in _groups(kind, found):
        console.print(title, style="bold")
        for line in grid([cell(one) for one in some], console.width):
            console.print(f"  {line}", markup=False)
    console.print(f"{len(found)} {kind}{footer}", markup=False)


def _with_sizes(one: dict[str, Any]) -> str:
    """Return ``NAME 128/128-256``: the block, the least and the longest key; ``NAME 320`` without a key."""
    bits = sorted(one["key_bits"])
    keys = list(dict.fromkeys((bits[0], bits[-1]))) if bits else []
    sizes = [str(one["block_bits"]), *(["-".join(map(str, keys))] if keys else [])]
    return f"{one['name']} {'/'.join(sizes)}"


_SHORT: dict[str, tuple[Callable[[dict[str, Any]], str], str]] = {
    "ciphers": (_with_sizes, ": name block/keys in bits; `assay list ciphers --long` has aliases"),
    "strategies": (
        lambda one: str(one["name"]),
        "; --long has titles, WORDS those that have them: `assay list strategies nibbles`",
    ),
}
"""Kinds whose entries stand several in a line: what is said of one, and of all."""


def _groups(kind: str, found: Sequence[dict[str, Any]]) -> Iterator[tuple[str, Sequence[dict[str, Any]]]]:
    """Yield title and entries of each table of a list: ciphers by structure, strategies by what they make."""
    if kind not in _GROUPED_BY:
        if found:
            yield kind, found
        return
    by = _GROUPED_BY[kind]
    for title in _titles(kind, found):
        if some := [one for one in found if one[by] == title]:
            yield title, some


def _titles(kind: str, found: Sequence[dict[str, Any]]) -> Sequence[str]:
    if kind == "ciphers":
        from cipherassay.lang.naming import STRUCTURES

        return STRUCTURES
    return sorted({one[_GROUPED_BY[kind]] for one in found})


def _words(value: Any) -> Any:
    return ", ".join(map(str, value)) if isinstance(value, (list, tuple)) else value
