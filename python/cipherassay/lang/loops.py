"""Loops that stay loops: ``for i in rounds(1, 21)``.

In a plain run the loop counts. In a trace its iterator reads and sets the local variables of the function
that holds the loop: words and arrays that change become carried values, and the body runs once for each class
of iterations that it treats alike.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import FrameType
from typing import Any

from .arrays import Array
from .counter import Counter, Iterations
from .current import current_run
from .frame import read_locals, write_locals
from .place import complain, here, running
from .sharing import Body, Holders, Start, unused_places
from .state import Containers, MissingValue, Path, apart, containers, leaves, restore, structure
from .trace import Block, Loop, Op, Trace, current, record
from .value import Value
from .word import Word

MAX_BODIES = 16
_GENERATOR_FLAGS = 0x20 | 0x80 | 0x200


class rounds:
    """Rounds of a cipher or of its key schedule: ``rounds(20)``, ``rounds(1, 21)``, ``rounds(15, -1, -1)``.

    Only as the range of a plain ``for`` statement. The bounds are Python numbers; the counter is a
    :class:`Counter`.
    """

    tag = "rounds"

    def __init__(self, start: int, stop: int | None = None, step: int = 1) -> None:
        first, last = (0, start) if stop is None else (start, stop)
        for bound in (first, last, step):
            if isinstance(bound, Counter) and bound.number is None:
                raise complain(
                    "D060",
                    "the iterations of a loop depend on the counter of another",
                    help="unroll the outer loop with `range`",
                )
        self.numbers = range(int(first), int(last), int(step))

    def __reversed__(self) -> rounds:
        numbers = self.numbers[::-1]
        return type(self)(numbers.start, numbers.stop, numbers.step)

    def __len__(self) -> int:
        return len(self.numbers)

    def __iter__(self) -> Iterator[Counter]:
        target = _loop_target(sys._getframe(1), self.tag)
        trace = current()
        if trace is None or not self.numbers:
            return _PlainLoop(self.numbers)
        return _TracedLoop(trace, self.tag, self.numbers, target)


class steps(rounds):
    """A loop that is no round: filling a table, a transposition; otherwise as :class:`rounds`."""

    tag = "steps"


def _loop_target(frame: FrameType, tag: str) -> str:
    """Return the loop's variable; an error unless the caller is at the head of a plain ``for`` statement."""
    follow = running(frame)[:3]
    names = [i.opname for i in follow]
    if (
        len(follow) < 3
        or names[:2] != ["GET_ITER", "FOR_ITER"]
        or frame.f_code.co_flags & _GENERATOR_FLAGS
        or frame.f_code.co_name.startswith("<listcomp")
    ):
        raise complain(
            "D009",
            f"`{tag}` stands only in a plain `for` statement",
            help=f"write `for i in {tag}(…):`, or use `range`, which unrolls",
        )
    if not names[2].startswith("STORE_"):
        raise complain("D061", f"the counter of `{tag}` is one variable", help=f"write `for i in {tag}(…):`")
    value = follow[2].argval
    return str(value[0] if isinstance(value, tuple) else value)


class _PlainLoop:
    """The loop of a plain run: counts, and tells when it was left early."""

    def __init__(self, numbers: range) -> None:
        self.numbers = iter(numbers)
        self.run = current_run.get()
        if self.run is not None:
            self.run.open_loops[id(self)] = here()

    def __iter__(self) -> _PlainLoop:
        return self

    def __next__(self) -> Counter:
        for number in self.numbers:
            return Counter(number)
        if self.run is not None:
            self.run.open_loops.pop(id(self), None)
        raise StopIteration


