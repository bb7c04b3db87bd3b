"""`assay study`: what explores one question, of a paper or of the project; studies bring theirs."""

from __future__ import annotations

import typer

from cipherassay import scanning
from cipherassay.cli.study import layout, linear, what_if
from cipherassay.console.help import RESEARCH, Verbs


def register(app: typer.Typer) -> None:
    """Add the verb and its parts."""
    study = Verbs("Research: table layouts, linear layers, papers' questions.")
    for module in (layout, linear, what_if, *scanning.brought("verbs")):
        module.register(study)
    app.add_typer(study, name="study", rich_help_panel=RESEARCH)
