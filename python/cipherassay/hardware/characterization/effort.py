"""A characterized library against logical effort: delays are effort times load plus a parasitic part.

The smallest inverter gives the unit: its resistance at either edge, its input capacitance, tau and the
parasitic delay. A static gate of transistors as wide as the inverter's has, per edge, as many times its
resistance as transistors are in series (less where velocity saturates), its capacitance at each input, and a
parasitic delay that grows with the diffusion at its output (Sutherland, Sproull, Harris, 1999).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from cipherassay.errors import AssayError, Place
from cipherassay.hardware.libraries import logical_effort
from cipherassay.hardware.libraries.characterization_recipe import drive_of
from cipherassay.hardware.libraries.liberty import Group
from cipherassay.hardware.libraries.logical_effort import Stage, Tree
from cipherassay.hardware.libraries.technology import Technology
from cipherassay.hardware.timing.static_timing.cells import scale_of
from cipherassay.hardware.timing.static_timing.tables import Table, read

Numbers = NDArray[np.float64]
EDGES = ("rise", "fall")
FAN_OUT = 4
SERIES = (0.6, 1.25)
"""Effort of an edge over that of as many of the inverter's transistors in series."""
LOAD = (0.75, 1.25)
"""Capacitance of an input over the inverter's of the same drive."""
PARASITIC = (0.4, 2.5)
"""Parasitic delay over that of the book; an input's slope adds as much to it as to the inverter's."""
ANY = (0.3, 5.0)
"""Resistance of any other output over the inverter's of the same drive."""
CLOCK_TO_OUTPUT = (1.0, 12.0)
"""Of a register that drives four inverters, in delays of an inverter that does."""
WINDOW = 12.0
"""The most that setup and hold together are, in the same unit."""
_ROUNDING_NS = 2e-5
_WOBBLE = 0.02
"""What transients differ by in time steps."""


@dataclass(frozen=True)
class Line:
    """A delay over load, per edge: nanoseconds without load, nanoseconds per pF."""

    own: tuple[float, float]
    resistance: tuple[float, float]


@dataclass(frozen=True)
class Unit:
    """The inverter: its line, its capacitance in pF, tau and parasitic delay, its slope in a chain (ns)."""

    line: Line
    capacitance_pf: float
    slope_ns: float

    @cached_property
    def tau_ns(self) -> float:
        """The delay for a load like its own input, without the parasitic part."""
        return sum(self.line.resistance) / 2 * self.capacitance_pf

    @cached_property
    def parasitic(self) -> float:
        """Its parasitic delay in tau."""
        return sum(self.line.own) / 2 / self.tau_ns

    @property
    def fan_out_of_four_ns(self) -> float:
        """Its delay when it drives four like itself."""
        return self.tau_ns * (FAN_OUT + self.parasitic)


@dataclass(frozen=True)
class Fit:
    """An arc of a static gate: effort, parasitic delay in tau, and what they are over what is due.

    `series` is the effort of the rising and the falling edge over transistors in series, `load` the input's
    capacitance over the inverter's, `diffusion` the parasitic delay over the book's.
    """

    cell: str
    pin: str
    effort: float
    parasitic: float
    series: tuple[float, float]
    load: float
    diffusion: float


