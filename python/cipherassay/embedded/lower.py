"""From a function of bytes to code for AVR: operations selected, memory laid out, loops stepped."""

from __future__ import annotations

from cipherassay.embedded import avr, linear, memory
from cipherassay.embedded.avr_wide import wide
from cipherassay.embedded.avr_window import Window, window_store
from cipherassay.embedded.code import Byte, Code, Item, Repeated, Source
from cipherassay.embedded.memory import REACH, Nest, Pointer
from cipherassay.embedded.text_form import Affine, Function, Op, Program, extents, width
from cipherassay.errors import DescriptionError

COUNTERS = 2
"""Counters that differ by a constant which a loop keeps; of more, one is kept and the others are sums."""
PINS = {"Y": (28, 29), "X": (26, 27)}


class Lowering:
    """One function on its way to code."""

    def __init__(
        self, program: Program, function: Function, places: dict[str, str], window: Window | None = None
    ) -> None:
        self.program, self.function, self.window = program, function, window
        self.places, self.scratch = memory.objects(function, places)
        self.types = dict(function.params)
        for op in memory.every(function.ops):
            self.types |= dict(op.results)
            if op.loop is not None:
                self.types |= dict(op.loop.params)
        self.values: dict[str, Source] = {}
        self.wholes: dict[str, list[Source]] = {}
        self.select = avr.Select()
        self.nest: Nest | None = None
        self.tables: list[str] = []
        self.pinned: set[str] = set()

    def code(self) -> Code:
        """Return the function's code."""
        self.block(self.function.ops)
        reserved = {30, 31} | {r for pin in self.pinned for r in PINS[pin]}
        if self.select.multiplies:
            reserved |= {0, 1}
        items: list[Item] = self.select.out
        return Code(self.function.name, items, self.scratch, self.tables, reserved)

    def block(self, ops: list[Op]) -> None:
        """Select instructions for operations, in order."""
        for op in ops:
            method = getattr(self, f"_op_{op.kind}", None)
            if method is None:
                raise DescriptionError("E106", f"no instructions are known for `{op.kind}`")
            method(op)

    def source(self, operand: str | int) -> Source:
        """Return what stands for an operand."""
        return operand if isinstance(operand, int) else self.values[operand]

    def width(self, operand: str | int) -> int:
        """Return the width of an operand."""
        return 8 if isinstance(operand, int) else width(self.types[operand])

    def _set(self, op: Op, value: Source) -> None:
        name = op.results[0][0]
        if isinstance(value, Byte) and not value.name:
            value.name = name
        self.values[name] = value

    def _op_const(self, op: Op) -> None:
        self._set(op, self.source(op.operands[0]))

    def _binary(self, op: Op) -> None:
        a, b = (self.source(o) for o in op.operands)
        of = width(op.results[0][1])
        made = self.select.binary(op.kind, a, b)
        self._set(op, self.select.masked(made, of) if op.kind in ("add", "sub") else made)

    _op_and = _op_or = _op_xor = _op_add = _op_sub = _binary

    def _op_mul(self, op: Op) -> None:
        a, b = (self.source(o) for o in op.operands)
        self._set(op, self.select.masked(self.select.multiplied(a, b), width(op.results[0][1])))

    def _op_not(self, op: Op) -> None:
        self._set(
            op, self.select.binary("xor", self.source(op.operands[0]), (1 << width(op.results[0][1])) - 1)
        )

    def _shift(self, op: Op) -> None:
        a, by = (self.source(o) for o in op.operands)
        if not isinstance(by, int):
            raise DescriptionError(
                "E107", f"`{op.kind}` of a byte by an amount that is not known is not made yet"
            )
        self._set(op, self.select.shifted(op.kind, a, by, width(op.results[0][1])))

    _op_shl = _op_shr = _op_rotl = _op_rotr = _shift

    def _op_extract(self, op: Op) -> None:
        a = op.operands[0]
        self._set(op, self.select.field(self.source(a), op.number, width(op.results[0][1]), self.width(a)))

    def _op_zext(self, op: Op) -> None:
        self._set(op, self.source(op.operands[0]))

    def _op_concat(self, op: Op) -> None:
        if width(op.results[0][1]) > 8:
            self.wholes[op.results[0][0]] = [self.source(o) for o in op.operands]
            return
        sum_: Source = 0
        at = 0
        for o in op.operands:
            moved = self.select.shifted("shl", self.source(o), at, 8)
            sum_ = self.select.binary("or", sum_, moved)
            at += self.width(o)
        self._set(op, sum_)

    def _compare(self, op: Op) -> None:
        a, b = (self.source(o) for o in op.operands)
        self._set(op, self.select.compared(op.kind, [a], [b]))

    _op_eq = _op_ne = _op_ltu = _compare

    def _op_select(self, op: Op) -> None:
        self._set(op, self.select.chosen(*(self.source(o) for o in op.operands)))

    def _op_call(self, op: Op) -> None:
        made = wide(self.select, op.name, [self.source(o) for o in op.operands])
        for (name, _), value in zip(op.results, made, strict=True):
            self.values[name] = value

    def _op_linear(self, op: Op) -> None:
        polynomial, rows = self.program.matrices[op.name]
        steps, results = linear.plan(polynomial, tuple(map(tuple, rows)))
        values = [self.source(o) for o in op.operands]
        for kind, a, b in steps:
            if kind == "xor":
                values.append(self.select.binary("xor", values[a], values[b]))
            elif isinstance(x := values[a], int):
                values.append(linear.product(2, x, polynomial))
            else:
                values.append(self.select.doubled(x, polynomial))
        for (name, _), at in zip(op.results, results, strict=True):
            self.values[name] = 0 if at < 0 else values[at]

    # Memory.

    def _op_lookup(self, op: Op) -> None:
        _, entries = self.program.tables[op.name]
        if op.name not in self.tables:
            self.tables.append(op.name)
        affine = op.addresses[0]
        words = [v for _, v in affine.terms if width(self.types[v])]
        if not words:
            at: list[Source] = [self.counted(affine)]
        elif len(affine.terms) == 1 and affine.constant == 0:
            at = self.wholes.get(words[0]) or [self.source(words[0])]
        else:
            raise DescriptionError("E108", "a look-up whose address is a sum is not made yet")
        self._set(op, self.select.looked_up(f"table_{op.name}", at, len(entries)))

    def _op_array(self, op: Op) -> None:
        where = self.places[op.results[0][0]]
        for n, o in enumerate(op.operands):
            self._access("store", where, {}, n, self.source(o))

    def _op_load(self, op: Op) -> None:
        for n, (name, _) in enumerate(op.results):
            d = Byte(name)
            self._element("load", op, n, d)
            self.values[name] = d

    def _op_store(self, op: Op) -> None:
        if self.window and self.places[op.name] == self.window.name:
            row, *column = [
                a.constant if not a.terms else self.counted(a) for a in (op.addresses + [Affine((), 0)])[:2]
            ]
            values = [self.source(o) for o in op.operands]
            size = memory.size(self.types[op.name]) // extents(self.types[op.name])[0]
            window_store(self.select, self.window, size, row, column[0], values)
            return
        for n, o in enumerate(op.operands):
            self._element("store", op, n, self.source(o))

    def _element(self, kind: str, op: Op, n: int, value: Source) -> None:
        """Load or store byte ``n`` of what an operation loads or stores."""
        where, ty = self.places[op.name], self.types[op.name]
        if (around := memory.ring(ty, op.addresses)) is None:
            terms, constant = memory.address(ty, op.addresses)
            self._access(kind, where, terms, constant + n, value)
            return
        p = self._ring_pointer(where, around)
        first = 1 if kind == "load" else 0
        lines = [f"mov r30, {{{first}}}", f"mov r31, {{{first + 1}}}"]
        at = around[2] + n
        if kind == "load":
            self.select.emit(
                [*lines, f"ldd {{0}}, Z+{at}"], outs=[value], ins=[p.low, p.high], memory=(kind, where)
            )
        else:
            self.select.emit([*lines, f"std Z+{at}, {{2}}"], ins=[p.low, p.high, value], memory=(kind, where))

    def _ring_pointer(self, where: str, around: tuple[tuple[tuple[int, str], ...], int, int, int]) -> Pointer:
        terms, start, _, size = around
        nest = self.nest
        while nest is not None:
            for p in nest.pointers:
                if (p.key, p.base, p.ring) == ((where, terms), start, size):
                    return p
            nest = nest.outer
        raise DescriptionError("E105", "an address that wraps around depends on more than one loop")

    def _access(self, kind: str, where: str, terms: dict[str, int], constant: int, value: Source) -> None:
        words = [v for v in terms if width(self.types[v])]
        lines: list[str] = []
        ins: list[Source] = []
        first = 1 if kind == "load" else 0
        if words:
            lines, ins = self._computed(where, terms, constant, words, first)
            place = "Z"
        elif terms:
            pointer = self.pointer(where, tuple(sorted((c, v) for v, c in terms.items())), constant)
            if pointer.pin != "Y":
                ins = [] if pointer.pin else [pointer.low, pointer.high]
                lines = (
                    ["movw r30, r26"]
                    if pointer.pin
                    else [f"mov r30, {{{first}}}", f"mov r31, {{{first + 1}}}"]
                )
            if pointer.pin == "Y" or constant != pointer.base:
                place = f"{'Y' if pointer.pin == 'Y' else 'Z'}+{constant - pointer.base}"
            else:
                place = "Z"
        else:
            place = f"{where} + {constant}"
        direct = "+" in place and place[1] != "+"
        memory_ = (kind, where)
        if kind == "load":
            name = "lds" if direct else "ldd" if "+" in place else "ld"
            self.select.emit([*lines, f"{name} {{0}}, {place}"], outs=[value], ins=ins, memory=memory_)
        else:
            name = "sts" if direct else "std" if "+" in place else "st"
            number = len(ins)
            self.select.emit([*lines, f"{name} {place}, {{{number}}}"], ins=[*ins, value], memory=memory_)

    def _computed(
        self, where: str, terms: dict[str, int], constant: int, words: list[str], first: int
    ) -> tuple[list[str], list[Source]]:
        """Return how Z becomes an address that depends on data."""
        if len(terms) != 1 or len(words) != 1:
            raise DescriptionError("E109", "an address of data and a loop's index together is not made yet")
        word, stride = words[0], terms[words[0]]
        at = self.wholes.get(word) or [self.source(word)]
        lines = [f"mov r30, {{{first}}}"]
        lines += [f"mov r31, {{{first + 1}}}"] if len(at) > 1 else ["ldi r31, 0"]
        while stride > 1:
            lines += ["lsl r30", "rol r31"]
            stride //= 2
        lines += [f"subi r30, lo8(-({where} + {constant}))", f"sbci r31, hi8(-({where} + {constant}))"]
        return lines, at[:2]

    def pointer(self, where: str, terms: tuple[tuple[int, str], ...], constant: int) -> Pointer:
        """Return the pointer of an enclosing loop that reaches an address."""
        nest = self.nest
        while nest is not None:
            for p in nest.pointers:
                if not p.ring and p.key == (where, terms) and 0 <= constant - p.base < REACH:
                    return p
            nest = nest.outer
        raise DescriptionError("E110", "no loop steps through the address of an array's element")

    def counted(self, affine: Affine) -> Source:
        """Return an index as a byte."""
        if not affine.terms:
            return affine.constant & 255
        nest = self.nest
        while nest is not None and not any(v == nest.index for _, v in affine.terms):
            nest = nest.outer
        if nest is None:
            raise DescriptionError("E111", "an index that no loop counts")
        terms = tuple(sorted(affine.terms))
        if (terms, affine.constant) in nest.counters:
            return nest.counters[(terms, affine.constant)][0]
        constant, counter = next((k[1], c[0]) for k, c in nest.counters.items() if k[0] == terms)
        return self.select.binary("add", counter, (affine.constant - constant) & 255)

    def _op_word(self, op: Op) -> None:
        self._set(op, self.counted(op.addresses[0]))

    # Loops.

    def _op_rounds(self, op: Op) -> None:
        loop = op.loop
        assert loop is not None
        if loop.bodies > 1:
            raise DescriptionError(
                "E112", "a loop with several bodies reaches the back end; split or unroll it first"
            )
        nest = Nest(loop.params[0][0], self.nest)
        carried: list[tuple[Byte, Source, Source]] = []
        self._plan_counters(nest, loop.ops)
        starts = [(c, self.counted(rest)) for c, rest in self._starts(nest)]
        pinned = self._plan_pointers(nest, loop.ops)
        initial = [(p, self._start(p, nest)) for p in nest.pointers if not p.pin]
        words = [
            (p, self.source(init), out, r)
            for p, init, out, r in zip(loop.params[1:], op.operands, loop.outputs, op.results, strict=True)
            if width(p[1])
        ]
        for (name, _), _, _, _ in words:
            self.values[name] = Byte(name)
        self.nest, outside, self.select.out = nest, self.select.out, []
        self.block(loop.ops)
        for p, init, out, _ in words:
            carried.append((self.values[p[0]], init, self.source(out)))  # type: ignore[arg-type]
        results = [Byte(r[0]) for _, _, _, r in words]
        for key, start in starts:
            counter, step = nest.counters[key]
            carried.append((counter, start, self.select.binary("add", counter, step & 255)))
        for pointer, (low, high) in initial:
            ends = self._stepped(pointer, nest)
            carried += [(pointer.low, low, ends[0]), (pointer.high, high, ends[1])]
        count = Byte(f"trips of {nest.index}")
        results += [Byte() for _ in range(len(carried) - len(results))]
        stepped = [line for p in nest.pointers if p.pin for line in _pin_step(p, nest)]
        body = self.select.out
        self.select.out, self.nest = outside, nest.outer
        self.select.emit([f"ldi {{0}}, {loop.trips & 255}"], outs=[count], upper=frozenset({0}))
        made = Repeated(loop.trips, count, carried, results, body, pinned, stepped)
        self.select.out.append(made)
        for (_, _, _, r), result in zip(words, results, strict=False):
            self.values[r[0]] = result

    _op_steps = _op_rounds

    def _restricted(self, terms: tuple[tuple[int, str], ...], nest: Nest) -> tuple[tuple[int, str], ...]:
        inside = nest.indices()
        return tuple(sorted((c, v) for c, v in terms if v in inside))

    def _plan_pointers(self, nest: Nest, ops: list[Op]) -> list[str]:
        """Collect what a loop steps through; pin the pointers used most."""
        found: dict[memory.Key, list[int]] = {}
        for op in memory.every(ops):
            if op.kind not in ("load", "store") or self._in_window(op):
                continue
            if (around := memory.ring(self.types[op.name], op.addresses)) is not None:
                self._plan_ring(nest, self.places[op.name], around)
                continue
            terms, constant = memory.address(self.types[op.name], op.addresses)
            kept = self._restricted(tuple((c, v) for v, c in terms.items()), nest)
            if any(v == nest.index for _, v in kept) and not any(width(self.types[v]) for v in terms):
                count = len(op.results) if op.kind == "load" else len(op.operands)
                found.setdefault((self.places[op.name], kept), []).extend(range(constant, constant + count))
        uses: dict[int, int] = {}
        for key, constants in found.items():
            base = None
            for constant in sorted(constants):
                if base is None or constant >= base + REACH:
                    base = constant
                    nest.pointers.append(Pointer(key, base))
                    uses[id(nest.pointers[-1])] = 0
                uses[id(nest.pointers[-1])] += 1
        lines: list[str] = []
        taken = {p.pin for n in self._around(nest) for p in n.pointers}
        straight = [p for p in nest.pointers if len(p.key[1]) == 1 and not p.ring]
        for pin, p in zip(
            [x for x in PINS if x not in taken], sorted(straight, key=lambda p: -uses[id(p)]), strict=False
        ):
            p.pin = pin
            self.pinned.add(pin)
            low, high = PINS[pin]
            lines += [f"ldi r{low}, lo8({p.key[0]} + {p.base})", f"ldi r{high}, hi8({p.key[0]} + {p.base})"]
        return lines

    @staticmethod
    def _plan_ring(nest: Nest, where: str, around: tuple[tuple[tuple[int, str], ...], int, int, int]) -> None:
        terms, start, _, size = around
        known = {(p.key, p.base, p.ring) for p in nest.pointers}
        if [v for _, v in terms] == [nest.index] and ((where, terms), start, size) not in known:
            nest.pointers.append(Pointer((where, terms), start, ring=size))

    @staticmethod
    def _around(nest: Nest) -> list[Nest]:
        found = []
        outer = nest.outer
        while outer is not None:
            found.append(outer)
            outer = outer.outer
        return found

    def _start(self, p: Pointer, nest: Nest) -> tuple[Source, Source]:
        where, terms = p.key
        rest = tuple((c, v) for c, v in terms if v != nest.index)
        low, high = Byte(), Byte()
        if not rest:
            self.select.emit([f"ldi {{0}}, lo8({where} + {p.base})"], outs=[low], upper=frozenset({0}))
            self.select.emit([f"ldi {{0}}, hi8({where} + {p.base})"], outs=[high], upper=frozenset({0}))
            return low, high
        outer = self.pointer(where, rest, p.base)
        if outer.pin:
            a, b = PINS[outer.pin]
            self.select.emit([f"mov {{0}}, r{a}", f"mov {{1}}, r{b}"], outs=[low, high])
        else:
            low, high = outer.low, outer.high
        return self._moved(low, high, p.base - outer.base)

    def _moved(self, low: Byte, high: Byte, by: int) -> tuple[Byte, Byte]:
        if by == 0:
            return low, high
        a, b = Byte(), Byte()
        lines = [f"subi {{0}}, lo8({-by})", f"sbci {{1}}, hi8({-by})"]
        self.select.emit(lines, tied=[(a, low), (b, high)], upper=frozenset({0, 1}))
        return a, b

    def _stepped(self, p: Pointer, nest: Nest) -> tuple[Byte, Byte]:
        by = next(c for c, v in p.key[1] if v == nest.index)
        if not p.ring:
            return self._moved(p.low, p.high, by)
        a, b = Byte(), Byte()
        step = by % p.ring
        end = f"{p.key[0]} + {p.ring}"
        lines = [f"subi {{0}}, lo8({-step})", f"sbci {{1}}, hi8({-step})", f"ldi r30, hi8({end})"]
        lines += [f"cpi {{0}}, lo8({end})", "cpc {1}, r30", "brlo 1f"]
        lines += [f"subi {{0}}, lo8({p.ring})", f"sbci {{1}}, hi8({p.ring})", "1:"]
        self.select.emit(lines, tied=[(a, p.low), (b, p.high)], upper=frozenset({0, 1}))
        return a, b

    def _plan_counters(self, nest: Nest, ops: list[Op]) -> None:
        for op, affine in ((o, a) for o in memory.every(ops) for a in o.addresses):
            if op.kind not in ("word", "lookup") and not self._in_window(op):
                continue
            kept = self._restricted(tuple((c, v) for c, v in affine.terms), nest)
            if any(v == nest.index for _, v in kept) and not any(
                width(self.types[v]) for _, v in affine.terms
            ):
                step = next(c for c, v in kept if v == nest.index)
                nest.counters[(kept, affine.constant)] = (Byte(), step)
        for terms in {key[0] for key in nest.counters}:
            same = sorted(key for key in nest.counters if key[0] == terms)
            for key in same[1:] if len(same) > COUNTERS else []:
                del nest.counters[key]

    def _in_window(self, op: Op) -> bool:
        """Return whether an operation stores to rows of which only some are kept."""
        return self.window is not None and op.kind == "store" and self.places[op.name] == self.window.name

    def _starts(self, nest: Nest) -> list[tuple[tuple[tuple[tuple[int, str], ...], int], Affine]]:
        return [
            (key, Affine(tuple((c, v) for c, v in key[0] if v != nest.index), key[1]))
            for key in nest.counters
        ]


def _pin_step(p: Pointer, nest: Nest) -> list[str]:
    by = next(c for c, v in p.key[1] if v == nest.index)
    low, high = PINS[p.pin]
    if 0 < by < 64:
        return [f"adiw r{low}, {by}"]
    if -64 < by < 0:
        return [f"sbiw r{low}, {-by}"]
    return [f"subi r{low}, lo8({-by})", f"sbci r{high}, hi8({-by})"]
