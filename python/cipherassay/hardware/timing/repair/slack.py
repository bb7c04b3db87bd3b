"""How much later each pin of a netlist could switch before the clock would have to be slower."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from cipherassay.hardware.timing.static_timing import Analysis
from cipherassay.hardware.timing.static_timing.clocking import FALLING, RISING
from cipherassay.hardware.timing.static_timing.tables import Numbers, Places

STEP_PF = 0.01
"""The load added to see what a cell's delay does with more of it."""


Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class Pin:
    """An input pin of a cell on a net: its type and row in the flat netlist, its slack and capacitance."""

    kind: int
    row: int
    name: str
    slack_ns: float
    load_pf: float


@dataclass(frozen=True)
class End:
    """An end of a path: its node, delay with setup and clocks; type, row and pin of a cell, or an output."""

    node: int
    delay: float
    clocks: float
    """Between the edge that begins its path and the one before which it must be there: one or a half."""
    kind: int = -1
    row: int = -1
    pin: str = ""

    @property
    def period(self) -> float:
        """The period that it asks for."""
        return self.delay / self.clocks

    def slack(self, period: float) -> float:
        """Return by how much its path could be longer at a period."""
        return self.clocks * period - self.delay


class Slacks:
    """Slacks in ns of the nodes and pins of an analysis, against its own longest path."""

    def __init__(self, analysis: Analysis) -> None:
        self.analysis = analysis
        self.arrival, self.slope, self.through = analysis.arrivals()
        self.ends = self._ends()
        self.period = max((end.period for end in self.ends), default=0.0)
        self.needed = self._needed()

    def _ends(self) -> list[End]:
        """Return every end of a path."""
        one, found = self.analysis, []
        begins = self._begins()
        for ends in one.pins(self.arrival, self.slope):
            places = np.flatnonzero(ends.delays > -np.inf)
            clocks = np.minimum(
                *(np.where(begin[ends.nodes], ends.clocks(edge), 1.0) for edge, begin in enumerate(begins))
            )
            found += [
                End(int(node), float(delay), float(share), ends.kind, int(row), ends.pin)
                for node, delay, share, row in zip(
                    ends.nodes[places], ends.delays[places], clocks[places], ends.rows[places], strict=True
                )
            ]
        for direction, nets in one.flat.ports.values():
            given = nets.tolist() if direction == "output" else []
            every = [2 * net + edge for net in given for edge in (0, 1)]
            reached = [node for node in every if self.arrival[node] > -np.inf]
            found += [
                End(node, float(self.arrival[node]), 0.5 if begins[1][node] else 1.0) for node in reached
            ]
        return found

    def _begins(self) -> tuple[Flags, Flags]:
        """Return which nodes paths from the rising edge come to, and which from the falling edge.

        An end that both come to has the fewer clocks of the two.
        """
        if not self.analysis.has_falling:
            return self.arrival > -np.inf, np.zeros(len(self.arrival), dtype=bool)
        of_edges = [self.analysis.arrivals(edge, self.slope)[0] for edge in (RISING, FALLING)]
        return of_edges[0] > -np.inf, of_edges[1] > -np.inf

    def _needed(self) -> Numbers:
        """Return the latest time of every node at which it does not lengthen the longest path."""
        graph = self.analysis.graph
        needed = np.full(2 * self.analysis.flat.nets, np.inf)
        for end in self.ends:
            needed[end.node] = min(needed[end.node], self.arrival[end.node] + end.slack(self.period))
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
        return sum(max(0.0, -end.slack(period)) for end in self.ends)

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
            for end in self._by_end.get(node, ()):
                at = (end.kind, end.row, end.pin)
                found[at] = min(found[at], end.slack(self.period))
        return [
            Pin(kind, row, name, slack, max(flat.cells[kind].type.pins[name]))
            for (kind, row, name), slack in sorted(found.items())
        ]

    @cached_property
    def lists(self) -> Lists:
        """What is asked for cell by cell."""
        return Lists(self)

    @cached_property
    def _by_end(self) -> dict[int, list[End]]:
        found: defaultdict[int, list[End]] = defaultdict(list)
        for end in self.ends:
            if end.pin:
                found[end.node].append(end)
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