class Library:
    """The tables of a Liberty text, by cell, input and output."""

    def __init__(self, technology: Technology, root: Group) -> None:
        self.technology, self.root = technology, root
        self.templates = {group.name: group for group in root.of_kind("lu_table_template")}
        self.scale = scale_of(root)
        self.cells = {cell.name: cell for cell in root.of_kind("cell")}

    def tables(self, timing: Group) -> dict[str, Table]:
        """Return the tables of a `timing` group in ns and pF."""
        return {one.kind: read(one, self.templates, self.scale) for one in timing.groups}

    def arcs(self, cell: str) -> Iterator[tuple[Group, dict[str, Table]]]:
        """Yield the groups of a cell's delays and their tables."""
        for pin in self.cells[cell].of_kind("pin"):
            for timing in pin.of_kind("timing"):
                found = self.tables(timing)
                if "cell_rise" in found:
                    yield timing, found

    def capacitance(self, cell: str, pin: str) -> float:
        """Return the capacitance of an input in pF."""
        group = next(one for one in self.cells[cell].of_kind("pin") if one.name == pin)
        return float(group.text("capacitance")) * self.scale[1]

    @cached_property
    def unit(self) -> Unit:
        """The inverter of the technology's file, in a chain in which each drives four."""
        _, synthesis = self.technology.timed()
        (_, found), *_ = self.arcs(synthesis.inverter)
        cell = next(one for one in self.technology.cell if one.name == synthesis.inverter)
        capacitance = self.capacitance(cell.name, cell.pins[0])
        slope = float(found["rise_transition"].second[0])
        for _ in range(20):
            slope = sum(_at(found[f"{edge}_transition"], FAN_OUT * capacitance, slope) for edge in EDGES) / 2
        return Unit(_line(found, slope), capacitance, slope)


def _at(table: Table, load: float, slope: float) -> float:
    by_slope = [float(np.interp(slope, table.second, row)) for row in table.values]
    return float(np.interp(load, table.first, by_slope))


def _line(found: Mapping[str, Table], slope: float) -> Line:
    """Return the line through an arc's delays at a slope; the first load, next to none, is left out."""
    own, resistance = [], []
    for edge in EDGES:
        table = found[f"cell_{edge}"]
        delays = [float(np.interp(slope, table.second, row)) for row in table.values[1:]]
        steep, start = np.polyfit(table.first[1:], delays, 1)
        own.append(float(start))
        resistance.append(float(steep))
    return Line((own[0], own[1]), (resistance[0], resistance[1]))


def series(tree: Tree, name: str) -> int:
    """Return the most transistors in series on a path through the one of a name; 0: there is none."""
    if isinstance(tree, str):
        return int(tree == name)
    within = [series(part, name) for part in tree[1]]
    if not any(within):
        return 0
    if tree[0] == "|":
        return max(within)
    return sum(inner or _longest(part) for inner, part in zip(within, tree[1], strict=True))


def _longest(tree: Tree) -> int:
    if isinstance(tree, str):
        return 1
    every = [_longest(part) for part in tree[1]]
    return sum(every) if tree[0] == "&" else max(every)


def static_gates(technology: Technology) -> Iterator[tuple[str, int, Stage]]:
    """Yield the cells that are one static gate, with their drives."""
    for cell in technology.cell:
        try:
            made = logical_effort.stage(f"{cell.output} = {cell.function}", 1.0, Place(technology.file.name))
        except AssayError:
            continue
        yield cell.name, drive_of(cell.name), made


def fits(technology: Technology, root: Group) -> Iterator[Fit]:
    """Yield effort and parasitic delay of every input of every static gate."""
    library = Library(technology, root)
    unit = library.unit
    for name, drive, gate in static_gates(technology):
        for timing, found in library.arcs(name):
            pin = timing.text("related_pin")
            line = _line(found, unit.slope_ns)
            load = library.capacitance(name, pin) / unit.capacitance_pf
            due = (series(logical_effort.dual(gate.tree), pin), series(gate.tree, pin))
            efforts = [r * load / u for r, u in zip(line.resistance, unit.line.resistance, strict=True)]
            parasitic = sum(line.own) / 2 / unit.tau_ns - unit.parasitic + 1
            yield Fit(
                name, pin, sum(line.resistance) / 2 * load * unit.capacitance_pf / unit.tau_ns, parasitic,
                (efforts[0] / due[0], efforts[1] / due[1]), load / drive, parasitic / gate.parasitic(),
            )  # fmt: skip


