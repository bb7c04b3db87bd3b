"""Round keys that are a permuted copy of an array are stored where they belong at once; the array goes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from cipherassay.embedded.budget.events import Flow, evaluated, flow
from cipherassay.errors import DescriptionError
from cipherassay.ir import Affine, Body, Function, Operand, Operation, Value, walk

Places = dict[tuple[int, int], list[tuple[int, int]]]
"""Row and column of a cell that is copied, and where to."""


def without(schedule: Function) -> Function:
    """Return a key schedule without arrays of which its round keys are mere copies."""
    made = flow(schedule)
    for output in schedule.outputs:
        root = made.roots[str(output)]
        found = _copied(made, root)
        if found is not None:
            return _Direct(made, found[0], root, found[1]).function()
    return schedule


def _copied(made: Flow, root: str) -> tuple[str, Places] | None:
    """Return the array that an output copies, and where each of its cells goes."""
    loads: dict[str, tuple[str, int, int]] = {}
    for op in made.function.ops:
        if op.kind == "load" and len(op.results) == 1 and not any(a.terms for a in op.addresses):
            row, column = ([a.constant for a in op.addresses] + [0])[:2]
            loads[op.results[0].name] = made.roots[op.name], row, column
    places: Places = {}
    sources = set()
    for op in walk(made.function.ops):
        if op.kind != "store" or made.roots[op.name] != root:
            continue
        if op not in made.function.ops or any(a.terms for a in op.addresses):
            return None
        row, first = ([a.constant for a in op.addresses] + [0])[:2]
        for k, o in enumerate(op.operands):
            if o not in loads:
                return None
            source, *cell = loads[str(o)]
            sources.add(source)
            places.setdefault((cell[0], cell[1]), []).append((row, first + k))
    given = {made.roots[n] for n, ty in made.function.params if ty.is_array}
    if len(sources) != 1 or sources & (given | {root}):
        return None
    (source,) = sources
    copies = {r for r, (s, _, _) in loads.items() if s == source}
    inside = any(
        o.kind == "load" and made.roots[o.name] == source and o.results[0].name not in copies
        for o in walk(made.function.ops)
    )
    return None if inside else (source, places)


class _Direct:
    """Rewrites stores into the copied array as stores into the copy."""

    def __init__(self, made: Flow, source: str, root: str, places: Places) -> None:
        self.made, self.source, self.root, self.places = made, source, root, places
        self.names = 0

    def function(self) -> Function:
        """Return the function without the copied array."""
        f = self.made.function
        ops = tuple(self._ops([o for o in f.ops if not self._gone(o)], {}, 1))
        last = [r for o in f.ops for r, _ in o.results if self.made.roots.get(r) == self.source][-1]
        outputs: list[Operand] = [last if self.made.roots.get(str(o)) == self.root else o for o in f.outputs]
        return replace(f, ops=ops, outputs=tuple(outputs))

    def _gone(self, op: Operation) -> bool:
        if op.kind == "load" and self.made.roots[op.name] == self.source:
            return True
        return any(self.made.roots.get(r) == self.root for r, _ in op.results)

    def _typed(self, values: Sequence[Value]) -> tuple[Value, ...]:
        ty = self.made.types[self.root]
        return tuple(Value(n, ty if self.made.roots.get(n) == self.source else t) for n, t in values)

    def _ops(self, ops: Sequence[Operation], at: dict[str, int], iterations: int) -> Iterator[Operation]:
        for op in ops:
            if op.kind == "store" and self.made.roots[op.name] == self.source:
                yield from self._stores(op, at, iterations)
                continue
            loop = op.loop
            if loop is not None:
                bodies = (
                    Body(
                        self._typed(b.params),
                        tuple(self._ops(b.ops, {b.params[0].name: 0}, loop.iteration_count)),
                        b.outputs,
                    )
                    for b in loop.bodies
                )
                loop = replace(loop, bodies=tuple(bodies))
            yield replace(op, results=self._typed(op.results), loop=loop)

    def _stores(self, op: Operation, at: dict[str, int], iterations: int) -> Iterator[Operation]:
        """Yield stores of single cells at their places in the copy."""
        array = op.name
        todo: list[tuple[Operand, Affine, Affine]] = []
        for k, o in enumerate(op.operands):
            todo += [(o, *affine) for affine in self._moved(op, k, at, iterations)]
        for n, (o, row, column) in enumerate(todo):
            self.names += 1
            name = op.results[0].name if n == len(todo) - 1 else f"{op.results[0].name}.d{self.names}"
            ty = self.made.types[self.root]
            yield Operation((Value(name, ty),), "store", (o,), array, (row, column)[: len(ty.extents)])
            array = name

    def _moved(
        self, op: Operation, k: int, at: dict[str, int], iterations: int
    ) -> Iterator[tuple[Affine, Affine]]:
        """Yield rows and columns of the copy that one operand of a store goes to, in every iteration."""
        found = []
        for iteration in range(iterations):
            now = dict.fromkeys(at, iteration)
            row = evaluated(op.addresses[0], now) or 0
            column = (evaluated(op.addresses[1], now) or 0) if len(op.addresses) > 1 else 0
            found.append(self.places.get((row, column + k), []))
        for n in range(len(found[0])):
            yield _fitted([f[n][0] for f in found], at), _fitted([f[n][1] for f in found], at)


def _fitted(values: list[int], at: dict[str, int]) -> Affine:
    """Return the address that has these values in the iterations."""
    step = values[1] - values[0] if len(values) > 1 else 0
    if any(v != values[0] + n * step for n, v in enumerate(values)):
        raise DescriptionError(
            "E156",
            "code within a budget of RAM has no way yet for round keys that are uneven copies",
            help="`assay emit asm` without --ram takes it",
        )
    return Affine(tuple((step, v) for v in at if step), values[0])
