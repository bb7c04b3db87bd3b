"""Cells as timing sees them: capacitances of pins, arcs with their tables, what a constant input changes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache

from cipherassay.errors import UsageError
from cipherassay.hardware.libraries import fixing, liberty
from cipherassay.hardware.libraries.liberty import Group
from cipherassay.hardware.libraries.technology import Cell, Register, Technology
from cipherassay.hardware.timing.static_timing.tables import PackedTables, Tables, read

RISE, FALL = 0, 1
_EDGES = {
    "positive_unate": ((RISE, RISE), (FALL, FALL)),
    "negative_unate": ((FALL, RISE), (RISE, FALL)),
    "non_unate": ((RISE, RISE), (FALL, FALL), (FALL, RISE), (RISE, FALL)),
}
_SECONDS = {"fs": 1e-6, "ps": 1e-3, "ns": 1.0, "us": 1e3}
_FARADS = {"ff": 1e-3, "pf": 1.0, "nf": 1e3}


@dataclass(frozen=True)
class Arc:
    """From an input to an output: the edges it joins, and per edge of the output delay and slope tables."""

    source: str
    sink: str
    edges: tuple[tuple[int, int], ...]
    delays: tuple[int, int]
    slopes: tuple[int, int]


@dataclass(frozen=True)
class CellTiming:
    """A cell: pF per pin and edge, arcs through it, arcs from its clock, setup tables per edge of data."""

    name: str
    pins: dict[str, tuple[float, float]]
    arcs: tuple[Arc, ...]
    launches: tuple[Arc, ...]
    """From the clock. Nothing goes through an open latch: see `latches`."""
    setups: tuple[int, int] | None
    register: Register | None
    cell: Cell | None

    @property
    def is_latch(self) -> bool:
        """Whether it is open for a level of its clock."""
        return self.register is not None and self.register.kind == "latch"

    @cached_property
    def outputs(self) -> tuple[str, ...]:
        """Its outputs."""
        if self.register is not None:
            return (self.register.output,)
        return tuple(self.cell.outputs()) if self.cell else ()

    def table(self, output: str) -> int:
        """Return the truth table of an output (`Cell.table`)."""
        assert self.cell is not None
        return self.cell.table(output)


@dataclass(frozen=True)
class Library:
    """The cells of a technology, and all their tables; times in ns, capacitances in pF."""

    cells: dict[str, CellTiming]
    tables: PackedTables

    @cached_property
    def steepest_ns(self) -> float:
        """The slowest slope at an input for which all cells without state are characterized."""
        last = self.tables.ends[:, 1] + 1
        arcs = [arc for cell in self.cells.values() for arc in cell.arcs]
        return min(float(self.tables.second[table, last[table]]) for arc in arcs for table in arc.delays)

    def heaviest_pf(self, name: str) -> float:
        """Return the largest load for which a cell is characterized."""
        cell = self.cells[name]
        tables = [table for arc in (*cell.arcs, *cell.launches) for table in arc.delays]
        return min(float(self.tables.first[table, self.tables.ends[table, 0] + 1]) for table in tables)


def limits_pf(technology: Technology, library: Library) -> dict[tuple[str, str], float]:
    """Return the largest load of each cell's output: by the library's file, or else by its tables."""
    root = liberty.read(fixing.fixed(technology), technology.name)
    scale = scale_of(root)
    found = {
        (name, output): library.heaviest_pf(name)
        for name, cell in library.cells.items()
        if cell.arcs or cell.launches
        for output in cell.outputs
    }
    for cell in root.of_kind("cell"):
        for pin in cell.of_kind("pin"):
            if (cell.name, pin.name) in found and pin.text("max_capacitance"):
                found[cell.name, pin.name] = float(pin.text("max_capacitance")) * scale[1]
    return found


def library(technology: Technology) -> Library:
    """Return a technology's cells as its mended Liberty file times them.

    Raises
    ------
    UsageError
        ``H730``: its units are none that are known.
    """
    return _library(technology, fixing.digest(technology))


@lru_cache(maxsize=8)
def _library(technology: Technology, _digest: str) -> Library:
    root = liberty.read(fixing.fixed(technology), technology.name)
    scale = scale_of(root)
    templates = {group.name: group for group in root.of_kind("lu_table_template")}
    tables = Tables()
    costs = technology.costs()
    cells = {}
    for group in root.of_kind("cell"):
        if group.name in costs:
            cells[group.name] = _Reader(group, costs[group.name], templates, tables, scale).cell()
    return Library(cells, tables.packed())


def scale_of(root: Group) -> tuple[float, float]:
    """Return what a library's times and loads are multiplied by to be in ns and pF; UsageError ``H730``."""
    time = re.fullmatch(r"(\d+)\s*([fpnu]s)", root.text("time_unit"))
    load = root.find("capacitive_load_unit")
    words = [word.lower() for word in load.values] if load else []
    if time is None or len(words) != 2 or words[1] not in _FARADS:
        raise UsageError(
            "H730",
            f"the units of the library `{root.name}` are not known",
            notes=[f"time_unit {root.text('time_unit') or 'not stated'}, capacitive_load_unit {words}"],
        )
    return int(time[1]) * _SECONDS[time[2]], float(words[0]) * _FARADS[words[1]]


