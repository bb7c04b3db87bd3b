"""`assay published`: a published table's numbers, and the check of all tables."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cipherassay.console.output import Json, show_table, write_json
from cipherassay.errors import UsageError, nearest

if TYPE_CHECKING:
    from cipherassay.published import Instance, PublishedPaper, PublishedRow, PublishedTable

COLUMNS = ("cipher", "variant", "part", "operation", "key_bits", "target", "configuration", "metric")


def register(app: typer.Typer) -> None:
    """Add the verb and its two parts."""
    published = typer.Typer(no_args_is_help=True, help="Published tables: show one, check all.")
    published.command("table")(table)
    published.command("check")(check)
    app.add_typer(published, name="published")


def table(
    paper: Annotated[str, typer.Argument(help="A paper, as `assay list` names it.", show_default=False)],
    table: Annotated[
        str, typer.Argument(help="A table, as `assay show PAPER` names it.", show_default=False)
    ],
    json: Json = False,
) -> None:
    """Show the numbers of one published table, with their errata."""
    from cipherassay import published

    found = published.paper(paper)
    chosen = _table(found, table)
    if json:
        rows = [row.as_result() | {"printed": row.printed, "errata": list(row.errata)} for row in chosen.rows]
        write_json({"paper": paper, "table": chosen.id, "conditions": chosen.conditions, "rows": rows})
        return
    typer.echo(f"{chosen.number or chosen.title} ({chosen.where}): {chosen.conditions}")
    used = [name for name in COLUMNS if any(getattr(row, name) for row in chosen.rows)]
    show_table((*used, "value", "unit", "errata"), [_cells(row, used) for row in chosen.rows])


def check(
    papers: Annotated[
        list[str] | None, typer.Argument(help="Papers to report on; else all.", show_default=False)
    ] = None,
    path: Annotated[
        list[Path] | None, typer.Option(help="A further folder of published papers.", show_default=False)
    ] = None,
    json: Json = False,
) -> None:
    """Check the tables: each relation between printed numbers holds, or an erratum says that it breaks.

    Exit 0 when nothing contradicts without an erratum, else 4.
    """
    from cipherassay import published

    loaded = published.load(tuple(path or ()))
    names = {paper.id for paper in loaded}
    for name in papers or ():
        if name not in names:
            raise UsageError("B012", f"unknown paper `{name}`", help=nearest(name, names))
    problems = published.problems(loaded)
    found = [one for one in published.instances(loaded) if not papers or one.paper in papers]
    if json:
        write_json({"ok": not problems, "instances": [_document(one) for one in found]})
    else:
        _report(found, papers or sorted(names))
    for problem in problems:
        typer.echo(str(problem), err=True)
    if problems:
        raise typer.Exit(max(problem.exit_code for problem in problems))


def _table(paper: PublishedPaper, name: str) -> PublishedTable:
    known = {word: one for one in paper.tables for word in (one.number, one.id) if word}
    if name not in known:
        ids = [one.id for one in paper.tables]
        raise UsageError("B013", f"`{paper.id}` has no table `{name}`", help=nearest(name, ids))
    return known[name]


def _cells(row: PublishedRow, names: list[str]) -> list[Any]:
    return [*(getattr(row, name) for name in names), row.printed, row.unit, ", ".join(row.errata)]


def _report(found: list[Instance], papers: list[str]) -> None:
    held = Counter(one.paper for one in found if one.holds)
    broken = Counter(one.paper for one in found if not one.holds)
    lines = [(name, held[name], broken[name]) for name in papers]
    show_table(("paper", "relations that hold", "contradictions"), lines)
    contradictions = [
        (one.paper, ", ".join(one.errata) or "not recorded", str(one)) for one in found if not one.holds
    ]
    show_table(("paper", "erratum", "contradiction"), contradictions)


def _document(one: Instance) -> dict[str, Any]:
    return {
        "paper": one.paper,
        "relation": one.relation,
        "fields": {name: value for name, value in one.fields.items() if value not in ("", None)},
        "holds": one.holds,
        "numbers": one.numbers,
        "errata": list(one.errata),
    }
