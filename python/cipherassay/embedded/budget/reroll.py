"""Events as code again: stretches that repeat become loops, arrays keep only the rows that matter."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from cipherassay.embedded.budget import storage
from cipherassay.embedded.budget.events import Event, Flow
from cipherassay.embedded.budget.repetition import Stretch, moves, stretches
from cipherassay.embedded.budget.rewriting import Rewriter
from cipherassay.ir import INDEX, Affine, Body, Function, Loop, Operand, Operation, Type, Value


def function(made: Flow, order: list[Event], name: str) -> Function | None:
    """Return events as a function, or nothing if their order breaks what arrays hold."""
    repeated = stretches(made, order)
    rows = storage.kept_rows(made, order, moves(made, order, repeated))
    if rows is None:
        return None
    writer = Writer(made, rows)
    writer.begin(order)
    writer.write(order, repeated)
    f = made.function
    return Function(name, f.params, f.results, tuple(writer.out), tuple(map(writer.value, f.outputs)))


class Carried(NamedTuple):
    """What a loop of events carries: words by loop, place and type; the objects that it stores to."""

    words: list[tuple[int, int, Type]]
    objects: list[str]


class Writer(Rewriter):
    """Writes events: operations of the function, and iterations of its loops.

    ``carried`` says what the words are that each loop carries by now.
    """

    def __init__(self, made: Flow, rows: dict[str, int]) -> None:
        super().__init__(made, rows)
        self.carried: dict[int, list[Operand]] = {}

    def begin(self, order: list[Event]) -> None:
        """Take the function's parameters over, and make the arrays that no operation makes."""
        for p, ty in self.made.function.params:
            self.words[p] = p
            if ty.is_array:
                self.arrays[self.made.roots[p]] = p
        for root in self.rows:
            if root not in self.arrays and not self._given(order, root):
                self.arrays[root] = self.fresh(root)
                self.out.append(Operation((self.array_value(root),), "array"))

    def _given(self, order: list[Event], root: str) -> bool:
        """Return whether an object is made by an operation that gives all its cells."""
        return self.rows[root] == self.made.types[root].extents[0] and any(
            self.made.op(e).kind == "array"
            and self.made.op(e).operands
            and self.made.roots[self.made.op(e).results[0].name] == root
            for e in order
        )

    def write(self, order: list[Event], repeated: list[Stretch]) -> None:
        """Write events, repeated stretches as loops."""
        at = 0
        for s in [*repeated, Stretch(len(order), 0, 0)]:
            for event in order[at : s.start]:
                self.event(event, Affine((), event[1]))
            if s.count:
                self.loop(order, s)
            at = s.start + s.period * s.count

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

    def loop(self, order: list[Event], s: Stretch) -> None:
        """Write a repeated stretch as a loop: it carries its loops' words and the arrays it stores to."""
        period = order[s.start : s.start + s.period]
        steps = {
            order[n][0]: order[n + s.period][1] - order[n][1] for n in range(s.start, s.start + s.period)
        }
        for n in steps:
            first = next(iteration for m, iteration in period if m == n)
            (self._begin if first else self._initial)(n)
        carried = self._carried(period, steps)
        init = self._values_of(carried)
        body = self._body(period, steps, carried)
        results = tuple(Value(self.fresh("r"), ty) for _, ty in body.params[1:])
        self._define_carried(carried, results)
        loop = Loop("i", 0, 1, (0,) * s.count, (body,))
        self.out.append(Operation(results, "rounds", tuple(init), loop=loop))
        for n, iteration in order[s.start + s.period * (s.count - 1) : s.start + s.period * s.count]:
            if iteration == self.made.function.ops[n].loop.iteration_count - 1:  # type: ignore[union-attr]
                self._end(n)

    def _carried(self, period: list[Event], loops: Iterable[int]) -> Carried:
        """Return what a loop of events carries: words of loops in it, objects that it stores to."""
        words = [
            (n, k, ty)
            for n in loops
            for k, (_, ty) in enumerate(self.made.function.ops[n].results)
            if not ty.is_array
        ]
        stored = (c[0] for e in period for a in self.made.accesses[e] if a.write for c in a.cells)
        return Carried(words, list(dict.fromkeys(stored)))

    def _values_of(self, carried: Carried) -> list[Operand]:
        words: list[Operand] = [self.carried[n][k] for n, k, _ in carried.words]
        return words + [self.arrays[root] for root in carried.objects]

    def _define_carried(self, carried: Carried, values: Sequence[Value]) -> None:
        for (n, k, _), value in zip(carried.words, values, strict=False):
            self.carried[n][k] = value.name
        for root, value in zip(carried.objects, values[len(carried.words) :], strict=True):
            self.arrays[root] = value.name

    def _body(self, period: list[Event], steps: Mapping[int, int], carried: Carried) -> Body:
        """Return the body of a loop of events; ``steps``: by how much the iteration of each loop moves on."""
        index = self.fresh("iteration")
        params = [Value(index, INDEX), *(Value(self.fresh("c"), ty) for _, _, ty in carried.words)]
        params += [Value(self.fresh(root), self.type(root)) for root in carried.objects]
        self._define_carried(carried, params[1:])
        outside, self.out = self.out, []
        for event in period:
            self.event(event, Affine(((steps[event[0]], index),), event[1]))
        body = Body(tuple(params), tuple(self.out), tuple(self._values_of(carried)))
        self.out = outside
        return body
