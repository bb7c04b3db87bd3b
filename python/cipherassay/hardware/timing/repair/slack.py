"""How much later each pin of a netlist could switch before the clock would have to be slower."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from cipherassay.hardware.timing.static_timing import Analysis
from cipherassay.hardware.timing.static_timing.tables import Numbers, Places

STEP_PF = 0.01
"""The load added to see what a cell's delay does with more of it."""


@dataclass(frozen=True)
class Pin:
    """An input pin of a cell on a net: its type and row in the flat netlist, its slack and capacitance."""

    kind: int
    row: int
    name: str
    slack_ns: float
    load_pf: float


class Slacks:
    """Slacks in ns of the nodes and pins of an analysis, against its own longest path."""

    def __init__(self, analysis: Analysis) -> None:
        self.analysis = analysis
        self.arrival, self.slope, self.through = analysis.arrivals()
        self.ends = self._ends()
        self.period = max((delay for _, delay, *_ in self.ends), default=0.0)
        self.needed = self._needed()

    def _ends(self) -> list[tuple[int, float, int, int]]:
        """Return node, delay with setup, type and row (-1: an output of the top) of every end of a path."""
        one, found = self.analysis, []
        for kind, _, nodes, delays in one.registers(self.arrival, self.slope):
            rows = np.flatnonzero(delays > -np.inf)
            found += [(int(nodes[row]), float(delays[row]), kind, int(row)) for row in rows]
        for direction, nets in one.flat.ports.values():
            given = nets.tolist() if direction == "output" else []
            every = [2 * net + edge for net in given for edge in (0, 1)]
            reached = [node for node in every if self.arrival[node] > -np.inf]
            found += [(node, float(self.arrival[node]), -1, -1) for node in reached]
        return found

    def _needed(self) -> Numbers:
        """Return the latest time of every node at which it does not lengthen the longest path."""
        graph = self.analysis.graph
        needed = np.full(2 * self.analysis.flat.nets, np.inf)
        for node, delay, _, _ in self.ends:
            needed[node] = min(needed[node], self.arrival[node] + self.period - delay)
        for begin, end in reversed(list(pairwise([*graph.levels.tolist(), len(graph.sink)]))):
            source, sink = graph.source[begin:end], graph.sink[begin:end]
            inner = source >= 0
            source, sink, through = source[inner], sink[inner], self.through[begin:end][inner]
            with np.errstate(invalid="ignore"):
                before = needed[sink] - (through - self.arrival[source])
            np.minimum.at(needed, source, np.where(through > -np.inf, before, np.inf))
        return needed

    @cached_property
    def nodes(self) -> Numbers:
        """The slack of every node."""
        there = self.arrival > -np.inf
        return np.where(there, self.needed - np.where(there, self.arrival, 0.0), np.inf)

    def net(self, net: int) -> float:
        """Return the slack of a net."""
        return min(self.lists.nodes[2 * net], self.lists.nodes[2 * net + 1])

    def short_ns(self, period: float) -> float:
        """Return by how much all ends together miss a period."""
        return sum(max(0.0, delay - period) for _, delay, _, _ in self.ends)

    def driver(self, node: int) -> int:
        """Return the arc that brings a node's arrival, -1 without one."""
        return max(self.into(node), key=self.lists.through.__getitem__, default=-1)

    def resistance(self, node: int) -> float:
        """Return how much a node's delay grows with its load, in ns per pF; 0 for what the top drives."""
        arc = self.driver(node)
        if arc < 0:
            return 0.0
        table = self.lists.delay[arc]
        return (self.delay(arc, table, STEP_PF) - self.delay(arc, table)) / STEP_PF

    def delay(self, arc: int, table: int, more_pf: float = 0.0) -> float:
        """Return an arc's delay by a table, with a load added."""
        known = self.lists
        source, load = known.source[arc], known.load[known.sink[arc]]
        slope = known.slope[source] if source >= 0 else 0.0
        return self.analysis.library.tables.one(table, load + more_pf, slope)

    def into(self, node: int) -> list[int]:
        """Return the arcs that end at a node."""
        begin = self.lists.ending[node : node + 2]
        return self.lists.by_sink[begin[0] : begin[1]]

    def pins(self, net: int) -> list[Pin]:
        """Return the input pins on a net through which paths go."""
        known, flat = self.lists, self.analysis.flat
        found: defaultdict[tuple[int, int, str], float] = defaultdict(lambda: np.inf)
        for node in (2 * net, 2 * net + 1):
            for arc in known.by_source[known.beginning[node] : known.beginning[node + 1]]:
                kind = known.kind[arc]
                at = (kind, known.row[arc], flat.cells[kind].pins[known.pin[arc]])
                found[at] = min(found[at], known.needed[known.sink[arc]] - known.through[arc])
            for delay, kind, row in self._by_end.get(node, ()):
                register = flat.cells[kind].type.register
                assert register is not None
                at = (kind, row, register.data)
                found[at] = min(found[at], self.period - delay)
        return [
            Pin(kind, row, name, slack, max(flat.cells[kind].type.pins[name]))
            for (kind, row, name), slack in sorted(found.items())
        ]

    @cached_property
    def lists(self) -> Lists:
        """What is asked for cell by cell."""
        return Lists(self)

    @cached_property
    def _by_end(self) -> dict[int, list[tuple[float, int, int]]]:
        found: defaultdict[int, list[tuple[float, int, int]]] = defaultdict(list)
        for node, delay, kind, row in self.ends:
            if kind >= 0:
                found[node].append((delay, kind, row))
        return found


class Lists:
    """An analysis and its slacks as lists: one number of an array takes longer than one of a list."""

    def __init__(self, slacks: Slacks) -> None:
        graph = slacks.analysis.graph
        self.source: list[int] = graph.source.tolist()
        self.sink: list[int] = graph.sink.tolist()
        self.delay: list[int] = graph.delay.tolist()
        self.kind: list[int] = graph.kind.tolist()
        self.row: list[int] = graph.row.tolist()
        self.pin: list[int] = graph.pin.tolist()
        self.through: list[float] = slacks.through.tolist()
        self.arrival: list[float] = slacks.arrival.tolist()
        self.slope: list[float] = slacks.slope.tolist()
        self.needed: list[float] = slacks.needed.tolist()
        self.nodes: list[float] = slacks.nodes.tolist()
        self.load: list[float] = slacks.analysis.load.tolist()
        count = len(self.nodes)
        self.by_source, self.beginning = _grouped(graph.source, count)
        self.by_sink, self.ending = _grouped(graph.sink, count)


def _grouped(nodes: Places, count: int) -> tuple[list[int], list[int]]:
    """Return the arcs in the order of their nodes, and where those of each node begin."""
    order = np.argsort(nodes, kind="stable")
    return order.tolist(), np.searchsorted(nodes[order], np.arange(count + 1)).tolist()
