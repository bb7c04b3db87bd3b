"""`assay processor`: the models of processors: show, check, list."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cipherassay.cli._shared.common import Json, output, show_table, write_json
from cipherassay.cli._shared.processor import (
    Addressing,
    Folder,
    MemoryPorts,
    Settings,
    Width,
    chosen,
    settings_of,
)
from cipherassay.errors import UsageError, VerificationError

if TYPE_CHECKING:
    from cipherassay.families import Family


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
    """Print everything that a processor's files hold, each entry with its source and how sure it is."""
    from cipherassay.families import family_of, issue_slots
    from cipherassay.processors import INFINITE, document

    base = name.removesuffix(INFINITE)
    family = family_of(base if base in issue_slots.FAMILY.names(path) else name, path)
    if family is issue_slots.FAMILY:
        model = chosen(name, path, settings, width=width, memory_ports=memory_ports, addressing=addressing)
        known = document(model)
    else:
        _without_settings(
            name, settings_of(settings, width=width, memory_ports=memory_ports, addressing=addressing)
        )
        known = family.document(name, path)
    if json:
        write_json(known)
        return
    _show(known, family)


def _without_settings(name: str, given: dict[str, str]) -> None:
    if given:
        raise UsageError(
            "M006", f"the processor `{name}` has no parameter `{next(iter(given))}`", help="it has none"
        )


def _show(known: dict[str, Any], family: Family) -> None:
    from cipherassay.families import Sources

    sources = Sources()
    console = output()
    isa = known["isa"]["title"] if isinstance(known["isa"], dict) else known["isa"]
    base = f", builds on {known['inherits']}" if known.get("inherits") else ""
    console.print(f"{known['name']}: {known['title']} ({isa}{base})", markup=False)
    for table in family.tables(known, sources):
        if body := list(table.lines):
            show_table(table.columns, body, title=table.title)
    console.print("Sources", style="bold")
    for line in sources.lines():
        console.print(line, markup=False)


def check(
    names: Annotated[list[str] | None, typer.Argument(help="Processors; all without it.")] = None,
    path: Folder = None,
    json: Json = False,
) -> None:
    """Look for contradictions: classes without ports, entries without sources, operands that do not fit."""
    from cipherassay import families

    wanted = names or families.names(path)
    found = {name: families.family_of(name, path).check(name, path) for name in wanted}
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
    """List the processors; those of issue slots are there as NAME-infinite too, without limits on ports.

    AVR, H8/300, MCS-51 and the Pentiums have back ends of their own: docs/embedded.md, docs/x86.md.
    """
    from cipherassay import families

    known = [families.family_of(name, path).entry(name, path) for name in families.names(path)]
    entries = [asdict(one) for one in known]
    if json:
        write_json(entries)
        return
    show_table(list(entries[0]), [list(entry.values()) for entry in entries])
