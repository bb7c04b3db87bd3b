"""`assay synthesize`: area, transistors and clock of a design in a technology."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cipherassay.cli import _fpga as gate_arrays
from cipherassay.cli._common import Bar, Json, output_folder, progress, write_json
from cipherassay.cli._device import Architecture, Direction, Key, Strategy, Variant
from cipherassay.cli._devices import Options, Work, works
from cipherassay.cli._synthesis_shown import show, write
from cipherassay.errors import UsageError

if TYPE_CHECKING:
    from cipherassay.hardware.synthesis import Synthesis
    from cipherassay.results import Row

Designs = Annotated[
    list[str] | None,
    typer.Argument(help="Files of one design, or ciphers.", metavar="FILES…|CIPHER…"),
]
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
    designs: Designs = None,
    every: Annotated[bool, typer.Option("--all", help="Every cipher.")] = False,
    architecture: Architecture = "iterative",
    key: Key = "128",
    direction: Direction = "both",
    strategy: Strategy = "rounds",
    variant: Variant = "",
    technology: Name = "osu050",
    top: Annotated[str, typer.Option(help="The files' top module, if it is not clear.")] = "",
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

    wanted = works(designs or [], every, top, Options(architecture, key, direction, strategy, variant))
    held = _held(fix or [])
    if to is not None:
        output_folder(to)
    rows: list[Row] = []
    chosen = technologies.load(technology)
    with executors.executor(executor, workers=workers, memory_mb=memory) as place:
        if chosen.fpga is not None:
            rows, wanted = gate_arrays.place(wanted, chosen, place, to, quiet, json), iter(())
        for work in wanted:
            with progress(f"synthesis {work.top}".strip(), 0, quiet=quiet) as bar:
                made = synthesis.synthesize(
                    work.files,
                    chosen,
                    place,
                    top=work.top,
                    names=[one.name for one in recipes.of_points(points)],
                    splits=split or ["operators"],
                    most=most,
                    case=held,
                    watch=Bar(bar),
                )
            if to is not None:
                write(made, to)
            if not json:
                show(made, work.device)
            rows += _rows(made, work, _words(technology, points, split or (), most, fix or ()))
    if json:
        write_json({"rows": [row.as_dict() for row in rows]})


def _rows(made: Synthesis, work: Work, words: Sequence[str]) -> list[Row]:
    from cipherassay.hardware import rows

    command = shlex.join(["assay", "synthesize", *work.words, *words])
    if work.device is None:
        return list(rows.rows(made, command=command))
    return list(rows.device_rows(made, work.device, command=command))


def _words(technology: str, points: int, split: Sequence[str], most: int, fix: Sequence[str]) -> list[str]:
    words = ["--technology", technology, "--points", str(points), "--designs", str(most)]
    words += [word for one in split for word in ("--split", one)]
    return words + [word for one in fix for word in ("--fix", one)]


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
