"""Which nets are constant, and what is left of the cells that they lead to."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from cipherassay.hardware.timing.static_timing.cells import _EDGES, Arc
from cipherassay.hardware.timing.static_timing.flat import ONE, ZERO, Cells, FlatNetlist
from cipherassay.hardware.timing.static_timing.tables import Places


@dataclass
class Constants:
    """The value of constant nets, and of cells with constant inputs the arcs that are left."""

    value: dict[int, int]
    arcs: dict[tuple[int, int], tuple[Arc, ...]] = field(default_factory=dict)
    """By the place of the type in the netlist and the cell's row."""


def constants(flat: FlatNetlist, held: Mapping[int, int]) -> Constants:
    """Carry constants through the combinational cells.

    Parameters
    ----------
    held : mapping
        Nets held at 0 or 1.
    """
    sinks = _Sinks(flat, {ZERO, ONE, *held})
    found = Constants({ZERO: 0, ONE: 1, **held})
    waiting = deque(found.value)
    touched: dict[tuple[int, int], None] = {}
    while waiting:
        net = waiting.popleft()
        for place in sinks(net):
            touched[place] = None
            for output, value in _settled(flat.cells[place[0]], place[1], found.value):
                if output not in found.value:
                    found.value[output] = value
                    waiting.append(output)
    for place in touched:
        found.arcs[place] = _left(flat.cells[place[0]], place[1], found.value)
    return found


class _Sinks:
    """The combinational cells that a net leads to, by type, pin and row; sorted when first asked for."""

    def __init__(self, flat: FlatNetlist, asked: set[int]) -> None:
        self.flat = flat
        self.used = any(bool((cells.nets <= ONE).any()) or bool(asked - {ZERO, ONE}) for cells in flat.cells)

    def __call__(self, net: int) -> list[tuple[int, int]]:
        if not self.used:
            return []
        nets, kinds, rows = self._sorted
        begin, end = np.searchsorted(nets, [net, net + 1])
        return list(zip(kinds[begin:end].tolist(), rows[begin:end].tolist(), strict=True))

    @cached_property
    def _sorted(self) -> tuple[Places, Places, Places]:
        empty = np.zeros(0, dtype=np.int64)
        columns = [
            (cells.column(pin), np.full(len(cells.nets), kind), np.arange(len(cells.nets)))
            for kind, cells in enumerate(self.flat.cells)
            if cells.type.cell is not None
            for pin in cells.type.pins
        ]
        if not columns:
            return empty, empty, empty
        nets, kinds, rows = (np.concatenate([empty, *ones]) for ones in zip(*columns, strict=True))
        order = np.argsort(nets, kind="stable")
        return nets[order], kinds[order], rows[order]


def _inputs(cells: Cells, row: int, value: Mapping[int, int]) -> list[int | None]:
    assert cells.type.cell is not None
    return [value.get(int(cells.nets[row, cells.pins.index(pin)])) for pin in cells.type.cell.pins]


def _settled(cells: Cells, row: int, value: Mapping[int, int]) -> list[tuple[int, int]]:
    """Return the outputs of a cell that its constant inputs decide."""
    known = _inputs(cells, row, value)
    found = []
    for output in cells.type.outputs:
        seen = {bit for _, bit in _cases(cells.type.table(output), known)}
        if len(seen) == 1:
            found.append((int(cells.nets[row, cells.pins.index(output)]), seen.pop()))
    return found


def _cases(table: int, known: list[int | None]) -> list[tuple[int, int]]:
    """Return the inputs that agree with the known ones, as bits, each with the function's value."""
    mask = sum(1 << n for n, bit in enumerate(known) if bit is not None)
    want = sum(1 << n for n, bit in enumerate(known) if bit)
    return [(word, table >> word & 1) for word in range(1 << len(known)) if word & mask == want]


def _left(cells: Cells, row: int, value: Mapping[int, int]) -> tuple[Arc, ...]:
    """Return the arcs of a cell that a change can still take, with the edges that it can still make."""
    assert cells.type.cell is not None
    known = _inputs(cells, row, value)
    pins = cells.type.cell.pins
    left = []
    for arc in cells.type.arcs:
        place = pins.index(arc.source)
        if known[place] is not None:
            continue
        of = dict(_cases(cells.type.table(arc.sink), known))
        changes = {
            (bit, of[word | 1 << place])
            for word, bit in of.items()
            if not word >> place & 1 and bit != of[word | 1 << place]
        }
        kinds = {"positive_unate" if change == (0, 1) else "negative_unate" for change in changes}
        edges = {edge for kind in kinds for edge in _EDGES[kind]} & set(arc.edges)
        if edges:
            left.append(Arc(arc.source, arc.sink, tuple(sorted(edges)), arc.delays, arc.slopes))
    return tuple(left)
