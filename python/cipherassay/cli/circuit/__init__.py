"""`assay circuit`: the S-box laboratory: analyse, search, exhaust, prove, emit, list."""

from __future__ import annotations

import typer

from cipherassay.cli.circuit import analyse, emit, exhaust, library, prove, search
from cipherassay.console.help import CIRCUITS, Verbs


def register(app: typer.Typer) -> None:
    """Add the verb and its parts."""
    circuit = Verbs("Circuits of S-boxes: search, prove, emit; the library.")
    circuit.command("analyse")(analyse.analyse)
    circuit.command("search")(search.search)
    circuit.command("exhaust")(exhaust.exhaust)
    circuit.command("prove")(prove.prove)
    circuit.command("emit")(emit.emit)
    circuit.command("list")(library.list_)
    app.add_typer(circuit, name="circuit", rich_help_panel=CIRCUITS)
