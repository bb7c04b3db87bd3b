"""Whether a repaired netlist is what it was, but for buffers, copies and sizes of cells."""

from __future__ import annotations

from dataclasses import dataclass

from cipherassay.errors import ToolError
from cipherassay.hardware.libraries.technology import Technology
from cipherassay.hardware.netlists.netlist import Bit, Instance, Module, Netlist

PASSES = 0b10
"""The truth table of a buffer."""


def demand_same(before: Netlist, after: Netlist, technology: Technology) -> None:
    """Check that every cell of a netlist still gets the signals that it got, whoever brings them.

    It knows nothing of how the netlist was changed: new buffers pass a signal on, a new cell of the function
    and inputs of an old one gives the same signal, and nothing else may be new. Inputs that a function does
    not tell apart count as one set.

    Raises
    ------
    ToolError
        ``H733``: a cell is missing, new for no reason, or gets another signal; names the first one.
    """
    cells = _Cells.of(technology)
    for name, module in before.items():
        # A module that was not touched is the same object.
        wrong = None if after[name] is module else _difference(module, after[name], cells)
        if wrong:
            # A copy of one of two equal cells may have been taken for one of the other.
            wrong = _difference(module, after[name], cells, equal=True)
        if wrong:
            raise ToolError(
                "H733",
                f"timing repair changed what `{name}` does at `{wrong}`",
                help="this is an error in Cipherassay: synthesize with another strategy, and report it",
            )


@dataclass(frozen=True)
class _Cells:
    """What the technology says of its cells."""

    kinds: dict[str, object]
    """The function of each: sizes of a cell have the same."""
    outputs: dict[str, str]
    passes: dict[str, str]
    """The input of each buffer."""
    orders: dict[str, tuple[dict[str, str], ...]]
    """Per cell, the other inputs to which the net at each input may go."""

    @staticmethod
    def of(technology: Technology) -> _Cells:
        gates = {one.name: (tuple(one.outputs().items()), one.pins) for one in technology.cell}
        single = [one for one in technology.cell if len(one.pins) == 1 and one.function]
        return _Cells(
            {**gates, **{one.name: one.name for one in technology.register}},
            {name: one.output for name, one in technology.costs().items()},
            {one.name: one.pins[0] for one in single if one.table(one.output) == PASSES},
            {
                one.name: tuple(
                    {pin: one.pins[at] for pin, at in zip(one.pins, order, strict=True)}
                    for order in one.symmetries()
                )
                for one in technology.cell
            },
        )


def _difference(before: Module, after: Module, cells: _Cells, *, equal: bool = False) -> str | None:
    old = {one.name: one for one in before.instances}
    kept = {one.name: one for one in after.instances if one.name in old}
    if before.ports != after.ports or len(kept) != len(old):
        return next((name for name in old if name not in kept), "its ports")
    signals = _Signals(cells, before)
    while equal and signals.join_equal(before):
        pass
    waiting = [one for one in after.instances if one.name not in old]
    signals.unknown = {bit for one in waiting for bit in signals.given(one)}
    while waiting:
        left = [one for one in waiting if not signals.explains(one)]
        if len(left) == len(waiting):
            return left[0].name
        waiting = left
    for name, one in kept.items():
        if signals.form(one) != signals.form(old[name]) or signals.given(one) != signals.given(old[name]):
            return name
    return None


class _Signals:
    """Which net stands for which: a buffer's for the one before it, a copy's for that of the cell copied."""

    def __init__(self, cells: _Cells, module: Module) -> None:
        self.kinds, self.outputs, self.passes = cells.kinds, cells.outputs, cells.passes
        self.orders = cells.orders
        self.stands: dict[Bit, Bit] = {}
        self.unknown: set[Bit] = set()
        """Nets of new cells that are not explained yet."""
        for one in module.instances:
            if one.type in self.passes:
                self.stands[self.given(one)[0]] = one.pins[self.passes[one.type]][0]
        self.known = {self.form(one): self.given(one)[0] for one in module.instances if self.given(one)}

    def join_equal(self, module: Module) -> bool:
        """Let the nets of cells of one function and inputs stand for one signal; say whether any did not."""
        first: dict[object, Bit] = {}
        before = len(self.stands)
        for one in module.instances:
            if one.type in self.kinds and self.given(one):
                (net,) = self.given(one)
                source = first.setdefault(self.form(one), net)
                if self.signal(net) != self.signal(source):
                    self.stands[net] = source
        self.known = {self.form(one): self.given(one)[0] for one in module.instances if self.given(one)}
        return len(self.stands) > before

    def signal(self, bit: Bit) -> Bit:
        while bit in self.stands:
            bit = self.stands[bit]
        return bit

    def given(self, one: Instance) -> tuple[Bit, ...]:
        """Return the net at a cell's output; a module below has none here."""
        return one.pins.get(self.outputs.get(one.type, ""), ())

    def form(self, one: Instance) -> object:
        """Return a cell's function, or a module's name, and the signals at its pins but a cell's output."""
        output = self.outputs.get(one.type)
        given = {
            pin: tuple(self.signal(bit) for bit in bits) for pin, bits in one.pins.items() if pin != output
        }
        # Of all orders of inputs that come to the same, one stands for them.
        orders = self.orders.get(one.type, ())
        swapped = ({order[pin]: bits for pin, bits in given.items()} for order in orders)
        signals = min((sorted(each.items()) for each in (given, *swapped)), key=repr)
        return self.kinds.get(one.type, one.type), tuple(signals)

    def explains(self, one: Instance) -> bool:
        """Whether a new cell gives a signal that is known; then its net stands for that."""
        if one.type not in self.kinds:
            return False
        inputs = {bit for pin, bits in one.pins.items() if pin != self.outputs[one.type] for bit in bits}
        (net,) = self.given(one)
        source = self.known.get(self.form(one))
        if one.type in self.passes:
            source = one.pins[self.passes[one.type]][0]
        if source is None or inputs & self.unknown or net == source:
            return False
        self.stands[net] = source
        self.unknown.discard(net)
        return True
