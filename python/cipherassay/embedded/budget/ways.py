"""The ways to have round keys: kept, made on the fly, or made again for each window of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cipherassay import ir
from cipherassay.embedded.budget import build
from cipherassay.embedded.budget.round_keys import OPERATIONS, block_bytes, round_keys, work
from cipherassay.embedded.budget.text import Text
from cipherassay.embedded.build import split_into_bytes
from cipherassay.errors import DescriptionError

if TYPE_CHECKING:
    from cipherassay._engine import EventOrder, Program, StepProgram
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
        self.keys, self.block = round_keys(program), block_bytes(program)
        self._orders: dict[str, EventOrder | None] = {}
        self._whole: dict[str, list[Way]] = {}
        self._steps: dict[str, list[Way]] = {}
        self._again: dict[str, list[Way]] = {}

    def _builder(self, stack: int, *, shared: bool = False) -> build.Builder:
        inside = {f"{self.prefix}_block": f"{self.prefix}_key"} if shared else {}
        text = Text(inside=inside)
        text.object(f"{self.prefix}_key", self.keys.key)
        text.object(f"{self.prefix}_block", self.block)
        return build.Builder(self.offer, self.prefix, text, self.budget, stack)

    @property
    def _deepest(self) -> int:
        """Return the bytes of stack of functions that call inner ones."""
        return self.offer.stack + self.offer.deeper

    def kept(self, *, shared: bool = False) -> Iterator[Way]:
        """Yield ways in which key setup is a function of its own and all round keys stay.

        ``shared``: the block lies in the key's bytes, which are not needed any more.
        """
        executed = self._work("key_schedule") + max(map(self._work, OPERATIONS))
        for unrolled in (True, False):
            if unrolled and executed > STRAIGHT:
                continue
            builder = self._builder(self.offer.stack, shared=shared)
            builder.kept(split_into_bytes(self.program, unrolled=unrolled))
            where = ", block in the key's bytes" if shared else ""
            yield Way(f"round keys kept, {_form(unrolled)}{where}", 1, builder.text)

    def _work(self, function: str) -> int:
        return work(self.program, function)

    # On the fly.

    def _order(self, operation: str) -> EventOrder | None:
        """Return key schedule and operation in the order of need, if there is one."""
        if operation not in self._orders:
            self._orders[operation] = self.keys.on_the_fly(operation)
        return self._orders[operation]

    def on_the_fly(self, operation: str, *, whole: bool) -> list[Way]:
        """Return ways in which each round key is made where it is needed; ``whole``: in one function."""
        if operation not in self._whole:
            self._whole[operation] = list(self._one_function(operation))
        if not whole and operation not in self._steps:
            self._steps[operation] = list(self._several(operation))
        return self._whole[operation] + ([] if whole else self._steps[operation])

    def _one_function(self, operation: str) -> Iterator[Way]:
        order = self._order(operation)
        program = order and order.function()
        if program is None:
            return
        runs = 2 if operation == "decrypt" else 1
        executed = self._work("key_schedule") * runs + self._work(operation)
        for unrolled in (True, False):
            if unrolled and executed > STRAIGHT:
                continue
            split = split_into_bytes(program, unrolled=unrolled)
            if not unrolled and _operations(split.mirror().functions[operation].ops) > STRAIGHT * 3 // 4:
                continue
            builder = self._builder(self.offer.stack)
            builder.whole(split, operation)
            yield Way(f"round keys on the fly, {_form(unrolled)}", 1, builder.text)

    def _several(self, operation: str) -> Iterator[Way]:
        order = self._order(operation)
        if order is None:
            return
        for fine in (False, True):
            text = self._in_steps(operation, order.steps(fine=fine))
            if text is not None:
                yield Way(f"round keys on the fly, in steps{' of one kind' if fine else ''}", 1, text)
        # The other operation has to fit as well.
        if text is not None and self.offer.size(text) > self.offer.code // 2:
            text = self._in_steps(operation, order.steps(single=True))
            if text is not None:
                yield Way("round keys on the fly, in steps of one iteration", 1, text)

    def _in_steps(self, operation: str, done: StepProgram | None) -> Text | None:
        """Return an operation as calls of steps, if there are steps and they are not too long."""
        if done is None:
            return None
        split = split_into_bytes(done.program, unrolled=False)
        if sum(_operations(f.ops) for f in split.mirror().function_list) > STRAIGHT:
            return None
        builder = self._builder(self._deepest)
        builder.in_steps(split, operation, done)
        return builder.text

    # Run again.

    def again(self, operation: str) -> list[Way]:
        """Return ways in which the key schedule runs again, as far as it has to, for round keys gone by.

        They are for operations that have neither round keys on the fly nor windows of them: that keep the
        fewest round keys, and the most that the budget allows.
        """
        if operation not in self._again:
            others = self._order(operation) is not None or self.keys.fill() is not None
            self._again[operation] = [] if self.keys.searches or others else list(self.run_again(operation))
        return self._again[operation]

    def run_again(self, operation: str) -> Iterator[Way]:
        """Yield the ways of `again`, whether others go or not."""
        portions = self.keys.portions(operation)
        if not portions or self.keys.again(operation, portions[-1]) is None:
            return
        fixed = self.keys.key + self.block + self._deepest + self.keys.inner_bytes(operation)
        most = [rows for rows in portions if rows * self.keys.row + fixed <= self.budget]
        for rows in dict.fromkeys([portions[0], *most[-1:]]):
            order = self.keys.again(operation, rows)
            if order is None:
                continue
            for single in (False, True):
                text = self._in_steps(operation, order.steps(fine=True, single=single))
                if text is not None:
                    form = "in steps of one iteration" if single else "in steps"
                    name = f"{rows * self.keys.row} bytes of round keys made again, {form}"
                    yield Way(name, order.runs, text)

    # Windows.

    def windows(self, operation: str, rows: int) -> Way | None:
        """Return the way that makes so many rows of round keys at a time; none if registers are too few."""
        fill = self.keys.fill()
        done = self.keys.windowed(operation, rows)
        if fill is None or done is None:
            return None
        split = split_into_bytes(done.program, unrolled=False)
        if sum(_operations(f.ops) for f in split.mirror().function_list) > 2 * STRAIGHT:
            return None
        builder = self._builder(self._deepest)
        try:
            builder.filler(split, "fill", rows, tuple(fill[1]))
            builder.in_steps(split, operation, done, "fill")
        except DescriptionError as error:
            if error.code != NO_REGISTERS:
                raise
            return None
        firsts = [first for _, first, _ in done.calls() if first is not None]
        calls = sum(a != b for a, b in zip([-1, *firsts], firsts, strict=False))
        return Way(f"{rows * self.keys.row} bytes of round keys at a time", calls, builder.text, rows)


def _form(unrolled: bool) -> str:
    return "rounds unrolled" if unrolled else "rounds in loops"


def _operations(ops: Iterable[ir.Operation]) -> int:
    return sum(1 for _ in ir.walk(ops))
