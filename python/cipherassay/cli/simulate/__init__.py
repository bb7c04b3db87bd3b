"""`assay simulate`: machine code on a modelled processor, hardware in simulators."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cipherassay.cli.simulate.rtl import RtlOptions, simulate_rtl
from cipherassay.console.help import MEASURE
from cipherassay.console.kernel import Loop, Variant, kernel_of, refuse_options
from cipherassay.console.options import writable_file
from cipherassay.console.output import Json
from cipherassay.console.processor import Addressing, Folder, MemoryPorts, Settings, Width, chosen
from cipherassay.errors import UsageError

if TYPE_CHECKING:
    from cipherassay._engine import Processor
    from cipherassay.cli.simulate.shown import SimulateOptions


CODE, RTL = "Machine code", "Hardware (--rtl)"


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("simulate", rich_help_panel=MEASURE)(simulate)


def simulate(
    target: Annotated[
        str,
        typer.Argument(metavar="CIPHER|FILE", help="A cipher, or assembly text.", show_default=False),
    ] = "",
    operation: Annotated[
        str, typer.Argument(metavar="OPERATION", help="In machine code: encrypt, key_setup_encrypt, …")
    ] = "",
    processor: Annotated[
        str,
        typer.Option(
            "--processor", "-p", metavar="NAME", help="See `assay list processors`.", show_default=False
        ),
    ] = "",
    rtl: Annotated[bool, typer.Option("--rtl", help="Simulate the cipher's hardware.")] = False,
    variant: Variant = "",
    key_bits: Annotated[
        str,
        typer.Option(
            "--key-bits", metavar="BITS",
            help="Key size (default: the cipher's first); of hardware also 128+256, or 3in1: all three.",
        ),
    ] = "",
    strategy: Annotated[
        str,
        typer.Option(
            "--strategy", metavar="NAME",
            help="Default: the best of those for processors; of hardware: rounds.",
        ),
    ] = "",
    json: Json = False,
    loop: Loop = False,
    inputs: Annotated[
        int,
        typer.Option(min=0, help="Random inputs for a distribution; 0: none.", rich_help_panel=CODE),
    ] = 0,
    seed: Annotated[int, typer.Option(help="Seed of the random inputs.", rich_help_panel=CODE)] = 1,
    argument: Annotated[
        list[str] | None,
        typer.Option(
            help="Of a text: the value of an argument register; else pointers into the memory.",
            rich_help_panel=CODE,
        ),
    ] = None,
    memory: Annotated[
        Path | None,
        typer.Option(help="Of a text: its memory at 0x10000; else zeros.", rich_help_panel=CODE),
    ] = None,
    functional: Annotated[
        bool, typer.Option("--functional", help="Results only, no cycles.", rich_help_panel=CODE)
    ] = False,
    timeline: Annotated[
        bool, typer.Option("--timeline", help="Print what operations wait for.", rich_help_panel=CODE)
    ] = False,
    rows: Annotated[
        int, typer.Option(min=1, help="Operations that a printed timeline shows.", rich_help_panel=CODE)
    ] = 200,
    html: Annotated[
        Path | None,
        typer.Option(
            callback=writable_file, help="Write the timeline as a page of its own.", rich_help_panel=CODE
        ),
    ] = None,
    memory_out: Annotated[
        Path | None,
        typer.Option(callback=writable_file, help="Write the memory after the run.", rich_help_panel=CODE),
    ] = None,
    path: Folder = None,
    settings: Settings = None,
    width: Width = None,
    memory_ports: MemoryPorts = None,
    addressing: Addressing = None,
    architecture: Annotated[
        str, typer.Option("--architecture", help="iterative, pipelined or core.", rich_help_panel=RTL)
    ] = "iterative",
    direction: Annotated[
        str,
        typer.Option(
            "--direction", help="encrypt, decrypt or both; permute or inverse.", rich_help_panel=RTL
        ),
    ] = "both",
    simulator: Annotated[
        str, typer.Option("--simulator", help="own, verilator, icarus or ghdl.", rich_help_panel=RTL)
    ] = "own",
    every: Annotated[
        int,
        typer.Option(
            "--every", min=1, help="Of the Variable Key and Text tests, each n-th bit only.",
            rich_help_panel=RTL,
        ),
    ] = 1,
    against: Annotated[
        str,
        typer.Option(
            "--against", metavar="SIMULATOR", help="Compare registers and outputs in every clock.",
            rich_help_panel=RTL,
        ),
    ] = "",
    files: Annotated[
        Path | None,
        typer.Option(
            "--files", metavar="DIR", help="Modules that `emit rtl` wrote, as they are now.",
            rich_help_panel=RTL,
        ),
    ] = None,
    every_device: Annotated[
        bool,
        typer.Option(
            "--all", help="Every cipher, iterative and pipelined, keys of 128 bits and of all sizes.",
            rich_help_panel=RTL,
        ),
    ] = False,
    keep: Annotated[bool, typer.Option("--keep", help="Keep what passed.", rich_help_panel=RTL)] = False,
    storage: Annotated[
        str,
        typer.Option(
            "--storage", help="Round keys in flops or latches; default: as the strategy says.",
            rich_help_panel=RTL,
        ),
    ] = "",
) -> None:
    """Simulate machine code on a processor (-p), or hardware (--rtl).

    A cipher's operation or an assembly text runs on a modelled processor. Cycles come from the text and the
    model alone. Of a cipher, the first random input is run; with --inputs also the distribution over many.

    With --rtl the Variable Key and Text tests and mixed traffic go through the pins of a device, and its
    clock counts are confirmed. Icarus and Verilator run the emitted Verilog, GHDL the emitted VHDL, each with
    the emitted test bench. Where a vector fails, the first clock and register that differ are named.
    """
    device = RtlOptions(
        architecture, direction, simulator, every, against, files, every_device, keep, storage
    )  # fmt: skip
    of_code = {
        "operation": operation, "loop": loop, "inputs": inputs, "argument": argument, "memory": memory,
        "functional": functional, "timeline": timeline, "html": html, "memory-out": memory_out, "path": path,
        "set": settings, "width": width, "memory-ports": memory_ports, "addressing": addressing,
    }  # fmt: skip
    if rtl:
        refuse_options("--rtl", of_code | {"processor": processor}, "it is for machine code")
        simulate_rtl(target, key_bits, strategy or "rounds", variant, device, json=json)
        return
    if not processor or not target:
        raise UsageError(
            "M745", "what is to be simulated, where?",
            help="code: assay simulate CIPHER OPERATION -p NAME; hardware: assay simulate CIPHER --rtl",
        )  # fmt: skip
    refuse_options(processor, device.given(), "it is for hardware: --rtl")
    from cipherassay.cli.simulate import shown as parts

    model = chosen(processor, path, settings, width=width, memory_ports=memory_ports, addressing=addressing)
    wanted = parts.SimulateOptions(
        functional=functional, timeline=timeline, rows=rows, html=html, memory_out=memory_out, json=json
    )
    if operation:
        if argument or memory:
            raise UsageError("M723", "--argument and --memory are for a text of its own")
        _cipher(model, wanted, target, operation, variant, bits_of(key_bits), strategy, loop, inputs, seed)
        return
    if inputs:
        raise UsageError("M736", "--inputs is for a cipher's operation", help="name it after the cipher")
    _file(model, wanted, Path(target), argument, memory)


def bits_of(text: str) -> int:
    """Return a key size of machine code; 0: the cipher's first.

    Raises
    ------
    UsageError
        ``M746``: it is no number.
    """
    if text and not text.isdecimal():
        raise UsageError("M746", f"`--key-bits {text}` is no size of keys", help="a number of bits: 128")
    return int(text or 0)


def _file(
    model: Processor, wanted: SimulateOptions, file: Path, argument: list[str] | None, memory: Path | None
) -> None:
    from cipherassay.cli.simulate import shown as parts
    from cipherassay.processors import simulating

    if not file.exists() and "." not in file.name:
        raise UsageError(
            "M724", f"there is no file `{file}`", help="of a cipher, name the operation, too: encrypt, …"
        )
    machine = simulating.load(parts.text_of(file), model, file=str(file))
    image = parts.memory_of(memory)
    given = parts.arguments_of(argument, len(image))
    run = simulating.simulate(machine, given, image, mode=wanted.mode, timeline=wanted.events)
    parts.tell(run, wanted, f"{file.name} on {model.name}", {"file": str(file), "processor": model.name})


def _cipher(
    model: Processor,
    wanted: SimulateOptions,
    cipher: str,
    operation: str,
    variant: str,
    key_bits: int,
    strategy: str,
    loop: bool,
    inputs: int,
    seed: int,
) -> None:
    from cipherassay.cli.simulate import shown as parts
    from cipherassay.processors import distributions, simulating
    from cipherassay.review import load_right

    described = load_right(cipher)
    key_bits = described.key_size(key_bits)
    kernel = kernel_of(
        described, operation, model, variant=variant, key_bits=key_bits, strategy=strategy, loop=loop
    )
    file = f"{kernel.cipher} {operation}"
    machine = simulating.load(kernel.text, model, file=file)
    laid = simulating.image(kernel.interface, distributions.first(kernel, seed))
    run = simulating.simulate(machine, laid.arguments, laid.memory, mode=wanted.mode, timeline=wanted.events)
    found = distributions.sample(kernel, inputs=inputs, seed=seed) if inputs else None
    named = {
        "cipher": kernel.cipher, "operation": operation, "key_bits": key_bits, "variant": variant,
        "processor": model.name, "choice": str(kernel.choice),
    }  # fmt: skip
    parts.tell(run, wanted, f"{described.name} {operation} on {model.name}", named, found)
