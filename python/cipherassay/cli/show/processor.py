"""What `assay show` prints of a processor: everything that its files hold."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cipherassay.console.output import output, show_table, write_json
from cipherassay.console.processor import chosen, settings_of
from cipherassay.errors import UsageError

if TYPE_CHECKING:
    from cipherassay.families import Family


def show(
    name: str, path: Path | None, settings: Sequence[str] | None, width: int | None, memory_ports: int | None,
    addressing: str | None, *, json: bool,
) -> None:  # fmt: skip
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
