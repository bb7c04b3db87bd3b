"""Cells without a state: an arc from every input to every output, under all levels of the others."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from cipherassay.hardware.characterization import tables
from cipherassay.hardware.characterization.conditions import Condition, conditions, sense
from cipherassay.hardware.characterization.simulator import RAMP, Bench, Point, Run, ramp
from cipherassay.hardware.characterization.tables import RISE, START_NS, Arc, Response, Stimulus
from cipherassay.hardware.libraries.characterization_recipe import Characterization
from cipherassay.hardware.libraries.technology import Cell


@dataclass(frozen=True)
class GateArc:
    """An arc and its timing sense."""

    pin: str
    output: str
    sense: str
    tables: Arc


@dataclass(frozen=True)
class GateTables:
    """A cell's arcs, and the capacitance of each input for a falling and a rising edge, in fF."""

    arcs: tuple[GateArc, ...]
    capacitances: dict[str, tuple[float, float]]


def characterized(bench: Bench, cell: Cell, drive: int, known: Characterization) -> GateTables:
    """Return the tables of a cell; raises as `tables.responses`."""
    loads = tuple(drive * load for load in known.loads_ff)
    arcs = []
    seen: list[tuple[Stimulus, Response]] = []
    for output in cell.outputs():
        for pin in cell.pins:
            found = list(conditions(cell, output, pin))
            if not found:
                continue

            def wanted(load: float, slope: float, found: list[Condition] = found) -> Iterator[Stimulus]:
                for condition in found:
                    yield from _edges(condition, load, slope, drive)

            doing = f"characterizing {pin} to {output} of {cell.name}"
            made, every = tables.filled(bench, loads, known.slopes_ns, wanted, doing)
            arcs.append(GateArc(pin, output, sense(found), made))
            seen += every
    return GateTables(tuple(arcs), capacitances(seen, bench.volts))


def _edges(condition: Condition, load: float, slope: float, drive: int) -> Iterator[Stimulus]:
    """Yield either edge at a pin while the others keep their levels."""
    for edge in (0, 1):
        points = ramp(START_NS + slope / RAMP / 2, slope, 1 - edge)
        waves: dict[str, tuple[Point, ...]] = {pin: ((0.0, level),) for pin, level in condition.others}
        waves[condition.pin] = ((0.0, 1 - edge), *points)
        end = points[-1][0] + tables.tail(load, drive)
        out = 1 - edge if condition.inverts else edge
        yield Stimulus(condition.pin, edge, condition.output, out, Run(waves, {condition.output: load}, end))


def capacitances(seen: list[tuple[Stimulus, Response]], volts: float) -> dict[str, tuple[float, float]]:
    """Return the capacitance of each pin for a falling and a rising edge: the mean charge over the supply."""
    charges: dict[tuple[str, int], list[float]] = defaultdict(list)
    for stimulus, response in seen:
        charges[stimulus.pin, stimulus.pin_edge].append(response.input_fc)
    pins = {pin for pin, _ in charges}
    means = {key: sum(values) / len(values) / volts for key, values in charges.items()}
    return {pin: (means[pin, 1 - RISE], means[pin, RISE]) for pin in sorted(pins)}
