"""`assay study hardware`: our synthesized devices beside the paper's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from cipherassay.console.output import Json, output, show_table, write_json
from cipherassay.console.progress import say
from cipherassay.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cipherassay.ciphers import Cipher
    from cipherassay.hardware.results.designs import Name, Point
    from cipherassay.results import Row


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("hardware")(hardware)


def hardware(
    ciphers: Annotated[
        list[str] | None, typer.Argument(help="Ciphers; all without it.", show_default=False)
    ] = None,
    architecture: Annotated[str, typer.Option(help="iterative or pipelined; both without it.")] = "",
    key: Annotated[str, typer.Option("--key-bits", help="128 or 3in1; both without it.")] = "",
    technology: Annotated[str, typer.Option("--technology", "-t", help="The technology.")] = "osu050",
    json: Json = False,
) -> None:
    """Show our synthesized devices beside the hardware paper's.

    The best of each device's sweep beside the paper's best, from rows that are kept. Speed grades that fail
    hold are listed below and compared with nothing. Devices that were not synthesized are named with the
    command that does it.
    """
    from cipherassay.hardware.results.designs import KEYS, Hardware, names
    from cipherassay.hardware.results.report_jobs import kept_rows
    from cipherassay.hardware.rtl.build import WITH_INTERFACE, choice
    from cipherassay.report.making import chosen_ciphers
    from cipherassay.studies.weeks2000.compared import compared
    from cipherassay.studies.weeks2000.paper import COMPARABLE

    if architecture:
        choice("architecture", architecture, WITH_INTERFACE)
    if key:
        choice("key version", key, tuple(KEYS))
    wanted = chosen_ciphers(ciphers or ())
    _refuse_own(wanted)
    titles = [cipher.name for cipher in wanted]
    chosen = [
        name for name in names(titles) if architecture in ("", name.architecture) and key in ("", name.key)
    ]
    found = Hardware(kept_rows(technology), technology)
    rows = list(compared(found, chosen))
    missing = [name for name in chosen if found.not_run(name)]
    withdrawn = {name: found.withdrawn(name) for name in chosen if found.withdrawn(name)}
    if json:
        absent = [{"design": name.title, "command": name.command} for name in missing]
        left_out = [row.as_dict() for points in withdrawn.values() for one in points for row in one.rows]
        found_rows = [row.as_dict() for row in rows]
        write_json({"rows": found_rows, "withdrawn": left_out, "missing": absent, "note": COMPARABLE})
        return
    columns = ("parameter", "key", "ours", "unit", "paper", "ratio", "strategy, grade")
    for name in chosen:
        if found.grades(name):
            show_table(columns, [_line(row) for row in compared(found, [name])], title=name.title)
    if rows:
        output().print(COMPARABLE, markup=False)
    if withdrawn:
        _show_withdrawn(withdrawn)
    for name in missing:
        say(f"not run: {name.title}: {name.command}")


def _refuse_own(wanted: Sequence[Cipher]) -> None:
    """Raise UsageError ``U036`` for a user's cipher, of which no rows are kept."""
    from cipherassay.ciphers import argument, of_papers

    for cipher in wanted:
        if (file := argument(cipher)) not in of_papers():
            raise UsageError(
                "U036",
                f"no synthesized rows are kept of `{file}`, and the paper has no such cipher",
                help=f"`assay synthesize {file}` shows its speed grades",
            )


def _show_withdrawn(withdrawn: dict[Name, list[Point]]) -> None:
    from cipherassay.hardware.timing.hold import WHY

    lines = [
        (name.title, f"{point.strategy}, {_grade(point.configuration)}", point.withdrawn,
         _value(point.period()), point.area_um2, _value(point.throughput()))
        for name, points in withdrawn.items() for point in points
    ]  # fmt: skip
    columns = ("design", "strategy, grade", "withdrawn", "period ns", "area µm²", "Mbit/s")
    show_table(columns, lines, title="Withdrawn: compared with nothing")
    output().print(WHY, markup=False)


def _value(row: Row | None) -> float | int | None:
    return _rounded(None if row is None else row.value)


def _grade(configuration: str | None) -> str:
    return (configuration or "").rpartition(", ")[2]


def _line(row: Row) -> list[Any]:
    what = " ".join(word.replace("_", " ") for word in (row.operation, row.part, row.metric) if word)
    return [
        what, row.key_bits, _rounded(row.value), row.unit, _rounded(row.reference), _rounded(row.ratio),
        f"{row.strategy}, {_grade(row.configuration)}",
    ]  # fmt: skip


def _rounded(value: float | None) -> float | int | None:
    if value is None:
        return None
    return int(value) if value == int(value) else round(value, 3)
