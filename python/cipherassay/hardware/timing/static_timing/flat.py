"""Netlists made flat: the cells of all modules by their type, their pins as numbers of nets of the whole."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from cipherassay.errors import ToolError, nearest
from cipherassay.hardware.netlists.netlist import Bit, Instance, Module, Netlist
from cipherassay.hardware.timing.static_timing.cells import CellTiming, Library
from cipherassay.hardware.timing.static_timing.tables import Places

ZERO, ONE = 0, 1
"""The nets that stand for constants."""
_CONSTANTS: dict[Bit, int] = {"0": ZERO, "1": ONE, "x": ZERO, "z": ZERO}


@dataclass
class Cells:
    """All cells of a type: a row of nets each, in the order of `pins`; inputs first."""

    type: CellTiming
    pins: tuple[str, ...]
    nets: Places
    begins: list[int]
    """Where the cells of each module instance begin."""
    modules: list[tuple[str, list[str]]]
    """The path of each module instance, and the names of its cells."""

    def column(self, pin: str) -> Places:
        """Return the net of a pin for every cell."""
        return self.nets[:, self.pins.index(pin)]

    def name(self, row: int) -> str:
        """Return the whole name of a cell: ``controller/mode_register``."""
        place = bisect_right(self.begins, row) - 1
        path, names = self.modules[place]
        return path + names[row - self.begins[place]]


@dataclass
class FlatNetlist:
    """A flat netlist: its cells by type, the nets of the top's ports bit by bit, the number of nets."""

    cells: list[Cells]
    ports: dict[str, tuple[str, Places]]
    """Direction and nets of each port, bit 0 first."""
    nets: int

    def find(self, pin: str) -> int | None:
        """Return the net of a pin by its whole name (``controller/mode_register/Q``), None without one."""
        name, _, of = pin.rpartition("/")
        for cells in self.cells:
            if of not in cells.pins:
                continue
            for begin, (path, names) in zip(cells.begins, cells.modules, strict=True):
                if name.startswith(path) and name[len(path) :] in names:
                    return int(cells.column(of)[begin + names.index(name[len(path) :])])
        return None


Parts = dict[int, "_Part"]
"""Modules as they were made flat before, by identity; a part holds its module, so none goes away."""


def flatten(netlist: Netlist, top: str, library: Library, parts: Parts | None = None) -> FlatNetlist:
    """Return a netlist made flat.

    Instances of modules that the netlist does not hold are left out: their pins end paths.

    Parameters
    ----------
    parts : Parts, optional
        For netlists of one library that share modules and have the same names: each module is read once.

    Raises
    ------
    ToolError
        ``H713``: a type in the top's hierarchy is neither a cell nor a module, and is not left out.
    """
    work = _Flattener(netlist, library, {} if parts is None else parts)
    module = netlist[top]
    part = work.part(top)
    nets = work.place(part, "", np.arange(part.size))
    ports = {port.name: (port.direction, nets[part.bits(port.bits)]) for port in module.ports}
    cells = [work.cells(kind) for kind in sorted(work.rows)]
    flat = FlatNetlist(cells, ports, work.nets)
    return _joined(flat, work.same) if work.same else flat


@dataclass
class _Part:
    """A module once: per type of cell the names and the nets of all pins; instances of other modules."""

    module: Module
    size: int
    rows: dict[str, tuple[list[str], Places]]
    below: list[Instance]

    @staticmethod
    def bits(bits: tuple[Bit, ...]) -> Places:
        return np.array([_number(bit) for bit in bits], dtype=np.int64)


def _number(bit: Bit) -> int:
    return bit + 2 if isinstance(bit, int) else _CONSTANTS[bit]


