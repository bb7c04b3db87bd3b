"""`assay study what-if`: what hypothetical instructions would buy."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cipherassay.console.kernel import ProcessorName
from cipherassay.console.output import Json, output, show_table, write_json
from cipherassay.console.processor import Addressing, Folder, MemoryPorts, Settings, Width, chosen
from cipherassay.console.progress import job_progress
from cipherassay.errors import DescriptionError, UsageError, nearest

if TYPE_CHECKING:
    from cipherassay._engine import Processor
    from cipherassay.processors.what_if import Gain

OPERATIONS = ("encrypt", "decrypt", "key_setup_both")


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("what-if")(what_if)


def what_if(
    processor: ProcessorName,
    instruction: Annotated[
        Path, typer.Option("--instruction", metavar="FILE", help="A file of records `[[instruction]]`.")
    ],
    cipher: Annotated[
        list[str] | None, typer.Option(help="A cipher; may be given several times. Default: the papers'.")
    ] = None,
    operation: Annotated[
        list[str] | None, typer.Option(help="An operation; may be given several times.")
    ] = None,
    path: Folder = None,
    settings: Settings = None,
    width: Width = None,
    memory_ports: MemoryPorts = None,
    addressing: Addressing = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress.")] = False,
    json: Json = False,
) -> None:
    """Print what the instructions of a file save on a processor.

    Cycles without and with them, and how often each is used.
    """
    from cipherassay.processors.what_if import added

    if not instruction.is_file():
        raise UsageError(
            "M713", f"`{instruction}` is not a file", help="name a file of records `[[instruction]]`"
        )
    given: dict[str, Any] = {"width": width, "memory_ports": memory_ports, "addressing": addressing}
    base = chosen(processor, path, settings, **given)
    extended = chosen(processor, path, settings, instructions=instruction, **given)
    names = added(base, extended)
    if not names:
        raise DescriptionError(
            "M714",
            f"`{instruction}` adds no instruction to {processor}",
            help="its records need a `feature` that is switched off: switch it on with --set",
        )
    lines = _compare(base, extended, names, cipher or (), operation or (), quiet=quiet)
    unused = [name for name in names if not any(line.used.get(name) for line in lines)]
    if json:
        write_json({"processor": processor, "instructions": names, "unused": unused,
                    "kernels": [line.as_dict() for line in lines]})  # fmt: skip
        return
    _show(processor, names, unused, lines)


def _compare(
    base: Processor,
    extended: Processor,
    names: Sequence[str],
    ciphers: Sequence[str],
    operations: Sequence[str],
    *,
    quiet: bool,
) -> list[Gain]:
    from cipherassay.ciphers import load, of_papers
    from cipherassay.jobs import each
    from cipherassay.processors.kernel import OPERATIONS as KNOWN
    from cipherassay.processors.requests import Request
    from cipherassay.processors.what_if import gain

    for one in operations:
        if one not in KNOWN:
            raise UsageError("M710", f"unknown operation `{one}`", help=nearest(one, KNOWN))
    found = [load(name) for name in ciphers or of_papers()]
    requests = [
        Request(described, one, extended)
        for described in found
        for one in operations or (OPERATIONS if described.keyed else described.directions)
    ]
    with job_progress("kernels", quiet=quiet) as bar:
        return each(lambda one: gain(one, base, names), requests, lambda one: one.title, progress=bar)


def _show(processor: str, names: Sequence[str], unused: Sequence[str], lines: Sequence[Gain]) -> None:
    show_table(
        ("cipher", "operation", "without", "with", "difference", "%", "used"),
        [
            (
                line.cipher, line.operation, line.without, line.cycles, line.difference,
                _percent(line), _used(line),
            )
            for line in lines
        ],
        title=f"{processor} without and with {', '.join(names)}: cycles, first key sizes",
    )  # fmt: skip
    for name in unused:
        output().print(f"{name}: unused by every kernel", markup=False)


def _percent(line: Gain) -> float | None:
    if line.difference is None or not line.without:
        return None
    return round(100.0 * line.difference / line.without, 1)


def _used(line: Gain) -> str:
    return line.reason or ", ".join(f"{name} {count}" for name, count in line.used.items()) or "unused"
