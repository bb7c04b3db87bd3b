"""`assay synthesize`: area, transistors and clock of a design in a technology."""

from __future__ import annotations

import json as text_form
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cipherassay.cli._common import (
    Json,
    Progress,
    output,
    output_folder,
    progress,
    show_table,
    write_file,
    write_json,
)
from cipherassay.cli._design_files import design_files
from cipherassay.errors import UsageError

if TYPE_CHECKING:
    from cipherassay.hardware.synthesis import Synthesis

Designs = Annotated[list[str], typer.Argument(help="Verilog files of one design.", metavar="FILES…")]
Name = Annotated[str, typer.Option("--technology", "-t", help="The technology, or its .toml file.")]
Splits = Annotated[
    list[str] | None,
    typer.Option(help="How to cut it: operators, auto, flat, blocks, functions, all; may be repeated."),
]
Held = Annotated[
    list[str] | None, typer.Option("--fix", help="A port's value during timing, PORT=VALUE; may be repeated.")
]
Where = Annotated[str, typer.Option(help="Where work runs: local, dask://HOST:PORT, dask://local.")]
Folder = Annotated[
    Path | None, typer.Option("-o", "--output", help="Write netlists, curves and worst paths there.")
]


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("synthesize")(synthesize)


def synthesize(
    designs: Designs,
    technology: Name = "osu050",
    top: Annotated[str, typer.Option(help="The top module; by default the one that no other uses.")] = "",
    points: Annotated[int, typer.Option(min=1, max=10, help="Recipes tried for each function.")] = 5,
    split: Splits = None,
    most: Annotated[int, typer.Option("--designs", min=1, help="Whole designs timed at most.")] = 24,
    fix: Held = None,
    executor: Where = "local",
    workers: Annotated[int, typer.Option(min=0, help="Jobs side by side; by default one a core.")] = 0,
    memory: Annotated[float, typer.Option(help="Megabytes that all jobs may take together.")] = 7000.0,
    to: Folder = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress.")] = False,
    json: Json = False,
) -> None:
    """Map each function of a design by several recipes, mix them, time the whole; show the speed grades.

    What was done is kept: the same command goes on where it stopped.
    """
    from cipherassay.hardware import executors, recipes, synthesis
    from cipherassay.hardware import technology as technologies

    if to is not None:
        output_folder(to)
    files = design_files(designs)
    with (
        executors.executor(executor, workers=workers, memory_mb=memory) as place,
        progress("synthesis", 0, quiet=quiet) as bar,
    ):
        made = synthesis.synthesize(
            files,
            technologies.load(technology),
            place,
            top=top,
            names=[one.name for one in recipes.of_points(points)],
            splits=split or ["auto"],
            most=most,
            case=_held(fix or []),
            advance=_counting(bar),
        )
    if to is not None:
        _write(made, to)
    if json:
        write_json({"rows": [row.as_dict() for row in _rows(made, designs, technology, points, split, fix)]})
        return
    _show(made)


def _rows(
    made: Synthesis,
    designs: list[str],
    technology: str,
    points: int,
    split: list[str] | None,
    fix: list[str] | None,
) -> list[Any]:
    from cipherassay.hardware.rows import rows

    words = ["assay", "synthesize", *designs, "--technology", technology, "--points", str(points)]
    words += [word for one in split or () for word in ("--split", one)]
    words += [word for one in fix or () for word in ("--fix", one)]
    return list(rows(made, command=shlex.join(words)))


def _held(words: list[str]) -> dict[str, int]:
    held = {}
    for word in words:
        port, _, value = word.partition("=")
        if not port or not value.isdecimal():
            raise UsageError(
                "H802", f"`--fix {word}` is not PORT=VALUE", help="for instance --fix key_size=2"
            )
        held[port] = int(value)
    return held


def _counting(bar: Progress) -> Any:
    """Return what counts work whose amount is not known before: each stage adds to the total."""

    def advance(amount: float, note: str) -> None:
        bar.total += amount
        bar.advance(amount, note)

    return advance


def _show(made: Synthesis) -> None:
    unit = made.technology.gate_equivalent_um2
    output().print(f"{made.top} in {made.technology.title}; {made.tools}", markup=False)
    grades = [
        (n, one.delay_ns, 1000 / one.delay_ns, one.area_um2 / 1e6, one.area_um2 / unit, one.size.transistors)
        for n, one in enumerate(made.grades, 1)
    ]
    show_table(("speed", "period ns", "MHz", "area Mµm²", "GE", "transistors"), grades)
    blocks = [
        (n, block or "Top", size.area_um2 / 1e6, size.transistors)
        for n, one in enumerate(made.grades, 1)
        for block, size in one.blocks.items()
        if len(one.blocks) > 1
    ]
    if blocks:
        show_table(("speed", "block", "area Mµm²", "transistors"), blocks)
    paths = [
        (n, one.timing.paths[0].start, one.timing.paths[0].end, _shares(made, one))
        for n, one in enumerate(made.grades, 1)
    ]
    show_table(("speed", "worst path from", "to", "ns by function"), paths)


def _shares(made: Synthesis, point: Any) -> str:
    shares = made.designs[made.split(point)].shares(point)
    order = sorted(shares.items(), key=lambda item: -item[1])
    begin = f"{made.top}_"
    return ", ".join(f"{name.removeprefix(begin)} {share:.2f}" for name, share in order if share >= 0.005)


def _write(made: Synthesis, folder: Path) -> None:
    from cipherassay.hardware import verilog_netlist

    grades = []
    for number, point in enumerate(made.grades, 1):
        name = f"{made.top}-speed{number}.v"
        write_file(folder / name, verilog_netlist.write(point.netlist))
        grades.append(
            {
                "netlist": name,
                "delay_ns": point.delay_ns,
                "area_um2": point.area_um2,
                "transistors": point.size.transistors,
                "cells": point.size.cells,
                "split": made.split(point),
                "recipes": point.choice,
                "paths": point.timing.as_dict()["paths"],
            }
        )
    curves = {
        split: {
            unit: [[one.recipe, one.delay_ns, one.area_um2, one.transistors] for one in curve.points]
            for unit, curve in units.items()
        }
        for split, units in made.curves.items()
    }
    points = [[one.delay_ns, one.area_um2, one.size.transistors] for one in made.points]
    document = {"top": made.top, "tools": made.tools, "grades": grades, "points": points, "functions": curves}
    write_file(folder / f"{made.top}.json", text_form.dumps(document, indent=1) + "\n")
