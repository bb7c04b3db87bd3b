"""`assay query`: SQL over the kept results and the published numbers."""

from __future__ import annotations

from typing import Annotated

import typer

from cipherassay.cli._common import Json, show_table, write_json


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("query")(query)


def query(
    sql: Annotated[
        str, typer.Argument(metavar="SQL", help="A query over the views `results` and `samples`.")
    ],
    json: Json = False,
) -> None:
    """Ask the results store in SQL: "select cipher, value from results where metric = 'cycles'"."""
    from cipherassay.results import Store
    from cipherassay.results.published import published_rows

    columns, lines = Store().query(sql, published_rows())
    if json:
        write_json({"rows": [dict(zip(columns, line, strict=True)) for line in lines]})
    else:
        show_table(columns, lines)
