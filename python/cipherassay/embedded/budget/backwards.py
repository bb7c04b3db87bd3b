"""A key schedule that is a recurrence, run backwards: the oldest row of an iteration from later ones.

A loop stores one row per iteration, made from rows before it. What it computed is solved for the oldest of
them: through exclusive-or, sums, rotations and complements whose other operands are known.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from cipherassay.embedded.budget.events import Flow, flow
from cipherassay.ir import Affine, Body, Function, Operand, Operation, Value

_UNDONE = {"rotl": "rotr", "rotr": "rotl", "xor": "xor"}


def with_return(schedule: Function) -> Function | None:
    """Return a key schedule that after its recurrence runs it backwards, or nothing if there is none.

    Rows are stored again with the values that they had: read in falling order, they are found made last.
    """
    made = flow(schedule)
    for n, op in enumerate(schedule.ops):
        if op.loop is None or len(op.results) != 1 or not op.results[0].type.is_array:
            continue
        undone = _undone(made, op)
        if undone is None:
            continue
        old, new = op.results[0].name, undone.results[0].name
        rest = [_reading(o, old, new) for o in schedule.ops[n + 1 :]]
        outputs = tuple(new if o == old else o for o in schedule.outputs)
        return replace(schedule, ops=(*schedule.ops[: n + 1], undone, *rest), outputs=outputs)
    return None


def _reading(op: Operation, old: str, new: str) -> Operation:
    """Return an operation that reads a new array instead of an old one."""
    loop = op.loop
    if loop is not None:
        bodies = (replace(b, ops=tuple(_reading(o, old, new) for o in b.ops)) for b in loop.bodies)
        loop = replace(loop, bodies=tuple(bodies))
    operands = tuple(new if o == old else o for o in op.operands)
    return replace(op, operands=operands, name=new if op.name == old else op.name, loop=loop)


def _undone(made: Flow, op: Operation) -> Operation | None:
    assert op.loop is not None
    bodies = []
    for k, body in enumerate(op.loop.bodies):
        undone = _body(made, body, op.loop.iteration_count, k)
        if undone is None:
            return None
        bodies.append(undone)
    loop = replace(op.loop, pattern=op.loop.pattern[::-1], bodies=tuple(bodies))
    name, ty = op.results[0]
    return Operation((Value(f"{name}.back", ty),), op.kind, (name,), loop=loop)


def _body(made: Flow, body: Body, iterations: int, number: int) -> Body | None:
    """Return a body whose ``k``-th iteration undoes iteration ``iterations - 1 - k`` of a body."""
    found = _store_and_oldest(body)
    if found is None:
        return None
    store, oldest = found
    index, array = body.params[0][0], body.params[1][0]
    suffix = f".b{number}"
    solver = _Solver(suffix, index, iterations)
    for o in body.ops:
        if o.kind == "load" and o is not oldest:
            solver.keep(o, array)
    stored = [str(o) for o in store.operands]
    if any(isinstance(o, int) for o in store.operands) or len(set(stored)) < len(stored):
        return None
    word = oldest.results[0].type
    again = tuple(Value(s, word) for s in stored)
    solver.keep(Operation(again, "load", (), array, store.addresses), array)
    unknown = [r for r, _ in oldest.results]
    solver.solve([o for o in body.ops if o.kind not in ("load", "store")])
    if any(u not in solver.known for u in unknown):
        return None
    result = f"{store.results[0].name}{suffix}"
    back = Operation(
        (Value(result, store.results[0].type),), "store", tuple(u + suffix for u in unknown),
        array + suffix, tuple(solver.turned(a) for a in oldest.addresses),
    )  # fmt: skip
    params = (Value(index + suffix, body.params[0].type), Value(array + suffix, body.params[1].type))
    return Body(params, (*solver.ops, back), (result,))


def _store_and_oldest(body: Body) -> tuple[Operation, Operation] | None:
    """Return the one store of a body that stores the newest row, and the load of the oldest row."""
    stores = [o for o in body.ops if o.kind == "store"]
    if len(stores) != 1 or len(stores[0].addresses) != 1 or any(o.loop for o in body.ops):
        return None
    index, array = body.params[0][0], body.params[1][0]
    loads = [o for o in body.ops if o.kind == "load" and o.name == array]
    places = [_offset(o, index) for o in [*loads, stores[0]]]
    if not loads or any(p is None for p in places) or places[-1] != max(places):  # type: ignore[type-var]
        return None
    oldest = loads[min(range(len(loads)), key=lambda n: places[n])]  # type: ignore[arg-type,return-value]
    return stores[0], oldest


def _offset(op: Operation, index: str) -> int | None:
    """Return the constant of the first address if it moves by one row per iteration."""
    first = op.addresses[0]
    return first.constant if first.terms == ((1, index),) and not first.ring else None


class _Solver:
    """Operations that compute what is not known from what is known."""

    def __init__(self, suffix: str, index: str, iterations: int) -> None:
        self.suffix, self.index, self.iterations = suffix, index, iterations
        self.known: set[str] = set()
        self.ops: list[Operation] = []

    def turned(self, a: Affine) -> Affine:
        """Return an address with the iteration counted from the end; names get the suffix."""
        constant = a.constant + sum(c * (self.iterations - 1) for c, v in a.terms if v == self.index)
        terms = tuple((-c if v == self.index else c, v + self.suffix) for c, v in a.terms)
        return Affine(terms, constant, a.ring)

    def _named(self, o: Operand) -> Operand:
        return o if isinstance(o, int) else o + self.suffix

    def keep(self, op: Operation, array: str) -> None:
        """Take an operation over as it stands."""
        name = op.name + self.suffix if op.name == array else op.name
        results = tuple(Value(r + self.suffix, ty) for r, ty in op.results)
        operands = tuple(self._named(o) for o in op.operands)
        addresses = tuple(self.turned(a) for a in op.addresses)
        self.ops.append(Operation(results, op.kind, operands, name, addresses, op.number))
        self.known |= {r for r, _ in op.results}

    def solve(self, ops: Iterable[Operation]) -> None:
        """Use each operation once: forwards if its operands are known, backwards if all but one."""
        left = list(ops)
        progress = True
        while progress:
            progress = False
            for op in list(left):
                read = {value for value in op.reads() if value != self.index}
                if read <= self.known:
                    if not {r for r, _ in op.results} <= self.known:
                        self.keep(op, "")
                    left.remove(op)
                    progress = True
                elif self._backwards(op, read - self.known):
                    left.remove(op)
                    progress = True

    def _backwards(self, op: Operation, unknown: set[str]) -> bool:
        if len(op.results) != 1 or op.results[0].name not in self.known or len(unknown) != 1:
            return False
        (x,) = unknown
        if op.operands.count(x) != 1:
            return False
        (result, ty), at = op.results[0], op.operands.index(x)
        others = [self._named(o) for o in op.operands if o != x]
        value: Operand = result + self.suffix
        match op.kind:
            case "xor" | "rotl" | "rotr" if op.kind == "xor" or at == 0:
                kind, operands = _UNDONE[op.kind], [value, *others]
            case "not":
                kind, operands = "not", [value]
            case "add":
                kind, operands = "sub", [value, *others]
            case "sub":
                kind, operands = ("add", [value, *others]) if at == 0 else ("sub", [*others, value])
            case _:
                return False
        self.ops.append(Operation((Value(x + self.suffix, ty),), kind, tuple(operands)))
        self.known.add(x)
        return True
