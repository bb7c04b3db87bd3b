"""Designs built from functions that are mapped one by one, each by its own recipe, and timed as a whole."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from cipherassay.errors import ToolError
from cipherassay.hardware.libraries.technology import Technology
from cipherassay.hardware.netlists import constants, fanout, netlist, rtlil
from cipherassay.hardware.netlists.netlist import Netlist, Size
from cipherassay.hardware.synthesis import front, recipes
from cipherassay.hardware.synthesis.job_results import results
from cipherassay.hardware.synthesis.jobs import Gates, Library, Map, Repair, Time
from cipherassay.hardware.synthesis.units import block_of
from cipherassay.hardware.timing import analysis
from cipherassay.jobs import SILENT, Executor, Progress

Choice = Mapping[str, str]
"""The recipe of each unit."""
PATHS = 4
"""The critical paths of a point that are kept."""
AGREE = 0.001
"""The part of a delay by which two timing tools may differ."""


@dataclass(frozen=True)
class FunctionPoint:
    """A unit mapped by a recipe, timed by itself; area and transistors of its own cells."""

    unit: str
    recipe: str
    delay_ns: float
    area_um2: float
    transistors: int
    netlist: str = field(repr=False)


@dataclass(frozen=True)
class Curve:
    """A unit's sweep: all points, and the speed grades picked of them, fastest first."""

    unit: str
    points: tuple[FunctionPoint, ...]

    @cached_property
    def grades(self) -> list[FunctionPoint]:
        """The speed grades."""
        return front.grades(self.points)

    def point(self, recipe: str) -> FunctionPoint:
        """Return the point of a recipe."""
        return next(one for one in self.points if one.recipe == recipe)


@dataclass(frozen=True)
class DesignPoint:
    """A whole design under a choice: its period or delay, its size, and that of its blocks."""

    choice: dict[str, str]
    delay_ns: float
    size: Size
    blocks: dict[str, Size]
    timing: analysis.Timing = field(repr=False)
    netlist: Netlist = field(repr=False)
    repaired: bool = False
    """Whether cells were sized, buffered and copied along its critical paths afterwards (`repair`)."""
    limited: bool = False
    """Whether buffers were put in where cells drove more than the library allows (`repair.limits`)."""

    @property
    def area_um2(self) -> float:
        """Its area."""
        return self.size.area_um2


