"""Buffers that mapping leaves over.

ABC writes one where a signal leaves a unit, or enters a register or an instance, and is used elsewhere, too:
what drives it can drive what it drives. Its trees have more buffers for a net than the sinks need.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace

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
    kept = {name: _without(module, technology, most) for name, module in netlist.items()}
    return {name: _merged(module, technology, most) for name, module in kept.items()}


def _without(module: Module, technology: Technology, most: int) -> Module:
    gates = {one.name for one in technology.cell}
    outputs = {one.name: frozenset(one.outputs()) for one in technology.cell}
    outputs |= {one.name: frozenset({one.output}) for one in technology.register}
    named = {bit for port in module.ports if port.direction == "output" for bit in port.bits}
    driven = {
        bit
        for one in module.instances if one.type in outputs
        for pin, bits in one.pins.items() if pin in outputs[one.type]
        for bit in bits
    }  # fmt: skip
    sinks = Counter(bit for one in module.instances for bit in _inputs(one, outputs))
    of_gates = Counter(bit for one in module.instances if one.type in gates for bit in _inputs(one, outputs))
    of_ports = Counter(bit for port in module.ports if port.direction == "output" for bit in port.bits)
    known: dict[Bit, Bit] = {}
    dropped: set[str] = set()
    for one, source, bit in _buffers(module, technology):
        source = known.get(source, source)
        together = sinks[source] - 1 + sinks[bit] + of_ports[source] + of_ports[bit]
        if source not in driven or of_gates[bit] or (source in named and bit in named) or together > most:
            continue
        known[bit] = source
        dropped.add(one.name)
        sinks[source] += sinks[bit] - 1
        of_ports[source] += of_ports[bit]
        if bit in named:
            named.add(source)
    return _renamed(module, known, dropped) if known else module


def _merged(module: Module, technology: Technology, most: int) -> Module:
    """Let the first buffer of a type behind a net drive what others drive, as far as it may."""
    read = [bit for one in module.instances for bits in one.pins.values() for bit in bits]
    ports = [bit for port in module.ports if port.direction == "output" for bit in port.bits]
    # Of the pins of a buffer's net one is its own.
    sinks = Counter(read) + Counter(ports)
    named = set(ports)
    open_: dict[tuple[Bit, str], Bit] = {}
    known: dict[Bit, Bit] = {}
    dropped: set[str] = set()
    for one, source, bit in _buffers(module, technology):
        first = open_.setdefault((source, one.type), bit)
        if first == bit:
            continue
        together = sinks[first] + sinks[bit] - 2
        if together > most or (first in named and bit in named):
            open_[source, one.type] = bit
            continue
        known[bit] = first
        dropped.add(one.name)
        sinks[first] = together + 1
        if bit in named:
            named.add(first)
    return _renamed(module, known, dropped) if known else module


def _buffers(module: Module, technology: Technology) -> Iterator[tuple[Instance, Bit, Bit]]:
    """Yield the buffers of a module with what they read and what they drive."""
    pins = {
        one.name: (one.pins[0], one.output)
        for one in technology.cell if len(one.pins) == 1 and one.function and one.table(one.output) == _PASSES
    }  # fmt: skip
    for one in module.instances:
        if one.type in pins:
            given, output = pins[one.type]
            yield one, one.pins[given][0], one.pins[output][0]


def _inputs(one: Instance, outputs: Mapping[str, frozenset[str]]) -> Iterator[Bit]:
    """Yield the nets that an instance reads; of a unit all nets, since it may read any."""
    driven = outputs.get(one.type, frozenset())
    return (bit for pin, bits in one.pins.items() if pin not in driven for bit in bits)


def _renamed(module: Module, known: Mapping[Bit, Bit], dropped: set[str]) -> Module:
    def of(bits: tuple[Bit, ...]) -> tuple[Bit, ...]:
        return tuple(known.get(bit, bit) for bit in bits)

    return Module(
        module.name,
        tuple(replace(port, bits=of(port.bits)) for port in module.ports),
        tuple(
            replace(one, pins={pin: of(bits) for pin, bits in one.pins.items()})
            for one in module.instances
            if one.name not in dropped
        ),
    )
