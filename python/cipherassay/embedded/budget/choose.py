"""The fastest code within a budget of RAM: each candidate is run, checked and counted."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from cipherassay.embedded.budget.round_keys import OPERATIONS, candidates, round_keys
from cipherassay.embedded.budget.suitable import check_suitable
from cipherassay.errors import UsageError, VerificationError
from cipherassay.tools import require

if TYPE_CHECKING:
    from cipherassay._engine import BudgetCandidate, BudgetText, Program
    from cipherassay.ciphers import Cipher
    from cipherassay.embedded.budget.offer import Budgets
    from cipherassay.embedded.processor import Processor

_INPUTS, _SEED = 2, 7
KEPT = "all round keys are kept: to make one again takes others that are gone by then"
SEARCHED = "all round keys are kept: where the key schedule reads an array depends on the key"
ProgressCallback = Callable[[str], None]


@dataclass(frozen=True)
class Cost:
    """A candidate for one operation: cycles from call to return (most of some inputs), bytes of stack."""

    operation: str
    candidate: BudgetCandidate
    cycles: int
    stack: int


@dataclass(frozen=True)
class BudgetResult:
    """A cipher within a budget of RAM: a candidate for each operation, all as one text.

    ``functions`` may be called; ``ram`` is objects and stack in bytes.
    """

    cipher: Cipher
    key_bits: int
    variant: str
    budget: int
    processor: Processor
    offer: Budgets
    program: Program
    chosen: dict[str, Cost]
    text: BudgetText
    stack: int

    @property
    def prefix(self) -> str:
        """Return what the names of its functions begin with."""
        return self.cipher.slug.replace("-", "_")

    @property
    def functions(self) -> tuple[str, ...]:
        """Return the functions that are called from outside."""
        names = ("key_schedule", *OPERATIONS)
        return tuple(n for n in names if f"{self.prefix}_{n}" in self.text.names)

    @property
    def ram(self) -> int:
        """Return the bytes of RAM: objects, and the deepest stack."""
        return sum(self.text.objects.values()) + self.stack

    def assembly(self) -> str:
        """Return the file's text."""
        lines = [
            f"{self.cipher.name}, keys of {self.key_bits} bits{f', {self.variant}' if self.variant else ''}: "
            f"{self.processor.title}, at most {self.budget} bytes of RAM.",
            f"Source: {self.cipher.source}.",
            *(f"{c.operation}: {c.candidate.name}; {_runs(c.candidate.runs)}." for c in self.chosen.values()),
            f"RAM: {self.ram} bytes: {', '.join(needs(self))}.",
            "The functions take no arguments. Words lie in RAM with the least significant byte first. "
            f"{self.processor.conventions[0]}",
        ]
        return self.offer.written(self.text, self.prefix, lines)


def _runs(number: int) -> str:
    return f"the key schedule runs {'once' if number == 1 else f'{number} times'}"


def needs(made: BudgetResult) -> list[str]:
    """Return what takes RAM, with bytes: key, block, round keys, state, values without registers, stack."""
    p = made.prefix
    named = {"key": "key, then block" if made.text.shares else "key", "block": "block", "keys": "round keys"}
    named |= {"values": "round keys and values between steps", "work": "values without registers"}
    found = {named[name.removeprefix(f"{p}_")]: size for name, size in made.text.objects.items()}
    found[made.offer.stack_is] = made.stack
    return [f"{label} {size}" for label, size in found.items()]


