"""Events of one step as a function: words of earlier steps are loaded, those for later ones stored."""

from __future__ import annotations

from dataclasses import dataclass, replace

from cipherassay.embedded.budget.events import Event, Flow
from cipherassay.embedded.budget.repetition import stretches
from cipherassay.embedded.budget.reroll import Writer
from cipherassay.ir import Affine, Function, Operand, Operation, Type, Value

Key = tuple[str, int, int] | tuple[str, str]
"""A word between groups: ``("c", loop, place)`` of a carried one, ``("w", name)`` of another."""
_BYTE = Type(8)


@dataclass(frozen=True)
class Window:
    """Rows of an array that are at hand: ``order`` gives each row's number, ``rows`` how many are kept."""

    root: str
    order: tuple[int, ...]
    rows: int


class StepWriter(Writer):
    """Writes the events of one step: words from before are loaded, those for later stored."""

    def __init__(
        self, made: Flow, rows: dict[str, int], events: list[Event], window: Window | None, owned: set[str]
    ) -> None:
        super().__init__(made, rows)
        self.events, self.window, self.owned = events, window, owned
        self.reads: dict[Key, str] = {}
        self.makes: dict[Key, tuple[Operand, Type]] = {}
        self.counts: dict[str, int] = {}
        self.bases: dict[str, str] = {}
        self.given_row: dict[str, tuple[str, int]] = {}  # the number's name, and what it is
        self.index_of: dict[str, int] = {}
        self.params: dict[str, str] = {}
        self.changed: list[str] = []
        self.objects: tuple[list[str], list[str]] = ([], [])
        self.keys = self._keys()
        self.first = self._first()

    def _keys(self) -> dict[str, tuple[Key, Type]]:
        """Return the key and type of every word of the function's own level."""
        keys: dict[str, tuple[Key, Type]] = {}
        for n, op in enumerate(self.made.function.ops):
            for k, (r, ty) in enumerate(op.results):
                keys[r] = (("c", n, k) if op.loop else ("w", r)), ty
        return keys

    def _first(self) -> int:
        if self.window is None:
            return -1
        read = [
            self.window.order[c[1]]
            for e in self.events
            for a in self.made.accesses[e]
            for c in a.cells
            if c[0] == self.window.root
        ]
        return min(read, default=-1)

    def give_rows(self) -> None:
        """Let rows of objects of which some are kept count from a number, if only iterations read them."""
        if any(iteration < 0 for _, iteration in self.events):
            return
        numbers = list(dict.fromkeys(self.made.roots.values()))
        read: dict[str, list[int]] = {}
        for e in self.events:
            for a in self.made.accesses[e]:
                root, row, _ = a.cells[0]
                if self.rows[root] != self.made.types[root].extents[0]:
                    read.setdefault(root, []).append(row % self.rows[root])
        for root, rows in read.items():
            self.given_row[root] = f"row{numbers.index(root)}", min(rows)

    # Reading.

    def operand(self, o: Operand) -> Operand:
        """Return what stands for an operand; a word from an earlier group is loaded."""
        if isinstance(o, str) and o not in self.words and o in self.keys:
            key, _ = self.keys[o]
            self.words[o] = self.reads.setdefault(key, self.fresh("s"))
        return super().operand(o)

    def array(self, root: str) -> None:
        """Make an array that is given to the group a parameter."""
        if root not in self.arrays:
            self.arrays[root] = f"m{list(dict.fromkeys(self.made.roots.values())).index(root)}"
            self.params[root] = self.arrays[root]

    def type(self, root: str) -> Type:
        """Return the type of what is kept of an object, of the window its rows."""
        if self.window and root == self.window.root:
            return self.made.types[root].with_rows(self.window.rows)
        if root in self.given_row:  # any row that a byte counts is allowed, but only those kept are meant
            return self.made.types[root].with_rows(256 + self.rows[root])
        return super().type(root)

    def write_step(self, began: set[int]) -> None:
        """Write the events; ``began`` are loops of which iterations came before."""
        self.began = began
        for root in dict.fromkeys(c[0] for e in self.events for a in self.made.accesses[e] for c in a.cells):
            if self._own(root):
                self.arrays[root] = self.fresh("a")
                self.out.append(Operation((self.array_value(root),), "array"))
            elif not self._given(self.events, root):
                self.array(root)
        before = dict(self.arrays)
        self.write(self.events, stretches(self.made, self.events))
        self.changed = [r for r, a in self.arrays.items() if a != before.get(r) and not self._own(r)]
        self._note_words()

    def _note_words(self) -> None:
        """Note what the step makes: carried words of loops as its last iterations leave them, other words."""
        for n in {n for n, iteration in self.events if iteration >= 0}:
            for k, (_, ty) in enumerate(self.made.function.ops[n].results):
                if not ty.is_array:
                    self.makes[("c", n, k)] = (self.carried[n][k], ty)
        for n, iteration in self.events:
            if iteration < 0:
                for r, ty in self.made.function.ops[n].results:
                    if not ty.is_array:
                        self.makes[("w", r)] = (self.words[r], ty)

    def _own(self, root: str) -> bool:
        """Return whether what the group reads of an object was written in it, and nobody later reads it."""
        return root in self.owned

    def _begin(self, n: int) -> None:
        if n in self.carried:
            return
        if n not in self.began:
            super()._begin(n)
            return
        self.carried[n] = [
            0 if ty.is_array else self.reads.setdefault(("c", n, k), self.fresh("s"))
            for k, (_, ty) in enumerate(self.made.function.ops[n].results)
        ]

    def event(self, event: Event, iteration: Affine) -> None:
        """Write one event, and remember which loop its index counts."""
        n, _ = event
        op = self.made.function.ops[n]
        if op.loop is not None:
            for body in op.loop.bodies:
                self.index_of[body.params[0][0]] = n
        super().event(event, iteration)

    def op(self, op: Operation) -> None:
        """Write one operation; a word that counts iterations counts from a number in memory."""
        if op.kind != "word" or not any(v in self.index_of for _, v in op.addresses[0].terms):
            super().op(op)
            return
        c, v = next((c, v) for c, v in op.addresses[0].terms if v in self.index_of)
        n = self.index_of[v]
        given = f"count{n}"
        base = self.counts.setdefault(given, min(t for m, t in self.events if m == n))
        if given not in self.bases:
            self.bases[given] = self.fresh("n")
        a = self.affine(op.addresses[0])
        a = Affine(a.terms, a.constant - c * base)
        (name, ty) = op.results[0]
        start = self._widened(self.bases[given], ty, c)
        if a.terms or a.constant:
            moved = self.fresh("m")
            added = Value(moved, ty)
            self.out.append(Operation((added,), "word", addresses=(a,)) if a.terms else _constant(added, a))
            sum_ = self.fresh(name)
            self.out.append(Operation((Value(sum_, ty),), "add", (start, moved)))
            start = sum_
        self.words[name] = start

    def _widened(self, base: str, ty: Type, factor: int) -> str:
        """Return the number of iterations as a word."""
        if ty.word_bits > 8:
            wide = self.fresh("z")
            self.out.append(Operation((Value(wide, ty),), "zext", (base,)))
            base = wide
        if factor != 1:
            product = self.fresh("z")
            number = factor & ((1 << ty.bits) - 1)
            self.out.append(Operation((Value(product, ty),), "mul", (base, number)))
            base = product
        return base

    def _access(self, op: Operation) -> None:
        root = self.made.roots[op.name]
        if not self.window or root != self.window.root:
            super()._access(op)
            self.out[-1] = self._count_row(self.out[-1], root)
            return
        addresses = [self.affine(a) for a in op.addresses]
        row = addresses[0]
        place = self.window.order[row.constant] - self.first
        results = self._results(op)
        self._define(op, results)
        window = (Affine(row.terms, place), *addresses[1:])
        self.out.append(Operation(results, "load", (), self.arrays[root], window))

    def _count_row(self, made: Operation, root: str) -> Operation:
        """Count the row of an access from the number that the group is given."""
        row = made.addresses[0]
        if root not in self.given_row or row.terms:
            return made
        given, first = self.given_row[root]
        self.counts[given] = first
        if given not in self.bases:
            self.bases[given] = self.fresh("n")
        rest = Affine(((1, self.bases[given]),), row.constant - first)
        return replace(made, addresses=(rest, *made.addresses[1:]))

    # The function.

    def function(self, places: dict[Key, int], state: int, later: set[Key]) -> Function:
        """Return the group as a function of memory."""
        ty = Type(8, (state,))
        stored = {k: v for k, v in self.makes.items() if k in places and k in later}
        params, head = self._given_words(places, ty)
        tail, at = self._kept_words(stored, places, ty)
        inside = [n if n[0] != "m" else next(r for r, a in self.params.items() if a == n) for n, _ in params]
        self.objects = (inside, [*(["state"] if stored else []), *self.changed])
        outputs: list[Operand] = [*([at] if stored else []), *(self.arrays[root] for root in self.changed)]
        results = [*([ty] if stored else []), *(self.type(root) for root in self.changed)]
        ops = (*head, *self.out, *tail)
        return Function("f", tuple(params), tuple(results), ops, tuple(outputs))

    def _given_words(self, places: dict[Key, int], ty: Type) -> tuple[list[Value], list[Operation]]:
        """Return the parameters, and operations that load words of earlier steps, numbers and rows."""
        params: list[Value] = [Value("state", ty)] if self.reads else []
        head: list[Operation] = []
        for key, name in self.reads.items():
            head += _loaded(name, self._width(key), places[key])
        for given, name in self.bases.items():
            params.append(Value(given, Type(8, (1,))))
            head.append(_byte(name, given, 0))
        return [*params, *(Value(name, self.type(root)) for root, name in self.params.items())], head

    def _kept_words(
        self, stored: dict[Key, tuple[Operand, Type]], places: dict[Key, int], ty: Type
    ) -> tuple[list[Operation], str]:
        """Return operations that store words for later steps, and the name of the array after them."""
        at, tail = "state", []
        if stored and not self.reads:
            at = "state.0"
            tail.append(Operation((Value(at, ty),), "array"))
        for n, (key, (value, word)) in enumerate(stored.items()):
            new, at = _stored(f"{n}", value, word, places[key], Value(at, ty))
            tail += new
        return tail, at

    def _width(self, key: Key) -> int:
        if key[0] == "c":
            return self.made.function.ops[key[1]].results[key[2]][1].word_bits  # type: ignore[index,misc]
        return self.made.types[key[1]].word_bits  # type: ignore[index]


