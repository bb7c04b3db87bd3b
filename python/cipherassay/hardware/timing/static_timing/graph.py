"""A flat netlist as a graph: nodes are nets with an edge (rise, fall), arcs stand in arrays by level."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from cipherassay.errors import ToolError
from cipherassay.hardware.timing.static_timing.cells import Arc, Library
from cipherassay.hardware.timing.static_timing.clocking import FALLING, Clocking
from cipherassay.hardware.timing.static_timing.constants import Constants
from cipherassay.hardware.timing.static_timing.flat import Cells, FlatNetlist
from cipherassay.hardware.timing.static_timing.tables import Numbers, Places

RISE, FALL = -1, -2
"""Sources of arcs that begin at an edge of the clock."""


@dataclass(frozen=True)
class Graph:
    """Arcs sorted by the level of their ends, then by their ends; node = 2 x net + edge (0 rise, 1 fall)."""

    source: Places
    """`RISE` or `FALL`: an edge of the clock."""
    sink: Places
    delay: Places
    slope: Places
    kind: Places
    row: Places
    pin: Places
    """Where an arc is: the type's place in the netlist, the cell's row, the pin at which it begins."""
    levels: Places
    """Where each level begins."""


def graph(flat: FlatNetlist, constants: Constants, clocking: Clocking) -> Graph:
    """Return the graph of a netlist.

    Raises
    ------
    ToolError
        ``H735``: a combinational loop; says which cells.
    """
    pieces = [piece for kind in range(len(flat.cells)) for piece in _of_type(flat, kind, constants, clocking)]
    if not pieces:
        empty = np.zeros(0, dtype=np.int64)
        return Graph(empty, empty, empty, empty, empty, empty, empty, empty)
    columns = [np.concatenate(column) for column in zip(*pieces, strict=True)]
    source, sink = columns[0], columns[1]
    level = levels(source, sink, 2 * flat.nets)
    loop = level[sink] < 0
    if loop.any():
        raise _loop(flat, columns, loop)
    order = np.lexsort((sink, level[sink]))
    source, sink, delay, slope, kind, row, pin = (column[order] for column in columns)
    begins = np.flatnonzero(np.diff(level[sink], prepend=-1))
    return Graph(source, sink, delay, slope, kind, row, pin, begins)


def _of_type(
    flat: FlatNetlist, kind: int, constants: Constants, clocking: Clocking
) -> Iterable[tuple[Places, ...]]:
    """Yield the arcs of all cells of a type: whole columns, and one by one where inputs are constant."""
    cells = flat.cells[kind]
    special = sorted(row for place, row in constants.arcs if place == kind)
    plain = np.ones(len(cells.nets), dtype=bool)
    plain[special] = False
    rows = np.flatnonzero(plain)
    held = np.array(sorted(constants.value), dtype=np.int64)
    for arc in cells.type.arcs:
        yield from _arc(cells, kind, rows, arc)
    edges = clocking.launches(cells) if cells.type.launches else rows
    for arc in cells.type.launches:
        free = rows[~np.isin(cells.column(arc.sink)[rows], held)]
        yield from _arc(cells, kind, free, arc, np.where(edges[free] == FALLING, FALL, RISE))
    for row in special:
        for arc in constants.arcs[kind, row]:
            yield from _arc(cells, kind, np.array([row]), arc)


def _arc(
    cells: Cells, kind: int, rows: Places, arc: Arc, launch: Places | None = None
) -> Iterable[tuple[Places, ...]]:
    if not len(rows):
        return
    begin, end = cells.column(arc.source)[rows], cells.column(arc.sink)[rows]
    edges = arc.edges if launch is None else [(out, out) for out in (0, 1)]
    for into, out in edges:
        source = 2 * begin + into if launch is None else launch
        fixed = (arc.delays[out], arc.slopes[out], kind)
        columns = [np.full(len(rows), one) for one in fixed]
        pin = np.full(len(rows), cells.pins.index(arc.source))
        yield source, 2 * end + out, *columns, rows, pin


def levels(source: Places, sink: Places, nodes: int) -> Places:
    """Return the level of every node: 0 where nothing leads to it, -1 on and behind combinational loops."""
    inner = source >= 0
    source, sink = source[inner], sink[inner]
    order = np.argsort(source, kind="stable")
    source, sink = source[order], sink[order]
    begins = np.searchsorted(source, np.arange(nodes + 1))
    waiting = np.bincount(sink, minlength=nodes)
    level = np.full(nodes, -1, dtype=np.int64)
    now = np.flatnonzero(waiting == 0)
    depth = 0
    while len(now):
        level[now] = depth
        counts = begins[now + 1] - begins[now]
        starts = np.repeat(begins[now] - np.cumsum(counts) + counts, counts)
        ends = sink[starts + np.arange(int(counts.sum()))]
        np.subtract.at(waiting, ends, 1)
        now = np.unique(ends[waiting[ends] == 0])
        depth += 1
    return level


def _loop(flat: FlatNetlist, columns: list[Places], loop: np.ndarray) -> ToolError:
    kinds, rows = columns[4][loop][:3].tolist(), columns[5][loop][:3].tolist()
    names = [flat.cells[kind].name(row) for kind, row in zip(kinds, rows, strict=True)]
    return ToolError(
        "H735",
        "the netlist cannot be timed: it has a combinational loop",
        notes=[f"cells on it or behind it: {', '.join(dict.fromkeys(names))}"],
        help="a loop needs a register in it",
    )


def loads(flat: FlatNetlist, library: Library, outputs_pf: float) -> Numbers:
    """Return the load of every node in pF: the pins on its net, and what hangs at an output of the top."""
    total = np.zeros(2 * flat.nets)
    for cells in flat.cells:
        for pin, (rise, fall) in cells.type.pins.items():
            nets = np.bincount(cells.column(pin), minlength=flat.nets)
            total[0::2] += nets * rise
            total[1::2] += nets * fall
    for direction, nets in flat.ports.values():
        if direction == "output":
            count = np.bincount(nets, minlength=flat.nets)
            total += np.repeat(count * outputs_pf, 2)
    return total