class Design:
    """A design cut into units, each swept; points are whole designs, timed flat."""

    def __init__(
        self,
        modules: Mapping[str, rtlil.Module],
        top: str,
        technology: Technology,
        units: frozenset[str],
        executor: Executor,
        *,
        case: Mapping[str, int] | None = None,
        watch: Progress = SILENT,
    ) -> None:
        self.modules, self.top, self.technology = modules, top, technology
        self.units = sorted(name for name, _ in rtlil.reached(modules, top) if name in units)
        self.executor, self.watch = executor, watch
        self.case = tuple(sorted((case or {}).items()))
        self.library = Library.of(technology)
        self.curves: dict[str, Curve] = {}
        self.gates: dict[str, int] = {}
        self.timed: dict[tuple[str, ...], DesignPoint] = {}
        self._parsed: dict[tuple[str, str], Netlist] = {}
        self._clocks: dict[str, set[str]] | None = None
        self._trees: fanout.FanoutMemo = {}
        self._texts: dict[int, tuple[netlist.Module, str]] = {}

    def sweep(self, names: Sequence[str]) -> dict[str, Curve]:
        """Map every unit by every recipe named, or by what suits its size; return the units' curves."""
        chosen = frozenset(self.units)
        made = results(
            [Gates(rtlil.cut(self.modules, unit, chosen), unit, self.library) for unit in self.units],
            self.executor, self.watch,
        )  # fmt: skip
        self.gates = {unit: text.count("\n  cell ") for unit, text in zip(self.units, made, strict=True)}
        jobs = [
            Map(gates, unit, recipe, self.library)
            for unit, gates in zip(self.units, made, strict=True)
            for recipe in dict.fromkeys(recipes.suited(name, self.gates[unit]) for name in names)
        ]
        points = defaultdict(list)
        for job, text in zip(jobs, results(jobs, self.executor, self.watch), strict=True):
            found = json.loads(text)
            points[job.top].append(
                FunctionPoint(
                    job.top, job.recipe, found["delay_ns"] or 0.0, found["area_um2"], found["transistors"],
                    found["netlist"],
                )
            )  # fmt: skip
        self.curves = {unit: Curve(unit, tuple(found)) for unit, found in points.items()}
        return self.curves

    def alike(self, name: str) -> dict[str, str]:
        """Return the choice of one recipe for all units, as far as it suits their sizes."""
        return {unit: recipes.suited(name, self.gates[unit]) for unit in self.units}

    def assembled(self, choice: Choice) -> Netlist:
        """Return the whole netlist under a choice, with buffer trees."""
        parts: Netlist = {}
        sinks: dict[str, int] = {}
        for unit in self.units:
            name = (unit, choice[unit])
            if name not in self._parsed:
                self._parsed[name] = netlist.from_json(self.curves[unit].point(choice[unit]).netlist)
            made = self._parsed[name]
            parts |= made
            sinks |= dict.fromkeys(made, recipes.find(choice[unit]).sinks)
        whole = dict(sorted(parts.items()))
        # The clock's way does not depend on recipes.
        self._clocks = self._clocks or fanout.clock_ports(whole, self.technology)
        return fanout.buffered(whole, self.technology, sinks, clocks=self._clocks, known=self._trees)

    def points(self, choices: Sequence[Choice]) -> list[DesignPoint]:
        """Return the whole designs under choices, timed in parallel, none of them twice."""
        names = [tuple(choice[unit] for unit in self.units) for choice in choices]
        new = {name: choice for name, choice in zip(names, choices, strict=True) if name not in self.timed}
        made = self._points([(choice, self.assembled(choice)) for choice in new.values()])
        self.timed.update(zip(new, made, strict=True))
        return [self.timed[name] for name in names]

    def repaired(self, points: Sequence[DesignPoint]) -> list[DesignPoint]:
        """Return points whose netlists were repaired, without those that gained nothing."""
        pairs = zip(self._repaired(points, "timing"), points, strict=True)
        return [replace(one, repaired=True) for one, point in pairs if one.delay_ns < point.delay_ns]

    def limited(self, points: Sequence[DesignPoint]) -> list[DesignPoint]:
        """Return points with buffers where cells drove more than the library allows."""
        pairs = zip(self._repaired(points, "limits"), points, strict=True)
        return [
            replace(point if one.size == point.size else one, repaired=point.repaired, limited=True)
            for one, point in pairs
        ]

    def _repaired(self, points: Sequence[DesignPoint], what: str) -> list[DesignPoint]:
        jobs = [
            Repair(netlist.to_json(point.netlist), self.top, self._clock, self.library, self.case, what)
            for point in points
        ]
        wholes = [netlist.from_json(text) for text in results(jobs, self.executor, self.watch)]
        return self._points([(point.choice, whole) for point, whole in zip(points, wholes, strict=True)])

    def held(self, point: DesignPoint, cases: Sequence[Mapping[str, int]]) -> list[analysis.Timing]:
        """Return the timings of a point with ports, and the registers behind them, held at values."""
        every = [tuple(sorted({**dict(self.case), **ports}.items())) for ports in cases]
        known = constants.LastNetlist()
        return self._timings([self._job(point.netlist, case, known) for case in every])

    def signed_off(self, points: Sequence[DesignPoint]) -> list[DesignPoint]:
        """Return points as the technology's sign-off tool times them, in parallel.

        Raises
        ------
        ToolError
            ``H734``: it and the own static timing, by which points are found, do not agree.
        """
        made = self._timings([self._job(point.netlist, self.case) for point in points])
        for point, found in zip(points, made, strict=True):
            _demand_agreement(self.top, point.timing, found)
        pairs = zip(points, made, strict=True)
        return [replace(point, delay_ns=found.delay_ns, timing=found) for point, found in pairs]

    @property
    def _clock(self) -> str:
        return analysis.the_clock(self._clocks or {}, self.top)

    def _every(
        self, whole: Netlist, case: Mapping[str, int], known: constants.LastNetlist | None = None
    ) -> dict[str, int]:
        return dict(case) | constants.held_registers(whole, self.top, self.technology, case, known)

    def _job(
        self, whole: Netlist, case: tuple[tuple[str, int], ...], known: constants.LastNetlist | None = None
    ) -> Time:
        every = self._every(whole, dict(case), known)
        texts = analysis.asked(whole, self.top, self.technology, self._clock, every, PATHS, self._texts)
        return Time(*texts, self.top, self.library, tuple(every.items()))

    def _timings(self, jobs: Sequence[Time]) -> list[analysis.Timing]:
        return [analysis.from_dict(json.loads(text)) for text in results(jobs, self.executor, self.watch)]

    def _points(self, made: Sequence[tuple[Choice, Netlist]]) -> list[DesignPoint]:
        """Return whole netlists as points, by the own static timing."""
        points = []
        for choice, whole in made:
            every = self._every(whole, dict(self.case))
            found = analysis.by_own(whole, self.top, self.technology, self._clock, every, PATHS)
            size = netlist.size(whole, self.top, self.technology)
            points.append(DesignPoint(dict(choice), found.delay_ns, size, self.blocks(whole), found, whole))
        return points

    def blocks(self, whole: Netlist) -> dict[str, Size]:
        """Return the size of each block of the top; what stands between them is the block ``""``."""
        found: dict[str, Size] = {}
        loose = {name: module for name, module in whole.items() if name != self.top}
        for one in whole[self.top].instances:
            if one.type in loose:
                block = block_of(one.name)
                below = netlist.size(whole, one.type, self.technology)
                found[block] = found.get(block, Size()) + below
        own = netlist.size(
            {self.top: netlist.without_children({self.top: whole[self.top]}, self.technology)[self.top]},
            self.top, self.technology,
        )  # fmt: skip
        if own.area_um2 or not found:
            found[""] = found.get("", Size()) + own
        return dict(sorted(found.items()))

    def shares(self, point: DesignPoint) -> dict[str, float]:
        """Return how much of the critical path each unit's cells take, in ns."""
        found: defaultdict[str, float] = defaultdict(float)
        before = 0.0
        for step in point.timing.paths[0].points:
            found[_owner(step.pin, self.top, point.netlist)] += step.arrival_ns - before
            before = step.arrival_ns
        return dict(found)


def _demand_agreement(top: str, own: analysis.Timing, found: analysis.Timing) -> None:
    if abs(found.delay_ns - own.delay_ns) > AGREE * own.delay_ns:
        raise ToolError(
            "H734",
            f"two timing tools do not agree on the timing of `{top}`",
            notes=[f"{found.tool}: {found.delay_ns:.4f} ns", f"{own.tool}: {own.delay_ns:.4f} ns"],
            help="one of them has a fault: please report it with the design",
        )


def _owner(pin: str, top: str, whole: Netlist) -> str:
    """Return the module in which a pin's cell stands."""
    owner = top
    for name in pin.replace("\\", "").split("/")[:-1]:
        below = whole[owner].types.get(name, "")
        if below not in whole:
            break
        owner = below
    return owner
