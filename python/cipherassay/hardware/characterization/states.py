"""Flip-flops and latches: from clock and data to the output, what a clock's edge takes, setup and hold."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from cipherassay.errors import ToolError
from cipherassay.hardware.characterization import simulator, tables
from cipherassay.hardware.characterization.simulator import RAMP, Bench, Point, Run, crossing, ramp
from cipherassay.hardware.characterization.tables import EDGES, RISE, Arc, Numbers, Stimulus
from cipherassay.hardware.libraries.characterization_recipe import Characterization
from cipherassay.hardware.libraries.technology import Register

PUSHED = 1.1
"""Setup and hold are where the output comes a tenth later than with data that are there in good time."""
_FAST_NS = 0.04
_STEPS = 12
_REACH_NS = 2.0
"""The clock's edge is between so long before and after the data's."""
_DISTURBED = 0.1
"""The part of the supply by which data after a latch's closing may move its output."""
_PULSE = (0.3, 1.3)
_DATA = 2.0
_LATER = 4.0
_EDGE = 6.0


@dataclass(frozen=True)
class StateTables:
    """A register's arcs, capacitances as of `gates`, setup and hold in ns by the data's edge.

    Constraints have a row for each slope of the clock and a column for each of the data; `idle` is the energy
    in fJ of a falling and a rising edge of a pin at which the output stays.
    """

    clock: Arc
    data: Arc | None
    capacitances: dict[str, tuple[float, float]]
    setup: Numbers
    hold: Numbers
    idle: dict[str, tuple[float, float]]


def characterized(bench: Bench, register: Register, drive: int, known: Characterization) -> StateTables:
    """Return the tables of a register; raises as `tables.responses`."""
    return _States(bench, register, drive, known).run()


