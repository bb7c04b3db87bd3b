"""`assay simulate`: code on a simulated processor: cycles, what every operation waits for, distributions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cipherassay.console.kernel import KeyBits, Loop, ProcessorName, Strategy, Variant, kernel_of
from cipherassay.console.options import writable_file
from cipherassay.console.output import Json
from cipherassay.console.processor import Addressing, Folder, MemoryPorts, Settings, Width, chosen
from cipherassay.errors import UsageError

if TYPE_CHECKING:
    from cipherassay._engine import Processor
    from cipherassay.cli.simulate.shown import SimulateOptions


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("simulate")(simulate)


def simulate(
    target: Annotated[
        str, typer.Argument(metavar="CIPHER|FILE", help="A cipher, or assembly text.", show_default=False)
    ],
    processor: ProcessorName,
    operation: Annotated[
        str, typer.Argument(metavar="OPERATION", help="Of a cipher: encrypt, key_setup_encrypt, …")
    ] = "",
    variant: Variant = "",
    key_bits: KeyBits = 0,
    strategy: Strategy = "",
    loop: Loop = False,
    inputs: Annotated[int, typer.Option(min=0, help="Random inputs for a distribution; 0: none.")] = 0,
    seed: Annotated[int, typer.Option(help="Seed of the random inputs.")] = 1,
    argument: Annotated[
        list[str] | None,
        typer.Option(help="Of a text: the value of an argument register; else pointers into the memory."),
    ] = None,
    memory: Annotated[Path | None, typer.Option(help="Of a text: its memory at 0x10000; else zeros.")] = None,
    functional: Annotated[bool, typer.Option("--functional", help="Results only, no cycles.")] = False,
    timeline: Annotated[bool, typer.Option("--timeline", help="Print what operations wait for.")] = False,
    rows: Annotated[int, typer.Option(min=1, help="Operations that a printed timeline shows.")] = 200,
    html: Annotated[
        Path | None, typer.Option(callback=writable_file, help="Write the timeline as a page of its own.")
    ] = None,
    memory_out: Annotated[
        Path | None, typer.Option(callback=writable_file, help="Write the memory after the run.")
    ] = None,
    path: Folder = None,
    settings: Settings = None,
    width: Width = None,
    memory_ports: MemoryPorts = None,
    addressing: Addressing = None,
    json: Json = False,
) -> None:
    """Run a cipher's operation, or an assembly text, on a simulated processor.

    Cycles come from the text and the model alone. Of a cipher, the first random input is run; with --inputs
    also the distribution over many.
    """
    from cipherassay.cli.simulate import shown as parts

    model = chosen(processor, path, settings, width=width, memory_ports=memory_ports, addressing=addressing)
    wanted = parts.SimulateOptions(
        functional=functional, timeline=timeline, rows=rows, html=html, memory_out=memory_out, json=json
    )
    if operation:
        if argument or memory:
            raise UsageError("M723", "--argument and --memory are for a text of its own")
        _cipher(model, wanted, target, operation, variant, key_bits, strategy, loop, inputs, seed)
        return
    if inputs:
        raise UsageError("M736", "--inputs is for a cipher's operation", help="name it after the cipher")
    _file(model, wanted, Path(target), argument, memory)


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
