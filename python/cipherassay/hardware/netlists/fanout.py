"""Buffer trees for nets with many sinks that mapping leaves alone: inputs, outputs of registers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from cipherassay.hardware.libraries.technology import Technology
from cipherassay.hardware.netlists.netlist import Bit, Instance, Module, Netlist

Pin = tuple[int, str, int]
"""A sink: instance by its place, pin, bit."""


@dataclass(frozen=True)
class Limits:
    """The cell that drives a part of a net, its pins, and the most sinks of any net."""

    cell: str
    input: str
    output: str
    sinks: int


Weights = dict[str, tuple[int, ...]]
"""The sinks behind each bit of each input of a module."""
FanoutMemo = dict[tuple[object, ...], tuple[Module, Module, Weights]]
"""Modules with their trees, by what these depend on; the first is the one without, kept so that it stays."""


def buffered(
    netlist: Netlist,
    technology: Technology,
    sinks: int | Mapping[str, int],
    *,
    clocks: dict[str, set[str]] | None = None,
    known: FanoutMemo | None = None,
) -> Netlist:
    """Return a netlist in which no net but those of clocks has more than so many sinks.

    The number may be one for all modules or one for each.
    An instance's pin counts as the sinks behind it. Trees are balanced: sinks in the order of the netlist, as
    many to a buffer as allowed, then the buffers likewise.

    Parameters
    ----------
    clocks, known
        What `clock_ports` gave for this design, and the modules done before, where many netlists of the same
        design follow one another.
    """
    _, synthesis = technology.timed()
    cell = next(one for one in technology.cell if one.name == synthesis.buffers[-1])
    done: Netlist = {}
    clocks = clock_ports(netlist, technology) if clocks is None else clocks
    known = {} if known is None else known
    weights: dict[str, Weights] = {}
    for name in _children_first(netlist):
        module = netlist[name]
        most = sinks if isinstance(sinks, int) else sinks[name]
        below = tuple(
            (kind, tuple(weights[kind].items())) for kind in sorted(module.counts) if kind in weights
        )
        key = (id(module), most, below)
        if key not in known:
            limits = Limits(cell.name, cell.pins[0], cell.output, most)
            trees = _with_trees(module, technology, limits, clocks, weights)
            loads = _sinks(trees, technology, clocks, weights)
            seen = {
                port.name: tuple(min(most, sum(w for _, w in loads[bit])) for bit in port.bits)
                for port in module.ports
                if port.direction == "input"
            }
            known[key] = (module, trees, seen)
        _, done[name], weights[name] = known[key]
    return done


def clock_ports(netlist: Netlist, technology: Technology) -> dict[str, set[str]]:
    """Return the ports of each module that lead to clocks of flip-flops, which have trees of another kind.

    What else hangs on such a net gates the clock.
    """
    clocks: dict[str, set[str]] = {
        one.name: {one.clock} for one in technology.register if one.kind == "flip-flop"
    }
    for name in _children_first(netlist):
        module = netlist[name]
        nets = {
            bit
            for one in module.instances
            for pin in clocks.get(one.type, ())
            for bit in one.pins.get(pin, ())
        }
        clocks[name] = {port.name for port in module.ports if nets.intersection(port.bits)}
    return clocks


def _children_first(netlist: Netlist) -> list[str]:
    order: list[str] = []

    def visit(name: str) -> None:
        if name not in order:
            for kind in sorted(netlist[name].counts):
                if kind in netlist:
                    visit(kind)
            order.append(name)

    for name in sorted(netlist):
        visit(name)
    return order


def _sinks(
    module: Module,
    technology: Technology,
    clocks: dict[str, set[str]],
    weights: dict[str, Weights],
) -> defaultdict[Bit, list[tuple[Pin, int]]]:
    """Return the sinks of every net, each with the number of cells behind it."""
    found: defaultdict[Bit, list[tuple[Pin, int]]] = defaultdict(list)
    inputs = {one.name: set(one.pins) for one in technology.cell}
    inputs |= {one.name: {one.data, one.clock, one.clear, one.preset} - {""} for one in technology.register}
    clocked = {bit for port in module.ports if port.name in clocks.get(module.name, ()) for bit in port.bits}
    for place, one in enumerate(module.instances):
        below = weights.get(one.type)
        for pin, bits in one.pins.items():
            if pin in clocks.get(one.type, ()) or pin not in (inputs.get(one.type) or below or ()):
                continue
            for n, bit in enumerate(bits):
                weight = below[pin][n] if below else 1
                if isinstance(bit, int) and weight and bit not in clocked:
                    found[bit].append(((place, pin, n), weight))
    return found


def _with_trees(
    module: Module,
    technology: Technology,
    limits: Limits,
    clocks: dict[str, set[str]],
    weights: dict[str, Weights],
) -> Module:
    loads = _sinks(module, technology, clocks, weights)
    next_net = module.next_net
    made: list[Instance] = []
    moved: dict[Pin, Bit] = {}
    for bit in sorted(loads, key=str):
        tree = _Tree(limits, next_net, len(made))
        tree.build(bit, loads[bit])
        next_net, made = tree.net, [*made, *tree.buffers]
        moved |= tree.moved
    if not made:
        return module
    instances = [_moved(one, place, moved) for place, one in enumerate(module.instances)]
    return replace(module, instances=(*instances, *made))


class _Tree:
    """The buffers of one net, from its sinks to its driver."""

    def __init__(self, limits: Limits, net: int, number: int) -> None:
        self.limits, self.net, self.number = limits, net, number
        self.buffers: list[Instance] = []
        self.moved: dict[Pin, Bit] = {}

    def build(self, driver: Bit, sinks: list[tuple[Pin, int]]) -> None:
        if sum(weight for _, weight in sinks) <= self.limits.sinks or len(sinks) == 1:
            return
        nets = []
        for part in _parts(sinks, self.limits.sinks):
            nets.append(self.net)
            self.moved.update(dict.fromkeys((pin for pin, _ in part), self.net))
            self.net += 1
        while len(nets) > self.limits.sinks:
            groups = _even(nets, self.limits.sinks)
            for group in groups:
                self.buffer(self.net, group)
                self.net += 1
            nets = list(range(self.net - len(groups), self.net))
        self.buffer(driver, nets)

    def buffer(self, driver: Bit, nets: Iterable[int]) -> None:
        for net in nets:
            name = f"buffer_{self.number + len(self.buffers)}"
            pins: dict[str, tuple[Bit, ...]] = {self.limits.input: (driver,), self.limits.output: (net,)}
            self.buffers.append(Instance(name, self.limits.cell, pins))


def _parts(sinks: list[tuple[Pin, int]], most: int) -> list[list[tuple[Pin, int]]]:
    """Return the sinks in parts of nearly the same weight, none above the most but those of one sink."""
    total = sum(weight for _, weight in sinks)
    aim = total / -(-total // most)
    parts: list[list[tuple[Pin, int]]] = [[]]
    weight = 0
    for sink in sinks:
        if parts[-1] and (weight + sink[1] > most or weight >= aim):
            parts.append([])
            weight = 0
        parts[-1].append(sink)
        weight += sink[1]
    return parts


def _even(nets: list[int], most: int) -> list[list[int]]:
    count = -(-len(nets) // most)
    return [nets[n * len(nets) // count : (n + 1) * len(nets) // count] for n in range(count)]


def _moved(one: Instance, place: int, moved: dict[Pin, Bit]) -> Instance:
    pins = {
        pin: tuple(moved.get((place, pin, n), bit) for n, bit in enumerate(bits))
        for pin, bits in one.pins.items()
    }
    return replace(one, pins=pins)
