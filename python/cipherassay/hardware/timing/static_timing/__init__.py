"""Static timing of our own: netlists made flat, constants carried through, arrivals level by level."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from cipherassay.errors import UsageError
from cipherassay.hardware.libraries.technology import Technology
from cipherassay.hardware.netlists.netlist import Netlist
from cipherassay.hardware.timing.static_timing.cells import Arc, Library, library
from cipherassay.hardware.timing.static_timing.clocking import FALLING, RISING, Clocking, traced
from cipherassay.hardware.timing.static_timing.constants import Constants, constants
from cipherassay.hardware.timing.static_timing.flat import FlatNetlist, Parts, flatten
from cipherassay.hardware.timing.static_timing.graph import FALL, RISE, Graph, graph, loads
from cipherassay.hardware.timing.static_timing.tables import Numbers, Places

VERSION = "own timing 3"


@dataclass(frozen=True)
class Path:
    """A path: the period that it asks for, and the pins on it, each with its arrival in ns.

    The period is the path's delay with what its end needs; twice that where it has half a clock.
    """

    delay_ns: float
    points: tuple[tuple[str, float], ...]


def paths(
    netlist: Netlist,
    top: str,
    technology: Technology,
    *,
    clock: str = "",
    case: Mapping[str, int] | None = None,
    count: int = 1,
) -> tuple[Path, ...]:
    """Return the critical paths of a netlist, of different ends, the longest first; empty if there are none.

    Paths begin at inputs of the top, driven by the technology's input driver, and at registers; they end at
    registers, with their setup time, at what gates the clock, and at outputs with the technology's load. The
    clock has no delay and infinitely steep edges. A path between different edges of the clock has half a
    clock. A latch takes its word when it closes, and launches it when it opens (`latches`).

    Parameters
    ----------
    case : mapping
        Ports and pins held at a value, as of `timing.timed`.

    Raises
    ------
    ToolError
        ``H704``: a cell that the library lacks; ``H731``: a combinational loop.
    UsageError
        ``H732``: a port or pin of `case` that the netlist has not.
    """
    return tuple(analysis(netlist, top, technology, clock=clock, case=case).worst(count))


def analysis(
    netlist: Netlist,
    top: str,
    technology: Technology,
    *,
    clock: str = "",
    case: Mapping[str, int] | None = None,
    parts: Parts | None = None,
) -> Analysis:
    """Return a netlist made flat, with its graph, for questions about its arrivals; as of `paths`.

    ``parts`` is as of `flat.flatten`.
    """
    cells = library(technology)
    flat = flatten(netlist, top, cells, parts)
    known = constants(flat, _held(flat, case or {}))
    edges = traced(flat, known, clock)
    return Analysis(flat, cells, known, edges, graph(flat, known, edges), technology, clock)


def electrical(netlist: Netlist, top: str, technology: Technology, clock: str) -> tuple[Numbers, Numbers]:
    """Return load (pF) and slope (ns) of every net of the flat netlist, rise and fall one after the other."""
    work = analysis(netlist, top, technology, clock=clock)
    _, slope, _ = work.arrivals()
    return work.load, slope


def _held(flat: FlatNetlist, case: Mapping[str, int]) -> dict[int, int]:
    found: dict[int, int] = {}
    for name, value in case.items():
        port, _, bit = name.partition("[")
        if name in flat.ports:
            nets = flat.ports[name][1].tolist()
        elif port in flat.ports and bit:
            nets = [int(flat.ports[port][1][int(bit.rstrip("]"))])]
        else:
            net = flat.find(name)
            if net is None:
                raise UsageError("H732", f"the netlist has no port and no pin `{name}` to hold")
            nets = [net]
        found.update({net: value >> n & 1 for n, net in enumerate(nets)})
    return found


@dataclass
class Analysis:
    """The timing of a flat netlist: nodes are nets with an edge, 2 x net for rise, 2 x net + 1 for fall."""

    flat: FlatNetlist
    library: Library
    constants: Constants
    clocking: Clocking
    graph: Graph
    technology: Technology
    clock: str

    def __post_init__(self) -> None:
        _, synthesis = self.technology.timed()
        self.load = loads(self.flat, self.library, synthesis.load_ff / 1000)

    def worst(self, count: int) -> list[Path]:
        """Return the critical paths, the longest first."""
        whole = self.arrivals()
        of_edges = [(RISING, whole)]
        if self.has_falling:
            of_edges = [(edge, self.arrivals(edge, whole[1])) for edge in (RISING, FALLING)]
        ends = [
            (delay, name, node, number)
            for number, (edge, (arrival, slope, _)) in enumerate(of_edges)
            for delay, name, node in self.ends(arrival, slope, edge)
        ]
        found: dict[str, Path] = {}
        for delay, name, node, number in sorted(ends, key=lambda end: (-end[0], end[1]))[: 4 * count]:
            arrival, _, through = of_edges[number][1]
            if len(found) < count and name not in found:
                points = (*self.back(node, arrival, through), (name, float(arrival[node])))
                found[name] = Path(delay, points)
        return list(found.values())

    @cached_property
    def has_falling(self) -> bool:
        """Whether paths begin at the falling edge of the clock."""
        return bool((self.graph.source == FALL).any())

    def arrivals(
        self, edge: int | None = None, slopes: Numbers | None = None
    ) -> tuple[Numbers, Numbers, Numbers]:
        """Return arrival and slope of every node in ns (minus infinity: nothing comes), and of every arc.

        Arrivals count from the edge of the clock that begins them. With an edge, what other edges begin does
        not come; then ``slopes`` are those of all, which a node has whatever is asked.
        """
        nodes = 2 * self.flat.nets
        left_out = {None: 0, RISING: FALL, FALLING: RISE}[edge]
        arrival, slope = np.full(nodes, -np.inf), np.zeros(nodes)
        if edge != FALLING:
            self.drive_inputs(arrival, slope)
        steepness = slope if slopes is None else slopes
        one = self.graph
        through = np.full(len(one.sink), -np.inf)
        tables = self.library.tables
        for begin, end in pairwise([*one.levels.tolist(), len(one.sink)]):
            source, sink = one.source[begin:end], one.sink[begin:end]
            clocked = source < 0
            before = np.where(clocked, np.where(source == left_out, -np.inf, 0.0), arrival[source])
            steep = np.where(clocked, 0.0, steepness[source])
            load = self.load[sink]
            comes = before + tables.at(one.delay[begin:end], load, steep)
            steeper = np.where(before > -np.inf, tables.at(one.slope[begin:end], load, steep), 0.0)
            first = np.flatnonzero(np.diff(sink, prepend=-1))
            through[begin:end] = comes
            arrival[sink[first]] = np.maximum.reduceat(comes, first)
            slope[sink[first]] = np.maximum.reduceat(steeper, first)
        return arrival, steepness, through

    def drive_inputs(self, arrival: Numbers, slope: Numbers) -> None:
        """Let the top's inputs arrive: what their load adds to the delay of the cell that drives them."""
        _, synthesis = self.technology.timed()
        arcs = self.library.cells[synthesis.input_driver].arcs
        for name, (direction, nets) in self.flat.ports.items():
            if direction != "input" or name == self.clock:
                continue
            free = np.array([net for net in nets.tolist() if net not in self.constants.value], dtype=np.int64)
            for edge in (0, 1):
                nodes = 2 * free + edge
                late, steep = _driven(self.library, arcs, edge, self.load[nodes])
                arrival[nodes] = np.maximum(arrival[nodes], late)
                slope[nodes] = np.maximum(slope[nodes], steep)

    def ends(self, arrival: Numbers, slope: Numbers, edge: int) -> Iterator[tuple[float, str, int]]:
        """Yield period asked for, name and node of every end to which a path from an edge comes."""
        for one in self.pins(arrival, slope):
            periods = one.delays / one.clocks(edge)
            for place in _largest(periods):
                name = f"{self.flat.cells[one.kind].name(int(one.rows[place]))}/{one.pin}"
                yield float(periods[place]), name, int(one.nodes[place])
        for name, (direction, nets) in self.flat.ports.items():
            for bit, net in enumerate(nets.tolist() if direction == "output" else []):
                whole = name if len(nets) == 1 else f"{name}[{bit}]"
                for node in (2 * net, 2 * net + 1):
                    if arrival[node] > -np.inf:
                        yield float(arrival[node]) * (2 if edge == FALLING else 1), whole, node

    def pins(self, arrival: Numbers, slope: Numbers) -> Iterator[Ends]:
        """Yield the pins of cells that end paths: of registers per type and edge of data, and clock gates."""
        for kind, cells in enumerate(self.flat.cells):
            register = cells.type.register
            if register is None or cells.type.setups is None:
                continue
            for edge, table in enumerate(cells.type.setups):
                nodes = 2 * cells.column(register.data) + edge
                tables = np.full(len(nodes), table)
                needed = self.library.tables.at(tables, np.zeros(len(nodes)), slope[nodes])
                rows = np.arange(len(nodes))
                takes = self.clocking.takes(cells)
                yield Ends(kind, register.data, rows, nodes, arrival[nodes] + needed, takes)
        for gate in self.clocking.gates:
            nets = self.flat.cells[gate.kind].column(gate.pin)[gate.rows]
            for edge in (0, 1):
                nodes = 2 * nets + edge
                takes = np.full(len(nodes), gate.edge)
                yield Ends(gate.kind, gate.pin, gate.rows, nodes, arrival[nodes], takes)

    def into(self, node: int) -> Places:
        """Return the arcs that end at a node."""
        order, sinks = self._by_sink
        begin, end = np.searchsorted(sinks, [node, node + 1])
        return order[begin:end]

    @cached_property
    def _by_sink(self) -> tuple[Places, Places]:
        order = np.argsort(self.graph.sink, kind="stable")
        return order, self.graph.sink[order]

    def back(self, node: int, arrival: Numbers, through: Numbers) -> tuple[tuple[str, float], ...]:
        """Return the pins that lead to a node, from the path's beginning."""
        points: list[tuple[str, float]] = []
        one = self.graph
        while True:
            arcs = self.into(node)
            if not len(arcs) or not (through[arcs] == arrival[node]).any():
                break
            arc = int(arcs[np.flatnonzero(through[arcs] == arrival[node])[0]])
            cells = self.flat.cells[int(one.kind[arc])]
            row, source = int(one.row[arc]), int(one.source[arc])
            out = next(pin for pin in cells.type.outputs if cells.column(pin)[row] == node // 2)
            name = cells.name(row)
            points.append((f"{name}/{out}", float(arrival[node])))
            if source < 0:
                return tuple(reversed(points))
            points.append((f"{name}/{cells.pins[int(one.pin[arc])]}", float(arrival[source])))
            node = source
        points.append((self.port(node // 2), float(arrival[node])))
        return tuple(reversed(points))

    def port(self, net: int) -> str:
        """Return the bit of an input of the top that a net is, empty if it is none."""
        for name, (direction, nets) in self.flat.ports.items():
            places = np.flatnonzero(nets == net)
            if direction == "input" and len(places):
                return name if len(nets) == 1 else f"{name}[{places[0]}]"
        return ""


@dataclass(frozen=True)
class Ends:
    """The same pin of cells of one type, as ends of paths."""

    kind: int
    pin: str
    rows: Places
    nodes: Places
    delays: Numbers
    """With setup times; minus infinity: nothing comes."""
    takes: Places
    """The edge of the clock before which data must be there (`clocking.BOTH`: either)."""

    def clocks(self, begins: int) -> Numbers:
        """Return how many clocks a path from an edge has: one to the same edge, else a half."""
        return np.where(self.takes == begins, 1.0, 0.5)


def _driven(library: Library, arcs: tuple[Arc, ...], edge: int, load: Numbers) -> tuple[Numbers, Numbers]:
    late, steep = np.full(len(load), -np.inf), np.zeros(len(load))
    zero = np.zeros(len(load))
    for arc in arcs:
        delays = np.full(len(load), arc.delays[edge])
        added = library.tables.at(delays, load, zero) - library.tables.at(delays, zero, zero)
        late = np.maximum(late, added)
        steep = np.maximum(steep, library.tables.at(np.full(len(load), arc.slopes[edge]), load, zero))
    return late, steep


def _largest(delays: Numbers) -> Places:
    """Return the places of the largest delays: those of all other ends are not asked for."""
    there = np.flatnonzero(delays > -np.inf)
    return there[np.argsort(-delays[there], kind="stable")[:64]]
