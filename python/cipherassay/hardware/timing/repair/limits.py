"""Loads and slopes within the library's limits: buffers for sinks of cells that drive too much.

Mapping keeps the number of sinks low, and knows a function at a time: a weak cell at the end of one may get
more load than it is characterized for, once the whole design hangs on it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from cipherassay.hardware.libraries.technology import Technology
from cipherassay.hardware.netlists.netlist import Bit, Netlist
from cipherassay.hardware.timing import static_timing
from cipherassay.hardware.timing.repair.checking import demand_same
from cipherassay.hardware.timing.repair.moves import Move, moved_in
from cipherassay.hardware.timing.repair.slack import Slacks
from cipherassay.hardware.timing.repair.where import Cell, Places, SinkGroup
from cipherassay.hardware.timing.static_timing.cells import limits_pf
from cipherassay.hardware.timing.static_timing.flat import Parts

Loads = dict[tuple[str, str], float]
"""The largest load of each output of a cell, in pF."""
FORM = 3
"""Counts changes of what comes out."""
ROUNDS = 10
"""How often a netlist is looked at: buffers load other cells, and edges get slower one after another."""
ROOM = 0.95
"""The part of a limit that is used where a buffer is put in."""


def within_limits(
    netlist: Netlist,
    top: str,
    technology: Technology,
    *,
    clock: str = "",
    case: Mapping[str, int] | None = None,
) -> Netlist:
    """Return a netlist with buffers where cells drive more, or slower, than the library allows.

    What buffers cannot mend stays: sign-off finds it.

    Parameters
    ----------
    clock, case
        As of `static_timing.paths`.

    Raises
    ------
    ToolError
        ``H733``: the result is not what was given but for buffers (`checking`).
    """
    parts: Parts = {}
    given = netlist
    largest: Loads = {}
    for _ in range(ROUNDS):
        work = static_timing.analysis(netlist, top, technology, clock=clock, case=case, parts=parts)
        largest = largest or limits_pf(technology, work.library)
        over = list(_over(work, largest))
        moves = _moves(over, netlist, top, work, _buffers(technology, largest)) if over else []
        if not moves:
            break
        netlist = moved_in(netlist, moves, technology)
    demand_same(given, netlist, technology)
    return netlist


def _buffers(technology: Technology, largest: Loads) -> list[tuple[str, float]]:
    """Return the cells that buffer, each with the largest load that it may drive."""
    _, synthesis = technology.timed()
    costs = technology.costs()
    return [(name, largest[name, costs[name].output]) for name in synthesis.buffers]


@dataclass(frozen=True)
class _Driver:
    """A cell's output with too much load, and the load in pF that keeps it within the limits."""

    kind: int
    row: int
    net: int
    load_pf: float
    allowed_pf: float


def _over(work: static_timing.Analysis, largest: Loads) -> Iterator[_Driver]:
    slope, steepest = work.arrivals()[1], work.library.steepest_ns
    for kind, cells in enumerate(work.flat.cells):
        for output in cells.type.outputs:
            nets = cells.column(output)
            load = np.maximum(work.load[2 * nets], work.load[2 * nets + 1])
            slow = np.maximum(slope[2 * nets], slope[2 * nets + 1])
            limit = largest[cells.type.name, output]
            for row in np.flatnonzero((load > limit) | (slow > steepest) & (load > 0)).tolist():
                allowed = min(limit, float(load[row] * min(1.0, steepest / max(float(slow[row]), steepest))))
                yield _Driver(kind, row, int(nets[row]), float(load[row]), allowed)


def _moves(
    over: list[_Driver], netlist: Netlist, top: str, work: static_timing.Analysis,
    buffers: list[tuple[str, float]],
) -> list[Move]:  # fmt: skip
    slacks, places = Slacks(work), Places(netlist, top, work)
    found: dict[tuple[str, Bit], Move] = {}
    # Instances of a module have its nets together: the one with the most to move decides.
    for driver in sorted(over, key=lambda one: one.allowed_pf / one.load_pf):
        move = _buffered(driver, slacks, places, buffers)
        if move is not None and move.net is not None:
            found.setdefault((move.module, move.net), move)
    return list(found.values())


