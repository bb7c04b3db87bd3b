"""Events as code again: stretches that repeat become loops, arrays keep only the rows that matter."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from cipherassay.embedded.budget import storage
from cipherassay.embedded.budget.events import Event, Flow
from cipherassay.ir import ADDRESSED, INDEX, Affine, Body, Function, Loop, Operand, Operation, Type, Value

SCHEDULE = "k_"
"""How names of the key schedule begin where it stands before an operation."""


@dataclass(frozen=True)
class Stretch:
    """Events from ``start``: ``period`` of them, ``count`` times."""

    start: int
    period: int
    count: int


def stretches(made: Flow, order: list[Event], start: int = 0) -> list[Stretch]:
    """Return repeated stretches, those that save most code first taken, in the order of the events."""
    best: tuple[int, int] = (0, 0)
    found: Stretch | None = None
    weights = [_weight(made, e) for e in order]
    for period in range(1, len(order) // 2 + 1):
        run = 0
        for n in range(len(order) - period + 1):
            if n + period < len(order) and _same(made, order, n, period):
                run += 1
                continue
            count = run // period + 1
            if count > 1:
                first = n - run
                saved = sum(weights[first + period : first + count * period])
                if _steady(made, order, first, period, count) and (saved, -period) > best:
                    best, found = (saved, -period), Stretch(start + first, period, count)
            run = 0
    if found is None:
        return []
    first, end = found.start - start, found.start - start + found.period * found.count
    return [*stretches(made, order[:first], start), found, *stretches(made, order[end:], start + end)]


def _weight(made: Flow, event: Event) -> int:
    op = made.op(event)
    return len(op.loop.body_at(event[1]).ops) if op.loop else 1


def _same(made: Flow, order: list[Event], n: int, period: int) -> bool:
    """Return whether an event and the one a period later run the same body."""
    a, b = order[n], order[n + period]
    op = made.op(a)
    return a[0] == b[0] and op.loop is not None and op.loop.pattern[a[1]] == op.loop.pattern[b[1]]


def _steady(made: Flow, order: list[Event], first: int, period: int, count: int) -> bool:
    """Return whether the iterations of each loop move on by one number from period to period."""
    for loop in {order[n][0] for n in range(first, first + period)}:
        steps = {
            order[n + period][1] - order[n][1]
            for n in range(first, first + (count - 1) * period)
            if order[n][0] == loop
        }
        if len(steps) != 1:
            return False
    return True


def function(made: Flow, order: list[Event], name: str) -> Function | None:
    """Return events as a function, or nothing if their order breaks what arrays hold."""
    repeated = stretches(made, order)
    rows = storage.kept_rows(made, order, _moves(made, order, repeated))
    return None if rows is None else Writer(made, rows).function(order, repeated, name)


def _moves(made: Flow, order: list[Event], repeated: list[Stretch]) -> dict[str, list[int]]:
    """Return by how many rows the addresses of each object move from period to period."""
    found: dict[str, list[int]] = {}
    for s in repeated:
        for n in range(s.start, s.start + s.period):
            here, later = order[n], order[n + s.period]
            for a, b in zip(made.accesses[here], made.accesses[later], strict=True):
                if a.known:
                    found.setdefault(a.cells[0][0], []).append(b.cells[0][1] - a.cells[0][1])
    return found


class Writer:
    """Writes events as operations with new names."""

    def __init__(self, made: Flow, rows: dict[str, int]) -> None:
        self.made, self.rows = made, rows
        self.out: list[Operation] = []
        self.words: dict[str, Operand] = {}
        self.indices: dict[str, Affine] = {}
        self.arrays: dict[str, str] = {}
        self.carried: dict[int, list[Operand]] = {}
        self.given: set[str] = set()  # objects that one operation has made with all their cells
        self.names = 0

    def fresh(self, old: str) -> str:
        """Return a new name that begins as an old one."""
        self.names += 1
        return f"{old.split('.')[0]}.{self.names}"

    def function(self, order: list[Event], repeated: list[Stretch], name: str) -> Function:
        """Return the events as a function."""
        f = self.made.function
        for p, ty in f.params:
            self.words[p] = p
            if ty.is_array:
                self.arrays[self.made.roots[p]] = p
        for root in self.rows:
            if root not in self.arrays and not self._given(order, root):
                self.arrays[root] = self.fresh(root)
                self.out.append(Operation((self.array_value(root),), "array"))
        at = 0
        for s in [*repeated, Stretch(len(order), 0, 0)]:
            for event in order[at : s.start]:
                self.event(event, Affine((), event[1]))
            if s.count:
                self.loop(order, s)
            at = s.start + s.period * s.count
        outputs: list[Operand] = [
            self.arrays[self.made.roots[str(o)]] if str(o) in self.made.roots else self.operand(o)
            for o in f.outputs
        ]
        return Function(name, f.params, f.results, tuple(self.out), tuple(outputs))

    def _given(self, order: list[Event], root: str) -> bool:
        """Return whether an object is made by an operation that gives all its cells."""
        return self.rows[root] == self.made.types[root].extents[0] and any(
            self.made.op(e).kind == "array"
            and self.made.op(e).operands
            and self.made.roots[self.made.op(e).results[0].name] == root
            for e in order
        )

    def type(self, root: str) -> Type:
        """Return the type of what is kept of an object."""
        return self.made.types[root].with_rows(self.rows[root])

    def array_value(self, root: str) -> Value:
        """Return the newest value of an object."""
        return Value(self.arrays[root], self.type(root))

    def operand(self, o: Operand) -> Operand:
        """Return what stands for an operand."""
        return o if isinstance(o, int) else self.words[o]

    # One event.

    def event(self, event: Event, iteration: Affine) -> None:
        """Write one event; an iteration's number may depend on a new loop's index."""
        n, at = event
        op = self.made.function.ops[n]
        if op.loop is None:
            self.op(op)
            return
        if at or iteration.terms:
            self._begin(n)
        else:
            self._initial(n)
        body = op.loop.body_at(at)
        self.indices[body.params[0][0]] = iteration
        for (p, ty), value in zip(body.params[1:], self.carried[n], strict=True):
            if not ty.is_array:
                self.words[p] = value
        for inner in body.ops:
            self.op(inner)
        self.carried[n] = [0 if o in self.made.roots else self.operand(o) for o in body.outputs]
        if at == op.loop.iteration_count - 1:
            self._end(n)

    def _begin(self, n: int) -> None:
        if n not in self.carried:
            self._initial(n)

    def _initial(self, n: int) -> None:
        """Begin a loop, or begin it again."""
        op = self.made.function.ops[n]
        self.carried[n] = [0 if o in self.made.roots else self.operand(o) for o in op.operands]

    def _end(self, n: int) -> None:
        for (r, ty), value in zip(self.made.function.ops[n].results, self.carried[n], strict=True):
            if not ty.is_array:
                self.words[r] = value

    def op(self, op: Operation) -> None:
        """Write one operation."""
        if op.loop is not None:
            self.nested(op)
        elif op.kind in ("index_div", "index_mod"):
            self._index(op)
        elif op.kind in ("load", "store"):
            self._access(op)
        elif op.kind == "array":
            self._array(op)
        else:
            results = self._results(op)
            operands = tuple(self.operand(o) for o in op.operands)
            addresses = tuple(self.affine(a) for a in op.addresses)
            self._define(op, results)
            self.out.append(Operation(results, op.kind, operands, op.name, addresses, op.number))

    def _results(self, op: Operation) -> tuple[Value, ...]:
        return tuple(Value(self.fresh(name), ty) for name, ty in op.results)

    def _define(self, op: Operation, results: Sequence[Value]) -> None:
        self.words |= {old: new for (old, _), (new, _) in zip(op.results, results, strict=True)}

    def affine(self, a: Affine) -> Affine:
        """Return an address in the new indices."""
        terms: dict[str, int] = {}
        constant = a.constant
        for c, v in a.terms:
            if v not in self.indices:
                word = self.operand(v)
                if isinstance(word, int):
                    constant += c * word
                else:
                    terms[word] = terms.get(word, 0) + c
                continue
            constant += c * self.indices[v].constant
            for k, w in self.indices[v].terms:
                terms[w] = terms.get(w, 0) + c * k
        return Affine(tuple((c, v) for v, c in terms.items() if c), constant, a.ring)

    def _index(self, op: Operation) -> None:
        a = self.affine(op.addresses[0])
        name, n = op.results[0].name, op.number
        if all(c % n == 0 for c, _ in a.terms):
            if op.kind == "index_div":
                self.indices[name] = Affine(tuple((c // n, v) for c, v in a.terms), a.constant // n)
            else:
                self.indices[name] = Affine((), a.constant % n)
            return
        new = self.fresh(name)
        self.indices[name] = Affine(((1, new),), 0)
        self.out.append(Operation((Value(new, INDEX),), op.kind, addresses=(a,), number=n))

    def _access(self, op: Operation) -> None:
        root = self.made.roots[op.name]
        addresses = [self.affine(a) for a in op.addresses]
        rows = self.rows[root]
        first = addresses[0]
        if rows != self.made.types[root].extents[0]:
            if all(c % rows == 0 for c, _ in first.terms):
                first = Affine((), first.constant % rows)
            else:
                first = Affine(first.terms, first.constant % rows, ring=True)
        operands, array = tuple(self.operand(o) for o in op.operands), self.arrays[root]
        if op.kind == "load":
            results = self._results(op)
            self._define(op, results)
        else:
            self.arrays[root] = self.fresh(root)
            results = (self.array_value(root),)
        self.out.append(Operation(results, op.kind, operands, array, (first, *addresses[1:])))

    def _array(self, op: Operation) -> None:
        root = self.made.roots[op.results[0].name]
        if not op.operands:
            return
        given = tuple(self.operand(o) for o in op.operands)
        if root not in self.given and self.rows[root] == self.made.types[root].extents[0]:
            self.given.add(root)
            self.arrays[root] = self.fresh(root)
            self.out.append(Operation((self.array_value(root),), "array", given))
            return
        dims = self.made.types[root].extents
        row = len(given) // dims[0]
        for n in range(dims[0]):
            old, self.arrays[root] = self.arrays[root], self.fresh(root)
            words, place = given[n * row : n * row + row], Affine((), n % self.rows[root])
            self.out.append(Operation((self.array_value(root),), "store", words, old, (place,)))

    # Loops.

    def nested(self, op: Operation) -> None:
        """Write a loop inside an iteration as it stands."""
        assert op.loop is not None
        init = tuple(self._value(o) for o in op.operands)
        bodies = []
        outside = self.out
        before = dict(self.arrays)
        for body in op.loop.bodies:
            self.arrays, self.out = dict(before), []
            index = self.fresh(body.params[0][0])
            self.indices[body.params[0][0]] = Affine(((1, index),), 0)
            params = [Value(index, INDEX)]
            for p, ty in body.params[1:]:
                params.append(Value(self.fresh(p), self.type(self.made.roots[p]) if ty.is_array else ty))
                if ty.is_array:
                    self.arrays[self.made.roots[p]] = params[-1][0]
                else:
                    self.words[p] = params[-1][0]
            for inner in body.ops:
                self.op(inner)
            outputs = tuple(self._value(o) for o in body.outputs)
            bodies.append(Body(tuple(params), tuple(self.out), outputs))
        self.arrays, self.out = before, outside
        results = []
        for r, ty in op.results:
            results.append(Value(self.fresh(r), self.type(self.made.roots[r]) if ty.is_array else ty))
            if ty.is_array:
                self.arrays[self.made.roots[r]] = results[-1][0]
            else:
                self.words[r] = results[-1][0]
        loop = replace(op.loop, bodies=tuple(bodies))
        self.out.append(Operation(tuple(results), op.kind, init, loop=loop))

    def _value(self, o: Operand) -> Operand:
        return self.arrays[self.made.roots[o]] if o in self.made.roots else self.operand(o)

    def loop(self, order: list[Event], s: Stretch) -> None:
        """Write a repeated stretch as a loop: it carries its loops' words and the arrays it stores to."""
        period = order[s.start : s.start + s.period]
        steps = {
            order[n][0]: order[n + s.period][1] - order[n][1] for n in range(s.start, s.start + s.period)
        }
        loops = list(steps)
        for n in loops:
            first = next(iteration for m, iteration in period if m == n)
            (self._begin if first else self._initial)(n)
        slots = [
            (n, k, ty)
            for n in loops
            for k, (_, ty) in enumerate(self.made.function.ops[n].results)
            if not ty.is_array
        ]
        stored = list(
            dict.fromkeys(c[0] for e in period for a in self.made.accesses[e] if a.write for c in a.cells)
        )
        init: list[Operand] = [self.carried[n][k] for n, k, _ in slots] + [self.arrays[r] for r in stored]
        index = self.fresh("iteration")
        params = [Value(index, INDEX), *(Value(self.fresh("c"), ty) for _, _, ty in slots)]
        params += [Value(self.fresh(r), self.type(r)) for r in stored]
        for (n, k, _), (p, _) in zip(slots, params[1:], strict=False):
            self.carried[n][k] = p
        for root, (p, _) in zip(stored, params[1 + len(slots) :], strict=True):
            self.arrays[root] = p
        outside, self.out = self.out, []
        for event in period:
            self.event(event, Affine(((steps[event[0]], index),), event[1]))
        outputs = [self.carried[n][k] for n, k, _ in slots] + [self.arrays[r] for r in stored]
        body = Body(tuple(params), tuple(self.out), tuple(outputs))
        results = tuple(Value(self.fresh("r"), ty) for _, ty in params[1:])
        loop = Loop("i", 0, 1, (0,) * s.count, (body,))
        self.out = [*outside, Operation(results, "rounds", tuple(init), loop=loop)]
        for (n, k, _), (r, _) in zip(slots, results, strict=False):
            self.carried[n][k] = r
        for root, (r, _) in zip(stored, results[len(slots) :], strict=True):
            self.arrays[root] = r
        for n, iteration in order[s.start + s.period * (s.count - 1) : s.start + s.period * s.count]:
            if iteration == self.made.function.ops[n].loop.iteration_count - 1:  # type: ignore[union-attr]
                self._end(n)


