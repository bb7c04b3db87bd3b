"""Which change of a critical cell promises most, by a delay that grows with the load."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from cipherassay.hardware.libraries.technology import Technology
from cipherassay.hardware.timing.repair.moves import Move
from cipherassay.hardware.timing.repair.slack import Slacks
from cipherassay.hardware.timing.repair.where import Cell, Places, Sink
from cipherassay.hardware.timing.static_timing.cells import CellTiming

LEAST_NS = 0.005
"""A change that promises less is not made."""


@dataclass
class Chooser:
    """Finds moves for critical cells; `margin_ns` is the slack below which a pin counts as critical."""

    slacks: Slacks
    places: Places
    technology: Technology
    margin_ns: float

    def best(self, cell: Cell, kind: int, row: int) -> Move | None:
        """Return the most promising move for a cell, None if none promises anything."""
        found = [move for move in _Around(self, cell, kind, row).moves() if move.gain_ns > LEAST_NS]
        return max(found, key=lambda one: one.gain_ns, default=None)

    @cached_property
    def buffers(self) -> tuple[str, ...]:
        """The cells that buffer."""
        _, synthesis = self.technology.timed()
        return synthesis.buffers

    @cached_property
    def sizes(self) -> dict[str, list[str]]:
        """The other cells with each cell's function and pins."""
        found: dict[str, list[str]] = {}
        cells = [one for one in self.technology.cell if len(one.outputs()) == 1]
        for one in cells:
            same = (one.function, one.pins, one.output)
            others = [two.name for two in cells if (two.function, two.pins, two.output) == same]
            found[one.name] = [name for name in others if name != one.name]
        return found


