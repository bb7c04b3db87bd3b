"""`assay study inverse`: ways to invert an odd word modulo 2^w, measured side by side."""

from __future__ import annotations

from typing import Annotated

import typer

from cipherassay.console.output import Json, show_table, write_json
from cipherassay.errors import UsageError


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("inverse")(inverse)


def inverse(
    width: Annotated[int, typer.Option("--word-size", metavar="BITS", help="8, 16, 32 or 64.")] = 32,
    accept_unstable: Annotated[
        bool, typer.Option("--accept-unstable", help="Measure on a machine that is not steady, too.")
    ] = False,
    json: Json = False,
) -> None:
    """Measure ways to invert an odd word modulo 2^w."""
    from cipherassay.studies.aoki1999.inverses import WIDTHS, measure

    if width not in WIDTHS:
        raise UsageError("N070", f"words of {width} bits are not inverted", help="8, 16, 32 or 64")
    rows = measure(width, accept_unstable=accept_unstable, command=f"assay study inverse --word-size {width}")
    if json:
        write_json({"rows": [row.as_dict() for row in rows]})
        return
    lines = [(row.strategy, row.value, "" if row.stable else "unstable") for row in rows]
    show_table(
        ("strategy", "cycles", ""),
        lines,
        title=f"Inverse modulo 2^{width}, {rows[0].target}, {rows[0].tools}",
    )
