"""`assay circuit`: the S-box laboratory: analyse, search, prove, emit, list, verify, sweep, exhaust."""

from __future__ import annotations

import typer

from cipherassay.cli import (
    _circuit_analyse,
    _circuit_emit,
    _circuit_exhaust,
    _circuit_library,
    _circuit_prove,
    _circuit_search,
    _circuit_sweep,
    _circuit_verify,
)


def register(app: typer.Typer) -> None:
    """Add the verb and its parts."""
    circuit = typer.Typer(
        no_args_is_help=True, help="Circuits of S-boxes: measured, searched, proved, written."
    )
    circuit.callback()(_group)
    circuit.command("analyse")(_circuit_analyse.analyse)
    circuit.command("search")(_circuit_search.search)
    circuit.command("exhaust")(_circuit_exhaust.exhaust)
    circuit.command("prove")(_circuit_prove.prove)
    circuit.command("emit")(_circuit_emit.emit)
    circuit.command("list")(_circuit_library.list_)
    circuit.command("verify")(_circuit_verify.verify)
    circuit.command("sweep")(_circuit_sweep.sweep)
    app.add_typer(circuit, name="circuit")


def _group() -> None:
    """Circuits of S-boxes: measured, searched, proved, written."""