class _Around:
    """A cell, its net and what drives it."""

    def __init__(self, chooser: Chooser, cell: Cell, kind: int, row: int) -> None:
        self.chooser, self.cell, self.slacks = chooser, cell, chooser.slacks
        self.type: CellTiming = chooser.slacks.analysis.flat.cells[kind].type
        cells = chooser.slacks.analysis.flat.cells[kind]
        self.output = self.type.outputs[0]
        self.net = int(cells.column(self.output)[row])
        self.nodes = (2 * self.net, 2 * self.net + 1)
        self.node = min(self.nodes, key=self.slacks.lists.nodes.__getitem__)
        self.arc = self.slacks.driver(self.node)
        self.inputs = {pin: int(cells.column(pin)[row]) for pin in self.type.pins}

    def moves(self) -> Iterator[Move]:
        if self.arc < 0:
            return
        instance = self.chooser.places.netlist[self.cell.module].instances[self.cell.place]
        (bit,) = instance.pins[self.output]
        pins = self.slacks.pins(self.net)
        sinks = self.chooser.places.sinks(self.cell, bit, pins)
        yield from self.sizes()
        yield from self.swapped()
        if self.type.name in self.chooser.buffers:
            yield from self.past(sinks)
        if len(pins) > 1:
            yield from self.buffered(sinks)
            yield from self.copied(sinks, self.type.register is not None)

    @cached_property
    def resistance(self) -> float:
        return max(self.slacks.resistance(self.node), 0.0)

    @cached_property
    def source(self) -> int:
        """The node before the cell on its critical path, -1: the clock."""
        return self.slacks.lists.source[self.arc]

    @cached_property
    def before(self) -> float:
        """The resistance of what drives the cell."""
        return max(self.slacks.resistance(self.source), 0.0) if self.source >= 0 else 0.0

    def load(self, type: CellTiming) -> float:
        """The load of a cell's pin that is on the critical path."""
        if self.source < 0:
            return 0.0
        return max(max(type.pins[pin]) for pin, net in self.inputs.items() if net == self.source // 2)

    def move(self, kind: str, gain: float, sinks: list[Sink] | None = None, cell: str = "") -> Move:
        ends = tuple((one.place, one.pin, one.bit) for one in sinks or ())
        return Move(kind, self.cell.module, self.cell.place, gain, ends, cell)

    def sizes(self) -> Iterator[Move]:
        """The cell larger or smaller."""
        cells = self.slacks.analysis.library.cells
        source = self.pin(self.arc)
        now = self.slacks.delay(self.arc, self.slacks.lists.delay[self.arc])
        arcs = [
            (name, arc)
            for name in self.chooser.sizes.get(self.type.name, ())
            for arc in cells[name].arcs
            if arc.source == source
        ]
        for name, arc in arcs:
            delay = self.slacks.delay(self.arc, arc.delays[self.node % 2])
            more = self.load(cells[name]) - self.load(self.type)
            yield self.move("size", now - delay - self.before * more, cell=name)

    def swapped(self) -> Iterator[Move]:
        """The nets at the cell's inputs in another order that its function does not tell apart."""
        cell = self.type.cell
        orders = cell.symmetries() if cell is not None else ()
        if cell is None or not orders:
            return
        critical, late = self.pin(self.arc), self.late()
        now = max(late[pin, pin] for pin in cell.pins)
        for order in orders:
            to = {pin: cell.pins[at] for pin, at in zip(cell.pins, order, strict=True)}
            more = max(self.type.pins[to[critical]]) - max(self.type.pins[critical])
            ends = tuple((self.cell.place, to[pin], 0) for pin in cell.pins)
            gain = now - max(late[pair] for pair in to.items()) - self.before * max(more, 0.0)
            yield Move("swap", self.cell.module, self.cell.place, gain, ends)

    def late(self) -> dict[tuple[str, str], float]:
        """How much later than needed the output comes through the net at one input, put to another."""
        slacks, known = self.slacks, self.slacks.lists
        found = {(pin, to): -np.inf for pin in self.type.pins for to in self.type.pins}
        for node in self.nodes:
            for arc in slacks.into(node):
                source = known.source[arc]
                edges = (source % 2, node % 2)
                for one in self.type.arcs:
                    if edges in one.edges:
                        comes = known.arrival[source] + slacks.delay(arc, one.delays[node % 2])
                        pair = (self.pin(arc), one.source)
                        found[pair] = max(found[pair], comes - known.needed[node])
        return found

    def pin(self, arc: int) -> str:
        """The input pin at which an arc begins."""
        known = self.slacks.lists
        return self.slacks.analysis.flat.cells[known.kind[arc]].pins[known.pin[arc]]

    def buffered(self, sinks: list[Sink]) -> Iterator[Move]:
        """A buffer for the sinks that can wait for it."""
        cells, tables = self.slacks.analysis.library.cells, self.slacks.analysis.library.tables
        slope = self.slacks.lists.slope[self.node]
        for name in self.chooser.buffers:
            (load,) = (max(pin) for pin in cells[name].pins.values())
            parted = [one for one in sinks if one.slack_ns > self.chooser.margin_ns]
            while parted:
                behind = sum(one.load_pf for one in parted)
                gain = self.resistance * (behind - load)
                arc = cells[name].arcs[0]
                added = max(tables.one(table, behind, slope) for table in arc.delays)
                waiting = [one for one in parted if one.slack_ns - added + gain > self.chooser.margin_ns]
                if len(waiting) == len(parted):
                    yield self.move("buffer", gain, parted, name)
                    break
                parted = waiting

    def copied(self, sinks: list[Sink], register: bool) -> Iterator[Move]:
        """A copy of the cell for the half that can wait longest; a register's loads no path before it."""
        ordered = sorted(sinks, key=lambda one: -one.slack_ns)
        total = sum(one.load_pf for one in ordered)
        behind = 0.0
        parted: list[Sink] = []
        for one in ordered:
            if behind + one.load_pf / 2 > total / 2 and parted:
                break
            parted.append(one)
            behind += one.load_pf
        if len(parted) == len(ordered) or not parted:
            return
        cost = 0.0 if register else self.before * self.load(self.type)
        gain = self.resistance * min(behind, total - behind) - cost
        if self.others_wait():
            yield self.move("copy", gain, parted)

    def others_wait(self) -> bool:
        """Whether the nets before the cell can carry another load like it."""
        for pin, net in self.inputs.items():
            node = min((2 * net, 2 * net + 1), key=self.slacks.lists.nodes.__getitem__)
            slack = self.slacks.lists.nodes[node]
            if node // 2 != self.source // 2 and np.isfinite(slack):
                added = max(self.slacks.resistance(node), 0.0) * max(self.type.pins[pin])
                if slack - added < self.chooser.margin_ns:
                    return False
        return True

    def past(self, sinks: list[Sink]) -> Iterator[Move]:
        """Critical sinks of a buffer driven by what drives the buffer."""
        parted = [one for one in sinks if one.slack_ns < self.chooser.margin_ns]
        added = self.before * sum(one.load_pf for one in parted)
        gain = self.slacks.delay(self.arc, self.slacks.lists.delay[self.arc]) - added
        pins = self.slacks.pins(self.source // 2) if self.source >= 0 else []
        others = [one for one in pins if one.slack_ns - added < self.chooser.margin_ns]
        if parted and len(others) <= 1:
            yield self.move("past", gain, parted)
