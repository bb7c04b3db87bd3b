"""`assay list`: what there is: ciphers, strategies, papers."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from cipherassay.cli._shared.common import Json, show_table, write_json
from cipherassay.errors import UsageError, nearest

KINDS = ("ciphers", "strategies", "published")


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
        columns = list(entries[0]) if entries else ["name"]
        show_table(columns, [[_words(entry[c]) for c in columns] for entry in entries], title=name)


def _words(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)


def _ciphers() -> list[dict[str, Any]]:
    from cipherassay.ciphers import load, names
    from cipherassay.strategies import preferred

    found = (load(name) for name in names())
    return [
        {
            "name": cipher.slug,
            "title": cipher.name,
            "structure": cipher.structure,
            "block_bits": cipher.block_bits,
            "key_bits": list(cipher.key_bits),
            "variants": list(cipher.variants),
            "forms": list(cipher.forms),
            "strategy": preferred(cipher),
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
