"""A technology's cells characterized one after another, and the Liberty file that says what was found."""

from __future__ import annotations

import zipfile
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from cipherassay.errors import DescriptionError, Place, UsageError
from cipherassay.hardware.characterization import gates, models, netlists, packages, simulator, states
from cipherassay.hardware.characterization.simulator import Bench
from cipherassay.hardware.characterization.tables import FALL, RISE, Numbers
from cipherassay.hardware.characterization.tables import Arc as Tables
from cipherassay.hardware.libraries import liberty_writing, physical
from cipherassay.hardware.libraries.characterization_recipe import Characterization, drive_of
from cipherassay.hardware.libraries.liberty_writing import Arc, Grid, Pin, WrittenCell
from cipherassay.hardware.libraries.technology import Cell, Corner, Register, Technology
from cipherassay.jobs import SILENT, Progress

_FLAT = (0.0, 1.0)
"""The axes of energies that depend on nothing."""
_DIGITS = {"ns": 5, "pf": 6, "pj": 6}
_PER_THOUSAND = 1e-3


def text(technology: Technology, place: Path | None = None, watch: Progress = SILENT) -> str:
    """Return the Liberty text of a technology, from its packages and ngspice.

    Parameters
    ----------
    place : Path, optional
        A folder with wheels; others are fetched.

    Raises
    ------
    UsageError
        ``H759``: the technology's file has no recipe.
    ToolError
        ``T002``: there is no ngspice; ``H750``, ``H751``, ``H752``: a package; ``H701``, ``H755`` to
        ``H757``: a simulation failed.
    DescriptionError
        ``H753``, ``H754``, ``H758``: netlists, models or outlines do not fit the technology's file.
    """
    if technology.characterization is not None:
        simulator.version()
    work = Workshop.of(technology, place)
    every = list(technology.costs().values())
    watch.expect(len(every))
    made = []
    for one in every:
        made.append(work.cell(one))
        watch.done(1, one.name)
    return liberty_writing.library(
        technology.library, work.comment(), work.corner.voltage_v, work.corner.temperature_c, made
    )


