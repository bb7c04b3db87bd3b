"""`assay processor`: the models of processors: show, check, list."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from cipherassay.cli._common import Json, output, show_table, write_json
from cipherassay.cli._processor import (
    Addressing,
    Folder,
    MemoryPorts,
    Settings,
    Width,
    chosen,
    show_processor,
)
from cipherassay.errors import VerificationError


def register(app: typer.Typer) -> None:
    """Add the verb and its parts."""
    processor = typer.Typer(no_args_is_help=True, help="Models of processors: shown, checked, listed.")
    processor.callback()(_group)
    processor.command("show")(show)
    processor.command("check")(check)
    processor.command("list")(list_)
    app.add_typer(processor, name="processor")


def _group() -> None:
    """Models of processors: shown, checked, listed."""


def show(
    name: Annotated[str, typer.Argument(help="The processor; NAME-infinite is the one without limits.")],
    path: Folder = None,
    settings: Settings = None,
    width: Width = None,
    memory_ports: MemoryPorts = None,
    addressing: Addressing = None,
    json: Json = False,
) -> None:
    """Print ports, classes, latencies, registers and instructions, each with source and confidence."""
    from cipherassay.processors import document

    model = chosen(name, path, settings, width=width, memory_ports=memory_ports, addressing=addressing)
    known = document(model)
    if json:
        write_json(known)
        return
    show_processor(known)


def check(
    names: Annotated[list[str] | None, typer.Argument(help="Processors; all without it.")] = None,
    path: Folder = None,
    json: Json = False,
) -> None:
    """Look for contradictions: classes without ports, entries without sources, operands that do not fit."""
    from cipherassay import processors

    wanted = names or processors.names(path)
    found = {name: processors.check(name, path=path) for name in wanted}
    count = sum(map(len, found.values()))
    if json:
        write_json({name: [_fields(error) for error in errors] for name, errors in found.items()})
    else:
        for name, errors in found.items():
            for error in errors:
                output().print(f"{name}: {error}", markup=False)
            if not errors:
                output().print(f"{name}: no contradiction", markup=False)
    if count:
        s = "" if count == 1 else "s"
        wrong = ", ".join(name for name, errors in found.items() if errors)
        raise VerificationError("M702", f"{count} contradiction{s}: {wrong}")


def _fields(error: Any) -> dict[str, Any]:
    return {
        "code": error.code,
        "message": error.message,
        "places": [str(place) for place in error.places],
        "notes": list(error.notes),
        "help": error.help,
    }


def list_(path: Folder = None, json: Json = False) -> None:
    """List the processors; each is also there as NAME-infinite, without limits on ports and issue."""
    from cipherassay import processors

    rows = [processors.document(processors.load(name, path=path)) for name in processors.names(path)]
    entries = [
        {
            "name": row["name"],
            "isa": row["isa"]["name"],
            "issue": row["issue"]["width"],
            "instructions": len(row["isa"]["instructions"]),
            "confidence": row["confidence"],
            "title": row["title"],
        }
        for row in rows
    ]
    if json:
        write_json(entries)
        return
    show_table(list(entries[0]), [list(entry.values()) for entry in entries])
