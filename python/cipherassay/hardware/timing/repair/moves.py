"""Changes to the cells around a net: size, order of inputs, buffers and copies for what can wait."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace

from cipherassay.hardware.libraries.technology import Cell, Technology
from cipherassay.hardware.netlists.netlist import Bit, Instance, Module, Netlist


@dataclass(frozen=True)
class Move:
    """A change in a module and what it promises in ns; `touched` are the instances whose pins it moves.

    Parameters
    ----------
    kind : str
        ``size``: the cell becomes `cell`; ``buffer``: the sinks get a `cell` in between; ``copy``: the sinks
        get a copy of the cell; ``past``: the sinks are driven by what drives the cell, which is a buffer;
        ``swap``: the nets at the cell's inputs, in their order, go to those that `sinks` names.
    place : int
        The cell, by its place in the module.
    sinks : tuple
        Instance, pin and bit of each pin that moves.
    """

    kind: str
    module: str
    place: int
    gain_ns: float
    sinks: tuple[tuple[int, str, int], ...] = ()
    cell: str = ""
    net: Bit | None = None
    """The net of sinks that get a buffer, where `place` is an instance of a module."""

    @property
    def touched(self) -> set[tuple[str, int]]:
        """The instances that it changes."""
        return {(self.module, place) for place in (self.place, *(one[0] for one in self.sinks))}


def compatible(moves: Iterable[Move]) -> list[Move]:
    """Return those of the moves, the most promising first, that change no instance twice."""
    taken: set[tuple[str, int]] = set()
    found = []
    for move in sorted(moves, key=lambda one: (-one.gain_ns, one.module, one.place)):
        if not move.touched & taken:
            taken |= move.touched
            found.append(move)
    return found


def moved_in(netlist: Netlist, moves: Iterable[Move], technology: Technology) -> Netlist:
    """Return a netlist after moves; those of a module change no pin twice."""
    of_module: defaultdict[str, list[Move]] = defaultdict(list)
    for move in moves:
        of_module[move.module].append(move)
    changed = {name: moved(netlist[name], list_, technology) for name, list_ in of_module.items()}
    return {name: changed.get(name, module) for name, module in netlist.items()}


def moved(module: Module, moves: Iterable[Move], technology: Technology) -> Module:
    """Return a module after moves that change no instance twice."""
    work = _Work(module, technology)
    for move in moves:
        work.do(move)
    return replace(module, instances=tuple(work.instances))


class _Work:
    def __init__(self, module: Module, technology: Technology) -> None:
        self.instances = list(module.instances)
        self.names = {one.name for one in module.instances}
        self.next_net = module.next_net
        self.cells = technology.costs()

    def do(self, move: Move) -> None:
        one = self.instances[move.place]
        if move.kind == "size":
            self.instances[move.place] = replace(one, type=move.cell)
        elif move.kind == "swap":
            nets = [one.pins[pin] for pin in self.inputs(one.type)]
            to = {pin: net for (_, pin, _), net in zip(move.sinks, nets, strict=True)}
            self.instances[move.place] = replace(one, pins={**one.pins, **to})
        elif move.kind == "past":
            (source,) = one.pins[self.data(one.type)]
            self.connect(move.sinks, source)
        else:
            net, self.next_net = self.next_net, self.next_net + 1
            self.connect(move.sinks, net)
            if move.kind == "copy":
                output = self.cells[one.type].output
                pins = {**one.pins, output: (net,)}
                self.instances.append(Instance(self.name(f"{one.name}_copy"), one.type, pins))
            else:
                driven = (move.net,) if move.net is not None else one.pins[self.cells[one.type].output]
                buffer = {self.data(move.cell): driven, self.cells[move.cell].output: (net,)}
                self.instances.append(Instance(self.name(f"{one.name}_buffer"), move.cell, buffer))

    def connect(self, sinks: Iterable[tuple[int, str, int]], net: Bit) -> None:
        for place, pin, bit in sinks:
            one = self.instances[place]
            bits = list(one.pins[pin])
            bits[bit] = net
            self.instances[place] = replace(one, pins={**one.pins, pin: tuple(bits)})

    def name(self, wanted: str) -> str:
        name, number = wanted, 1
        while name in self.names:
            number += 1
            name = f"{wanted}_{number}"
        self.names.add(name)
        return name

    def data(self, type: str) -> str:
        return self.inputs(type)[0]

    def inputs(self, type: str) -> tuple[str, ...]:
        cell = self.cells[type]
        assert isinstance(cell, Cell)
        return cell.pins