class _Reader:
    def __init__(
        self,
        group: Group,
        cost: Cell | Register,
        templates: Mapping[str, Group],
        tables: Tables,
        scale: tuple[float, float],
    ) -> None:
        self.group, self.cost = group, cost
        self.templates, self.tables, self.scale = templates, tables, scale

    def cell(self) -> CellTiming:
        pins = {pin.name: pin for pin in self.group.of_kind("pin")}
        register = self.cost if isinstance(self.cost, Register) else None
        arcs: list[Arc] = []
        launches: list[Arc] = []
        for name, pin in pins.items():
            if pin.text("direction") == "output":
                for arc in self.arcs(name, pin):
                    if register is None:
                        arcs.append(arc)
                    elif arc.source == register.clock:
                        launches.append(arc)
        setups = self.setups(pins[register.data]) if register and register.data in pins else None
        return CellTiming(
            self.group.name,
            {name: self.capacitance(pin) for name, pin in pins.items() if pin.text("direction") == "input"},
            tuple(arcs), tuple(launches), setups, register,
            self.cost if isinstance(self.cost, Cell) else None,
        )  # fmt: skip

    def capacitance(self, pin: Group) -> tuple[float, float]:
        both = float(pin.text("capacitance") or 0)
        rise, fall = (float(pin.text(f"{edge}_capacitance") or both) for edge in ("rise", "fall"))
        return rise * self.scale[1], fall * self.scale[1]

    def arcs(self, name: str, pin: Group) -> Iterator[Arc]:
        for timing in pin.of_kind("timing"):
            kind = timing.text("timing_type") or "combinational"
            if kind not in ("combinational", "rising_edge", "falling_edge"):
                continue
            groups = {group.kind: group for group in timing.groups}
            if not {"cell_rise", "cell_fall", "rise_transition", "fall_transition"} <= set(groups):
                continue
            delays = tuple(self.number(groups[kind]) for kind in ("cell_rise", "cell_fall"))
            slopes = tuple(self.number(groups[kind]) for kind in ("rise_transition", "fall_transition"))
            edges = _EDGES[timing.text("timing_sense") or "non_unate"]
            for source in timing.text("related_pin").split():
                yield Arc(source, name, edges, (delays[0], delays[1]), (slopes[0], slopes[1]))

    def setups(self, pin: Group) -> tuple[int, int] | None:
        for timing in pin.of_kind("timing"):
            groups = {group.kind: group for group in timing.groups}
            if timing.text("timing_type").startswith("setup") and len(groups) >= 2:
                return self.number(groups["rise_constraint"]), self.number(groups["fall_constraint"])
        return None

    def number(self, group: Group) -> int:
        return self.tables.add(read(group, self.templates, self.scale))