class _TracedLoop:
    """The loop of a trace; see the module's text. ``carried`` and ``missing`` grow until an attempt finds
    nothing new."""

    def __init__(self, trace: Trace, tag: str, numbers: range, target: str) -> None:
        self.trace, self.tag, self.numbers, self.target = trace, tag, numbers, target
        self.entry: dict[str, Any] | None = None
        self.saved: Containers = {}
        self.carried: list[Path] = []
        self.missing: dict[str, MissingValue] = {}
        self.parted: set[int] = set()
        self.bodies: list[Body] = []
        self.remaining: list[int] = []
        self.iterations = Iterations(Value("index"), [])
        self.run = current_run.get()
        if self.run is not None:
            self.run.open_loops[id(self)] = here()

    def __iter__(self) -> _TracedLoop:
        return self

    def __next__(self) -> Counter:
        frame = sys._getframe(1)
        if self.entry is None:
            self._enter(frame)
            return self._begin_attempt(frame)
        now = self._variables(frame)
        block = self.trace.blocks.pop()
        if self._parted(now) or self._grown(now):
            return self._begin_attempt(frame)
        shapes = {name: structure(value) for name, value in now.items()}
        self.bodies.append(Body(self.iterations.live, block, _operands(now), shapes, now, self.start))
        live = set(self.iterations.live)
        self.remaining = [t for t in self.remaining if t not in live]
        if self.remaining:
            if len(self.bodies) == MAX_BODIES:
                raise complain(
                    "D014",
                    f"the loop needs more than {MAX_BODIES} different bodies",
                    help="unroll it with `range`",
                )
            return self._begin_body(frame)
        self._finish(frame)
        raise StopIteration

    def _variables(self, frame: FrameType) -> dict[str, Any]:
        found = read_locals(frame)
        found.pop(self.target, None)
        return found

    def _enter(self, frame: FrameType) -> None:
        self.entry = apart(self._variables(frame), frame.f_globals)
        self.shapes = {name: structure(value) for name, value in self.entry.items()}
        self.initial = _operands(self.entry)
        for value in self.entry.values():
            containers(value, self.saved)

    def _begin_attempt(self, frame: FrameType) -> Counter:
        self.bodies = []
        self.remaining = list(range(len(self.numbers)))
        return self._begin_body(frame)

    def _begin_body(self, frame: FrameType) -> Counter:
        """Give the variables the values of the start of an iteration, and open the block of the body."""
        assert self.entry is not None
        restore(self.saved)
        iteration = Value("index", self.target)
        block = Block(params=[iteration])
        params = {path: _like(self.initial[path], path) for path in self.carried}
        self.start = Start(self._known_at_entry(), self.parted, params)
        values = dict(self.start.values)
        block.params += params.values()
        self.starts = _operands(values)
        values.update(self.missing)
        for name in self._variables(frame):
            if name not in self.entry:
                values[name] = MissingValue(
                    name,
                    "is first assigned in this loop, and read before that",
                    "give it a value before the loop",
                )
        write_locals(frame, values)
        self.iterations = Iterations(iteration, list(self.remaining), self.target)
        self.trace.blocks.append(block)
        return Counter(self.numbers.start, ((self.numbers.step, self.iterations),))

    def _parted(self, now: dict[str, Any]) -> bool:
        """Note the lists that variables share at the start of the body only; say whether there are any."""
        ends = self.start.links(now)
        found = {
            self.start.origin[first]
            for first, group in self.start.groups.items()
            if len({ends.get(path) for path in group}) > 1
        }
        self.parted |= found
        return bool(found)

    def _grown(self, now: dict[str, Any]) -> bool:
        """Compare the variables with the start of the body; say whether more must be carried."""
        assert self.entry is not None
        grown = False
        ends = _operands(now)
        for name in self.entry.keys() - self.missing.keys():
            why = self._why_missing(name, now.get(name))
            if why is not None:
                self.missing[name] = why
                self.carried = [path for path in self.carried if path[0] != name]
                grown = True
        carried = set(self.start.carried.values())  # by this place, or by another that holds the same list
        for path, start in self.starts.items():
            if path[0] in self.missing or path in self.carried:
                continue
            if not _same_operand(start, ends[path]) or _node(start) in carried:
                self.carried.append(path)
                grown = True
        return grown

    def _why_missing(self, name: str, now: Any) -> MissingValue | None:
        """Say why the value of a variable at the start of an iteration cannot be known; None if it can."""
        assert self.entry is not None
        if self.shapes[name] != structure(now):
            return _changed_type(name)
        if self.shapes[name] is None and not _same_python(self.entry[name], now, self.saved):
            return _changed_number(name)
        return None

    def _finish(self, frame: FrameType) -> None:
        """Record the loop, and give the variables their values after it."""
        assert self.entry is not None
        first = self.bodies[0]
        pattern = [
            next(k for k, b in enumerate(self.bodies) if t in b.iterations) for t in range(len(self.numbers))
        ]
        now = self.bodies[pattern[-1]].now
        fresh = [n for n in now if n not in self.entry or n in self.missing]
        known = [
            n
            for n in fresh
            if first.shapes.get(n)
            and not _has_array(now[n])
            and all(b.shapes.get(n) == first.shapes[n] for b in self.bodies)
        ]
        new_paths = [path for name in known for path, _ in leaves(now[name], (name,))]
        results = {path: _like(first.ends[path], path) for path in [*self.carried, *new_paths]}
        for body in self.bodies:
            body.block.params += [_like(body.ends[path], path) for path in new_paths]
            body.block.outputs = [body.ends[path] for path in results]
        init = [
            self.initial[path] if path in self.carried else Word(_width(value), 0, known=True)
            for path, value in results.items()
        ]
        loop = Loop(
            self.tag,
            self.target,
            self.numbers.start,
            self.numbers.step,
            pattern,
            [b.block for b in self.bodies],
        )
        record(Op("loop", init, list(results.values()), loop))
        restore(self.saved)
        holders = Holders(self._known_at_entry(), unused_places(self.bodies, self.carried))
        holders.run(self.bodies, pattern)
        self._write_results(frame, holders.after(now, results), set(fresh) - set(known))
        if self.run is not None:
            self.run.open_loops.pop(id(self), None)

    def _known_at_entry(self) -> dict[str, Any]:
        """Return the variables before the loop without those that have no one value in it."""
        assert self.entry is not None
        return {name: value for name, value in self.entry.items() if name not in self.missing}

    def _write_results(self, frame: FrameType, values: dict[str, Any], unknown: set[str]) -> None:
        for name in unknown:
            if any(body.shapes.get(name) for body in self.bodies):
                values[name] = MissingValue(
                    name,
                    "is assigned in some rounds only, or is an array first made in the loop",
                    "give it a value before the loop",
                )
            elif name in self.missing:
                values[name] = _changed_number(name)
        values[self.target] = Counter(self.numbers[-1])
        write_locals(frame, values)


