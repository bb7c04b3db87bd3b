"""`assay simulate`: assembly text on a simulated processor, and what every operation waits for."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cipherassay.cli._common import Json, write_json
from cipherassay.cli._processor import Addressing, Folder, MemoryPorts, Settings, Width, chosen


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("simulate")(simulate)


def simulate(
    file: Annotated[Path, typer.Argument(help="Assembly text.", show_default=False)],
    processor: Annotated[str, typer.Option("--processor", "-p", help="Model: see `assay processor list`.")],
    argument: Annotated[
        list[str] | None,
        typer.Option(help="Value of an argument register, in order; else pointers into the memory."),
    ] = None,
    memory: Annotated[Path | None, typer.Option(help="File with the memory at 0x10000; else zeros.")] = None,
    functional: Annotated[bool, typer.Option("--functional", help="Results only, no cycles.")] = False,
    timeline: Annotated[bool, typer.Option("--timeline", help="Print what operations wait for.")] = False,
    rows: Annotated[int, typer.Option(min=1, help="Operations that a printed timeline shows.")] = 200,
    html: Annotated[Path | None, typer.Option(help="Write the timeline as a page of its own.")] = None,
    memory_out: Annotated[Path | None, typer.Option(help="Write the memory after the run.")] = None,
    path: Folder = None,
    settings: Settings = None,
    width: Width = None,
    memory_ports: MemoryPorts = None,
    addressing: Addressing = None,
    json: Json = False,
) -> None:
    """Run an assembly text on a simulated processor; cycles come from the text and the model alone."""
    from cipherassay.cli import _simulate as parts
    from cipherassay.cli._common import write_file
    from cipherassay.processors import simulating
    from cipherassay.processors.timeline import text as timeline_text

    options = {"width": width, "memory_ports": memory_ports, "addressing": addressing}
    model = chosen(processor, path, settings, **options)
    machine = simulating.load(parts.text_of(file), model, file=str(file))
    image = parts.memory_of(memory)
    run = simulating.simulate(
        machine,
        _arguments(argument, len(image)),
        image,
        mode="functional" if functional else "cycles",
        timeline=not functional and (timeline or html is not None or json),
    )
    title = f"{file.name} on {processor}"
    if memory_out is not None:
        write_file(memory_out, run.memory)
    if html is not None:
        parts.write_page(html, run, title, simulating.START_STATE)
    if json:
        write_json({"processor": processor, "file": str(file), **parts.document(run)})
        return
    parts.show(run, title)
    if timeline:
        typer.echo(timeline_text(run, rows=rows), nl=False)


def _arguments(given: list[str] | None, size: int) -> list[int]:
    from cipherassay.errors import UsageError
    from cipherassay.processors.simulating import BASE

    if given is None:
        return [BASE + k * (size // 8 & -16) for k in range(8)]
    try:
        return [int(value, 0) for value in given]
    except ValueError as error:
        raise UsageError("M722", f"an argument is no number: {error}", help="decimal or 0x…") from None