def fastest(
    cipher: Cipher,
    key_bits: int,
    budget: int,
    processor: Processor,
    offer: Budgets,
    variant: str = "",
    tell: ProgressCallback = lambda _: None,
) -> BudgetResult:
    """Return the fastest code of a cipher whose RAM (objects and stack) stays within a budget in bytes.

    ``offer`` is the processor's part; `tell` is called with what is tried.

    Raises
    ------
    UsageError
        ``E150``: no code needs so little RAM; the message says the minimum and what takes it. ``E155``:
        the cipher does not suit budgets (`check_suitable`).
    VerificationError
        ``E130``: code gives a wrong result.
    """
    program = cipher.compile(key_bits, variant)
    check_suitable(cipher.name, program)
    for tool in offer.needs:
        require(tool)
    search = _Search(cipher, key_bits, variant, budget, processor, offer, tell)
    done = (
        search.best(search.kept())
        or search.best(search.pairs(search.on_the_fly()))
        or search.best(search.pairs(search.on_the_fly(steps=True)))
        or search.best(search.pairs(search.on_the_fly(steps=True), search.windows(), search.again()))
        or search.best(search.kept(shared=True))
    )
    if done is None:
        others = list(search.pairs(search.on_the_fly(steps=True), search.windows(least=True), search.again()))
        every = [*search.kept(least=True, shared=not others), *others]
        least = min((m for m in every if m.text.fits), key=lambda m: m.ram)
        reason = [] if others else [SEARCHED if search.keys.searches else KEPT]
        raise UsageError(
            "E150",
            f"{budget} bytes of RAM are too few for {cipher.name} with keys of {key_bits} bits "
            f"on {processor.title}",
            notes=[f"the minimum is {least.ram} bytes: {', '.join(needs(least))}", *reason],
            help=f"--ram {least.ram}",
        )
    return done