def _constant(value: Value, a: Affine) -> Operation:
    return Operation((value,), "const", (a.constant & ((1 << value.type.bits) - 1),))


def _byte(name: str, array: str, at: int) -> Operation:
    return Operation((Value(name, _BYTE),), "load", (), array, (Affine((), at),))


def _loaded(name: str, bits: int, at: int) -> list[Operation]:
    """Return operations that load a word from bytes."""
    if bits == 8:
        return [_byte(name, "state", at)]
    parts = tuple(f"{name}.{k}" for k in range(bits // 8))
    ops = [_byte(part, "state", at + k) for k, part in enumerate(parts)]
    return [*ops, Operation((Value(name, Type(bits)),), "concat", parts)]


def _stored(n: str, value: Operand, word: Type, at: int, array: Value) -> tuple[list[Operation], str]:
    """Return operations that store a word as bytes, and the array's new name."""
    ops: list[Operation] = []
    name = array.name
    for k in range(word.bits // 8):
        part: Operand = f"t{n}.{k}"
        if isinstance(value, int):
            part = value >> 8 * k & 255
        elif word.bits == 8:
            part = value
        else:
            ops.append(Operation((Value(str(part), _BYTE),), "extract", (value,), number=8 * k))
        new = f"state.{n}.{k}"
        ops.append(Operation((Value(new, array.type),), "store", (part,), name, (Affine((), at + k),)))
        name = new
    return ops, name
