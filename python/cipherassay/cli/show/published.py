"""What `assay show` prints of a published paper: its tables, or the numbers of one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cipherassay.console.output import output, show_table, write_json
from cipherassay.errors import UsageError, nearest

if TYPE_CHECKING:
    from cipherassay.published import PublishedPaper, PublishedRow, PublishedTable

COLUMNS = ("cipher", "variant", "part", "operation", "key_bits", "target", "configuration", "metric")


def show(name: str, *, json: bool) -> None:
    """Print a paper's tables and errata."""
    from cipherassay import published

    paper = published.paper(name)
    citation = paper.citation
    if json:
        rows = [row.as_result() | {"table": table.id} for table in paper.tables for row in table.rows]
        errata = [
            {"id": e.id, "where": e.where, "printed": e.printed, "follows": e.follows} for e in paper.errata
        ]
        write_json(
            {"name": paper.id, "title": citation.title, "year": citation.year, "rows": rows, "errata": errata}
        )
        return
    authors = ", ".join(citation.authors)
    output().print(f"{authors}: {citation.title}. {citation.venue}, {citation.year}.", markup=False)
    lines = [(t.number or t.id, t.title, t.where, len(t.rows)) for t in paper.tables]
    show_table(("table", "title", "where", "numbers"), lines)
    if paper.errata:
        show_table(("erratum", "printed", "follows"), [(e.id, e.printed, e.follows) for e in paper.errata])


def table(paper: str, table: str, *, json: bool) -> None:
    """Show the numbers of one published table, with their errata."""
    from cipherassay import published

    found = published.paper(paper)
    chosen = _table(found, table)
    if json:
        rows = [row.as_result() | {"printed": row.printed, "errata": list(row.errata)} for row in chosen.rows]
        write_json({"paper": paper, "table": chosen.id, "conditions": chosen.conditions, "rows": rows})
        return
    where = f"{chosen.number or chosen.title} ({chosen.where})"
    output().print(f"{where}: {chosen.conditions}", markup=False)
    used = [name for name in COLUMNS if any(getattr(row, name) for row in chosen.rows)]
    show_table((*used, "value", "unit", "errata"), [_cells(row, used) for row in chosen.rows])


def _table(paper: PublishedPaper, name: str) -> PublishedTable:
    known = {word: one for one in paper.tables for word in (one.number, one.id) if word}
    if name not in known:
        ids = [one.id for one in paper.tables]
        raise UsageError("B013", f"`{paper.id}` has no table `{name}`", help=nearest(name, ids))
    return known[name]


def _cells(row: PublishedRow, names: list[str]) -> list[Any]:
    return [*(getattr(row, name) for name in names), row.printed, row.unit, ", ".join(row.errata)]