def composed(schedule: Function, data: Function) -> Function:
    """Return one function of key and block: the key schedule, then an operation on its results."""
    a, b = _prefixed(schedule, SCHEDULE), _prefixed(data, "d_")
    given = {p: str(o) for (p, _), o in zip(b.params[:-1], a.outputs, strict=True)}
    return Function(
        data.name,
        (*a.params, b.params[-1]),
        b.results,
        (*a.ops, *_renamed(b.ops, lambda v: given.get(v, v))),
        tuple(given.get(str(o), o) for o in b.outputs),
    )


def _prefixed(f: Function, prefix: str) -> Function:
    def new(v: str) -> str:
        return prefix + v

    return Function(
        f.name,
        tuple(Value(new(p), ty) for p, ty in f.params),
        f.results,
        _renamed(f.ops, new),
        tuple(new(o) if isinstance(o, str) else o for o in f.outputs),
    )


def _renamed(ops: Sequence[Operation], new: Callable[[str], str]) -> tuple[Operation, ...]:
    def values(operands: Sequence[Operand]) -> tuple[Operand, ...]:
        return tuple(new(o) if isinstance(o, str) else o for o in operands)

    def definitions(defined: Sequence[Value]) -> tuple[Value, ...]:
        return tuple(Value(new(name), ty) for name, ty in defined)

    def renamed(op: Operation) -> Operation:
        sums = (replace(a, terms=tuple((c, new(v)) for c, v in a.terms)) for a in op.addresses)
        bodies = (
            Body(definitions(b.params), _renamed(b.ops, new), values(b.outputs))
            for b in (op.loop.bodies if op.loop else ())
        )
        return replace(
            op,
            results=definitions(op.results),
            operands=values(op.operands),
            name=new(op.name) if op.kind in ADDRESSED else op.name,
            addresses=tuple(sums),
            loop=op.loop and replace(op.loop, bodies=tuple(bodies)),
        )

    return tuple(map(renamed, ops))
