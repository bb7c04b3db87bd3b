"""`assay what-if`: what hypothetical instructions would buy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cipherassay.cli._shared.common import Json, job_progress, output, show_table, write_json
from cipherassay.cli._shared.processor import Addressing, Folder, MemoryPorts, Settings, Width, chosen
from cipherassay.errors import AssayError, DescriptionError, UsageError, nearest

if TYPE_CHECKING:
    from cipherassay._engine import Processor
    from cipherassay.processors.kernel import Kernel
    from cipherassay.processors.requests import Request

OPERATIONS = ("encrypt", "decrypt", "key_setup_both")


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("what-if")(what_if)


def what_if(
    processor: Annotated[
        str, typer.Argument(help="A model: see `assay processor list`.", show_default=False)
    ],
    instruction: Annotated[
        Path, typer.Option("--instruction", metavar="FILE", help="A file of records `[[instruction]]`.")
    ],
    cipher: Annotated[
        list[str] | None, typer.Option(help="A cipher; may be given several times. Default: all.")
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
    """Print cycles without and with the instructions of a file, and how often each is used."""
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
    lines = _compare(base, extended, names, cipher or (), operation or OPERATIONS, quiet=quiet)
    unused = [name for name in names if not any(line["used"].get(name) for line in lines)]
    if json:
        write_json({"processor": processor, "instructions": names, "unused": unused, "kernels": lines})
        return
    _show(processor, names, unused, lines)


def added(base: Processor, extended: Processor) -> list[str]:
    """Return the names of the instructions that only the second processor has."""
    from cipherassay.processors import document

    known = {one["name"] for one in document(base)["isa"]["instructions"]}
    return [one["name"] for one in document(extended)["isa"]["instructions"] if one["name"] not in known]


def _compare(
    base: Processor,
    extended: Processor,
    names: Sequence[str],
    ciphers: Sequence[str],
    operations: Sequence[str],
    *,
    quiet: bool,
) -> list[dict[str, Any]]:
    from cipherassay.ciphers import load
    from cipherassay.ciphers import names as all_ciphers
    from cipherassay.jobs import each
    from cipherassay.processors.kernel import OPERATIONS as KNOWN
    from cipherassay.processors.requests import Request

    for one in operations:
        if one not in KNOWN:
            raise UsageError("M710", f"unknown operation `{one}`", help=nearest(one, KNOWN))
    found = [load(name) for name in ciphers or all_ciphers()]
    requests = [
        Request(described, one, extended, key_bits=described.key_bits[0])
        for described in found
        for one in operations
    ]
    with job_progress("kernels", quiet=quiet) as bar:
        return each(lambda one: _line(one, base, names), requests, lambda one: one.title, progress=bar)


def _line(extended: Request, base: Processor, names: Sequence[str]) -> dict[str, Any]:
    """Compare a kernel without and with instructions; each side may take the choice made for the other."""
    plain = replace(extended, processor=base)
    line: dict[str, Any] = {"cipher": plain.cipher.name, "operation": plain.operation}
    without, kernel = _kernel(plain), _kernel(extended)
    if isinstance(kernel, AssayError):
        before = None if isinstance(without, AssayError) else without.cycles
        return {**line, "without": before, "with": None, "difference": None, "used": {},
                "reason": kernel.message}  # fmt: skip
    of_other = _kernel(replace(plain, choice=kernel.choice))
    known = [one for one in (without, of_other) if not isinstance(one, AssayError)]
    least = min(known, key=_cycles, default=None)
    if least is not None:
        # The selector need not take an instruction: the code without it is code with it, too.
        same = _kernel(replace(extended, choice=least.choice))
        kernel = min((one for one in (least, kernel, same) if not isinstance(one, AssayError)), key=_cycles)
    used = {name: count for name in names if (count := kernel.counts.get(name, 0))}
    before = None if least is None else least.cycles
    difference = None if before is None else kernel.cycles - before
    return {**line, "without": before, "with": kernel.cycles, "difference": difference, "used": used,
            "reason": ""}  # fmt: skip


def _kernel(job: Request) -> Kernel | AssayError:
    """Make a kernel; a processor may lack what a cipher needs, which the table then says."""
    try:
        return job.kernel()
    except DescriptionError as error:
        return error


def _cycles(kernel: Kernel) -> int:
    return kernel.cycles


def _show(
    processor: str, names: Sequence[str], unused: Sequence[str], lines: Sequence[dict[str, Any]]
) -> None:
    show_table(
        ("cipher", "operation", "without", "with", "difference", "%", "used"),
        [
            (
                line["cipher"], line["operation"], line["without"], line["with"], line["difference"],
                _percent(line), _used(line),
            )
            for line in lines
        ],
        title=f"{processor} without and with {', '.join(names)}: cycles, 128-bit keys",
    )  # fmt: skip
    for name in unused:
        output().print(f"{name}: unused by every kernel", markup=False)


def _percent(line: dict[str, Any]) -> float | None:
    if line["difference"] is None or not line["without"]:
        return None
    return round(100.0 * float(line["difference"]) / float(line["without"]), 1)


def _used(line: dict[str, Any]) -> str:
    if line["reason"]:
        return str(line["reason"])
    return ", ".join(f"{name} {count}" for name, count in line["used"].items()) or "unused"
