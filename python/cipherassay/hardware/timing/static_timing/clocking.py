"""The clock in a flat netlist: which edge of it each register takes, and which cells gate it.

A clock gate is a combinational cell with the clock at an input. What stands at its other inputs may change
only while the clock holds its output still: for AND and NAND while the clock is low, so it must be there
before the rising edge; for OR and NOR while it is high.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from cipherassay.hardware.libraries.technology import Cell, Register
from cipherassay.hardware.timing.static_timing.constants import Constants
from cipherassay.hardware.timing.static_timing.flat import Cells, FlatNetlist
from cipherassay.hardware.timing.static_timing.tables import Places

RISING, FALLING, BOTH = 0, 1, 2
"""Edges of the clock at the port of the design."""


@dataclass(frozen=True)
class GatePin:
    """Pins that gate the clock: the same input of cells of one type, before the same edge of the clock."""

    kind: int
    pin: str
    edge: int
    """``BOTH``: the cell never holds its output still, whatever the clock is; a change there is a glitch."""
    rows: Places


@dataclass
class Clocking:
    """Nets that carry the clock, as it is or inverted, and the pins that gate it."""

    inverted: dict[int, bool] = field(default_factory=dict)
    gates: list[GatePin] = field(default_factory=list)

    def takes(self, kind: Cells) -> Places:
        """Return per cell of a register's type the edge that ends its paths: at which it takes or closes."""
        register = _register(kind)
        own = FALLING if register.active in ("falling", "high") else RISING
        return self._edges(kind, own)

    def launches(self, kind: Cells) -> Places:
        """Return per cell of a register's type the edge that begins its paths: at which it takes or opens."""
        register = _register(kind)
        own = FALLING if register.active in ("falling", "low") else RISING
        return self._edges(kind, own)

    def _edges(self, kind: Cells, own: int) -> Places:
        nets = kind.column(_register(kind).clock)
        if not any(self.inverted.values()):
            return np.full(len(nets), own, dtype=np.int64)
        turned = [self.inverted.get(net, False) for net in nets.tolist()]
        return np.where(turned, 1 - own, own)


def _register(kind: Cells) -> Register:
    assert kind.type.register is not None
    return kind.type.register


def traced(flat: FlatNetlist, constants: Constants, clock: str) -> Clocking:
    """Return how the clock's port reaches the cells; without a clock, every register takes it as it is.

    Where the clock comes to a net both as it is and inverted, the first way found counts.
    """
    found = Clocking()
    if not clock:
        return found
    new = {int(net): False for net in flat.ports[clock][1]}
    gates: dict[tuple[int, str, int], list[int]] = {}
    while new:
        found.inverted |= new
        reached = np.array(sorted(new), dtype=np.int64)
        after: dict[int, bool] = {}
        for kind, cells in enumerate(flat.cells):
            cell = cells.type.cell
            if cell is None:
                continue
            for pin in cell.pins:
                for row in np.flatnonzero(np.isin(cells.column(pin), reached)).tolist():
                    turned = found.inverted[int(cells.column(pin)[row])]
                    for net, inverts in _through(cells, cell, row, pin, constants):
                        if net not in found.inverted:
                            after.setdefault(net, turned != inverts)
                    for other, edge in _gated(cells, cell, row, pin, turned, constants):
                        gates.setdefault((kind, other, edge), []).append(row)
        new = after
    for (kind, pin, edge), rows in sorted(gates.items()):
        nets = flat.cells[kind].column(pin)
        data = [row for row in rows if int(nets[row]) not in found.inverted]
        if data:
            found.gates.append(GatePin(kind, pin, edge, np.array(sorted(set(data)), dtype=np.int64)))
    return found


def _through(
    cells: Cells, cell: Cell, row: int, pin: str, constants: Constants
) -> Iterator[tuple[int, bool]]:
    for output in cells.type.outputs:
        net = int(cells.column(output)[row])
        changes = {change for change in _changes(cell, output, pin) if change}
        if changes and net not in constants.value:
            yield net, changes == {-1}


def _changes(cell: Cell, output: str, pin: str) -> list[int]:
    """Return what a rising edge of a pin does to an output, for all values of the others: 1, -1 or 0."""
    table, bit = cell.table(output), 1 << cell.pins.index(pin)
    rows = [row for row in range(1 << len(cell.pins)) if not row & bit]
    return [(table >> (row | bit) & 1) - (table >> row & 1) for row in rows]


def _gated(
    cells: Cells, cell: Cell, row: int, clock: str, turned: bool, constants: Constants
) -> Iterator[tuple[str, int]]:
    others = [pin for pin in cell.pins if pin != clock]
    if not others:
        return
    bit = 1 << cell.pins.index(clock)
    still = []
    for level in (0, 1):
        rows = [one for one in range(1 << len(cell.pins)) if bool(one & bit) == bool(level)]
        tables = [cell.table(output) for output in cells.type.outputs]
        still.append(all(len({table >> one & 1 for one in rows}) == 1 for table in tables))
    edge = BOTH
    if any(still):
        # Held still while the pin is low: what gates must be there before the pin rises.
        edge = FALLING if (not still[0]) != turned else RISING
    for pin in others:
        if int(cells.column(pin)[row]) not in constants.value:
            yield pin, edge
