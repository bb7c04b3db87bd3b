"""Orders in which key schedule and operation can run: on demand, or the schedule anew for each window."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from cipherassay import ir
from cipherassay.embedded.budget import backwards, composition, copies, groups, reroll, storage
from cipherassay.embedded.budget.events import Event, Flow, flow, on_demand

if TYPE_CHECKING:
    from cipherassay._engine import Program

OPERATIONS = ("encrypt", "decrypt")


class Streamed(NamedTuple):
    """Key schedule and operation as events, in an order; ``data`` is the operation's first number."""

    made: Flow
    order: list[Event]
    data: int


class Filler(NamedTuple):
    """A key schedule that reads none of its round keys, and the numbers of their rows."""

    function: ir.Function
    numbers: tuple[int, ...]


class Windowed(NamedTuple):
    """An operation's events, cut where other rows of its round keys, the array ``root``, are needed."""

    made: Flow
    groups: list[list[Event]]
    root: str


class Orders:
    """A program's functions as events, and what can be said of their orders without any processor."""

    def __init__(self, program: Program) -> None:
        from cipherassay import strategies

        self.program = program
        self.form = strategies.passed(program, strategies.pipeline("front")).mirror()
        self.schedule = self.form.functions["key_schedule"]
        self._streamed: dict[str, Streamed | None] = {}

    def with_functions(self, *functions: ir.Function) -> Program:
        """Return a program of functions that a rewriting made, with the tables of the first one."""
        return ir.engine_program(replace(self.form, name="budget", function_list=functions))

    # Sizes.

    @property
    def key(self) -> int:
        """Return the bytes of the key."""
        return self.schedule.params[0][1].cells

    @property
    def block(self) -> int:
        """Return the bytes of the block."""
        return block_bytes(self.form.functions["encrypt"])

    def row(self) -> int:
        """Return the bytes of a row of round keys."""
        return array_bytes(self.schedule.results[0]) // self.rows()

    def rows(self) -> int:
        """Return the number of rows of round keys."""
        return self.schedule.results[0].extents[0]

    def keys(self) -> int:
        """Return the bytes of all round keys."""
        return sum(map(array_bytes, self.schedule.results))

    def work(self, function: str) -> int:
        """Return about how many operations on bytes a function executes."""
        widest = 4 if 32 in self._widths else 1
        counts = self.program.statistics(function).values()
        return widest * sum(c["dynamic"] for c in counts)

    @cached_property
    def _widths(self) -> set[int]:
        """Return the bits of all words and of elements of arrays."""
        functions = self.program.mirror().function_list
        return {ty.bits for function in functions for ty in function.types().values()}

    # Orders.

    @cached_property
    def searches(self) -> bool:
        """Return whether the key schedule has an array of its own whose places depend on the key.

        Then its parts have no order of their own: all of it runs before the first round key is used.
        """
        made = flow(self.schedule)
        own = made.written().keys() - {made.roots[str(output)] for output in self.schedule.outputs}
        every = (access for accesses in made.accesses.values() for access in accesses)
        return any(cell[0] in own for access in every if not access.known for cell in access.cells)

    @cached_property
    def _direct(self) -> ir.Function:
        """Return the key schedule without arrays of which its round keys are copies."""
        return copies.without(self.schedule)

    def streamed(self, operation: str) -> Streamed | None:
        """Return key schedule and operation in the order of need, if few round keys are alive at once."""
        if operation not in self._streamed:
            tried = [] if self.searches else self._recurrences(operation)
            found = (self._on_demand(one, operation) for one in tried)
            self._streamed[operation] = next(filter(None, found), None)
        return self._streamed[operation]

    def _recurrences(self, operation: str) -> Iterator[ir.Function]:
        """Yield the key schedule, for decryption first as one that runs back to its beginning."""
        if operation == "decrypt" and (returning := backwards.with_return(self._direct)) is not None:
            yield returning
        yield self._direct

    def _on_demand(self, schedule: ir.Function, operation: str) -> Streamed | None:
        made = flow(composition.composed(schedule, self.form.functions[operation]))
        data = len(schedule.ops)
        order = on_demand(made, [e for e in made.events if e[0] >= data])
        rows = storage.kept_rows(made, order, {})
        if rows is None:
            return None
        inner = {r for r in rows if r in made.written()} - {made.roots[str(made.function.outputs[0])]}
        few = sum(_kept_bytes(made, r, rows[r]) for r in inner) < sum(map(array_bytes, schedule.results))
        return Streamed(made, order, data) if few else None

    def one_behind_the_other(self, operation: str) -> tuple[Flow, int, str]:
        """Return key schedule and operation as events, the operation's first number, and the round keys."""
        made = flow(composition.composed(self._direct, self.form.functions[operation]))
        root = made.roots[f"{composition.SCHEDULE}{self._direct.outputs[0]}"]
        return made, len(self._direct.ops), root

    # Windows.

    @cached_property
    def filler(self) -> Filler | None:
        """Return the key schedule as it fills windows, the function ``fill``; nothing if it cannot."""
        if self.searches:
            return None
        schedule = self._direct
        made = flow(schedule)
        outputs = {made.roots[str(o)] for o in schedule.outputs}
        if any(o.kind == "load" and made.roots[o.name] in outputs for o in ir.walk(schedule.ops)):
            return None
        function = reroll.function(made, on_demand(made, _makers(made, outputs)), "fill")
        return None if function is None else Filler(function, self._numbers(function))

    def _numbers(self, fill: ir.Function) -> tuple[int, ...]:
        """Return the number of each row: its own if loops count them, else when it is used."""
        stored = [o for o in ir.walk(fill.ops) if o.kind == "store" and o.results[0].type == fill.results[0]]
        rows = range(fill.results[0].extents[0])
        if any(o.addresses[0].terms for o in stored):
            return tuple(rows)
        used = groups.rows_used(*self._alone("encrypt"))
        return tuple(used.index(r) for r in rows)

    def _alone(self, operation: str) -> tuple[Flow, list[Event], str]:
        """Return an operation as events in an order, and the array of its round keys."""
        made = flow(self.form.functions[operation])
        order = on_demand(made, [e for e in made.events if e[1] >= 0] + [made.events[-1]])
        return made, order, made.roots[made.function.params[0][0]]

    def windowed(self, operation: str, rows: int) -> Windowed:
        """Return an operation cut into groups that need ``rows`` rows of round keys at a time.

        There has to be a `filler`.
        """
        assert self.filler is not None
        made, order, root = self._alone(operation)
        return Windowed(made, groups.by_window(made, order, root, self.filler.numbers, rows), root)

    def window_calls(self, operation: str, rows: int) -> int:
        """Return how often the key schedule is run if ``rows`` rows of round keys are made at a time."""
        return len(self.windowed(operation, rows).groups)


def _makers(made: Flow, outputs: set[str]) -> list[Event]:
    """Return the events that make or write one of some arrays."""
    names = {r for o in made.function.ops for r, _ in o.results if made.roots.get(r) in outputs}
    return [
        e
        for e in made.events
        if any(a.write and c[0] in outputs for a in made.accesses[e] for c in a.cells)
        or any(r in names for r, _ in made.op(e).results)
    ]


def array_bytes(ty: ir.Type) -> int:
    """Return the bytes of an array."""
    return ty.cells * ty.bits // 8


def block_bytes(function: ir.Function) -> int:
    """Return the bytes of the block that a function encrypts or decrypts."""
    return function.params[-1][1].cells


def _kept_bytes(made: Flow, root: str, rows: int) -> int:
    ty = made.types[root]
    return array_bytes(ty) // ty.extents[0] * rows
