"""`assay compare hardware`: our synthesized devices beside the hardware paper's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from cipherassay.cli._common import Json, say, show_table, write_json

if TYPE_CHECKING:
    from cipherassay.report.hardware import Hardware, Name
    from cipherassay.results import Row


def hardware(
    ciphers: Annotated[
        list[str] | None, typer.Argument(help="Ciphers; all without it.", show_default=False)
    ] = None,
    architecture: Annotated[str, typer.Option(help="iterative or pipelined; both without it.")] = "",
    key: Annotated[str, typer.Option(help="Key version: 128 or 3in1; both without it.")] = "",
    technology: Annotated[str, typer.Option("--technology", "-t", help="The technology.")] = "osu050",
    json: Json = False,
) -> None:
    """Show the best of each device's sweep beside the hardware paper's best, from rows that are kept.

    Devices that were not synthesized are named with the command that does it.
    """
    from cipherassay.hardware.build import ARCHITECTURES, choice
    from cipherassay.report.hardware import KEYS, Hardware, names
    from cipherassay.report.hardware_compared import compared
    from cipherassay.report.hardware_rows import kept_rows
    from cipherassay.report.making import chosen_ciphers

    if architecture:
        choice("architecture", architecture, ARCHITECTURES)
    if key:
        choice("key version", key, tuple(KEYS))
    titles = [cipher.name for cipher in chosen_ciphers(ciphers or ())]
    chosen = [
        name for name in names(titles) if architecture in ("", name.architecture) and key in ("", name.key)
    ]
    found = Hardware(kept_rows(technology), technology)
    rows = list(compared(found, chosen))
    missing = [name for name in chosen if not found.grades(name)]
    if json:
        absent = [{"design": name.title, "command": name.command} for name in missing]
        write_json({"rows": [row.as_dict() for row in rows], "missing": absent})
    else:
        _show(found, chosen, missing)


def _show(found: Hardware, chosen: list[Name], missing: list[Name]) -> None:
    from cipherassay.report.hardware_compared import compared

    columns = ("parameter", "key", "ours", "unit", "paper", "ratio", "strategy, grade")
    for name in chosen:
        if name not in missing:
            show_table(columns, [_line(row) for row in compared(found, [name])], title=name.title)
    for name in missing:
        say(f"not run: {name.title}: {name.command}")


def _line(row: Row) -> list[Any]:
    what = " ".join(word.replace("_", " ") for word in (row.operation, row.part, row.metric) if word)
    grade = (row.configuration or "").rpartition(", ")[2]
    return [
        what, row.key_bits, _rounded(row.value), row.unit, _rounded(row.reference), _rounded(row.ratio),
        f"{row.strategy}, {grade}",
    ]  # fmt: skip


def _rounded(value: float | None) -> float | int | None:
    if value is None:
        return None
    return int(value) if value == int(value) else round(value, 3)
