"""`assay circuit`: the S-box laboratory: analyse, search, prove, emit, list, verify, sweep, exhaust."""

from __future__ import annotations

import typer

from cipherassay.cli.circuit import analyse, emit, exhaust, library, prove, search, sweep, verify


def register(app: typer.Typer) -> None:
    """Add the verb and its parts."""
    circuit = typer.Typer(
        no_args_is_help=True, help="Circuits of S-boxes: measured, searched, proved, written."
    )
    circuit.callback()(_group)
    circuit.command("analyse")(analyse.analyse)
    circuit.command("search")(search.search)
    circuit.command("exhaust")(exhaust.exhaust)
    circuit.command("prove")(prove.prove)
    circuit.command("emit")(emit.emit)
    circuit.command("list")(library.list_)
    circuit.command("verify")(verify.verify)
    circuit.command("sweep")(sweep.sweep)
    app.add_typer(circuit, name="circuit")


def _group() -> None:
    """Circuits of S-boxes: measured, searched, proved, written."""