def _buffered(
    driver: _Driver, slacks: Slacks, places: Places, buffers: list[tuple[str, float]]
) -> Move | None:
    """Return a buffer for the sinks of a net that can wait longest, in the module where it helps most."""
    pins = slacks.pins(driver.net)
    cells = slacks.analysis.library.cells
    own = max(max(pin) for name, _ in buffers for pin in cells[name].pins.values())
    best: tuple[float, Move] | None = None
    for cell, bit in _levels(driver, places):
        sinks = [one for one in places.groups(cell, bit, pins) if one.ends[0][0] != cell.place]
        behind, load = _waiting(sinks, driver.load_pf + own - ROOM * driver.allowed_pf, ROOM * buffers[-1][1])
        if load <= own:
            continue
        # What is left is as far from its limit as what is behind the buffer.
        share = max((driver.load_pf + own - load) / driver.allowed_pf, load / buffers[-1][1])
        if best is None or share < best[0]:
            name = next((name for name, most in buffers if load <= ROOM * most), buffers[-1][0])
            ends = tuple(end for one in behind for end in one.ends)
            place = ends[0][0] if cell.place < 0 else cell.place
            best = share, Move("buffer", cell.module, place, 0.0, ends, name, bit)
    return best[1] if best else None


def _waiting(sinks: list[SinkGroup], wanted: float, most: float) -> tuple[list[SinkGroup], float]:
    """Return sinks that can wait longest, so many that they load as much as wanted, and what they load."""
    behind: list[SinkGroup] = []
    load = 0.0
    for one in sorted(sinks, key=lambda one: (-one.slack_ns, one.ends)):
        if load >= wanted:
            break
        if not behind or load + one.load_pf <= most:
            behind.append(one)
            load += one.load_pf
    return behind, load


def _levels(driver: _Driver, places: Places) -> Iterator[tuple[Cell, Bit]]:
    """Yield where a net is in each module that it goes through, outwards from its driver, then inwards.

    With the net there, and what drives it; nothing in the module where the place is -1.
    """
    cell = places.cell(driver.kind, driver.row)
    flat = places.analysis.flat.cells[driver.kind]
    output = next(name for name in flat.type.outputs if int(flat.column(name)[driver.row]) == driver.net)
    (bit,) = places.netlist[cell.module].instances[cell.place].pins[output]
    outer = list(_outwards(cell, bit, places))
    yield from outer
    for each, net in outer:
        yield from _inwards(each, net, places)


def _outwards(cell: Cell, bit: Bit, places: Places) -> Iterator[tuple[Cell, Bit]]:
    yield cell, bit
    if not cell.path:
        return
    above, _, name = cell.path.rstrip("/").rpartition("/")
    path = f"{above}/" if above else ""
    parent = places.module(path)
    instance = Cell(path, parent, places.number(parent, name))
    pins = places.netlist[parent].instances[instance.place].pins
    for port in places.netlist[cell.module].ports:
        if port.direction == "output":
            for inner, outer in zip(port.bits, pins.get(port.name, ()), strict=False):
                if inner == bit:
                    yield from _outwards(instance, outer, places)


def _inwards(cell: Cell, bit: Bit, places: Places) -> Iterator[tuple[Cell, Bit]]:
    module = places.netlist[cell.module]
    for place, one in enumerate(module.instances):
        if one.type not in places.netlist or place == cell.place:
            continue
        below = places.netlist[one.type]
        for port in below.ports:
            if port.direction == "input":
                for inner, outer in zip(port.bits, one.pins.get(port.name, ()), strict=False):
                    if outer == bit:
                        inside = Cell(f"{cell.path}{one.name}/", one.type, -1)
                        yield inside, inner
                        yield from _inwards(inside, inner, places)
