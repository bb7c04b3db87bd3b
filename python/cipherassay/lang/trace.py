"""The trace: operations that a description performs on symbolic words, recorded as the program under
construction."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .meaning import MEANINGS, bitsliced
from .place import frame_position, target_names, user_frames

if TYPE_CHECKING:
    from .counter import Counter
    from .word import Word


@dataclass(frozen=True)
class ArrayType:
    """Width of an element in bits, and one or two extents."""

    width: int
    dims: tuple[int, ...]

    def __str__(self) -> str:
        return f"u{self.width}" + "".join(f"[{n}]" for n in self.dims)


Type = int | str | ArrayType
"""A word's width, ``"index"``, or an array type."""

Position = tuple[str, int, int]
"""File, line, column."""


@dataclass(eq=False)
class Value:
    """One SSA value; ``name`` is the author's word for it, made unique when printed."""

    type: Type
    name: str = ""


@dataclass(eq=False)
class Address:
    """Index along one dimension: counters plus a constant, plus (``dynamic``) the next word operand; ``ring``
    wraps it."""

    counter: Counter | None
    constant: int
    dynamic: bool = False
    ring: bool = False


@dataclass(eq=False)
class Op:
    """One operation: operands are words or values, ``attribute`` is what else the kind needs."""

    kind: str
    operands: list[Any]
    results: list[Value]
    attribute: Any = None
    positions: tuple[Position, ...] = ()


@dataclass(eq=False)
class Block:
    """Operations in order, with parameters and outputs."""

    params: list[Value] = field(default_factory=list)
    ops: list[Op] = field(default_factory=list)
    outputs: list[Any] = field(default_factory=list)


@dataclass(eq=False)
class Loop:
    """Attribute of a loop operation; operands of that operation are the initial values."""

    tag: str
    counter: str
    start: int
    step: int
    pattern: list[int]
    bodies: list[Block]


@dataclass(eq=False)
class Function:
    """One traced function."""

    name: str
    params: list[Value]
    block: Block
    results: list[Type] = field(default_factory=list)


class Trace:
    """The program under construction: finished functions, and the blocks that are open now."""

    def __init__(self) -> None:
        self.functions: list[Function] = []
        self.calls: dict[Any, Any] = {}
        self.blocks: list[Block] = []

    def add(self, op: Op) -> None:
        """Append an operation to the innermost open block."""
        self.blocks[-1].ops.append(op)


_current: ContextVar[Trace | None] = ContextVar("trace", default=None)


def current() -> Trace | None:
    """Return the trace that is being recorded, None in a plain run."""
    return _current.get()


@contextmanager
def tracing(trace: Trace | None) -> Iterator[None]:
    """Record into ``trace`` (None: run plainly) inside the ``with`` block."""
    token = _current.set(trace)
    try:
        yield
    finally:
        _current.reset(token)


def positions() -> tuple[Position, ...]:
    """Return the author's places of the running expression, innermost first."""
    return tuple((f.f_code.co_filename, *frame_position(f)) for f in user_frames())


def apply(kind: str, operands: Sequence[Word], widths: Sequence[int], attribute: Any = None) -> list[Word]:
    """Perform one operation on words: compute it if all operands hold numbers, else record it.

    ``widths`` are those of the results, in bits.
    """
    from .word import Word

    if all(w.value is not None for w in operands):
        known = all(w.known for w in operands)
        return [
            Word(width, value, known)
            for width, value in zip(widths, _compute(kind, operands, widths, attribute), strict=True)
        ]
    names = target_names(len(widths)) or [""] * len(widths)
    results = [Value(width, name) for width, name in zip(widths, names, strict=True)]
    record(Op(kind, list(operands), list(results), attribute))
    return [Word(width, node=value) for width, value in zip(widths, results, strict=True)]


def constant(w: Word) -> Word:
    """Return a word that holds a number as a value of the program; another word as it is."""
    from .word import Word

    if w.value is None:
        return w
    value = Value(w.width)
    record(Op("const", [], [value], w.value))
    return Word(w.width, node=value)


def record(op: Op) -> None:
    """Append ``op`` to the running trace with the author's place."""
    trace = current()
    if trace is None:
        raise RuntimeError("a symbolic word outside a trace")
    op.positions = positions()
    trace.add(op)


def _compute(kind: str, operands: Sequence[Word], widths: Sequence[int], attribute: Any) -> list[int]:
    values = [w.value or 0 for w in operands]
    if kind == "linear":
        result: list[int] = attribute.times(values)
        return result
    if kind == "bitsliced":
        return bitsliced(attribute.data, values, widths[0], len(widths))
    if kind == "lookup":
        table, address = attribute
        return [table.data[values[0] + address.constant]]
    return [MEANINGS[kind](values, [w.width for w in operands], widths[0], attribute)]