class _States:
    def __init__(self, bench: Bench, register: Register, drive: int, known: Characterization) -> None:
        self.bench, self.register, self.drive, self.known = bench, register, drive, known
        self.loads = tuple(drive * load for load in known.loads_ff)
        self.load = self.loads[len(self.loads) // 2]
        self.opens = RISE if register.active in ("rising", "high") else 1 - RISE
        self.latch = register.kind == "latch"
        self.closes = 1 - self.opens if self.latch else self.opens
        """The clock's edge after which data no longer count."""

    def run(self) -> StateTables:
        name, slopes = self.register.name, self.known.slopes_ns
        doing = f"characterizing the clock of {name}"
        clock, _ = tables.filled(self.bench, self.loads, slopes, self.from_clock, doing)
        data = None
        if self.latch:
            doing = f"characterizing the data of {name}"
            data, _ = tables.filled(self.bench, self.loads, slopes, self.from_data, doing)
        idle = {pin: self.idle(pin) for pin in (self.register.clock, self.register.data)}
        setup, hold = (self.constraint(make) for make in (self.setup_run, self.hold_run))
        capacitances = {pin: found for pin, (found, _) in idle.items()}
        energies = {pin: found for pin, (_, found) in idle.items()}
        return StateTables(clock, data, capacitances, setup, hold, energies)

    def clock_wave(self, slope: float, edge: int, at: float = _EDGE) -> tuple[Point, ...]:
        """Return the clock: a pulse that stores what stands at the data, then an edge of its own slope."""
        shut = 1 - self.opens
        before, after = (
            ramp(time, _FAST_NS, level) for time, level in zip(_PULSE, (shut, 1 - shut), strict=True)
        )
        points: tuple[Point, ...] = ((0.0, shut), *before, *after)
        if 1 - edge != shut:
            points += ramp(_DATA - 0.3, _FAST_NS, shut)
        return (*points, *ramp(at, slope, 1 - edge))

    def from_clock(self, load: float, slope: float) -> Iterator[Stimulus]:
        """Yield the edge that opens, with data that wait for it."""
        register = self.register
        for value in (0, 1):
            data = ((0.0, 1 - value), *ramp(_DATA, _FAST_NS, 1 - value))
            waves = {register.clock: self.clock_wave(slope, self.opens), register.data: data}
            run = Run(waves, {register.output: load}, self.end(_EDGE, slope, load))
            yield Stimulus(register.clock, self.opens, register.output, value, run, _EDGE - slope / RAMP)

    def from_data(self, load: float, slope: float) -> Iterator[Stimulus]:
        """Yield either edge of the data at an open latch."""
        register = self.register
        for value in (0, 1):
            clock = ((0.0, self.opens),)
            data = ((0.0, 1 - value), *ramp(_EDGE, slope, 1 - value))
            run = Run(
                {register.clock: clock, register.data: data},
                {register.output: load},
                self.end(_EDGE, slope, load),
            )
            yield Stimulus(register.data, value, register.output, value, run, _EDGE - slope / RAMP)

    def end(self, at: float, slope: float, load: float) -> float:
        return at + slope / RAMP + tables.tail(load, self.drive)

    def idle(self, pin: str) -> tuple[tuple[float, float], tuple[float, float]]:
        """Return capacitances in fF and energies in fJ of a pin's edges that the output does not follow."""
        slope = self.known.slopes_ns[len(self.known.slopes_ns) // 2]
        end = _EDGE + 2
        since = f"from={_EDGE - slope / RAMP:.6g}n to={end:.6g}n"
        what = {"charge": f"integ i(v{pin}) {since}", "drawn": f"integ i(vsupply) {since}"}
        loads = {self.register.output: self.load}
        runs = [
            Run(self.idle_waves(pin, edge, value, slope), loads, end, what)
            for edge in (0, 1)
            for value in (0, 1)
        ]
        found = simulator.measured(self.bench, runs, f"characterizing {pin} of {self.register.name} at rest")
        charge = [np.mean([abs(one["charge"]) for one in found[2 * n : 2 * n + 2]]) for n in (0, 1)]
        drawn = [np.mean([-one["drawn"] for one in found[2 * n : 2 * n + 2]]) for n in (0, 1)]
        volts = self.bench.volts
        fall, rise = (float(one) * 1e15 / volts for one in charge)
        low, high = (float(one) * 1e15 * volts for one in drawn)
        return (fall, rise), (low, high)

    def idle_waves(self, pin: str, edge: int, value: int, slope: float) -> dict[str, tuple[Point, ...]]:
        """Return waves in which a value is stored, and then a pin has an edge that changes nothing of it."""
        register = self.register
        if pin == register.clock:
            return {pin: self.clock_wave(slope, edge), register.data: ((0.0, value),)}
        before: tuple[Point, ...] = ((0.0, value),)
        if value == edge:
            before += ramp(_LATER, _FAST_NS, value)
        stored = self.clock_wave(_FAST_NS, 1 - self.opens, 3.0)
        return {register.clock: stored, pin: (*before, *ramp(_EDGE, slope, 1 - edge))}

    def setup_run(self, value: int, clock_slope: float, data_slope: float, before: float) -> Run:
        """Return a run in which data come so long before the clock's closing edge."""
        register = self.register
        data = ((0.0, 1 - value), *ramp(_EDGE - before, data_slope, 1 - value))
        pin, edge = (register.data, value) if self.latch else (register.clock, self.closes)
        return self.captured(self.closing(clock_slope), data, value, pin, edge, clock_slope)

    def hold_run(self, value: int, clock_slope: float, data_slope: float, after: float) -> Run:
        """Return a run in which data go to a value so long after the edge: the other one is to be kept."""
        register = self.register
        early = ramp(_DATA, _FAST_NS, value)
        data = ((0.0, value), *early, *ramp(_EDGE + after, data_slope, 1 - value))
        pin, edge = (register.data, 1 - value) if self.latch else (register.clock, self.closes)
        run = self.captured(self.closing(clock_slope), data, 1 - value, pin, edge, clock_slope)
        if not self.latch:
            return run
        most = f"{'min' if value == 0 else 'max'} v({register.output}) from={_EDGE:.6g}n to={run.end:.6g}n"
        return replace(run, measures={"final": run.measures["final"], "moved": most})

    def closing(self, slope: float) -> tuple[Point, ...]:
        return self.clock_wave(slope, self.closes)

    def captured(
        self, clock: tuple[Point, ...], data: tuple[Point, ...], value: int, pin: str, edge: int, slope: float
    ) -> Run:
        """Return a run that measures when the output takes a value, counted from a pin's edge."""
        register, half = self.register, self.bench.volts / 2
        end = _EDGE + _REACH_NS + slope / RAMP + 2
        out = crossing(register.output, half, EDGES[value])
        measures = {
            "delay": f"trig {crossing(pin, half, EDGES[edge])} targ {out}",
            "final": f"find v({register.output}) at={end * 0.999:.6g}n",
        }
        return Run({register.clock: clock, register.data: data}, {register.output: self.load}, end, measures)

    def constraint(self, make: Callable[[int, float, float, float], Run]) -> Numbers:
        """Return the least time that still serves, found for all slopes and edges at once by halving."""
        slopes = self.known.constraint_slopes_ns
        places = [(value, clock, data) for value in (0, 1) for clock in slopes for data in slopes]
        makes = [partial(make, *place) for place in places]
        hold = make == self.hold_run
        values = [1 - place[0] if hold else place[0] for place in places]
        safe = [_REACH_NS] * len(places)
        wrong = [-_REACH_NS] * len(places)
        nominal = self.tried(makes, safe)
        for one, place, value in zip(nominal, places, values, strict=True):
            if not self.serves(one, one, value):
                way = "after" if hold else "before"
                raise ToolError(
                    "H757",
                    f"`{self.register.name}` does not store a {value}",
                    notes=[
                        f"the data change {_REACH_NS:g} ns {way} the clock's edge",
                        f"slope of the clock: {place[1]:g} ns, of the data: {place[2]:g} ns",
                    ],
                    help="compare the register's pins in the technology's file with its netlist",
                )
        for _ in range(_STEPS):
            middle = [(a + b) / 2 for a, b in zip(safe, wrong, strict=True)]
            for n, one in enumerate(self.tried(makes, middle)):
                (safe if self.serves(one, nominal[n], values[n]) else wrong)[n] = middle[n]
        return np.array(safe).reshape(2, len(slopes), len(slopes))

    def tried(
        self, makes: Sequence[Callable[[float], Run]], times: Sequence[float]
    ) -> list[dict[str, float]]:
        runs = [make(time) for make, time in zip(makes, times, strict=True)]
        return simulator.measured(self.bench, runs, f"looking for setup and hold of {self.register.name}")

    def serves(self, found: dict[str, float], nominal: dict[str, float], value: int) -> bool:
        """Return whether the output took a value, kept it, and was not late."""
        volts = self.bench.volts
        if abs(found["final"] - value * volts) > _DISTURBED * volts:
            return False
        if "moved" in found:
            return abs(found["moved"] - value * volts) <= _DISTURBED * volts
        return bool(found.get("delay", np.nan) <= PUSHED * nominal["delay"])
