"""Buffers that mapping leaves over.

ABC writes one where a signal leaves a unit, or enters a register or an instance, and is used elsewhere, too:
what drives it can drive what it drives. Its trees have more buffers for a net than the sinks need.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from cipherassay.hardware.libraries.technology import Technology
from cipherassay.hardware.netlists.netlist import Bit, Instance, Module, Netlist

_PASSES = 0b10
"""The truth table of a buffer."""


def without_spare_buffers(netlist: Netlist, technology: Technology, most: int) -> Netlist:
    """Return a netlist without buffers that drive no gate, where a cell drives them, and with as few buffers
    behind one net as its sinks need.

    Parameters
    ----------
    most : int
        Sinks that a net may have.
    """
    return {name: _merged(_without(one, technology, most), technology, most) for name, one in netlist.items()}


@dataclass
class _Nets:
    """The nets of a module: what drives and reads them, and which of them have become one."""

    module: Module
    technology: Technology
    driven: set[Bit] = field(default_factory=set)
    """Nets that a cell drives; what a unit drives is not known."""
    of_gates: set[Bit] = field(default_factory=set)
    """Nets that a gate reads."""
    sinks: Counter[Bit] = field(default_factory=Counter)
    """How many read a net: pins, of units all, and ports."""
    ports: Counter[Bit] = field(default_factory=Counter)
    """Of the sinks, output ports of the module."""
    same: dict[Bit, Bit] = field(default_factory=dict)
    dropped: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        gates = {one.name: frozenset(one.outputs()) for one in self.technology.cell}
        outputs = gates | {one.name: frozenset({one.output}) for one in self.technology.register}
        self.ports.update(
            bit for port in self.module.ports if port.direction == "output" for bit in port.bits
        )
        self.sinks.update(self.ports)
        for one in self.module.instances:
            for pin, bits in one.pins.items():
                if pin in outputs.get(one.type, ()):
                    self.driven.update(bits)
                else:
                    self.sinks.update(bits)
                    self.of_gates.update(bits if one.type in gates else ())

    def buffers(self) -> Iterator[tuple[Instance, Bit, Bit]]:
        """Yield the buffers of the module with what they read and what they drive."""
        pins = {
            one.name: (one.pins[0], one.output)
            for one in self.technology.cell
            if len(one.pins) == 1 and one.function and one.table(one.output) == _PASSES
        }
        for one in self.module.instances:
            if one.type in pins:
                given, output = pins[one.type]
                yield one, one.pins[given][0], one.pins[output][0]

    def join(self, buffer: Instance, bit: Bit, other: Bit, sinks: int) -> None:
        """Drop a buffer: what reads `bit` reads `other`, which then has so many sinks."""
        self.same[bit] = other
        self.dropped.add(buffer.name)
        self.sinks[other] = sinks
        self.ports[other] += self.ports[bit]

    def joined(self) -> Module:
        """Return the module without the buffers dropped."""
        return _renamed(self) if self.same else self.module


def _without(module: Module, technology: Technology, most: int) -> Module:
    nets = _Nets(module, technology)
    for one, given, bit in nets.buffers():
        source = nets.same.get(given, given)
        together = nets.sinks[source] - 1 + nets.sinks[bit]
        two_ports = nets.ports[source] and nets.ports[bit]
        if source in nets.driven and bit not in nets.of_gates and not two_ports and together <= most:
            nets.join(one, bit, source, together)
    return nets.joined()


def _merged(module: Module, technology: Technology, most: int) -> Module:
    """Let the first buffer of a type behind a net drive what others drive, as far as it may."""
    nets = _Nets(module, technology)
    first: dict[tuple[Bit, str], Bit] = {}
    for one, source, bit in nets.buffers():
        other = first.setdefault((source, one.type), bit)
        together = nets.sinks[other] + nets.sinks[bit]
        if other == bit:
            continue
        if together > most or (nets.ports[other] and nets.ports[bit]):
            first[source, one.type] = bit
        else:
            nets.join(one, bit, other, together)
    return nets.joined()


def _renamed(nets: _Nets) -> Module:
    def of(bits: tuple[Bit, ...]) -> tuple[Bit, ...]:
        return tuple(nets.same.get(bit, bit) for bit in bits)

    module = nets.module
    return Module(
        module.name,
        tuple(replace(port, bits=of(port.bits)) for port in module.ports),
        tuple(
            replace(one, pins={pin: of(bits) for pin, bits in one.pins.items()})
            for one in module.instances
            if one.name not in nets.dropped
        ),
    )