@dataclass(frozen=True)
class Workshop:
    """A technology's recipe with its packages open."""

    technology: Technology
    known: Characterization
    corner: Corner
    wheels: dict[str, zipfile.ZipFile]

    @staticmethod
    def of(technology: Technology, place: Path | None = None) -> Workshop:
        """Open a technology's packages; raises as `text`."""
        known, corner = technology.characterization, technology.corner
        if known is None or corner is None:
            raise UsageError(
                "H759", f"the technology `{technology.name}` has no recipe to characterize it by"
            )
        wheels = {one.name: packages.wheel(one, place) for one in known.package}
        return Workshop(technology, known, corner, wheels)

    @cached_property
    def models(self) -> str:
        """The text of the device models."""
        return packages.read(self.wheels[self.known.devices], self.known.models)

    def comment(self) -> list[str]:
        """Return the head of the file: what it was made of."""
        named = [f"PyPI {one.name} {one.version}, SHA-256 {one.sha256}" for one in self.known.package]
        ends = (
            f"{self.known.diffusion_end_um:g} um at an end, {self.known.diffusion_shared_um:g} between gates"
        )
        # The command's former name: kept results of synthesis depend on the library's text to the letter.
        return [
            f"{self.technology.title}; made by `assay technology characterize {self.technology.name}`.",
            *named,
            f"ngspice {simulator.version()}; {self.corner.process}, {self.corner.voltage_v:g} V, "
            f"{self.corner.temperature_c:g} degrees Celsius.",
            f"Netlists of transistors, diffusion {ends}; no wires.",
            "Of all levels of the other inputs the slowest count; delays below zero are written as 0.",
        ]

    def cell(self, one: Cell | Register) -> WrittenCell:
        """Return what a cell's group says; raises as `text`."""
        bench = self.bench(one)
        drive = drive_of(one.name)
        if isinstance(one, Cell):
            return self.gate(one, gates.characterized(bench, one, drive, self.known), drive)
        return self.state(one, states.characterized(bench, one, drive, self.known), drive)

    def bench(self, one: Cell | Register) -> Bench:
        """Return the bench of a cell; raises DescriptionError ``H753``, ``H754``, ``H758``."""
        known = self.known
        devices = {device.name: device for device in known.device}
        found = netlists.read(self.file(known.netlists, one.name), one.name, devices)
        area = physical.lef_areas(self.file(known.outlines, one.name)).get(one.name)
        for what, stated, drawn in (
            ("transistors", one.transistors, len(found.transistors)), ("µm²", one.area_um2, area),
        ):  # fmt: skip
            if drawn is None or abs(drawn - stated) > 1e-6 * stated:
                message = f"`{one.name}` has {stated:g} {what}, by its package {drawn}"
                raise DescriptionError("H758", message, places=[Place(str(self.technology.file))])
        inputs, outputs = pins(one)
        return Bench(
            one.name, found.text(known), found.ports, inputs, outputs,
            models.needed(self.models, found.transistors, known.models), known.ground, known.supply,
            self.corner.voltage_v, self.corner.temperature_c,
        )  # fmt: skip

    def file(self, path: str, name: str) -> str:
        """Return the text of one of a cell's files."""
        kind = name.removeprefix(f"{self.technology.library}__").rpartition("_")[0]
        return packages.read(self.wheels[self.known.cells], path.format(kind=kind, cell=name))

    def loads(self, drive: int) -> tuple[float, ...]:
        """Return the loads of a cell's tables in pF."""
        return tuple(round(drive * load * _PER_THOUSAND, 9) for load in self.known.loads_ff)

    def gate(self, cell: Cell, found: gates.GateTables, drive: int) -> WrittenCell:
        """Return the group of a cell without state."""
        inputs = [Pin(pin, _capacitance(found.capacitances[pin])) for pin in cell.pins]
        outputs = []
        for name, function in cell.outputs().items():
            own = [arc for arc in found.arcs if arc.output == name]
            arcs = [self.timing(arc.pin, (("timing_sense", arc.sense),), arc.tables, drive) for arc in own]
            if len(cell.outputs()) == 1:  # else what the supply gives is for several
                arcs += [self.energy(arc.pin, arc.tables, drive) for arc in own]
            most = self.loads(drive)[-1]
            outputs.append(Pin(name, function=function.replace("~", "!"), most_pf=most, arcs=tuple(arcs)))
        return WrittenCell(cell.name, cell.area_um2, (*inputs, *outputs))

    def state(self, one: Register, found: states.StateTables, drive: int) -> WrittenCell:
        """Return the group of a register."""
        latch = one.kind == "latch"
        opens, closes = ("rising", "falling") if one.active in ("rising", "high") else ("falling", "rising")
        checks = []
        for kind, numbers in (("setup", found.setup), ("hold", found.hold)):
            type_ = f"{kind}_{closes if latch else opens}"
            checks.append(Arc(one.clock, (("timing_type", type_),), self.constraints(numbers)))
        launch = (("timing_sense", "non_unate"), ("timing_type", f"{opens}_edge"))
        arcs = [self.timing(one.clock, launch, found.clock, drive)]
        if found.data is not None:
            arcs.append(self.timing(one.data, (("timing_sense", "positive_unate"),), found.data, drive))
        # The clock's own share is at its pin: edges at which the output stays take it, too.
        moved = replace_energy(found.clock, found.idle[one.clock][RISE if opens == "rising" else FALL])
        arcs.append(self.energy(one.clock, moved, drive))
        head, names = ("latch", ("enable", "data_in")) if latch else ("ff", ("clocked_on", "next_state"))
        clock = f"{'' if opens == 'rising' else '!'}{one.clock}"
        pins = (
            Pin(one.clock, _capacitance(found.capacitances[one.clock]), clock=True,
                arcs=(_idle(one.clock, found.idle[one.clock]),)),
            Pin(one.data, _capacitance(found.capacitances[one.data]),
                arcs=(*checks, _idle(one.data, found.idle[one.data]))),
            Pin(one.output, function="IQ", most_pf=self.loads(drive)[-1], arcs=tuple(arcs)),
        )  # fmt: skip
        state = (f"{head} (IQ,IQN)", ((names[0], clock), (names[1], one.data)))
        return WrittenCell(one.name, one.area_um2, pins, state)

    def timing(self, pin: str, attributes: tuple[tuple[str, str], ...], found: Tables, drive: int) -> Arc:
        """Return a `timing` group."""
        made = {}
        for edge, name in ((RISE, "rise"), (FALL, "fall")):
            for kind, numbers in ((f"cell_{name}", found.delay), (f"{name}_transition", found.slope)):
                values = np.maximum(numbers[edge], 0)
                made[kind] = _grid(self.loads(drive), self.known.slopes_ns, values, "ns")
        return Arc(pin, attributes, made)

    def energy(self, pin: str, found: Tables, drive: int) -> Arc:
        """Return an `internal_power` group: the first, middle and last of loads and slopes."""
        loads, slopes = self.loads(drive), self.known.slopes_ns
        rows, columns = ([0, len(axis) // 2, len(axis) - 1] for axis in (loads, slopes))
        made = {
            f"{name}_power": _grid(
                [loads[n] for n in rows], [slopes[n] for n in columns],
                found.energy[edge][np.ix_(rows, columns)] * _PER_THOUSAND, "pj",
            )
            for edge, name in ((RISE, "rise"), (FALL, "fall"))
        }  # fmt: skip
        return Arc(pin, (), made, power=True)

    def constraints(self, found: Numbers) -> dict[str, Grid]:
        """Return the tables of setup or hold."""
        slopes = self.known.constraint_slopes_ns
        edges = ((RISE, "rise"), (FALL, "fall"))
        return {f"{name}_constraint": _grid(slopes, slopes, found[edge], "ns") for edge, name in edges}


def pins(one: Cell | Register) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the inputs and outputs of a cell."""
    if isinstance(one, Register):
        return (one.clock, one.data), (one.output,)
    return one.pins, tuple(one.outputs())


def replace_energy(found: Tables, less: float) -> Tables:
    """Return tables whose energies, in fJ, are less by so much."""
    return Tables(found.delay, found.slope, found.energy - less)


def _idle(pin: str, energies: tuple[float, float]) -> Arc:
    """Return what either edge of a pin takes while the output stays, at any slope."""
    made = {}
    for edge, name in ((RISE, "rise"), (FALL, "fall")):
        values = np.full((2, 2), energies[edge] * _PER_THOUSAND)
        made[f"{name}_power"] = _grid(_FLAT, _FLAT, values, "pj")
    return Arc(pin, (), made, power=True)


def _capacitance(found: tuple[float, float]) -> tuple[float, float]:
    """Return rising and falling capacitance in pF."""
    digits = _DIGITS["pf"]
    return round(found[RISE] * _PER_THOUSAND, digits), round(found[FALL] * _PER_THOUSAND, digits)


def _grid(
    first: tuple[float, ...] | list[float],
    second: tuple[float, ...] | list[float],
    values: Numbers,
    unit: str,
) -> Grid:
    # Adding zero makes -0.0 a plain 0.
    rows = tuple(tuple(float(x) + 0.0 for x in row) for row in np.round(values, _DIGITS[unit]))
    return Grid(tuple(first), tuple(second), rows)
