"""What moves in a netlist: clock by clock without delays, 64 independent runs side by side in a machine word.

A net counts at most one change per clock and direction: what signals do before they settle is not seen.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cipherassay.circuits.functions import compiled
from cipherassay.errors import Place, ToolError, UsageError
from cipherassay.expressions import Expression
from cipherassay.hardware.libraries.technology import Technology
from cipherassay.hardware.netlists.netlist import Netlist
from cipherassay.hardware.timing.static_timing.cells import library
from cipherassay.hardware.timing.static_timing.clocking import FALLING, RISING, traced
from cipherassay.hardware.timing.static_timing.constants import constants
from cipherassay.hardware.timing.static_timing.flat import ONE, Cells, FlatNetlist, flatten
from cipherassay.hardware.timing.static_timing.graph import levels
from cipherassay.hardware.timing.static_timing.tables import Places

LANES = 64
Words = NDArray[np.uint64]
_ALL = np.uint64(2**64 - 1)
_BITS = np.array([bin(n).count("1") for n in range(256)], dtype=np.int64)


@dataclass(frozen=True)
class _Gates:
    """Cells of one type and level: where their inputs and their output are, and the output's function."""

    function: Expression
    inputs: tuple[tuple[str, Places], ...]
    output: Places


class Activity:
    """A flat netlist under simulation; `rises` and `falls` count the changes of every net in all lanes."""

    def __init__(self, netlist: Netlist, top: str, technology: Technology, clock: str) -> None:
        self.flat = flatten(netlist, top, library(technology))
        self.clock = clock
        self.values: Words = np.zeros(self.flat.nets, dtype=np.uint64)
        self.values[ONE] = _ALL
        self.gates = _gates(self.flat)
        clocking = traced(self.flat, constants(self.flat, {}), clock)
        flip_flops = [(one, clocking.takes(one)) for one in self.flat.cells if _is_flip_flop(one)]
        self.rising, self.falling = (
            [(one, np.flatnonzero(edges == edge)) for one, edges in flip_flops if (edges == edge).any()]
            for edge in (RISING, FALLING)
        )
        self.by_level = bool(self.falling) or any(cells.type.is_latch for cells in self.flat.cells)
        self.rises = np.zeros(self.flat.nets, dtype=np.int64)
        self.falls = np.zeros(self.flat.nets, dtype=np.int64)
        self.clocks = 0
        """Clocks counted."""

    def forget(self) -> None:
        """Begin to count anew."""
        self.rises[:] = 0
        self.falls[:] = 0
        self.clocks = 0

    def step(self, inputs: Mapping[str, Words]) -> None:
        """Give the inputs of a clock (a word of lanes a bit, bit 0 first) and let the logic settle."""
        before = self.values.copy()
        for name, words in inputs.items():
            self.values[self.flat.ports[name][1]] = words
        self._settle(0)
        self._count(before)

    def output(self, name: str) -> Words:
        """Return a port's bits, bit 0 first."""
        return self.values[self.flat.ports[name][1]]

    def edge(self) -> None:
        """Let the clock rise and flip-flops take their data; then those of the falling edge."""
        before = self.values.copy()
        self._take(self.rising)
        if self.by_level:
            self._settle(1)
        self.clocks += 1
        self._count(before)
        if self.falling:
            before = self.values.copy()
            self._take(self.falling)
            self._settle(0)
            self._count(before)

    def _take(self, flip_flops: list[tuple[Cells, Places]]) -> None:
        taken = [self.values[cells.column(_data(cells))[rows]] for cells, rows in flip_flops]
        for (cells, rows), words in zip(flip_flops, taken, strict=True):
            self.values[cells.column(cells.type.outputs[0])[rows]] = words

    def _settle(self, clock: int) -> None:
        if self.clock:
            self.values[self.flat.ports[self.clock][1]] = _ALL if clock else np.uint64(0)
        values = self.values
        for gates in self.gates:
            pins = {name: values[nets] for name, nets in gates.inputs}
            values[gates.output] = gates.function(pins)

    def _count(self, before: Words) -> None:
        changed = self.values ^ before
        moved = np.flatnonzero(changed)
        if self.clock:
            moved = moved[moved != int(self.flat.ports[self.clock][1][0])]
        rose = changed[moved] & self.values[moved]
        self.rises[moved] += _ones(rose)
        self.falls[moved] += _ones(changed[moved] & ~self.values[moved])

    def clocked(self) -> None:
        """Count the clock itself: it rises and falls once in every clock of every lane."""
        if self.clock:
            net = int(self.flat.ports[self.clock][1][0])
            self.rises[net] = self.falls[net] = self.clocks * LANES


def _ones(words: Words) -> Places:
    """Return how many bits of each word are set."""
    count: Places = _BITS[words.view(np.uint8)].reshape(len(words), 8).sum(axis=1)
    return count


def _is_flip_flop(cells: Cells) -> bool:
    register = cells.type.register
    return register is not None and register.kind == "flip-flop"


def _data(cells: Cells) -> str:
    register = cells.type.register
    assert register is not None
    if register.clear or register.preset:
        raise UsageError(
            "H740",
            f"`{register.name}` is not simulated for its activity",
            notes=["known are latches, and flip-flops without clear and preset"],
        )
    return register.data


def _gates(flat: FlatNetlist) -> list[_Gates]:
    """Return the combinational cells and latches in an order in which each follows what it depends on."""
    depth = _depths(flat)
    found: defaultdict[int, list[_Gates]] = defaultdict(list)
    for cells in flat.cells:
        for output, (function, pins) in _functions(cells).items():
            computed = compiled(function, pins, Place(f"the cell {cells.type.name}"))
            nets = cells.column(output)
            of = depth[nets]
            for level in np.unique(of):
                rows = np.flatnonzero(of == level)
                inputs = tuple((pin, cells.column(pin)[rows]) for pin in pins)
                found[int(level)].append(_Gates(computed, inputs, nets[rows]))
    return [gates for level in sorted(found) for gates in found[level]]


def _functions(cells: Cells) -> dict[str, tuple[str, tuple[str, ...]]]:
    if cells.type.cell is not None:
        pins = cells.type.cell.pins
        return {output: (function, pins) for output, function in cells.type.cell.outputs().items()}
    register = cells.type.register
    assert register is not None
    if register.kind != "latch":
        return {}
    clock, data, out = register.clock, register.data, register.output
    is_open = clock if register.active == "high" else f"~{clock}"
    return {out: (f"({is_open} & {data}) | (~({is_open}) & {out})", (clock, data, out))}


def _depths(flat: FlatNetlist) -> Places:
    """Return the level of every net.

    Raises
    ------
    ToolError
        ``H731``: a combinational loop.
    """
    source, sink = [], []
    for cells in flat.cells:
        for output, (_, pins) in _functions(cells).items():
            for pin in pins:
                if pin != output:
                    source.append(cells.column(pin))
                    sink.append(cells.column(output))
    if not source:
        return np.zeros(flat.nets, dtype=np.int64)
    depth = levels(np.concatenate(source), np.concatenate(sink), flat.nets)
    if (depth < 0).any():
        raise ToolError(
            "H731", "the netlist cannot be simulated: it has a combinational loop",
            help="a loop needs a register in it",
        )  # fmt: skip
    return depth
