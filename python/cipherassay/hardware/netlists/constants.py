"""Registers that a port held at a value holds at a value too: in a clocked design, those behind it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import NamedTuple

from cipherassay.hardware.libraries.technology import Technology
from cipherassay.hardware.netlists.netlist import Bit, Netlist

Value = int | None
"""0, 1, or None: not known."""
_DEPTH, _LEAVES, _NEAR = 6, 10, 4
"""Gates between a register's output and its own input, and nets that these depend on: a register that keeps
its value has few. Gates between a known net and a register that may be held."""


def held_registers(
    netlist: Netlist,
    top: str,
    technology: Technology,
    ports: Mapping[str, int],
    known: LastNetlist | None = None,
) -> dict[str, int]:
    """Return the flip-flops that ports hold, by their output pins (``interface/key_size[0]_register/Q``).

    A flip-flop is held if its input is constant, or if that is constant while the flip-flop keeps the value
    and not while it keeps the other: it loads the constant, or keeps what it has. So the design has been
    loaded once under the value.

    Parameters
    ----------
    ports : mapping
        Ports of the top and the value of each (`timing.timed`'s case); names of other things are ignored.
    known : Known
        The netlist that was asked about last: other values of its ports take a fraction of the time.
    """
    if not ports:
        return {}
    flat = (LastNetlist() if known is None else known).flat(netlist, top, technology)
    for port in netlist[top].ports:
        if port.name in ports:
            for n, bit in enumerate(port.bits):
                flat.hold(flat.net((), bit), ports[port.name] >> n & 1)
    found: dict[str, int] = {}
    while True:
        flat.settle()
        new = [one for one in flat.touched() if one.name not in found]
        values = {one.name: (one, value) for one in new if (value := flat.kept(one)) is not None}
        if not values:
            return dict(sorted(found.items()))
        for name, (one, value) in values.items():
            found[name] = value
            if one.output not in flat.known:
                flat.hold(one.output, value)


class LastNetlist:
    """The netlist that was asked about last, without its hierarchy."""

    def __init__(self) -> None:
        self._of: tuple[Netlist, str] | None = None
        self._flat: _FlatNetlist | None = None

    def flat(self, netlist: Netlist, top: str, technology: Technology) -> _FlatNetlist:
        """Return a netlist without its hierarchy, with nothing held but constants."""
        if self._flat is None or self._of is None or self._of[0] is not netlist or self._of[1] != top:
            self._of, self._flat = (netlist, top), _FlatNetlist(netlist, top, technology)
        self._flat.release()
        return self._flat


class _Gate(NamedTuple):
    """An output of a cell: the net, the function's ternary table, the nets that it reads."""

    output: int
    table: tuple[Value, ...]
    inputs: tuple[int, ...]


@dataclass(frozen=True)
class _FlipFlop:
    name: str
    data: int
    output: int


class _FlatNetlist:
    """A netlist without its hierarchy; values spread from nets that are held."""

    def __init__(self, netlist: Netlist, top: str, technology: Technology) -> None:
        self.numbers: dict[tuple[tuple[str, ...], Bit], int] = {}
        self.known: dict[int, int] = {}
        self.driver: dict[int, _Gate] = {}
        self.readers: defaultdict[int, list[_Gate]] = defaultdict(list)
        self.flip_flops: defaultdict[int, list[_FlipFlop]] = defaultdict(list)
        self.changed: list[int] = []
        self.reached: dict[str, _FlipFlop] = {}
        self._cells = {one.name: one for one in technology.cell}
        self._registers = {one.name: one for one in technology.register if one.kind == "flip-flop"}
        self._tables: dict[str, list[tuple[str, tuple[Value, ...], tuple[str, ...]]]] = {}
        self._add(netlist, top, (), {})
        self._constant = dict(self.known)

    def release(self) -> None:
        """Forget all values but those of constants."""
        self.known = dict(self._constant)
        self.changed = list(self.known)
        self.reached = {}

    def net(self, path: tuple[str, ...], bit: Bit) -> int:
        """Return the number of a net; constants are nets of known value."""
        if isinstance(bit, str):
            path = ()
        number = self.numbers.setdefault((path, bit), len(self.numbers))
        if isinstance(bit, str) and bit in "01" and number not in self.known:
            self.hold(number, int(bit))
        return number

    def hold(self, net: int, value: int) -> None:
        """Hold a net."""
        self.known[net] = value
        self.changed.append(net)

    def _add(self, netlist: Netlist, name: str, path: tuple[str, ...], outer: dict[Bit, int]) -> None:
        nets = dict(outer)
        for one in netlist[name].instances:
            pins = {}
            for pin, bits in one.pins.items():
                for bit in bits:
                    if bit not in nets:
                        nets[bit] = self.net(path, bit)
                pins[pin] = [nets[bit] for bit in bits]
            if one.type in netlist:
                inner: dict[Bit, int] = {
                    bit: net
                    for port in netlist[one.type].ports
                    if port.name in pins
                    for bit, net in zip(port.bits, pins[port.name], strict=True)
                    if not isinstance(bit, str)
                }
                self._add(netlist, one.type, (*path, one.name), inner)
            elif one.type in self._registers:
                cell = self._registers[one.type]
                place = "/".join((*path, one.name, cell.output))
                self.flip_flops[pins[cell.data][0]].append(
                    _FlipFlop(place, pins[cell.data][0], pins[cell.output][0])
                )
            else:
                self._add_cell(one.type, pins)

    def _add_cell(self, kind: str, pins: Mapping[str, list[int]]) -> None:
        if kind not in self._tables:
            every = [self._cells[kind]] if kind in self._cells else []
            self._tables[kind] = [
                (output, _ternary(cell.table(output), len(cell.pins)), cell.pins)
                for cell in every
                for output in cell.outputs()
            ]
        for output, table, names in self._tables[kind]:
            if output in pins:
                inputs = tuple([pins[pin][0] for pin in names])
                gate = _Gate(pins[output][0], table, inputs)
                self.driver[gate.output] = gate
                for net in set(inputs):
                    self.readers[net].append(gate)

    def settle(self) -> None:
        """Spread values through gates until nothing changes; flip-flops near a known value are `reached`."""
        while self.changed:
            net = self.changed.pop()
            self._reach(net, _NEAR)
            for gate in self.readers[net]:
                value = _value(gate, self.known)
                if value is not None and gate.output not in self.known:
                    self.hold(gate.output, value)

    def _reach(self, net: int, depth: int) -> None:
        for one in self.flip_flops.get(net, ()):
            self.reached[one.name] = one
        if depth:
            for gate in self.readers[net]:
                self._reach(gate.output, depth - 1)

    def touched(self) -> Iterator[_FlipFlop]:
        """Yield the flip-flops that a known value gets near to."""
        yield from self.reached.values()

    def kept(self, one: _FlipFlop) -> Value:
        """Return the value that a flip-flop keeps, None if none or if it would keep the other as well."""
        if one.data in self.known:
            return self.known[one.data]
        stable = [value for value in (0, 1) if self._stays(one, value)]
        return stable[0] if len(stable) == 1 else None

    def _stays(self, one: _FlipFlop, value: int) -> bool:
        """Return whether a flip-flop keeps a value, whatever the nets are that few gates lie behind."""
        for depth in range(1, _DEPTH + 1):
            cone: list[_Gate] = []
            leaves = sorted(self._cone(one.data, {one.output}, depth, cone, set()))
            if len(leaves) > _LEAVES:
                return False
            if all(
                self._at(one.data, cone, {one.output: value, **dict(zip(leaves, bits, strict=True))}) == value
                for bits in product((0, 1), repeat=len(leaves))
            ):
                return True
        return False

    def _cone(self, net: int, assumed: set[int], depth: int, cone: list[_Gate], seen: set[int]) -> set[int]:
        """Return the unknown nets that a net depends on through so many gates, these in the order of data."""
        if net in assumed or net in self.known or net in seen:
            return set()
        if net not in self.driver or not depth:
            return {net}
        gate = self.driver[net]
        seen.add(net)
        leaves: set[int] = set()
        for one in gate.inputs:
            leaves |= self._cone(one, assumed, depth - 1, cone, seen)
        cone.append(gate)
        return leaves

    def _at(self, net: int, cone: list[_Gate], values: dict[int, int]) -> Value:
        known = {**values}
        for gate in cone:
            inputs = [known.get(one, self.known.get(one)) for one in gate.inputs]
            value = gate.table[_place(inputs)]
            if value is not None:
                known[gate.output] = value
        return known.get(net)


def _value(gate: _Gate, known: Mapping[int, int]) -> Value:
    return gate.table[_place([known.get(net) for net in gate.inputs])]


def _place(values: list[Value]) -> int:
    place = 0
    for value in values:
        place = 3 * place + (2 if value is None else value)
    return place


@lru_cache(maxsize=512)
def _ternary(known: int, pins: int) -> tuple[Value, ...]:
    """Return a function's value for 0, 1 and unknown on each pin, from its truth table."""
    table: list[Value] = []
    for values in product((0, 1, None), repeat=pins):
        choices = product(*((0, 1) if one is None else (one,) for one in values))
        seen = {known >> sum(bit << n for n, bit in enumerate(one)) & 1 for one in choices}
        table.append(seen.pop() if len(seen) == 1 else None)
    return tuple(table)
