"""The trace: operations that a description performs on symbolic words, recorded as the program under
construction."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from .counter import Counter
from .limited import check_operations
from .place import frame_position, user_frames
from .value import Type, Value

CHECKED_EVERY = 100
"""Operations after which it is looked whether they are too many."""
Position = tuple[str, int, int]
"""File, line, column."""


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
        self.count = 0

    def add(self, op: Op) -> None:
        """Append an operation to the innermost open block; raises DescriptionError ``D101`` for too many."""
        self.count += 1
        if self.count % CHECKED_EVERY == 0:
            check_operations(self.count)
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


def record(op: Op) -> None:
    """Append ``op`` to the running trace with the author's place."""
    trace = current()
    if trace is None:
        raise RuntimeError("a symbolic word outside a trace")
    op.positions = positions()
    trace.add(op)
