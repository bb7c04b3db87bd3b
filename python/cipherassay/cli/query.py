"""`assay query`: SQL over the kept results and the published numbers."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from cipherassay.console.help import RESULTS
from cipherassay.console.output import Json, show_table, write_json
from cipherassay.console.progress import say

MOST = 1_000_000


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("query", rich_help_panel=RESULTS)(query)


def query(
    sql: Annotated[
        str, typer.Argument(metavar="SQL", help="A query; `show tables` lists the tables and views.")
    ],
    memory: Annotated[
        int, typer.Option(metavar="MIB", min=16, max=MOST, help="The memory that it and its answer may take.")
    ] = 1024,
    seconds: Annotated[
        float, typer.Option(metavar="S", min=0.1, max=MOST, help="The time that it may take.")
    ] = 30.0,
    rows: Annotated[
        int, typer.Option(metavar="N", min=1, max=MOST, help="How many rows it may give.")
    ] = 100_000,
    json: Json = False,
) -> None:
    """Ask for kept results and published numbers in SQL.

    For example "select cipher, value from results where metric = 'cycles'".
    Tables: `results`, a line per number; `samples`, times by input; `runs`, what made them; `metrics`, units
    and meanings. Views: `valid`, `best`, `published_vs_ours`. A query reads these and nothing else.
    """
    from cipherassay import tools
    from cipherassay.results.querying import Limits, query
    from cipherassay.results.store import Store

    tools.require_packages("duckdb", "pyarrow")
    busy = say if sys.stderr.isatty() else lambda text: None
    columns, lines = query(Store(), sql, Limits(memory, seconds, rows), say=say, busy=busy)
    if json:
        write_json({"rows": [dict(zip(columns, line, strict=True)) for line in lines]})
    else:
        show_table(columns, lines)
