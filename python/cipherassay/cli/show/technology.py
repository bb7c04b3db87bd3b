"""What `assay show` prints of a technology: where its files are, what is mended, its cells."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from cipherassay.console.output import output, show_table, write_json

if TYPE_CHECKING:
    from cipherassay.hardware.libraries.technology import Technology


def show(name: str, *, json: bool) -> None:
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
        facts["made of"] = f"{made}, by `assay emit liberty {one.name}`"
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
