"""A key schedule and an operation as one function of key and block."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from cipherassay.ir import ADDRESSED, Body, Function, Operand, Operation, Value

SCHEDULE = "k_"
"""How names of the key schedule begin where it stands before an operation."""


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
