"""`assay technology`: standard-cell technologies: listed, shown, checked, characterized."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cipherassay.cli.technology.characterize import characterize
from cipherassay.console.output import Json, output, show_table, write_json
from cipherassay.errors import UsageError, VerificationError

if TYPE_CHECKING:
    from cipherassay.hardware.libraries.technology import Technology

Name = Annotated[str, typer.Argument(help="The technology, or its .toml file.")]


def register(app: typer.Typer) -> None:
    """Add the verb and its parts."""
    technology = typer.Typer(no_args_is_help=True, help=_group.__doc__)
    technology.callback()(_group)
    technology.command("list")(list_)
    technology.command("show")(show)
    technology.command("check")(check)
    technology.command("characterize")(characterize)
    app.add_typer(technology, name="technology")


def _group() -> None:
    """Standard-cell technologies: listed, shown, checked, characterized."""


def list_(json: Json = False) -> None:
    """List the technologies; those with timing serve synthesis, the others only count cells."""
    from cipherassay.hardware.libraries import technology

    entries = []
    for name in technology.names():
        one = technology.load(name)
        entries.append(
            {
                "name": name,
                "cells": len(one.costs()),
                "nand2_um2": one.gate_equivalent_um2 if one.fpga is None else None,
                "timing": one.liberty is not None or one.fpga is not None,
                "here": one.here(),
                "get": one.obtain.how(),
                "title": one.title,
            }
        )
    if json:
        write_json(entries)
        return
    show_table(list(entries[0]), [list(entry.values()) for entry in entries])


def show(name: Name, json: Json = False) -> None:
    """Print where a technology's files are, what is mended and why, and each cell's area and transistors."""
    from cipherassay.hardware.libraries import technology

    one = technology.load(name)
    if json:
        write_json(asdict(one) | {"name": one.name, "file": one.file.name})
        return
    _show(one)


def _show(one: Technology) -> None:
    console = output()
    console.print(f"{one.name}: {one.title}", markup=False)
    facts = {"process": one.process, "source": one.source, "get": one.obtain.how()}
    if one.liberty is not None:
        units = f"{one.liberty.time_unit}, {one.liberty.capacitance_unit}"
        facts |= {"Liberty": one.liberty.file, "units": units}
    if one.characterization is not None:
        made = ", ".join(f"{package.name} {package.version}" for package in one.characterization.package)
        facts["made of"] = f"{made}, by `assay technology characterize {one.name}`"
    if one.corner is not None:
        corner = one.corner
        facts["corner"] = f"{corner.process}, {corner.voltage_v:g} V, {corner.temperature_c:g} °C"
    for what, text in facts.items():
        console.print(f"  {what:<8} {text}", markup=False)
    for fix in one.liberty.fix if one.liberty else ():
        console.print(f"  mended   {_fix(asdict(fix))}: {fix.reason}", markup=False)
    if one.fpga is not None:
        console.print(f"  with     {one.fpga.tool} {' '.join(one.fpga.options)}", markup=False)
        console.print(f"  holds    {one.fpga.logic_cells} logic cells", markup=False)
        return
    console.print()
    unit = one.gate_equivalent_um2
    rows = [
        (cell.name, _function(cell), cell.area_um2, cell.area_um2 / unit, cell.transistors)
        for cell in one.costs().values()
    ]
    show_table(("cell", "function", "area µm²", "GE", "transistors"), rows)


def _fix(fix: dict[str, Any]) -> str:
    if fix["remove"]:
        return f"without {', '.join(fix['remove'])}"
    if fix["clamp_negative"]:
        return f"no negative delays in {', '.join(fix['clamp_negative'])}"
    return f"{fix['attribute']} of {fix['cell']} {fix['value']:g} instead of {fix['found']:g}"


def _function(cell: Any) -> str:
    if hasattr(cell, "kind"):
        return f"{cell.kind}, {cell.active}"
    return ", ".join(f"{name} = {function}" for name, function in cell.outputs().items())


def check(
    names: Annotated[
        list[str] | None, typer.Argument(help="Technologies; without it, all with timing.")
    ] = None,
    liberty: Annotated[
        Path | None, typer.Option(help="Check this Liberty file instead of the technology's own.")
    ] = None,
    json: Json = False,
) -> None:
    """Check units, cells, areas against LEF, transistors against SPICE, functions, arcs, and tables.

    Looked at is the Liberty file as synthesis sees it: mended as the technology's file says. One that was
    characterized here is compared with logical effort, too.
    """
    from cipherassay.hardware.characterization import technology_check
    from cipherassay.hardware.libraries import technology

    wanted = names or [n for n in technology.names() if technology.load(n).liberty is not None]
    source = None
    if liberty is not None:
        try:
            source = liberty.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(
                "U034",
                f"`{liberty}` cannot be read",
                notes=[error.strerror or str(error) if isinstance(error, OSError) else str(error)],
                help="name a Liberty file: --liberty FILE",
            ) from None
    found = {name: technology_check.check(technology.load(name), source) for name in wanted}
    if json:
        write_json(
            {
                name: [{"cell": d.cell, "message": d.message, "line": d.place.line} for d in defects]
                for name, defects in found.items()
            }
        )
    else:
        for name, defects in found.items():
            for defect in defects:
                output().print(f"{name}: {defect}", markup=False)
            if not defects:
                output().print(f"{name}: no defect", markup=False)
    count = sum(map(len, found.values()))
    if count:
        wrong = ", ".join(name for name, defects in found.items() if defects)
        raise VerificationError("H607", f"{count} defect{'' if count == 1 else 's'}: {wrong}")
