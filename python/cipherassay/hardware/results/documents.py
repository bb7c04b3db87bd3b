"""What synthesis found of a device, as a document: its grades, its points, the curves of its functions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cipherassay import keeping
from cipherassay.hardware.rtl.hashes import verilog_hash
from cipherassay.hardware.timing import hold

if TYPE_CHECKING:  # they need NumPy, and what is kept is read without
    from cipherassay.hardware.synthesis.bottom_up import DesignPoint
    from cipherassay.hardware.synthesis.exploring import Candidate, Exploration, Trial
    from cipherassay.hardware.timing.analysis import Timing

Document = dict[str, Any]
INTERFACE = "Interface"
"""The block whose registers hold what the pins bring, and nothing else."""


def of(found: Exploration) -> Document:
    """Return the document of a device; equal results give equal documents."""
    from cipherassay.hardware.synthesis.jobs import Library

    device = found.device
    library = Library.of(found.technology)
    used = {one.strategy for one in found.grades}
    timings = found.all_timings([*found.grades, *found.literal])
    grades = [_grade(found, *pair) for pair in zip([*found.grades, *found.literal], timings, strict=True)]
    return {
        "schema": keeping.SCHEMAS["grades"],
        "design": device.name,
        "cipher": device.cipher,
        "title": device.title,
        "architecture": device.architecture,
        "key": device.key,
        "direction": device.direction,
        "technology": found.technology.name,
        "library": library.digest,
        "tools": f"{library.yosys}; {library.timer}; library {library.digest[:12]}",
        "recipes": list(found.settings.names),
        "splits": list(found.settings.splits),
        "designs": found.settings.most,
        "area_unit": found.technology.area_unit,
        "gate_equivalent_um2": found.technology.gate_equivalent_um2,
        "strategies": {name: _strategy(one) for name, one in found.every.items()},
        "grades": grades[: len(found.grades)],
        "literal": grades[len(found.grades) :],
        "points": [
            [one.strategy, _short(one.point.delay_ns), one.area_um2, one.point.size.transistors]
            for one in sorted(found.candidates, key=lambda one: (one.delay_ns, one.area_um2, one.strategy))
        ],
        "functions": {name: _functions(found.every[name]) for name in sorted(used)},
    }


def _strategy(one: Trial) -> Document:
    device = one.device
    return {
        "verilog": verilog_hash(device),
        "io_pads": 2 + sum(sum(words) for words in device.words.values()),  # with clock and reset
        "registers": device.registers,
        "clocks": [
            {
                "key_bits": bits, "operation": device.operation(decrypt),
                "key_setup": counts.key_setup, "latency": counts.latency,
                "per_block": counts.per_block, "key_switch": counts.key_switch, "copies": counts.copies,
                "block_bits": counts.block_bits,
            }
            for (bits, decrypt), counts in one.counts.items()
        ],
    }  # fmt: skip


def _grade(found: Exploration, one: Candidate, timings: dict[int, Timing]) -> Document:
    made, point = found.every[one.strategy].made, one.point
    split = made.split(point)
    return {
        "strategy": one.strategy,
        "period_ns": {str(bits): _short(timing.delay_ns) for bits, timing in timings.items()},
        "area_um2": one.area_um2,
        "transistors": point.size.transistors,
        "blocks": {block or "Top": [s.area_um2, s.transistors] for block, s in point.blocks.items()},
        "interface_registers": _interface(found, point),
        "cells": point.size.cells,
        "latches": hold.unsafe(point.netlist, made.top, found.technology, point.delay_ns),
        "split": split,
        "recipes": point.choice,
        "repaired": point.repaired,
        "path": _path(point),
        "shares": {
            unit: round(share, 3)
            for unit, share in sorted(made.designs[split].shares(point).items(), key=lambda item: -item[1])
            if share >= 0.005
        },
    }


def _interface(found: Exploration, point: DesignPoint) -> list[float] | None:
    """Return area and transistors of the registers of the Interface; None where it is no block of its own."""
    from cipherassay.hardware.netlists.netlist import registers

    block = point.blocks.get(INTERFACE)
    if block is None:
        return None
    held = registers(block, found.technology)
    return [held.area_um2, held.transistors]


def _path(point: DesignPoint) -> list[str]:
    worst = point.timing.paths[0]
    return [worst.start, worst.end]


def _functions(one: Trial) -> Document:
    return {
        split: {
            unit: [[p.recipe, _short(p.delay_ns), p.area_um2, p.transistors] for p in curve.points]
            for unit, curve in sorted(units.items())
        }
        for split, units in one.made.curves.items()
    }


def _short(nanoseconds: float) -> float:
    """Return a time in ns without the digits beyond those that the analyser prints."""
    return round(nanoseconds, 4)
