"""A synthesized design as tables and as files."""

from __future__ import annotations

import json as text_form
from pathlib import Path
from typing import TYPE_CHECKING

from cipherassay.cli._common import output, show_table, write_file

if TYPE_CHECKING:
    from cipherassay.hardware.bottom_up import DesignPoint
    from cipherassay.hardware.build import Device
    from cipherassay.hardware.synthesis import Synthesis


def show(made: Synthesis, device: Device | None) -> None:
    """Print the speed grades, blocks, worst paths; of a device, what its clocks make of the period."""
    unit = made.technology.gate_equivalent_um2
    output().print(f"{made.top} in {made.technology.title}; {made.tools}", markup=False)
    grades = [
        (n, one.delay_ns, 1000 / one.delay_ns, one.area_um2 / 1e6, one.area_um2 / unit, one.size.transistors)
        for n, one in enumerate(made.grades, 1)
    ]
    area = f"area M{made.technology.area_unit}"
    show_table(("speed", "period ns", "MHz", area, "GE", "transistors"), grades)
    if device is not None:
        _clocks(made, device)
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
    show_table(("speed", "worst path from", "to", "ns by function"), paths)


def _clocks(made: Synthesis, device: Device) -> None:
    rows = [
        (n, bits, "decrypt" if decrypt else "encrypt", clocks.per_block,
         128e3 / (clocks.per_block * one.delay_ns), clocks.latency * one.delay_ns,
         clocks.key_setup * one.delay_ns)
        for n, one in enumerate(made.grades, 1)
        for (bits, decrypt), clocks in device.clocks.items()
    ]  # fmt: skip
    show_table(("speed", "key", "direction", "clocks a block", "Mbit/s", "block ns", "key setup ns"), rows)


def _shares(made: Synthesis, point: DesignPoint) -> str:
    shares = made.designs[made.split(point)].shares(point)
    order = sorted(shares.items(), key=lambda item: -item[1])
    begin = f"{made.top}_"
    return ", ".join(f"{name.removeprefix(begin)} {share:.2f}" for name, share in order if share >= 0.005)


def write(made: Synthesis, folder: Path) -> None:
    """Write the netlists of the grades, and all points and curves as JSON."""
    from cipherassay.hardware import verilog_netlist

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
