"""`assay circuit exhaust`: every circuit of so many two-input gates."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cipherassay.console.options import writable_file
from cipherassay.console.output import Json, output, show_table, write_json
from cipherassay.console.progress import format_time, progress, say
from cipherassay.errors import UsageError

if TYPE_CHECKING:
    from cipherassay.circuits.exhaustion import Exhaustion


def exhaust(
    boxes: Annotated[
        list[str] | None,
        typer.Argument(metavar="SBOX…", help="Boxes of four input bits, names or files.", show_default=False),
    ] = None,
    gates: Annotated[
        int, typer.Option(help="Two-input gates, the outputs' gates among them.", show_default=False)
    ] = 0,
    jobs: Annotated[int, typer.Option(help="Units of work side by side.", min=1)] = os.cpu_count() or 1,
    file: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            callback=writable_file,
            metavar="FILE",
            help="Keep finished units there; go on from them.",
        ),
    ] = None,
    check: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Check a stored exhaustion instead.")
    ] = None,
    again: Annotated[str, typer.Option(metavar="UNITS", help="With --check: do these again: `0,7`.")] = "",
    json: Json = False,
) -> None:
    """Look at every circuit of so many two-input gates.

    What is not found does not exist. Several boxes share the work. Up to 11 gates take minutes, 12 hours on
    one core; Ctrl-C keeps what is finished (with -o).
    """
    from cipherassay.circuits import exhaustion
    from cipherassay.circuits.boxes import find

    if check is not None:
        work = exhaustion.read(check)
        say(f"checking {work.units} units; the plan of 12 gates takes minutes where units are done again")
        exhaustion.check(work, again=_units(again, work.units), jobs=jobs)
    elif not boxes or not gates:
        example = "assay circuit exhaust gift.S --gates 9"
        raise UsageError("C343", "which boxes, and how many gates?", help=example)
    else:
        with progress(f"circuits of {gates} gates", 1.0, quiet=json) as bar:
            work = exhaustion.exhaust(
                [find(name) for name in boxes],
                gates,
                jobs=jobs,
                file=file,
                told=lambda done, units: bar.advance(done / units - bar.done, f"{done} of {units} units"),
            )
    if json:
        write_json(_as_json(work))
    else:
        _show(work)


def _units(text: str, units: int) -> list[int]:
    try:
        chosen = [int(word) for word in text.replace(",", " ").split()]
    except ValueError:
        chosen = [-1]
    if any(not 0 <= unit < units for unit in chosen):
        help = f"units are numbers from 0 to {units - 1}"
        raise UsageError("C344", f"`--again {text}` names no units", help=help)
    return chosen


def _as_json(work: Exhaustion) -> dict[str, Any]:
    return {
        "gates": work.gates,
        "impossible": work.impossible(),
        "found": {name: [f"{f:04x}" for f in found] for name, found in work.found().items()},
        "counts": work.counts,
        "units": work.units,
        "completions": sum(unit["completions"] for unit in work.done.values()),
        "seconds": work.seconds,
    }


def _show(work: Exhaustion) -> None:
    rows = [(name, "has one" if name in work.found() else "has none") for name in work.boxes]
    show_table(("box", f"circuit of {work.gates} gates"), rows)
    layers = [(n, *count) for n, count in enumerate(work.counts)]
    show_table(("gates", "orbits of sets", "sets", "cones completed"), layers)
    cones = sum(sum(unit["cones"]) for unit in work.done.values())
    completions = sum(unit["completions"] for unit in work.done.values())
    output().print(
        f"{cones:,} cones, {completions:,} sets looked at in completing them, "
        f"{format_time(work.seconds)} on one core"
    )
