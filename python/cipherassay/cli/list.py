"""`assay list`: what there is: ciphers, strategies, papers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import typer

from cipherassay.console.output import Json, show_table, write_json
from cipherassay.errors import UsageError, nearest

Entries = list[dict[str, Any]]
KINDS = ("ciphers", "strategies", "published")
_COLUMNS = {
    "ciphers": ("name", "aliases", "block_bits", "key_bits"),
    "strategies": ("name", "title"),
    "published": ("name", "title", "year", "numbers"),
}
"""What a table of 80 columns has room for; ``--json`` gives everything."""


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("list")(list_)


def list_(
    kind: Annotated[str, typer.Argument(help="ciphers, strategies or published; all without it.")] = "",
    json: Json = False,
) -> None:
    """List the ciphers, the strategies and the published papers that `assay` knows."""
    if kind and kind not in KINDS:
        raise UsageError("U015", f"there is no list of `{kind}`", help=nearest(kind, KINDS))
    documents = {name: _LISTS[name]() for name in KINDS if kind in ("", name)}
    if json:
        write_json(documents)
        return
    for name, entries in documents.items():
        for title, columns, some in _tables(name, entries):
            show_table(columns, [[_words(entry[c]) for c in columns] for entry in some], title=title)


def _tables(kind: str, entries: Entries) -> Iterator[tuple[str, tuple[str, ...], Entries]]:
    """Yield title, columns and entries of each table of a list: ciphers by what they are built like."""
    if kind != "ciphers":
        yield kind, _COLUMNS[kind], entries
        return
    from cipherassay.lang.naming import STRUCTURES

    for structure in STRUCTURES:
        if some := [one for one in entries if one["structure"] == structure]:
            yield f"ciphers: {structure}", _COLUMNS[kind], some


def _words(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)


def _ciphers() -> list[dict[str, Any]]:
    from cipherassay.ciphers import argument, load, names
    from cipherassay.strategies.preferences import preference

    found = (load(name) for name in names())
    return [
        {
            "name": argument(cipher),
            "title": cipher.name,
            "aliases": list(cipher.aliases),
            "structure": cipher.structure,
            "block_bits": cipher.block_bits,
            "key_bits": list(cipher.key_bits) if cipher.keyed else [],
            "tweak_bits": cipher.tweak_bits,
            "variants": list(cipher.variants),
            "forms": list(cipher.forms),
            "strategy": preference(cipher),
        }
        for cipher in found
    ]


def _strategies() -> list[dict[str, Any]]:
    from cipherassay import strategies

    found = (strategies.load(name) for name in strategies.names())
    return [
        {
            "name": one.name,
            "title": one.title,
            "description": one.description,
            "form": one.form,
            "passes": list(one.passes),
        }
        for one in found
    ]


def _published() -> list[dict[str, Any]]:
    from cipherassay import published

    return [
        {
            "name": paper.id,
            "title": paper.citation.title,
            "authors": list(paper.citation.authors),
            "year": paper.citation.year,
            "tables": len(paper.tables),
            "numbers": len(paper.rows),
            "errata": len(paper.errata),
        }
        for paper in published.load()
    ]


_LISTS = {"ciphers": _ciphers, "strategies": _strategies, "published": _published}
