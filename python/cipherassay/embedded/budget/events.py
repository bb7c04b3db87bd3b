"""What a function does, event by event: an operation, or an iteration of a loop; what each needs and stores.

Arrays are memory: all values that stores make from one array are one object.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from cipherassay.ir import Affine, Function, Operation, Type, walk

Event = tuple[int, int]
"""The number of an operation of the function, and the iteration (-1 if it is no loop)."""
Cell = tuple[str, int, int]
"""Object, first index, place in the row."""


@dataclass(frozen=True)
class Access:
    """Cells that are read or written at once; ``known`` if the address does not depend on data."""

    write: bool
    cells: tuple[Cell, ...]
    known: bool


@dataclass
class Flow:
    """A function as events in the order of the program."""

    function: Function
    events: list[Event]
    types: dict[str, Type]
    roots: dict[str, str]
    accesses: dict[Event, list[Access]]
    needs: dict[Event, set[Event]] = field(default_factory=dict)

    def op(self, event: Event) -> Operation:
        """Return the operation of an event."""
        return self.function.ops[event[0]]

    def written(self) -> dict[str, set[Event]]:
        """Return which events write each object."""
        found: dict[str, set[Event]] = {}
        for event, accesses in self.accesses.items():
            for a in accesses:
                if a.write:
                    for cell in a.cells:
                        found.setdefault(cell[0], set()).add(event)
        return found


def flow(function: Function) -> Flow:
    """Return the events of a function with what each needs."""
    types = function.types()
    made = Flow(function, [], types, _roots(function, types), {})
    for n, op in enumerate(function.ops):
        iterations = range(op.loop.iteration_count) if op.loop else [-1]
        for iteration in iterations:
            made.events.append((n, iteration))
            made.accesses[(n, iteration)] = list(_accesses(made, [op], iteration))
    _dependences(made)
    return made


def _roots(function: Function, types: dict[str, Type]) -> dict[str, str]:
    parent: dict[str, str] = {n: n for n, ty in types.items() if ty.is_array}

    def find(x: str) -> str:
        while parent[x] != x:
            x = parent[x]
        return x

    for op in walk(function.ops):
        if op.kind == "store":
            parent[find(op.results[0].name)] = find(op.name)
        for body in op.loop.bodies if op.loop else ():
            for r, init, p, out in zip(op.results, op.operands, body.params[1:], body.outputs, strict=True):
                if r[1].is_array:
                    for other in (init, p[0], out):
                        parent[find(str(other))] = find(r[0])
    return {n: find(n) for n in parent}


def _accesses(
    made: Flow, ops: Sequence[Operation], only: int, at: dict[str, int] | None = None
) -> Iterator[Access]:
    """Yield the accesses of operations in order; of a loop at the top only one iteration."""
    at = at if at is not None else {}
    for op in ops:
        if op.loop is not None:
            iterations = range(op.loop.iteration_count) if only < 0 else [only]
            for iteration in iterations:
                body = op.loop.body_at(iteration)
                inner = {**at, body.params[0][0]: iteration}
                yield from _accesses(made, body.ops, -1, inner)
        elif op.kind in ("index_div", "index_mod"):
            value = evaluated(op.addresses[0], at) or 0
            at[op.results[0].name] = value // op.number if op.kind == "index_div" else value % op.number
        elif op.kind in ("load", "store"):
            yield _access(made, op, at)
        elif op.kind == "array" and op.operands:
            name, ty = op.results[0]
            yield Access(True, tuple(_all(made.roots[name], ty)), known=True)


def evaluated(affine: Affine, at: dict[str, int]) -> int | None:
    """Return the value of an address, or nothing if it depends on data."""
    if any(v not in at for _, v in affine.terms):
        return None
    return affine.constant + sum(c * at[v] for c, v in affine.terms)


def _all(root: str, ty: Type) -> Iterator[Cell]:
    dims = ty.extents
    for row in range(dims[0]):
        for column in range(dims[1] if len(dims) > 1 else 1):
            yield root, row, column


def _access(made: Flow, op: Operation, at: dict[str, int]) -> Access:
    root, ty = made.roots[op.name], made.types[op.name]
    dims = ty.extents
    places = [evaluated(a, at) for a in op.addresses]
    if any(p is None for p in places):
        return Access(op.kind == "store", tuple(_all(root, ty)), known=False)
    row = places[0] % dims[0]  # type: ignore[operator]
    count = len(op.results) if op.kind == "load" else len(op.operands)
    first = (places[1] or 0) if len(places) > 1 else 0
    return Access(op.kind == "store", tuple((root, row, first + k) for k in range(count)), known=True)


def _dependences(made: Flow) -> None:
    """Note what each event needs: makers, the iteration before of carried words, writers of cells."""
    maker: dict[str, Event] = {}
    writer: dict[Cell, Event] = {}
    for event in made.events:
        n, iteration = event
        op = made.function.ops[n]
        needs: set[Event] = set()
        if op.loop is None:
            needs |= {maker[v] for v in op.reads() if v in maker}
            maker |= dict.fromkeys((r for r, _ in op.results), event)
        else:
            body = op.loop.body_at(iteration)
            needs |= {maker[v] for o in walk(body.ops) for v in o.reads() if v in maker}
            carried = any(not ty.is_array for _, ty in op.results)
            if carried and iteration:
                needs.add((n, iteration - 1))
            elif carried:
                needs |= {maker[str(o)] for o in op.operands if str(o) in maker}
            if iteration == op.loop.iteration_count - 1:
                maker |= dict.fromkeys((r for r, ty in op.results if not ty.is_array), event)
        for access in made.accesses[event]:
            needs |= {writer[c] for c in access.cells if not access.write and c in writer}
            if access.write:
                writer |= dict.fromkeys(access.cells, event)
        needs.discard(event)
        made.needs[event] = needs
    chained = {e[0] for e, needs in made.needs.items() if any(n[0] == e[0] for n in needs)}
    for n, iteration in made.events:
        if n in chained and iteration > 0:  # a recurrence goes in order
            made.needs[(n, iteration)].add((n, iteration - 1))


def on_demand(made: Flow, wanted: list[Event]) -> list[Event]:
    """Return an order in which each wanted event comes as soon as what it needs is done."""
    order: list[Event] = []
    seen: set[Event] = set()
    at = {event: n for n, event in enumerate(made.events)}
    loads = {e for e in made.events if made.op(e).kind == "load" and not made.needs[e]}
    for one in wanted:
        stack = [(one, False)]
        while stack:
            event, ready = stack.pop()
            if ready:
                order.append(event)
            elif event not in seen:
                seen.add(event)
                stack.append((event, True))
                needs = sorted(made.needs[event], key=lambda e: (e in loads, at[e]), reverse=True)
                stack += [(e, False) for e in needs if e not in seen]
    return order