def _like(operand: Word | Value, path: Path) -> Value:
    name = "".join(str(part) for part in path)
    return Value(operand.type if isinstance(operand, Value) else operand.width, name)


def _operands(variables: dict[str, Any]) -> dict[Path, Word | Value]:
    """Return what each path of the state holds now: a word, or the value of an array."""
    found: dict[Path, Word | Value] = {}
    for name, value in variables.items():
        for path, leaf in leaves(value, (name,)):
            found[path] = leaf.node if isinstance(leaf, Array) and leaf.node is not None else leaf  # type: ignore[assignment]
    return found


def _same_operand(a: Word | Value | None, b: Word | Value) -> bool:
    if isinstance(a, Word) and isinstance(b, Word):
        return (
            a is b
            or (a.node is not None and a.node is b.node)
            or (a.known and b.known and a.value == b.value)
        )
    return a is b


def _same_python(old: Any, new: Any, saved: Containers) -> bool:
    if old is new:
        if isinstance(old, list) and id(old) in saved:
            return len(old) == len(saved[id(old)][1]) and all(
                a is b for a, b in zip(old, saved[id(old)][1], strict=True)
            )
        return True
    if isinstance(old, int | str | float | bytes | tuple) and type(old) is type(new):
        return bool(old == new)
    return (
        isinstance(old, Counter)
        and isinstance(new, Counter)
        and old.number is not None
        and old.number == new.number
    )


def _node(operand: Word | Value) -> Value | None:
    return operand.node if isinstance(operand, Word) else operand


def _width(value: Value) -> int:
    assert isinstance(value.type, int)
    return value.type


def _has_array(value: Any) -> bool:
    return any(isinstance(leaf, Array) for _, leaf in leaves(value, ()))


def _changed_type(name: str) -> MissingValue:
    return MissingValue(
        name,
        "changes its type, width or length in the loop, and is read before it is assigned again",
        f"before the loop give it the type of the loop: `{name} = u32(0)`, a vector of that length",
    )


def _changed_number(name: str) -> MissingValue:
    return MissingValue(
        name,
        "is a Python value that changes in the loop, so it has no one value here",
        "compute it from the counter, or index a ring buffer (`ring`) with the counter itself",
    )
