"""What the verbs about processors share: the options that name one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cipherassay.errors import UsageError

if TYPE_CHECKING:
    from cipherassay._engine import Processor

MODEL = "Parameters of the processor"
Folder = Annotated[
    Path | None,
    typer.Option(
        "--path", metavar="DIR", help="A folder with more processors and instruction sets.",
        rich_help_panel=MODEL,
    ),
]
Settings = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME=VALUE", help="Set a parameter.", rich_help_panel=MODEL),
]
Width = Annotated[
    int | None,
    typer.Option("--width", metavar="N", help="Issue slots: --set width=N.", rich_help_panel=MODEL),
]
MemoryPorts = Annotated[
    int | None,
    typer.Option(
        "--memory-ports", metavar="N", help="Slots that take loads and stores: --set memory_ports=N.",
        rich_help_panel=MODEL,
    ),
]
Addressing = Annotated[
    str | None,
    typer.Option(
        "--addressing", metavar="MODE", help="How tables are addressed: --set addressing=MODE.",
        rich_help_panel=MODEL,
    ),
]


def chosen(
    name: str,
    path: Path | None = None,
    settings: Sequence[str] | None = None,
    *,
    instructions: Path | None = None,
    width: int | None = None,
    memory_ports: int | None = None,
    addressing: str | None = None,
) -> Processor:
    """Load the processor that the options name.

    Raises
    ------
    UsageError
        ``M002`` no family has such a processor, ``M703`` it is not one of issue slots, ``M701`` a setting
        that is not ``NAME=VALUE``; others as `cipherassay.processors.load`.
    """
    from cipherassay.families import family_of
    from cipherassay.processors import INFINITE, load, names

    if name.removesuffix(INFINITE) not in names(path):
        family_of(name, path)
        raise UsageError(
            "M703", f"`{name}` is not modelled by ports and issue slots",
            notes=[f"those that are: {', '.join(names(path))}"],
            help=f"`assay measure CIPHER -p {name}` makes its code and counts cycles in its simulator",
        )  # fmt: skip
    given = settings_of(settings, width=width, memory_ports=memory_ports, addressing=addressing)
    return load(name, path=path, parameters=given, instructions=instructions)


def settings_of(settings: Sequence[str] | None, **parameters: str | int | None) -> dict[str, str]:
    """Return the parameters that the options set; raises UsageError ``M701``."""
    given = {key: str(value) for key, value in parameters.items() if value is not None}
    for setting in settings or []:
        key, equals, value = setting.partition("=")
        if not equals or not key.strip():
            raise UsageError("M701", f"`{setting}` is not a setting", help="write --set NAME=VALUE")
        given[key.strip()] = value.strip()
    return given
