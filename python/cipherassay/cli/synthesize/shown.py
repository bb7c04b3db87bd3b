"""A synthesized design as tables and as files."""

from __future__ import annotations

import json as text_form
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cipherassay.console.output import output, show_table, write_file

if TYPE_CHECKING:
    from cipherassay.hardware.results.documents import Document
    from cipherassay.hardware.synthesis.bottom_up import DesignPoint
    from cipherassay.hardware.synthesis.exploring import Exploration
    from cipherassay.hardware.synthesis.flow import Synthesis


WITHOUT = "GE less interface"
"""The head of areas without the registers of the Interface, which hold what the pins bring."""


def show(made: Synthesis) -> None:
    """Print the speed grades, blocks and critical paths of a design given as files."""
    from cipherassay.hardware.netlists.netlist import registers
    from cipherassay.hardware.results.documents import INTERFACE
    from cipherassay.hardware.timing import hold

    unit = made.technology.gate_equivalent_um2
    output().print(f"{made.top} in {made.technology.title}; {made.tools}", markup=False)
    held = [one.blocks.get(INTERFACE) for one in made.grades]
    less = [None if block is None else registers(block, made.technology).area_um2 for block in held]
    grades = [
        (n, one.delay_ns, 1000 / one.delay_ns, one.area_um2 / 1e6, one.area_um2 / unit,
         *([None if of is None else (one.area_um2 - of) / unit] if any(held) else []), one.size.transistors)
        for n, (one, of) in enumerate(zip(made.grades, less, strict=True), 1)
    ]  # fmt: skip
    area = f"area M{made.technology.area_unit}"
    without = (WITHOUT,) * any(held)
    show_table(("speed", "period ns", "MHz", area, "GE", *without, "transistors"), grades)
    if any(hold.unsafe(one.netlist, made.top, made.technology, one.delay_ns) for one in made.grades):
        output().print("It has latches that fail hold, or OpenSTA is not here to check them.", markup=False)
    blocks = [
        (n, block or "Top", size.area_um2 / 1e6, size.transistors)
        for n, one in enumerate(made.grades, 1)
        for block, size in one.blocks.items()
        if len(one.blocks) > 1
    ]
    if blocks:
        show_table(("speed", "block", area, "transistors"), blocks)
    paths = [
        (n, one.timing.paths[0].start, one.timing.paths[0].end, _shares(made, one))
        for n, one in enumerate(made.grades, 1)
    ]
    show_table(("speed", "critical path from", "to", "ns by function"), paths)


def _shares(made: Synthesis, point: DesignPoint) -> str:
    shares = made.designs[made.split(point)].shares(point)
    return _told(made.top, {name: share for name, share in shares.items() if share >= 0.005})


def _told(top: str, shares: Mapping[str, float]) -> str:
    order = sorted(shares.items(), key=lambda item: -item[1])
    return ", ".join(f"{name.removeprefix(f'{top}_')} {share:.2f}" for name, share in order)


def show_device(document: Document) -> None:
    """Print a device's speed grades, what its clocks make of them, its blocks and critical paths.

    Grades that fail hold are marked.
    """
    from cipherassay.hardware.timing import hold

    output().print(f"{document['design']} in {document['technology']}; {document['tools']}", markup=False)
    unit = document["gate_equivalent_um2"]
    grades = list(enumerate(document["grades"], 1))
    table = [
        (n, one["strategy"], int(bits) or None, period, 1000 / period, one["area_um2"] / 1e6,
         one["area_um2"] / unit, _without(one, unit), one["transistors"], hold.told(one["latches"]))
        for n, one in grades
        for bits, period in one["period_ns"].items()
    ]  # fmt: skip
    in_all = f"area M{document['area_unit']}"
    areas = (in_all, "GE", WITHOUT, "transistors")
    heads = ("speed", "strategy", "key", "period ns", "MHz", *areas, "withdrawn")
    show_table(heads, table)
    if any(one["latches"] for _, one in grades):
        output().print(hold.WHY, markup=False)
    times = ("block ns", "key setup ns", "key switch ns")
    show_table(("speed", "key", "direction", "clocks a block", "Mbit/s", *times), _figures(document))
    blocks = [
        (n, block, area / 1e6, transistors)
        for n, one in grades
        for block, (area, transistors) in one["blocks"].items()
    ]
    show_table(("speed", "block", in_all, "transistors"), blocks)
    paths = [(n, *one["path"], _told(document["design"], one["shares"])) for n, one in grades]
    show_table(("speed", "critical path from", "to", "ns by function"), paths)


def _without(grade: Document, unit: float) -> float | None:
    """Return the area in GE without the registers of the Interface; None where it is not known."""
    held = grade.get("interface_registers")
    return (grade["area_um2"] - held[0]) / unit if held else None


def _figures(document: Document) -> Iterator[tuple[Any, ...]]:
    from cipherassay.hardware.results.figures import figures
    from cipherassay.hardware.results.rows import counts_of

    for number, grade in enumerate(document["grades"], 1):
        for clocks in document["strategies"][grade["strategy"]]["clocks"]:
            counts = counts_of(clocks)
            found = figures(counts, grade["period_ns"][str(clocks["key_bits"])])
            of_key = (found.key_setup_ns, found.key_switch_ns) if clocks["key_bits"] else (None, None)
            yield (
                number, clocks["key_bits"] or None, clocks["operation"], counts.rate, found.throughput_mbps,
                found.block_ns, *of_key,
            )  # fmt: skip


def write_grades(found: Exploration, document: Document, folder: Path) -> None:
    """Write the netlists of a device's grades, and its document."""
    from cipherassay.hardware.netlists import verilog_netlist
    from cipherassay.hardware.results import stored

    for number, one in enumerate(found.grades, 1):
        text = verilog_netlist.write(one.point.netlist)
        write_file(folder / f"{document['design']}-speed{number}.v", text)
    write_file(folder / f"{document['design']}.json", stored.text_of(document))


def write(made: Synthesis, folder: Path) -> None:
    """Write the netlists of the grades, and all points and curves as JSON."""
    from cipherassay.hardware.netlists import verilog_netlist

    grades = []
    for number, point in enumerate(made.grades, 1):
        name = f"{made.top}-speed{number}.v"
        write_file(folder / name, verilog_netlist.write(point.netlist))
        grades.append(
            {
                "netlist": name,
                "delay_ns": point.delay_ns,
                "area_um2" if made.technology.area_unit == "µm²" else "area_ge": point.area_um2,
                "transistors": point.size.transistors,
                "cells": point.size.cells,
                "split": made.split(point),
                "recipes": point.choice,
                "repaired": point.repaired,
                "paths": point.timing.as_dict()["paths"],
            }
        )
    curves = {
        split: {
            unit: [[one.recipe, one.delay_ns, one.area_um2, one.transistors] for one in curve.points]
            for unit, curve in units.items()
        }
        for split, units in made.curves.items()
    }
    points = [[one.delay_ns, one.area_um2, one.size.transistors] for one in made.points]
    document = {"top": made.top, "tools": made.tools, "grades": grades, "points": points, "functions": curves}
    write_file(folder / f"{made.top}.json", text_form.dumps(document, indent=1) + "\n")
