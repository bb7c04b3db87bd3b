"""Where a cell of the flat netlist stands: its module, so that a change is one for all instances."""

from __future__ import annotations

from dataclasses import dataclass, field

from cipherassay.hardware.netlists.netlist import Bit, Instance, Module, Netlist
from cipherassay.hardware.timing.repair.slack import Pin, Slacks
from cipherassay.hardware.timing.static_timing import Analysis


@dataclass(frozen=True)
class Cell:
    """A cell in its module: the path of the module's instance, the module, the cell's place in it."""

    path: str
    module: str
    place: int


@dataclass(frozen=True)
class Sink:
    """A pin of an instance of the module, with the least slack and all the load behind it."""

    place: int
    pin: str
    bit: int
    slack_ns: float
    load_pf: float


@dataclass(frozen=True)
class SinkGroup:
    """Pins of an instance on a net, each with its bit; the least slack and all the load behind them."""

    ends: tuple[tuple[int, str, int], ...]
    slack_ns: float
    load_pf: float


@dataclass
class Places:
    """Finds cells and sinks of a flat netlist in its modules."""

    netlist: Netlist
    top: str
    analysis: Analysis
    _modules: dict[str, str] = field(default_factory=dict)
    _numbers: dict[str, dict[str, int]] = field(default_factory=dict)

    def cell(self, kind: int, row: int) -> Cell:
        """Return where a cell stands."""
        path, name = self.named(kind, row)
        module = self.module(path)
        return Cell(path, module, self.number(module, name))

    def named(self, kind: int, row: int) -> tuple[str, str]:
        """Return the path of a cell's module (empty, or ending in ``/``) and the cell's name there."""
        whole = self.analysis.flat.cells[kind].name(row)
        path, slash, name = whole.rpartition("/")
        return path + slash, name

    def module(self, path: str) -> str:
        """Return the module at a path."""
        if not path:
            return self.top
        if path not in self._modules:
            before, _, name = path.rstrip("/").rpartition("/")
            above = self.netlist[self.module(f"{before}/" if before else "")]
            self._modules[path] = above.types[name]
        return self._modules[path]

    def number(self, module: str, name: str) -> int:
        """Return the place of an instance in its module."""
        if module not in self._numbers:
            names = enumerate(self.netlist[module].instances)
            self._numbers[module] = {one.name: place for place, one in names}
        return self._numbers[module][name]

    def sinks(self, cell: Cell, bit: Bit, pins: list[Pin]) -> list[Sink]:
        """Return the sinks of a cell's net in its module, pins below an instance as one.

        An instance whose several ports are on the net is none of them: which leads to a pin is not known.
        """
        groups = self.groups(cell, bit, pins)
        return [Sink(*one.ends[0], one.slack_ns, one.load_pf) for one in groups if len(one.ends) == 1]

    def groups(self, cell: Cell, bit: Bit, pins: list[Pin]) -> list[SinkGroup]:
        """Return the sinks of a cell's net in its module, all ports of an instance together."""
        module = self.netlist[cell.module]
        found: dict[tuple[tuple[int, str, int], ...], tuple[float, float]] = {}
        for pin in pins:
            path, name = self.named(pin.kind, pin.row)
            if not path.startswith(cell.path):
                continue
            below = path[len(cell.path) :].partition("/")[0]
            place = self.number(cell.module, below or name)
            if ends := _ends(module, place, bit, "" if below else pin.name):
                slack, load = found.get(ends, (float("inf"), 0.0))
                found[ends] = min(slack, pin.slack_ns), load + pin.load_pf
        return [SinkGroup(ends, *values) for ends, values in sorted(found.items())]


def _ends(module: Module, place: int, bit: Bit, name: str) -> tuple[tuple[int, str, int], ...]:
    """Return the pins of an instance on a net, each with its bit there; with a name only those of that."""
    one: Instance = module.instances[place]
    pins = {name: one.pins[name]} if name else one.pins
    bits = ((pin, n, other) for pin, nets in pins.items() for n, other in enumerate(nets))
    return tuple((place, pin, n) for pin, n, other in bits if other == bit)


def critical(slacks: Slacks, places: Places, margin_ns: float, most: int) -> list[tuple[Cell, int, int]]:
    """Return cells whose outputs have less slack than a margin, with type and row, the worst first.

    Of the instances of a module only the one with least slack is there.
    """
    found: dict[tuple[str, int], tuple[float, Cell, int, int]] = {}
    of_net = slacks.nodes.reshape(-1, 2).min(axis=1)
    for kind, cells in enumerate(slacks.analysis.flat.cells):
        if len(cells.type.outputs) != 1:
            continue
        slack = of_net[cells.column(cells.type.outputs[0])]
        for row in (slack < margin_ns).nonzero()[0].tolist():
            cell = places.cell(kind, row)
            at = (cell.module, cell.place)
            if at not in found or slack[row] < found[at][0]:
                found[at] = (float(slack[row]), cell, kind, row)
    ordered = sorted(found.values(), key=lambda one: (one[0], one[1].module, one[1].place))
    return [(cell, kind, row) for _, cell, kind, row in ordered[:most]]
