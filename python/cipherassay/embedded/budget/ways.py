"""The ways to have round keys: kept, made on the fly, or made again for each window of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cipherassay import ir
from cipherassay.embedded.budget import again, build, groups, reroll, steps
from cipherassay.embedded.budget.events import Event, Flow
from cipherassay.embedded.budget.orders import OPERATIONS, Filler, Orders, array_bytes, block_bytes
from cipherassay.embedded.budget.step_writer import Window
from cipherassay.embedded.budget.text import Text
from cipherassay.embedded.build import split_into_bytes
from cipherassay.errors import DescriptionError

if TYPE_CHECKING:
    from cipherassay._engine import Program
    from cipherassay.embedded.budget.offer import Budgets

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
    text: Text
    window: int = 0


class Ways:
    """All ways for a program on a processor; each is built when it is asked for."""

    def __init__(self, program: Program, prefix: str, budget: int, offer: Budgets) -> None:
        self.program, self.prefix, self.budget, self.offer = program, prefix, budget, offer
        self.orders = Orders(program)
        self._whole: dict[str, list[Way]] = {}
        self._steps: dict[str, list[Way]] = {}
        self._again: dict[str, list[Way]] = {}

    def _split(self, functions: Iterable[ir.Function], *, unrolled: bool) -> Program:
        return split_into_bytes(self.orders.with_functions(*functions), unrolled=unrolled)

    def _builder(self, stack: int, *, shared: bool = False) -> build.Builder:
        inside = {f"{self.prefix}_block": f"{self.prefix}_key"} if shared else {}
        text = Text(inside=inside)
        text.object(f"{self.prefix}_key", self.orders.key)
        text.object(f"{self.prefix}_block", self.orders.block)
        return build.Builder(self.offer, self.prefix, text, self.budget, stack)

    @property
    def _deepest(self) -> int:
        """Return the bytes of stack of functions that call inner ones."""
        return self.offer.stack + self.offer.deeper

    def kept(self, *, shared: bool = False) -> Iterator[Way]:
        """Yield ways in which key setup is a function of its own and all round keys stay.

        ``shared``: the block lies in the key's bytes, which are not needed any more.
        """
        work = self.orders.work("key_schedule") + max(map(self.orders.work, OPERATIONS))
        for unrolled in (True, False):
            if unrolled and work > STRAIGHT:
                continue
            builder = self._builder(self.offer.stack, shared=shared)
            builder.kept(split_into_bytes(self.program, unrolled=unrolled))
            where = ", block in the key's bytes" if shared else ""
            yield Way(f"round keys kept, {_form(unrolled)}{where}", 1, builder.text)

    # On the fly.

    def on_the_fly(self, operation: str, *, whole: bool) -> list[Way]:
        """Return ways in which each round key is made where it is needed; ``whole``: in one function."""
        if operation not in self._whole:
            self._whole[operation] = list(self._one_function(operation))
        if not whole and operation not in self._steps:
            self._steps[operation] = list(self._several(operation))
        return self._whole[operation] + ([] if whole else self._steps[operation])

    def _one_function(self, operation: str) -> Iterator[Way]:
        found = self.orders.streamed(operation)
        if found is None:
            return
        function = reroll.function(found.made, found.order, operation)
        assert function is not None
        runs = 2 if operation == "decrypt" else 1
        executed = self.orders.work("key_schedule") * runs + self.orders.work(operation)
        for unrolled in (True, False):
            if unrolled and executed > STRAIGHT:
                continue
            split = self._split([function], unrolled=unrolled)
            if not unrolled and _operations(split.mirror().functions[operation].ops) > STRAIGHT * 3 // 4:
                continue
            builder = self._builder(self.offer.stack)
            builder.whole(split, operation)
            yield Way(f"round keys on the fly, {_form(unrolled)}", 1, builder.text)

    def _several(self, operation: str) -> Iterator[Way]:
        found = self.orders.streamed(operation)
        if found is None:
            return
        for fine in (False, True):
            text = self._in_steps(operation, *found, fine=fine)
            if text is not None:
                yield Way(f"round keys on the fly, in steps{' of one kind' if fine else ''}", 1, text)
        # The other operation has to fit as well.
        if text is not None and self.offer.size(text) > self.offer.code // 2:
            text = self._in_steps(operation, *found, fine=True, single=True)
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
    ) -> Text | None:
        """Return an operation as calls of steps, if steps can have what it keeps and are not too long."""
        cut = groups.by_iterations(made, order, data, fine=fine, single=single)
        try:
            done = steps.stepped(made, cut, operation, given_rows=single)
        except steps.UnsuitableFormError:
            return None
        split = self._split(done.functions.values(), unrolled=False)
        if sum(_operations(f.ops) for f in split.mirror().function_list) > STRAIGHT:
            return None
        builder = self._builder(self._deepest)
        builder.in_steps(split, operation, done, _homes(made, done))
        return builder.text

    # Run again.

    def again(self, operation: str) -> list[Way]:
        """Return ways in which the key schedule runs again, as far as it has to, for round keys gone by.

        They are for operations that have neither round keys on the fly nor windows of them: that keep the
        fewest round keys, and the most that the budget allows.
        """
        if operation not in self._again:
            orders = self.orders
            others = orders.streamed(operation) is not None or orders.filler is not None
            self._again[operation] = [] if orders.searches or others else list(self.run_again(operation))
        return self._again[operation]

    def run_again(self, operation: str) -> Iterator[Way]:
        """Yield the ways of `again`, whether others go or not."""
        made, data, root = self.orders.one_behind_the_other(operation)
        portions = again.portions(made, data, root)
        if not portions or again.in_need(made, data, root, portions[-1]) is None:
            return
        inner = made.written().keys() - {root, made.roots[str(made.function.outputs[0])]}
        fixed = self.orders.key + self.orders.block + self._deepest
        fixed += sum(array_bytes(made.types[r]) for r in inner)
        most = [p for p in portions if p * self.orders.row() + fixed <= self.budget]
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
                yield Way(f"{rows * self.orders.row()} bytes of round keys made again, {form}", runs, text)

    # Windows.

    def windows(self, operation: str, rows: int) -> Way | None:
        """Return the way that makes so many rows of round keys at a time; none if registers are too few."""
        filler = self.orders.filler
        if filler is None:
            return None
        made, cut, root = self.orders.windowed(operation, rows)
        try:
            done = steps.stepped(made, cut, operation, Window(root, filler.numbers, rows))
        except (steps.UnsuitableFormError, IndexError):
            return None
        split = self._split([filler.function, *done.functions.values()], unrolled=False)
        if sum(_operations(f.ops) for f in split.mirror().function_list) > 2 * STRAIGHT:
            return None
        homes = _homes(made, done) | {root: build.WINDOW}
        homes |= {made.roots[p]: f"kept{n}" for n, (p, _) in enumerate(made.function.params[1:-1], 1)}
        text = self._windowed(split, operation, done, homes, filler, rows)
        if text is None:
            return None
        firsts = [s.first for s in done.steps if s.first >= 0]
        calls = sum(a != b for a, b in zip([-1, *firsts], firsts, strict=False))
        return Way(f"{rows * self.orders.row()} bytes of round keys at a time", calls, text, rows)

    def _windowed(
        self,
        split: Program,
        operation: str,
        done: steps.StepProgram,
        homes: dict[str, str],
        filler: Filler,
        rows: int,
    ) -> Text | None:
        builder = self._builder(self._deepest)
        try:
            builder.filler(split, "fill", rows, filler.numbers)
            builder.in_steps(split, operation, done, homes, "fill")
        except DescriptionError as error:
            if error.code != NO_REGISTERS:
                raise
            return None
        return builder.text


def _form(unrolled: bool) -> str:
    return "rounds unrolled" if unrolled else "rounds in loops"


def _operations(ops: Iterable[ir.Operation]) -> int:
    return sum(1 for _ in ir.walk(ops))


def _homes(made: Flow, done: steps.StepProgram) -> dict[str, str]:
    """Return the objects of a function's own arrays: its key if it has one, block and result."""
    f = made.function
    homes = {made.roots[f.params[0][0]]: "key"} if len(f.params) == 2 else {}
    homes |= {made.roots[f.params[-1][0]]: "block", made.roots[str(f.outputs[0])]: "block"}
    return homes | {"state": "block" if done.state <= block_bytes(f) else build.STATE}