def faults(technology: Technology, root: Group) -> Iterator[tuple[str, str, int]]:
    """Yield what of a library contradicts logical effort: cell, message, line."""
    library = Library(technology, root)
    lines = {name: group.line for name, group in library.cells.items()}
    for fit in fits(technology, root):
        for what, value, band in (
            ("effort of a rising edge over the inverters' in series", fit.series[0], SERIES),
            ("effort of a falling edge over the inverters' in series", fit.series[1], SERIES),
            ("capacitance over the inverter's", fit.load, LOAD),
            ("parasitic delay over the due one", fit.diffusion, PARASITIC),
        ):
            if not band[0] <= value <= band[1]:
                yield fit.cell, f"{fit.pin}: {_out(what, value, band)}", lines[fit.cell]
    for name in library.cells:
        for timing, found in library.arcs(name):
            pin = timing.text("related_pin")
            for message in (*_resistances(library, name, found), *_shapes(found)):
                yield name, f"{pin}: {message}", timing.line
    yield from _registers(library, lines)


def _out(what: str, value: float, band: tuple[float, float]) -> str:
    return f"{what} is {value:.3g}, expected {band[0]:g} to {band[1]:g}"


def _resistances(library: Library, name: str, found: Mapping[str, Table]) -> Iterator[str]:
    unit = library.unit
    line = _line(found, unit.slope_ns)
    for edge, r, u in zip(EDGES, line.resistance, unit.line.resistance, strict=True):
        over = r * drive_of(name) / u
        if not ANY[0] <= over <= ANY[1]:
            yield _out(f"resistance at a {edge} over the inverter's", over, ANY)


def _shapes(found: Mapping[str, Table]) -> Iterator[str]:
    """Yield which tables fall where they must rise: with the load, and with the input's slope.

    Under small loads a delay may fall with the input's slope, because the output moves before the input is
    half there, and a slope may, because several conditions meet; not under the larger half of the loads.
    """
    for edge in EDGES:
        delay, slope = found[f"cell_{edge}"], found[f"{edge}_transition"]
        for kind, table in ((f"cell_{edge}", delay), (f"{edge}_transition", slope)):
            if _falls(table.values.T):
                yield f"{kind} falls as the load rises"
            if _falls(table.values[len(table.first) // 2 :]):
                yield f"{kind} falls under load as the input's slope rises"


def _falls(rows: Numbers) -> bool:
    """Return whether values fall along a row by more than time steps explain."""
    before, after = rows[:, :-1], rows[:, 1:]
    return bool((after < before * (1 - _WOBBLE) - _ROUNDING_NS).any())


def _registers(library: Library, lines: Mapping[str, int]) -> Iterator[tuple[str, str, int]]:
    unit = library.unit.fan_out_of_four_ns
    for one in library.technology.register:
        line = lines[one.name]
        load = FAN_OUT * library.unit.capacitance_pf
        for timing, found in library.arcs(one.name):
            if timing.text("related_pin") == one.clock:
                for edge in EDGES:
                    value = _at(found[f"cell_{edge}"], load, library.unit.slope_ns) / unit
                    if not CLOCK_TO_OUTPUT[0] <= value <= CLOCK_TO_OUTPUT[1]:
                        what = f"clock to {one.output} at a {edge}, in inverters that drive four,"
                        yield one.name, _out(what, value, CLOCK_TO_OUTPUT), line
        data = next(pin for pin in library.cells[one.name].of_kind("pin") if pin.name == one.data)
        checks = {t.text("timing_type").partition("_")[0]: library.tables(t) for t in data.of_kind("timing")}
        for edge in EDGES:
            setup, hold = (checks[kind][f"{edge}_constraint"].values for kind in ("setup", "hold"))
            window = (setup + hold) / unit
            if window.min() < 0 or window.max() > WINDOW:
                what = f"setup and hold of a {edge}, in inverters that drive four,"
                worst = float(window.min() if window.min() < 0 else window.max())
                yield one.name, _out(what, worst, (0.0, WINDOW)), line
