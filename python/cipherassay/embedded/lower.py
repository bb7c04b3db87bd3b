"""From a function of bytes to code: operations selected, memory laid out, loops stepped.

What a processor does its own way is abstract here: selection, addresses, pointers.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from cipherassay.embedded import factoring, linear, memory
from cipherassay.embedded.barrel import shifted_by
from cipherassay.embedded.code import Byte, Code, Item, Repeated, Source, Tables
from cipherassay.embedded.memory import Nest, Pointer
from cipherassay.embedded.selection import Selection
from cipherassay.errors import DescriptionError, Place
from cipherassay.ir import Affine, Function, Operation, Program, walk

if TYPE_CHECKING:
    from cipherassay.embedded.window import Window

COUNTERS = 2
"""Counters that differ by a constant which a loop keeps; of more, one is kept and the others are sums."""


class Lowering(ABC):
    """One function on its way to code.

    Attributes
    ----------
    reach : int
        Bytes that a displacement reaches.
    weights : Weights
        What the steps of a matrix's product cost.
    pins : dict
        Pointers that are registers for a whole loop, with their registers, the best first.
    """

    reach: int
    weights: factoring.Weights
    pins: dict[str, tuple[int, int]]
    room: tuple[int, int] = (0, 0)

    def __init__(
        self, program: Program, function: Function, places: dict[str, str], window: Window | None = None
    ) -> None:
        self.program, self.function, self.window = program, function, window
        self.places, self.scratch = memory.objects(function, places)
        self.types = function.types()
        self.values: dict[str, Source] = {}
        self.wholes: dict[str, list[Source]] = {}
        self.select = self.selection()
        self.nest: Nest | None = None
        self.tables: Tables = {}
        self.pinned: set[str] = set()

    def code(self) -> Code:
        """Return the function's code."""
        self.block(self.function.ops)
        items: list[Item] = self.select.out
        reserved = self.reserved() | {r for pin in self.pinned for r in self.pins[pin]}
        return Code(self.function.name, items, self.scratch, self.tables, reserved, self.room)

    # What a processor does its own way.

    def object_of(self, where: str) -> str:
        """Return which object a pointer to one serves."""
        return where

    def based(self, constants: list[int]) -> list[int]:
        """Return what the pointers stand for that reach all of some constants, which ascend."""
        bases: list[int] = []
        for constant in constants:
            if not bases or constant >= bases[-1] + self.reach:
                bases.append(constant)
        return bases

    @abstractmethod
    def selection(self) -> Selection:
        """Return what selects instructions for operations on bytes."""

    @abstractmethod
    def reserved(self) -> set[int]:
        """Return the registers that values cannot have, besides those of `pins`."""

    @abstractmethod
    def access(self, kind: str, where: str, terms: dict[str, int], constant: int, value: Source) -> None:
        """Load or store a byte at coefficients of values plus a constant."""

    @abstractmethod
    def around(self, kind: str, p: Pointer, where: str, at: int, value: Source) -> None:
        """Load or store a byte at a distance from a pointer that wraps around."""

    @abstractmethod
    def pin_set(self, p: Pointer) -> list[str]:
        """Return the lines that set a pinned pointer before a loop."""

    @abstractmethod
    def pin_stepped(self, p: Pointer, by: int) -> list[str]:
        """Return the lines that move a pinned pointer."""

    @abstractmethod
    def pin_copied(self, p: Pointer, low: Byte, high: Byte) -> None:
        """Copy a pinned pointer into values."""

    @abstractmethod
    def pointing(self, p: Pointer) -> tuple[Byte, Byte]:
        """Return a pointer's start, low byte and high byte."""

    @abstractmethod
    def moved(self, low: Byte, high: Byte, by: int) -> tuple[Byte, Byte]:
        """Return an address a number of bytes further."""

    @abstractmethod
    def moved_around(self, p: Pointer, step: int) -> tuple[Byte, Byte]:
        """Return a pointer that wraps around a number of bytes further."""

    # Operations.

    def block(self, ops: Sequence[Operation]) -> None:
        """Select instructions for operations, in order."""
        for op in ops:
            try:
                self._operation(op)
            except DescriptionError as error:
                if error.places:
                    raise
                places = [Place(self.program.files[n], line, column) for n, line, column in op.places]
                raise error.at(places) from None

    def _operation(self, op: Operation) -> None:
        method = getattr(self, f"_op_{op.kind}", None)
        if method is None:
            numbers = "`--straight` makes rounds without loops, whose indices are numbers"
            raise DescriptionError(
                "E106",
                f"no instructions are known for `{op.kind}`",
                help=numbers if op.kind.startswith("index_") else "",
            )
        method(op)

    def source(self, operand: str | int) -> Source:
        """Return what stands for an operand."""
        return operand if isinstance(operand, int) else self.values[operand]

    def width(self, operand: str | int) -> int:
        """Return the width of an operand."""
        return 8 if isinstance(operand, int) else self.types[operand].word_bits

    def _set(self, op: Operation, value: Source) -> None:
        name = op.results[0].name
        if isinstance(value, Byte) and not value.name:
            value.name = name
        self.values[name] = value

    def _op_const(self, op: Operation) -> None:
        self._set(op, self.source(op.operands[0]))

    def _binary(self, op: Operation) -> None:
        a, b = (self.source(o) for o in op.operands)
        of = op.results[0].type.word_bits
        made = self.select.binary(op.kind, a, b)
        self._set(op, self.select.masked(made, of) if op.kind in ("add", "sub") else made)

    _op_and = _op_or = _op_xor = _op_add = _op_sub = _binary

    def _op_mul(self, op: Operation) -> None:
        a, b = (self.source(o) for o in op.operands)
        self._set(op, self.select.masked(self.select.multiplied(a, b), op.results[0].type.word_bits))

    def _op_not(self, op: Operation) -> None:
        self._set(
            op,
            self.select.binary("xor", self.source(op.operands[0]), (1 << op.results[0].type.word_bits) - 1),
        )

    def _shift(self, op: Operation) -> None:
        a, of = self.source(op.operands[0]), op.results[0].type.word_bits
        by = self.wholes.get(str(op.operands[1])) or [self.source(op.operands[1])]
        made = shifted_by(
            self.select, op.kind, [a], by, of,
            lambda x, n: [self.select.shifted(op.kind, x[0], n, of)],
        )  # fmt: skip
        if made is None:
            raise DescriptionError(
                "E107",
                f"`{op.kind}` of {of} bits by an amount that is not known is not made yet",
                help="words of 8, 16, 32 or 64 bits are rotated by any amount",
            )
        self._set(op, made[0])

    _op_shl = _op_shr = _op_rotl = _op_rotr = _shift

    def _op_extract(self, op: Operation) -> None:
        a = op.operands[0]
        self._set(
            op, self.select.field(self.source(a), op.number, op.results[0].type.word_bits, self.width(a))
        )

    def _op_zext(self, op: Operation) -> None:
        self._set(op, self.source(op.operands[0]))

    def _op_concat(self, op: Operation) -> None:
        if op.results[0].type.word_bits > 8:
            self.wholes[op.results[0].name] = [self.source(o) for o in op.operands]
            return
        sum_: Source = 0
        at = 0
        for o in op.operands:
            moved = self.select.shifted("shl", self.source(o), at, 8)
            sum_ = self.select.binary("or", sum_, moved)
            at += self.width(o)
        self._set(op, sum_)

    def _compare(self, op: Operation) -> None:
        a, b = (self.source(o) for o in op.operands)
        self._set(op, self.select.compared(op.kind, [a], [b]))

    _op_eq = _op_ne = _op_ltu = _compare

    def _op_select(self, op: Operation) -> None:
        self._set(op, self.select.chosen(*(self.source(o) for o in op.operands)))

    def _op_call(self, op: Operation) -> None:
        made = self.select.wide(op.name, [self.source(o) for o in op.operands])
        for (name, _), value in zip(op.results, made, strict=True):
            self.values[name] = value

    def _op_linear(self, op: Operation) -> None:
        matrix = self.program.matrices[op.name]
        polynomial = matrix.polynomial
        steps, results = factoring.best(polynomial, matrix.rows, self.weights)
        values = [self.source(o) for o in op.operands]
        for kind, a, b in steps:
            if kind == "xor":
                values.append(self.select.binary("xor", values[a], values[b]))
            elif isinstance(x := values[a], int):
                factor = 2 if kind == "double" else linear.half(polynomial)
                values.append(linear.product(factor, x, polynomial))
            elif kind == "double":
                values.append(self.select.doubled(x, polynomial))
            else:
                values.append(self.select.halved(x, polynomial))
        for (name, _), at in zip(op.results, results, strict=True):
            self.values[name] = 0 if at < 0 else values[at]

    # Memory.

    def _op_lookup(self, op: Operation) -> None:
        entries = self.tables.setdefault(op.name, self.program.tables[op.name].entries)
        affine = op.addresses[0]
        words = [v for _, v in affine.terms if self.types[v].word_bits]
        if not words:
            at: list[Source] = [self.counted(affine)]
        elif len(affine.terms) == 1 and affine.constant == 0:
            at = self.wholes.get(words[0]) or [self.source(words[0])]
        else:
            raise DescriptionError(
                "E108",
                "a look-up whose address is a sum is not made yet",
                help="add in a word first, and look up at that",
            )
        self._set(op, self.select.looked_up(f"table_{op.name}", at, len(entries)))

    def _op_array(self, op: Operation) -> None:
        where = self.places[op.results[0].name]
        for n, o in enumerate(op.operands):
            self.access("store", where, {}, n, self.source(o))

    def _op_load(self, op: Operation) -> None:
        for n, (name, _) in enumerate(op.results):
            d = Byte(name)
            self._element("load", op, n, d)
            self.values[name] = d

    def _op_store(self, op: Operation) -> None:
        if self.window and self.places[op.name] == self.window.name:
            row, *column = [
                a.constant if not a.terms else self.counted(a) for a in (*op.addresses, Affine((), 0))[:2]
            ]
            values = [self.source(o) for o in op.operands]
            size = self.types[op.name].cells // self.types[op.name].extents[0]
            self.window_stored(self.window, size, row, column[0], values)
            return
        for n, o in enumerate(op.operands):
            self._element("store", op, n, self.source(o))

    def window_stored(
        self, window: Window, size: int, row: Source, column: Source, values: list[Source]
    ) -> None:
        """Store the values of a row if the window has it; only processors with budgets of RAM can."""
        raise NotImplementedError

    def _element(self, kind: str, op: Operation, n: int, value: Source) -> None:
        """Load or store byte ``n`` of what an operation loads or stores."""
        where, ty = self.places[op.name], self.types[op.name]
        if (around := memory.ring(ty, op.addresses)) is None:
            terms, constant = memory.address(ty, op.addresses)
            self.access(kind, where, terms, constant + n, value)
        else:
            self.around(kind, self._ring_pointer(where, around), where, around[2] + n, value)

    def _ring_pointer(self, where: str, around: tuple[tuple[tuple[int, str], ...], int, int, int]) -> Pointer:
        terms, start, _, size = around
        nest = self.nest
        while nest is not None:
            for p in nest.pointers:
                if (p.key, p.base, p.ring) == ((where, terms), start, size):
                    return p
            nest = nest.outer
        raise DescriptionError(
            "E105",
            "an address that wraps around depends on more than one loop",
            help="`--straight` makes code without loops, whose addresses are numbers",
        )

    def pointer(self, where: str, terms: tuple[tuple[int, str], ...], constant: int) -> Pointer:
        """Return the pointer of an enclosing loop that reaches an address."""
        nest = self.nest
        while nest is not None:
            for p in nest.pointers:
                if not p.ring and p.key == (where, terms) and 0 <= constant - p.base < self.reach:
                    return p
            nest = nest.outer
        raise AssertionError(f"no loop steps through {where} at {terms}")

    def counted(self, affine: Affine) -> Source:
        """Return an index as a byte."""
        if not affine.terms:
            return affine.constant & 255
        nest = self.nest
        while nest is not None and not any(v == nest.index for _, v in affine.terms):
            nest = nest.outer
        assert nest is not None, f"no loop counts {affine}"
        terms = tuple(sorted(affine.terms))
        if (terms, affine.constant) in nest.counters:
            return nest.counters[(terms, affine.constant)][0]
        constant, counter = next((k[1], c[0]) for k, c in nest.counters.items() if k[0] == terms)
        return self.select.binary("add", counter, (affine.constant - constant) & 255)

    def _op_word(self, op: Operation) -> None:
        self._set(op, self.counted(op.addresses[0]))

    # Loops.

    def _op_rounds(self, op: Operation) -> None:
        loop = op.loop
        assert loop is not None
        if len(loop.bodies) > 1:
            raise DescriptionError(
                "E112",
                f"the loop over `{loop.bodies[0].params[0].name}` has {len(loop.bodies)} bodies, not one",
                help="the pass `unroll:factor=period` makes them one, or `split-words` with unrolled loops",
            )
        (body,) = loop.bodies
        nest = Nest(body.params[0].name, self.nest)
        carried: list[tuple[Byte, Source, Source]] = []
        self._plan_counters(nest, body.ops)
        starts = [(c, self.counted(rest)) for c, rest in self._starts(nest)]
        pinned = self._plan_pointers(nest, body.ops)
        initial = [(p, self._start(p, nest)) for p in nest.pointers if not p.pin]
        words = [
            (p, self.source(init), out, r)
            for p, init, out, r in zip(body.params[1:], op.operands, body.outputs, op.results, strict=True)
            if p.type.word_bits
        ]
        for (name, _), _, _, _ in words:
            self.values[name] = Byte(name)
        self.nest, outside, self.select.out = nest, self.select.out, []
        self.block(body.ops)
        for p, init, out, _ in words:
            carried.append((self.values[p.name], init, self.source(out)))  # type: ignore[arg-type]
        results = [Byte(r.name) for _, _, _, r in words]
        for key, start in starts:
            counter, step = nest.counters[key]
            carried.append((counter, start, self.select.binary("add", counter, step & 255)))
        for pointer, (low, high) in initial:
            ends = self._stepped(pointer, nest)
            carried += [(pointer.low, low, ends[0]), (pointer.high, high, ends[1])]
        count = Byte(f"iterations of {nest.index}")
        results += [Byte() for _ in range(len(carried) - len(results))]
        stepped = [line for p in nest.pointers if p.pin for line in self.pin_stepped(p, _step(p, nest))]
        inside = self.select.out
        self.select.out, self.nest = outside, nest.outer
        self.select.number(count, loop.trip_count & 255)
        made = Repeated(loop.trip_count, count, carried, results, inside, pinned, stepped)
        self.select.out.append(made)
        for (_, _, _, r), result in zip(words, results, strict=False):
            self.values[r.name] = result

    _op_steps = _op_rounds

    def _restricted(self, terms: tuple[tuple[int, str], ...], nest: Nest) -> tuple[tuple[int, str], ...]:
        inside = nest.indices()
        return tuple(sorted((c, v) for c, v in terms if v in inside))

    def _plan_pointers(self, nest: Nest, ops: Iterable[Operation]) -> list[str]:
        """Collect what a loop steps through; pin the pointers used most."""
        found: dict[memory.Key, list[int]] = {}
        for op in walk(ops):
            if op.kind not in ("load", "store") or self._in_window(op):
                continue
            if (around := memory.ring(self.types[op.name], op.addresses)) is not None:
                self._plan_ring(nest, self.places[op.name], around)
                continue
            terms, constant = memory.address(self.types[op.name], op.addresses)
            kept = self._restricted(tuple((c, v) for v, c in terms.items()), nest)
            if any(v == nest.index for _, v in kept) and not any(self.types[v].word_bits for v in terms):
                count = len(op.results) if op.kind == "load" else len(op.operands)
                found.setdefault((self.object_of(self.places[op.name]), kept), []).extend(
                    range(constant, constant + count)
                )
        uses: dict[int, int] = {}
        for key, constants in found.items():
            for base in self.based(sorted(constants)):
                nest.pointers.append(Pointer(key, base))
                uses[id(nest.pointers[-1])] = sum(base <= c < base + self.reach for c in constants)
        lines: list[str] = []
        taken = {p.pin for n in self._enclosing(nest) for p in n.pointers}
        straight = [p for p in nest.pointers if len(p.key[1]) == 1 and not p.ring]
        for pin, p in zip(
            [x for x in self.pins if x not in taken],
            sorted(straight, key=lambda p: -uses[id(p)]),
            strict=False,
        ):
            p.pin = pin
            self.pinned.add(pin)
            lines += self.pin_set(p)
        return lines

    @staticmethod
    def _plan_ring(nest: Nest, where: str, around: tuple[tuple[tuple[int, str], ...], int, int, int]) -> None:
        terms, start, _, size = around
        known = {(p.key, p.base, p.ring) for p in nest.pointers}
        if [v for _, v in terms] == [nest.index] and ((where, terms), start, size) not in known:
            nest.pointers.append(Pointer((where, terms), start, ring=size))

    @staticmethod
    def _enclosing(nest: Nest) -> list[Nest]:
        found = []
        outer = nest.outer
        while outer is not None:
            found.append(outer)
            outer = outer.outer
        return found

    def _start(self, p: Pointer, nest: Nest) -> tuple[Byte, Byte]:
        where, terms = p.key
        rest = tuple((c, v) for c, v in terms if v != nest.index)
        if not rest:
            return self.pointing(p)
        low, high = Byte(), Byte()
        outer = self.pointer(where, rest, p.base)
        if outer.pin:
            self.pin_copied(outer, low, high)
        else:
            low, high = outer.low, outer.high
        return self.moved(low, high, p.base - outer.base)

    def _stepped(self, p: Pointer, nest: Nest) -> tuple[Byte, Byte]:
        by = _step(p, nest)
        return self.moved_around(p, by % p.ring) if p.ring else self.moved(p.low, p.high, by)

    def _plan_counters(self, nest: Nest, ops: Iterable[Operation]) -> None:
        for op, affine in ((o, a) for o in walk(ops) for a in o.addresses):
            if op.kind not in ("word", "lookup") and not self._in_window(op):
                continue
            kept = self._restricted(tuple((c, v) for c, v in affine.terms), nest)
            if any(v == nest.index for _, v in kept) and not any(
                self.types[v].word_bits for _, v in affine.terms
            ):
                step = next(c for c, v in kept if v == nest.index)
                nest.counters[(kept, affine.constant)] = (Byte(), step)
        for terms in {key[0] for key in nest.counters}:
            same = sorted(key for key in nest.counters if key[0] == terms)
            for key in same[1:] if len(same) > COUNTERS else []:
                del nest.counters[key]

    def _in_window(self, op: Operation) -> bool:
        """Return whether an operation stores to rows of which only some are kept."""
        return self.window is not None and op.kind == "store" and self.places[op.name] == self.window.name

    def _starts(self, nest: Nest) -> list[tuple[tuple[tuple[tuple[int, str], ...], int], Affine]]:
        return [
            (key, Affine(tuple((c, v) for c, v in key[0] if v != nest.index), key[1]))
            for key in nest.counters
        ]


def _step(p: Pointer, nest: Nest) -> int:
    return next(c for c, v in p.key[1] if v == nest.index)