class _Search:
    """What has been made and counted for one cipher."""

    def __init__(
        self,
        cipher: Cipher,
        key_bits: int,
        variant: str,
        budget: int,
        processor: Processor,
        offer: Budgets,
        tell: ProgressCallback,
    ) -> None:
        self.cipher, self.key_bits, self.variant, self.budget = cipher, key_bits, variant, budget
        self.processor, self.offer, self.tell = processor, offer, tell
        self.program, self.prefix = cipher.compile(key_bits, variant), cipher.slug.replace("-", "_")
        self.keys = round_keys(self.program)
        self.candidates = candidates(self.program, self.keys, offer.isa, self.prefix, budget)
        self.counted: dict[tuple[str, str], Cost | None] = {}
        self.made: dict[tuple[str, str], list[BudgetCandidate]] = {}
        self.windowed: dict[tuple[str, int], BudgetCandidate | None] = {}

    def best(self, found: Iterable[BudgetResult]) -> BudgetResult | None:
        """Return the one of the fewest cycles that fits."""
        fitting = [m for m in found if m.ram <= self.budget and m.text.fits]
        return min(fitting, key=lambda m: (sum(c.cycles for c in m.chosen.values()), m.ram), default=None)

    def kept(self, *, least: bool = False, shared: bool = False) -> Iterable[BudgetResult]:
        """Yield code that keeps all round keys, if these alone do not pass the budget.

        ``shared``: the block lies in the key's bytes.
        """
        block = 0 if shared else self.candidates.block
        if not least and self.keys.bytes + self.key_bits // 8 + block > self.budget:
            return
        for one in self.candidates.kept(shared=shared):
            self.tell(one.name)
            if not one.text.fits:
                continue
            counted = [self._count(o, one) for o in ("key_schedule", *OPERATIONS)]
            yield self._result({c.operation: c for c in counted[1:]}, one.text, max(c.stack for c in counted))

    def on_the_fly(self, *, steps: bool = False) -> dict[str, list[Cost]]:
        """Return candidates with round keys on the fly in one function, and in ``steps``."""
        makers = [self.candidates.on_the_fly, *([self.candidates.in_steps] if steps else [])]
        return {o: [one for make in makers for one in self._every(o, make)] for o in OPERATIONS}

    def again(self) -> dict[str, list[Cost]]:
        """Return candidates in which the key schedule runs again where need be."""
        return {o: self._every(o, self.candidates.again) for o in OPERATIONS}

    def _every(self, operation: str, make: Callable[[str], list[BudgetCandidate]]) -> list[Cost]:
        """Return what one way of making candidates makes, once."""
        key = operation, make.__name__
        if key not in self.made:
            self.made[key] = make(operation)
        return [cost for one in self.made[key] if (cost := self._cost(operation, one))]

    def windows(self, *, least: bool = False) -> dict[str, list[Cost]]:
        """Return candidates with a window of round keys: the largest that fits, or the smallest."""
        found: dict[str, list[Cost]] = {o: [] for o in OPERATIONS}
        for operation in found:
            smallest = self._window(operation, 1)
            if smallest is None:
                continue
            found[operation].append(smallest)
            one = smallest
            while not least and (more := (self.budget - self._ram(one)) // self.keys.row) > 0:
                larger = self._window(operation, min(one.candidate.window + more, self.keys.rows - 1))
                if larger is None or larger is one or self._ram(larger) > self.budget:
                    break
                one = larger
                found[operation].append(one)
        return found

    def _window(self, operation: str, rows: int) -> Cost | None:
        key = operation, rows
        if key not in self.windowed:
            self.windowed[key] = self.candidates.window(operation, rows)
        one = self.windowed[key]
        return self._cost(operation, one) if one else None

    def _cost(self, operation: str, one: BudgetCandidate) -> Cost | None:
        """Return a candidate with its cost, counted once; None if it has no room."""
        key = operation, one.name
        if key not in self.counted:
            self.counted[key] = None
            if one.text.fits:
                self.tell(f"{operation}: {one.name}")
                self.counted[key] = self._count(operation, one)
        return self.counted[key]

    @staticmethod
    def _ram(one: Cost) -> int:
        return sum(one.candidate.text.objects.values()) + one.stack

    def pairs(self, *found: dict[str, list[Cost]]) -> Iterable[BudgetResult]:
        """Yield all pairs of candidates for encryption and decryption that go together."""
        encrypt, decrypt = ([c for f in found for c in f[o]] for o in OPERATIONS)
        for a in encrypt:
            for b in decrypt:
                windows = a.candidate.window, b.candidate.window
                if all(windows) and windows[0] != windows[1]:
                    continue
                text = a.candidate.text.joined(b.candidate.text)
                yield self._result({"encrypt": a, "decrypt": b}, text, max(a.stack, b.stack))

    def _result(self, chosen: dict[str, Cost], text: BudgetText, stack: int) -> BudgetResult:
        return BudgetResult(
            self.cipher, self.key_bits, self.variant, self.budget, self.processor, self.offer, self.program,
            chosen, text, stack,
        )  # fmt: skip

    def _count(self, operation: str, one: BudgetCandidate) -> Cost:
        """Run an operation on random inputs; it has to give what the program gives."""
        text, functions = self.offer.written(one.text, self.prefix, []), one.text.names
        numbers = random.Random(_SEED)
        cycles = stack = 0
        p, size = self.prefix, self.cipher.input_bits // 8
        with tempfile.TemporaryDirectory() as folder:
            runner = self.offer.runner(text, Path(folder))
            for _ in range(_INPUTS):
                key, block = numbers.randbytes(self.key_bits // 8), numbers.randbytes(size)
                runner.write(f"{p}_key", key)
                called = [runner.call(f) for f in (f"{p}_key_schedule",) if f in functions]
                if operation != "key_schedule":
                    runner.write(f"{p}_block", block)
                    called.append(runner.call(f"{p}_{operation}"))
                stack = max(stack, *(call.stack for call in called))
                cycles = max(cycles, called[0 if operation == "key_schedule" else -1].cycles)
                if operation != "key_schedule":
                    self._check(operation, one, key, block, runner.read(f"{p}_block", size))
        return Cost(operation, one, cycles, stack)

    def _check(self, operation: str, one: BudgetCandidate, key: bytes, block: bytes, result: bytes) -> None:
        keys = self.program.evaluate("key_schedule", [key])
        wanted = bytes(self.program.evaluate(operation, [*keys, block])[0])
        if result != wanted:
            raise VerificationError(
                "E130",
                f"{self.cipher.name}: `{operation}` for {self.processor.title} ({one.name}) gives a wrong "
                "result",
                notes=[f"key {key.hex()}, {result.hex()} instead of {wanted.hex()}"],
                help="this is a bug: please report it",
            )
