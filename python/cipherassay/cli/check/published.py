"""What `assay check` says of published papers: the relations between their printed numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from cipherassay.console.output import show_table, write_json
from cipherassay.errors import UsageError, nearest

if TYPE_CHECKING:
    from cipherassay.published import Instance


def check(papers: Sequence[str], path: Path | None, *, json: bool) -> None:
    """Check the tables: each relation between printed numbers holds, or an erratum says that it breaks.

    Exit 0 when nothing contradicts without an erratum, else 4.
    """
    from cipherassay import published

    loaded = published.load((path,) if path else ())
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


def _report(found: list[Instance], papers: Sequence[str]) -> None:
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
