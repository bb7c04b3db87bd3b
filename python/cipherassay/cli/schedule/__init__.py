"""`assay schedule`: an operation of a cipher as scheduled machine code of a modelled processor."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

import typer

from cipherassay.cli.schedule.small import schedule_small
from cipherassay.cli.schedule.x86 import schedule_x86
from cipherassay.console.kernel import (
    CipherName,
    Instructions,
    KeyBits,
    Layout,
    Loop,
    OneKey,
    Operation,
    ProcessorName,
    Small,
    Strategy,
    Variant,
    Without,
    kernel_of,
    known_names,
    one_key,
    refuse_options,
    search_choice,
)
from cipherassay.console.output import Json, write_json
from cipherassay.console.processor import Addressing, Folder, MemoryPorts, Settings, Width, chosen
from cipherassay.errors import UsageError, nearest

SELECTIONS = ("kept", "search")


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("schedule")(schedule)


def schedule(
    cipher: CipherName,
    operation: Operation,
    processor: ProcessorName,
    variant: Variant = "",
    key_bits: KeyBits = 0,
    strategy: Strategy = "",
    loop: Loop = False,
    small: Small = False,
    without: Without = None,
    specialize_key: OneKey = "",
    layout: Layout = "",
    function: Annotated[
        str,
        typer.Option(
            "--function",
            metavar="NAME",
            help="Only this function or S-box of the cipher's file, operands in registers; its inverse with "
            "the operation decrypt.",
        ),
    ] = "",
    select: Annotated[
        str,
        typer.Option(
            "--select",
            metavar="kept|search",
            help="Take the kept choice of strategy and instructions, or search for it anew and keep it.",
        ),
    ] = "kept",
    prove: Annotated[
        float, typer.Option("--prove", metavar="SECONDS", help="Let the solver search or prove so long.")
    ] = 0.0,
    savings: Annotated[
        bool, typer.Option("--savings", help="What each pass saves: the kernel made again without it.")
    ] = False,
    instruction: Instructions = None,
    path: Folder = None,
    settings: Settings = None,
    width: Width = None,
    memory_ports: MemoryPorts = None,
    addressing: Addressing = None,
    json: Json = False,
) -> None:
    """Print cycles, bound and certificate, operations, registers and size, beside the published cycles.

    For the Pentiums and small processors: cycles in their simulators, bytes, who checked. Small processors
    take straight-line code, with `--loop` rounds in loops.
    """
    from cipherassay.cli.schedule import shown as parts
    from cipherassay.embedded import processors as small_ones
    from cipherassay.processors import proving
    from cipherassay.processors.parts import schedule as schedule_part
    from cipherassay.processors.savings import savings as each_saving
    from cipherassay.review import load_right
    from cipherassay.x86 import model as x86

    if select not in SELECTIONS:
        raise UsageError("M729", f"`--select {select}` is unknown", help=nearest(select, SELECTIONS))
    described = load_right(cipher)
    key_bits = described.key_size(key_bits)
    others: dict[str, Any] = {
        "small": small, "without": without, "layout": layout, "function": function, "prove": prove,
        "savings": savings, "instruction": instruction, "path": path, "set": settings, "width": width,
        "memory-ports": memory_ports, "addressing": addressing,
    }  # fmt: skip
    if processor in x86.names():
        refuse_options(processor, others)
        schedule_x86(
            described, operation, processor, key_bits, variant, strategy, loop=loop,
            key=one_key(specialize_key, operation), search=select == "search", json=json,
        )  # fmt: skip
        return
    if processor in small_ones.names():
        more = {"strategy": strategy, "specialize-key": specialize_key, "select": select != SELECTIONS[0]}
        refuse_options(processor, others | more)
        schedule_small(described, operation, processor, key_bits, variant, unrolled=not loop, json=json)
        return
    model = chosen(
        processor, path, settings, instructions=instruction,
        width=width, memory_ports=memory_ports, addressing=addressing,
    )  # fmt: skip
    if function:
        inverted = operation == "decrypt"
        part = parts.part_document(schedule_part(described, function, model, inverted=inverted))
        if json:
            write_json(part)
        else:
            parts.show_part(part)
        return
    if select == "search":
        search_choice(described, operation, model, variant=variant, key_bits=key_bits, loop=loop, small=small)
    kernel = kernel_of(
        described, operation, model, variant=variant, key_bits=key_bits, strategy=strategy, loop=loop,
        small=small, without=known_names(without, model, path, instruction), key=specialize_key,
    )  # fmt: skip
    saving = None
    if layout:
        kernel, saving = parts.laid(kernel, described, layout)
    if prove:
        kernel = proving.prove(kernel, described, prove)
    known = parts.document(kernel, described) | ({"layout_saving": saving} if saving else {})
    if savings:
        known["savings"] = [asdict(one) for one in each_saving(kernel, described)]
    if json:
        write_json(known)
        return
    parts.show(known)
    if savings:
        parts.show_savings(known["savings"])