@dataclass
class _Flattener:
    netlist: Netlist
    library: Library
    parts: Parts
    nets: int = 0
    rows: defaultdict[str, list[Places]] = field(default_factory=lambda: defaultdict(list))
    names: defaultdict[str, list[tuple[str, list[str]]]] = field(default_factory=lambda: defaultdict(list))
    same: list[tuple[int, int]] = field(default_factory=list)
    """Pairs of nets that are one: a module passes an input on to an output."""

    def part(self, name: str) -> _Part:
        module = self.netlist[name]
        if id(module) not in self.parts:
            self.parts[id(module)] = self.compiled(module)
        return self.parts[id(module)]

    def compiled(self, module: Module) -> _Part:
        by_type: defaultdict[str, list[Instance]] = defaultdict(list)
        below = []
        for one in module.instances:
            if one.type in self.library.cells:
                by_type[one.type].append(one)
            elif one.type in self.netlist:
                below.append(one)
            elif one.type.startswith(("$", "\\$")):
                raise ToolError(
                    "H713",
                    f"the netlist of `{module.name}` holds `{one.type}`, which is no cell of the library",
                    notes=["a cell that was not mapped has no delay"],
                    help=nearest(one.type, self.library.cells),
                )
        rows = {kind: self.matrix(kind, ones) for kind, ones in by_type.items()}
        return _Part(module, module.next_net + 2, rows, below)

    def matrix(self, kind: str, ones: list[Instance]) -> tuple[list[str], Places]:
        pins = pins_of(self.library.cells[kind])
        # A pin that nothing is connected to: an input at 0, an output of its own that goes nowhere.
        nets = [_number(one.pins[pin][0]) if one.pins.get(pin) else -1 for one in ones for pin in pins]
        return [one.name for one in ones], np.array(nets, dtype=np.int64).reshape(len(ones), len(pins))

    def place(self, part: _Part, path: str, nets: Places) -> Places:
        """Add a module's cells; return its nets: below zero the given ones, from 2 on new ones."""
        fresh = nets >= 2
        nets = -nets - 1
        count = int(fresh.sum())
        base = max(self.nets, 2)
        nets[fresh] = np.arange(base, base + count)
        nets[ZERO], nets[ONE] = ZERO, ONE
        self.nets = base + count
        for kind, (names, rows) in part.rows.items():
            placed = np.where(rows >= 0, nets[rows], self.loose(rows, kind))
            self.rows[kind].append(placed)
            self.names[kind].append((path, names))
        for one in part.below:
            self.below(one, f"{path}{one.name}/", nets)
        return nets

    def loose(self, rows: Places, kind: str) -> Places:
        """Return nets for pins that nothing is connected to."""
        made = np.zeros_like(rows)
        outputs = [n for n, pin in enumerate(pins_of(self.library.cells[kind])) if pin in self.outputs(kind)]
        for column in outputs:
            open_ = rows[:, column] < 0
            made[open_, column] = np.arange(self.nets, self.nets + int(open_.sum()))
            self.nets += int(open_.sum())
        return made

    def outputs(self, kind: str) -> tuple[str, ...]:
        return self.library.cells[kind].outputs

    def below(self, one: Instance, path: str, nets: Places) -> None:
        part = self.part(one.type)
        # Nets from outside are marked by their complement, so that those of its own can be numbered anew.
        inner = np.arange(part.size)
        inner[:2] = -1, -2
        for port in part.module.ports:
            outside = nets[part.bits(one.pins.get(port.name, ()))]
            for net, bit in zip(outside.tolist(), part.bits(port.bits).tolist(), strict=False):
                if bit < 2:
                    self.same.append((bit, net))
                elif inner[bit] < 0:
                    self.same.append((int(-inner[bit] - 1), net))
                else:
                    inner[bit] = -net - 1
        self.place(part, path, inner)

    def cells(self, kind: str) -> Cells:
        type = self.library.cells[kind]
        begins = np.cumsum([0, *(len(names) for _, names in self.names[kind])]).tolist()[:-1]
        return Cells(type, pins_of(type), np.concatenate(self.rows[kind]), begins, self.names[kind])


def pins_of(cell: CellTiming) -> tuple[str, ...]:
    """Return the pins of a cell, inputs first."""
    return (*sorted(cell.pins), *cell.outputs)


def _joined(flat: FlatNetlist, same: list[tuple[int, int]]) -> FlatNetlist:
    """Return the netlist with nets that are one under one number, a constant's where one of them is."""
    parent: dict[int, int] = {}

    def root(net: int) -> int:
        while net in parent:
            net = parent[net]
        return net

    for a, b in same:
        low, high = sorted((root(a), root(b)))
        if low != high:
            parent[high] = low
    becomes = np.arange(flat.nets)
    for net in parent:
        becomes[net] = root(net)
    for cells in flat.cells:
        cells.nets = becomes[cells.nets]
    ports = {name: (direction, becomes[nets]) for name, (direction, nets) in flat.ports.items()}
    return FlatNetlist(flat.cells, ports, flat.nets)


def instances(cells: Cells) -> Iterator[tuple[int, str]]:
    """Yield the row and the whole name of every cell of a type."""
    for row in range(len(cells.nets)):
        yield row, cells.name(row)
