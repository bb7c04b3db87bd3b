"""The ways to have round keys: kept, made on the fly, or made again for each window of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from cipherassay import ir
from cipherassay.embedded.budget import again, backwards, build, copies, groups, reroll, steps, storage
from cipherassay.embedded.budget.events import Event, Flow, flow, on_demand
from cipherassay.embedded.target import split_into_bytes
from cipherassay.errors import DescriptionError

if TYPE_CHECKING:
    from cipherassay._engine import Program
    from cipherassay.embedded.budget.offer import Budgets

OPERATIONS = ("encrypt", "decrypt")
NO_REGISTERS = "E114"
"""The code of the refusal of an instruction that needs more registers at once than there are."""
STRAIGHT = 6000
"""Operations on bytes above which straight-line code is not tried: it takes 16 KiB and more."""


@dataclass(frozen=True)
class Way:
    """Code of one operation, or of all: what it is called, how often the key schedule is run, its text.

    ``window`` is the number of rows of round keys that are made at once, 0 if there is no window.
    """

    name: str
    calls: int
    text: build.Text
    window: int = 0


class Ways:
    """All ways for a program; each is built when it is asked for."""

    def __init__(self, program: Program, prefix: str, budget: int, offer: Budgets) -> None:
        from cipherassay import strategies

        self.program, self.prefix, self.budget, self.offer = program, prefix, budget, offer
        self._whole: dict[str, list[Way]] = {}
        self._steps: dict[str, list[Way]] = {}
        self._again: dict[str, list[Way]] = {}
        self.first = strategies.passed(program, strategies.pipeline("front"))
        self.form = self.first.mirror()
        self.block = _block(self.form.functions["encrypt"])

    def with_functions(self, *functions: ir.Function) -> Program:
        """Return a program of functions that a rewriting made, with the tables of the first one."""
        return ir.engine_program(replace(self.form, name="budget", function_list=functions))

    def _split(self, functions: Iterable[ir.Function], *, unrolled: bool) -> Program:
        return split_into_bytes(self.with_functions(*functions), unrolled=unrolled)

    def _text(self, stack: int, *, shared: bool = False) -> build.Text:
        inside = {f"{self.prefix}_block": f"{self.prefix}_key"} if shared else {}
        text = build.Text(self.offer, budget=self.budget, stack=stack, inside=inside)
        schedule = self.form.functions["key_schedule"]
        text.object(f"{self.prefix}_key", schedule.params[0][1].cells)
        text.object(f"{self.prefix}_block", self.block)
        return text

    @property
    def _deepest(self) -> int:
        """Return the bytes of stack of functions that call inner ones."""
        return self.offer.stack + self.offer.deeper

    def kept(self, *, shared: bool = False) -> Iterator[Way]:
        """Yield ways in which key setup is a function of its own and all round keys stay.

        ``shared``: the block lies in the key's bytes, which are not needed any more.
        """
        for unrolled in (True, False):
            if unrolled and self.work("key_schedule") + max(map(self.work, OPERATIONS)) > STRAIGHT:
                continue
            split = split_into_bytes(self.program, unrolled=unrolled)
            text = self._text(self.offer.stack, shared=shared)
            build.kept(text, split, self.prefix)
            where = ", block in the key's bytes" if shared else ""
            yield Way(f"round keys kept, {_form(unrolled)}{where}", 1, text)

    @cached_property
    def _widths(self) -> set[int]:
        """Return the bits of all words and of elements of arrays."""
        functions = self.program.mirror().function_list
        return {ty.bits for function in functions for ty in function.types().values()}

    @cached_property
    def searches(self) -> bool:
        """Return whether the key schedule has an array of its own whose places depend on the key.

        Then its parts have no order of their own: all of it runs before the first round key is used.
        """
        schedule = self.form.functions["key_schedule"]
        made = flow(schedule)
        own = made.written().keys() - {made.roots[str(output)] for output in schedule.outputs}
        every = (access for accesses in made.accesses.values() for access in accesses)
        return any(cell[0] in own for access in every if not access.known for cell in access.cells)

    def work(self, function: str) -> int:
        """Return about how many operations on bytes a function executes."""
        widest = 4 if 32 in self._widths else 1
        counts = self.program.statistics(function).values()
        return widest * sum(c["dynamic"] for c in counts)

    # On the fly.

    def on_the_fly(self, operation: str, *, whole: bool) -> list[Way]:
        """Return ways in which each round key is made where it is needed; ``whole``: in one function."""
        if operation not in self._whole:
            self._whole[operation] = list(self._one_function(operation))
        if not whole and operation not in self._steps:
            self._steps[operation] = list(self._several(operation))
        return self._whole[operation] + ([] if whole else self._steps[operation])

    def _one_function(self, operation: str) -> Iterator[Way]:
        found = self._streamed(operation)
        if found is None:
            return
        made, order, _ = found
        function = reroll.function(made, order, operation)
        assert function is not None
        executed = self.work("key_schedule") * (2 if operation == "decrypt" else 1) + self.work(operation)
        for unrolled in (True, False):
            if unrolled and executed > STRAIGHT:
                continue
            split = self._split([function], unrolled=unrolled)
            if not unrolled and _operations(split.mirror().functions[operation].ops) > STRAIGHT * 3 // 4:
                continue
            text = self._text(self.offer.stack)
            build.whole(text, split, self.prefix, operation)
            yield Way(f"round keys on the fly, {_form(unrolled)}", 1, text)

    def _several(self, operation: str) -> Iterator[Way]:
        found = self._streamed(operation)
        if found is None:
            return
        made, order, data = found
        for fine in (False, True):
            text = self._in_steps(operation, made, order, data, fine=fine)
            if text is not None:
                yield Way(f"round keys on the fly, in steps{' of one kind' if fine else ''}", 1, text)
        # The other operation has to fit as well.
        if text is not None and self.offer.size(text) > self.offer.code // 2:
            text = self._in_steps(operation, made, order, data, fine=True, single=True)
            if text is not None:
                yield Way("round keys on the fly, in steps of one iteration", 1, text)

    def _in_steps(
        self,
        operation: str,
        made: Flow,
        order: list[Event],
        data: int,
        *,
        fine: bool,
        single: bool = False,
    ) -> build.Text | None:
        """Return an operation as calls of steps, if steps can have what it keeps and are not too long."""
        cut = groups.by_iterations(made, order, data, fine=fine, single=single)
        try:
            done = steps.stepped(made, cut, operation, given_rows=single)
        except steps.UnsuitableFormError:
            return None
        split = self._split(done.functions.values(), unrolled=False)
        if sum(_operations(f.ops) for f in split.mirror().function_list) > STRAIGHT:
            return None
        text = self._text(self._deepest)
        build.in_steps(text, split, self.prefix, operation, done, _homes(made, done))
        return text

    def _streamed(self, operation: str) -> tuple[Flow, list[Event], int] | None:
        """Return key schedule and operation in the order of need, if few round keys are alive at once."""
        if self.searches:
            return None
        schedule = copies.without(self.form.functions["key_schedule"])
        tried = [backwards.with_return(schedule), schedule] if operation == "decrypt" else [schedule]
        for one in tried:
            if one is None:
                continue
            made = flow(reroll.composed(one, self.form.functions[operation]))
            data = len(one.ops)
            order = on_demand(made, [e for e in made.events if e[0] >= data])
            rows = storage.kept_rows(made, order, {})
            keys = sum(_bytes(ty) for ty in one.results)
            inner = {r for r in rows or {} if r in made.written()} - {
                made.roots[str(made.function.outputs[0])]
            }
            if rows is not None and sum(_kept_bytes(made, r, rows[r]) for r in inner) < keys:
                return made, order, data
        return None

    # Run again.

    def again(self, operation: str) -> list[Way]:
        """Return ways in which the key schedule runs again, as far as it has to, for round keys gone by.

        They are for operations that have neither round keys on the fly nor windows of them: that keep the
        fewest round keys, and the most that the budget allows.
        """
        if operation not in self._again:
            impossible = self.searches or self._streamed(operation) is not None or self._filler is not None
            self._again[operation] = [] if impossible else list(self._run_again(operation))
        return self._again[operation]

    def _run_again(self, operation: str) -> Iterator[Way]:
        schedule = copies.without(self.form.functions["key_schedule"])
        made = flow(reroll.composed(schedule, self.form.functions[operation]))
        data, root = len(schedule.ops), made.roots[f"{reroll.SCHEDULE}{schedule.outputs[0]}"]
        portions = again.portions(made, data, root)
        if not portions or again.in_need(made, data, root, portions[-1]) is None:
            return
        inner = made.written().keys() - {root, made.roots[str(made.function.outputs[0])]}
        fixed = schedule.params[0][1].cells + self.block + self._deepest
        fixed += sum(_bytes(made.types[r]) for r in inner)
        most = [p for p in portions if p * self.row() + fixed <= self.budget]
        for rows in dict.fromkeys([portions[0], *most[-1:]]):
            found = again.in_need(made, data, root, rows)
            if found is not None:
                yield from self._again_in_steps(operation, made, data, rows, *found)

    def _again_in_steps(
        self, operation: str, made: Flow, data: int, rows: int, order: list[Event], runs: int
    ) -> Iterator[Way]:
        for single in (False, True):
            text = self._in_steps(operation, made, order, data, fine=True, single=single)
            if text is not None:
                form = "in steps of one iteration" if single else "in steps"
                yield Way(f"{rows * self.row()} bytes of round keys made again, {form}", runs, text)

    # Windows.

    @cached_property
    def _filler(self) -> tuple[ir.Function, tuple[int, ...]] | None:
        """Return a key schedule that reads none of its round keys, and the numbers of their rows."""
        if self.searches:
            return None
        schedule = copies.without(self.form.functions["key_schedule"])
        made = flow(schedule)
        outputs = {made.roots[str(o)] for o in schedule.outputs}
        if any(o.kind == "load" and made.roots[o.name] in outputs for o in ir.walk(schedule.ops)):
            return None
        names = {r for o in schedule.ops for r, _ in o.results if made.roots.get(r) in outputs}
        wanted = [
            e
            for e in made.events
            if any(a.write and c[0] in outputs for a in made.accesses[e] for c in a.cells)
            or any(r in names for r, _ in made.op(e).results)
        ]
        function = reroll.function(made, on_demand(made, wanted), "fill")
        if function is None:
            return None
        stored = [
            o for o in ir.walk(function.ops) if o.kind == "store" and o.results[0].type == function.results[0]
        ]
        rows = function.results[0].extents[0]
        if any(o.addresses[0].terms for o in stored):
            return function, tuple(range(rows))
        data, order, root = self._data("encrypt")
        used = groups.rows_used(data, order, root)
        return function, tuple(used.index(r) for r in range(rows))

    def _data(self, operation: str) -> tuple[Flow, list[Event], str]:
        made = flow(self.form.functions[operation])
        order = on_demand(made, [e for e in made.events if e[1] >= 0] + [made.events[-1]])
        return made, order, made.roots[made.function.params[0][0]]

    def row(self) -> int:
        """Return the bytes of a row of round keys."""
        result = self.form.functions["key_schedule"].results[0]
        return _bytes(result) // result.extents[0]

    def rows(self) -> int:
        """Return the number of rows of round keys."""
        return self.form.functions["key_schedule"].results[0].extents[0]

    def keys(self) -> int:
        """Return the bytes of all round keys."""
        return sum(_bytes(ty) for ty in self.form.functions["key_schedule"].results)

    def filler(self) -> Program | None:
        """Return the key schedule as it fills windows, the function ``fill``; nothing if it cannot."""
        return None if self._filler is None else self.with_functions(self._filler[0])

    def window_calls(self, operation: str, rows: int) -> int:
        """Return how often the key schedule is run if ``rows`` rows of round keys are made at a time."""
        assert self._filler is not None
        made, order, root = self._data(operation)
        return len(groups.by_window(made, order, root, self._filler[1], rows))

    def windows(self, operation: str, rows: int) -> Way | None:
        """Return the way that makes so many rows of round keys at a time; none if registers are too few."""
        if self._filler is None:
            return None
        filler, numbers = self._filler
        made, order, root = self._data(operation)
        cut = groups.by_window(made, order, root, numbers, rows)
        try:
            done = steps.stepped(made, cut, operation, steps.Window(root, numbers, rows))
        except (steps.UnsuitableFormError, IndexError):
            return None
        split = self._split([filler, *done.functions.values()], unrolled=False)
        if sum(_operations(f.ops) for f in split.mirror().function_list) > 2 * STRAIGHT:
            return None
        homes = _homes(made, done) | {root: build.WINDOW}
        homes |= {made.roots[p]: f"kept{n}" for n, (p, _) in enumerate(made.function.params[1:-1], 1)}
        text = self._text(self._deepest)
        try:
            build.filler(text, split, self.prefix, "fill", rows, numbers)
            build.in_steps(text, split, self.prefix, operation, done, homes, "fill")
        except DescriptionError as error:
            if error.code != NO_REGISTERS:
                raise
            return None
        firsts = [s.first for s in done.steps if s.first >= 0]
        calls = sum(a != b for a, b in zip([-1, *firsts], firsts, strict=False))
        return Way(f"{rows * self.row()} bytes of round keys at a time", calls, text, rows)


def _form(unrolled: bool) -> str:
    return "rounds unrolled" if unrolled else "rounds in loops"


def _bytes(ty: ir.Type) -> int:
    return ty.cells * ty.bits // 8


def _block(function: ir.Function) -> int:
    """Return the bytes of the block that a function encrypts or decrypts."""
    return function.params[-1][1].cells


def _kept_bytes(made: Flow, root: str, rows: int) -> int:
    ty = made.types[root]
    return _bytes(ty) // ty.extents[0] * rows


def _operations(ops: Iterable[ir.Operation]) -> int:
    return sum(1 for _ in ir.walk(ops))


def _homes(made: Flow, done: steps.StepProgram) -> dict[str, str]:
    """Return the objects of a function's own arrays: its key if it has one, block and result."""
    f = made.function
    homes = {made.roots[f.params[0][0]]: "key"} if len(f.params) == 2 else {}
    homes |= {made.roots[f.params[-1][0]]: "block", made.roots[str(f.outputs[0])]: "block"}
    return homes | {"state": "block" if done.state <= _block(f) else build.STATE}
