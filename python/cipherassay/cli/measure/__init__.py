"""`assay measure`: the cycles of a cipher on this machine and on every modelled processor."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from cipherassay.cli.measure import java, native, slots, small, x86
from cipherassay.cli.measure.asked import (
    DEFAULT_INPUTS,
    DEFAULT_REPEATS,
    FULL_INPUTS,
    KEPT,
    SELECTIONS,
    Asked,
    Measured,
    Timing,
)
from cipherassay.console.help import MEASURE
from cipherassay.console.kernel import (
    CipherNames,
    Instructions,
    KeySizes,
    Layout,
    LoopOrNot,
    OneKey,
    Operations,
    Processors,
    Small,
    Variant,
    Without,
)
from cipherassay.console.output import Json, write_json
from cipherassay.console.processor import Addressing, Folder, MemoryPorts, Settings, Width
from cipherassay.console.small import Ram, RamCalls, Tables
from cipherassay.errors import UsageError, nearest

HERE, CODE = "This machine", "Machine code"


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("measure", rich_help_panel=MEASURE)(measure)


def measure(
    ciphers: CipherNames = None,
    processor: Processors = None,
    operation: Operations = None,
    key_bits: KeySizes = None,
    strategy: Annotated[
        str,
        typer.Option(
            "--strategy", metavar="NAME",
            help="Default: the one kept as the fastest. `best`: on this machine, try all that apply, keep "
            "the fastest; so does the C of a cipher for which none is kept.",
        ),
    ] = "",
    variant: Variant = "",
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Measure also what is kept from an earlier run.")
    ] = False,
    json: Json = False,
    inputs: Annotated[
        int, typer.Option(help="Random keys or blocks per operation.", rich_help_panel=HERE)
    ] = DEFAULT_INPUTS,
    repeats: Annotated[
        int,
        typer.Option(
            help="Timed runs per input, each of many calls; the least counts.", rich_help_panel=HERE
        ),
    ] = DEFAULT_REPEATS,
    full: Annotated[
        bool, typer.Option("--full", help=f"{FULL_INPUTS:,} inputs.", rich_help_panel=HERE)
    ] = False,
    seed: Annotated[int, typer.Option(help="Seed of the random inputs.", rich_help_panel=HERE)] = 1,
    accept_unstable: Annotated[
        bool,
        typer.Option(
            "--accept-unstable", help="Measure on an unsteady machine; rows are marked.", rich_help_panel=HERE
        ),
    ] = False,
    seconds: Annotated[
        float | None,
        typer.Option(
            help=f"To try strategies: time for each cipher [{native.SECONDS:g}].", min=1.0,
            rich_help_panel=HERE,
        ),
    ] = None,
    loop: LoopOrNot = None,
    code_size: Small = False,
    key: OneKey = "",
    select: Annotated[
        str,
        typer.Option(
            "--select", metavar="|".join(SELECTIONS), rich_help_panel=CODE,
            help="Take the kept choice of strategy and instructions, or search for it anew and keep it.",
        ),
    ] = KEPT,
    prove: Annotated[
        float,
        typer.Option(
            "--prove", metavar="SECONDS", help="Let the solver search or prove so long.", rich_help_panel=CODE
        ),
    ] = 0.0,
    savings: Annotated[
        bool,
        typer.Option(
            "--savings", help="What each pass saves: the kernel made again without it.", rich_help_panel=CODE
        ),
    ] = False,
    layout: Layout = "",
    without: Without = None,
    function: Annotated[
        str,
        typer.Option(
            "--function", metavar="NAME", rich_help_panel=CODE,
            help="Only this function or S-box of the cipher's file, operands in registers; its inverse with "
            "--operation decrypt.",
        ),
    ] = "",
    instruction: Instructions = None,
    path: Folder = None,
    settings: Settings = None,
    width: Width = None,
    memory_ports: MemoryPorts = None,
    addressing: Addressing = None,
    ram: Ram = None,
    ram_calls: RamCalls = False,
    tables: Tables = "",
) -> None:
    """Measure cycles on this machine, or on modelled processors (-p).

    On this machine the C is timed: each random input many times, the least counts; those of all inputs are
    the distribution. For a modelled processor machine code is made, checked and counted in its simulator:
    cycles, the bound below which no schedule exists, the published cycles beside. Of one operation of one
    cipher (--operation) all that is known is shown.

    What was measured before under the same conditions is not measured again. Ctrl-C keeps what is finished.
    """
    of_slots = {
        "small": code_size, "without": without, "layout": layout, "function": function, "prove": prove,
        "savings": savings, "instruction": instruction, "set": settings, "width": width,
        "memory-ports": memory_ports, "addressing": addressing,
    }  # fmt: skip
    if select not in SELECTIONS:
        raise UsageError("M729", f"`--select {select}` is unknown", help=nearest(select, SELECTIONS))
    asked = Asked(
        ciphers or (), operation or (), key_bits or (), strategy, variant, loop, key, select, of_slots, ram,
        ram_calls, tables, Timing(inputs, repeats, full, seed, accept_unstable, seconds), fresh, path, json,
    )  # fmt: skip
    names = list(dict.fromkeys(processor or [native.NAME]))
    measures = [_family(name, path) for name in names]  # unknown names are refused before any work
    if strategy == native.BEST:
        native.measure_best(names, asked)
        return
    found = []
    for name, family in zip(names, measures, strict=True):
        one: Measured = family.measure(name, asked)
        found.append(one)
        if not json:
            one.show()
    if json:
        kernels = [document for one in found for document in one.kernels]
        rows = [row.as_dict() for one in found for row in one.rows]
        write_json({"rows": rows} | ({"kernels": kernels} if kernels else {}))


def _family(name: str, path: Path | None) -> Any:
    """Return the module that measures on a processor.

    Raises
    ------
    UsageError
        ``M002``: there is no processor of that name.
    """
    from cipherassay import families
    from cipherassay.embedded import processors
    from cipherassay.java.measuring import TARGETS
    from cipherassay.processors import INFINITE, names
    from cipherassay.x86 import model

    known = {native.NAME: native} | dict.fromkeys(TARGETS, java)
    known |= dict.fromkeys(processors.names(), small) | dict.fromkeys(model.names(), x86)
    known |= dict.fromkeys(names(path), slots)
    if (base := name.removesuffix(INFINITE)) in known and (base == name or known[base] is slots):
        return known[base]
    every = [native.NAME, *TARGETS, *families.names(path)]
    raise UsageError("M002", f"there is no processor `{name}`", help=nearest(name, every))
