"""The fastest way to have round keys within a budget of RAM: built, run, and counted."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from cipherassay.embedded.budget.round_keys import OPERATIONS
from cipherassay.embedded.budget.suitable import check_suitable
from cipherassay.embedded.budget.text import VALUES, WORK, Text
from cipherassay.embedded.budget.ways import Way, Ways
from cipherassay.errors import UsageError, VerificationError
from cipherassay.tools import require

if TYPE_CHECKING:
    from cipherassay._engine import Program
    from cipherassay.ciphers import Cipher
    from cipherassay.embedded.budget.offer import Budgets
    from cipherassay.embedded.processor import Processor

_INPUTS, _SEED = 2, 7
KEPT = "all round keys are kept: to make one again takes others that are gone by then"
SEARCHED = "all round keys are kept: where the key schedule reads an array depends on the key"
ProgressCallback = Callable[[str], None]


@dataclass(frozen=True)
class WayCost:
    """A way for one operation, with cycles from call to return (most of some inputs) and bytes of stack."""

    operation: str
    way: Way
    cycles: int
    stack: int


@dataclass(frozen=True)
class BudgetResult:
    """A cipher within a budget of RAM: a way for each operation, all as one text.

    ``functions`` may be called; ``ram`` is objects and stack in bytes.
    """

    cipher: Cipher
    key_bits: int
    variant: str
    budget: int
    processor: Processor
    offer: Budgets
    program: Program
    ways: dict[str, WayCost]
    text: Text
    stack: int

    @property
    def prefix(self) -> str:
        """Return what the names of its functions begin with."""
        return self.cipher.slug.replace("-", "_")

    @property
    def functions(self) -> tuple[str, ...]:
        """Return the functions that are called from outside."""
        names = ("key_schedule", *OPERATIONS)
        return tuple(n for n in names if f"{self.prefix}_{n}" in self.text.functions)

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
            *(f"{c.operation}: {c.way.name}; {_calls(c.way.calls)}." for c in self.ways.values()),
            f"RAM: {self.ram} bytes: {', '.join(needs(self))}.",
            "The functions take no arguments. Words lie in RAM with the least significant byte first. "
            f"{self.processor.conventions[0]}",
        ]
        return self.offer.written(self.text, self.prefix, lines)


def _calls(number: int) -> str:
    return f"the key schedule runs {'once' if number == 1 else f'{number} times'}"


def needs(made: BudgetResult) -> list[str]:
    """Return what takes RAM, with bytes: key, block, round keys, state, values without registers, stack."""
    p = made.prefix
    named = {"key": "key, then block" if made.text.inside else "key", "block": "block", "keys": "round keys"}
    named |= {VALUES: "round keys and values between steps", WORK: "values without registers"}
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
    ways = Ways(program, cipher.slug.replace("-", "_"), budget, offer)
    known = _Memo(cipher, key_bits, variant, budget, processor, ways, tell)
    done = (
        known.best(known.kept())
        or known.best(known.pairs(known.streamed(whole=True)))
        or known.best(known.pairs(known.streamed()))
        or known.best(known.pairs(known.streamed(), known.windows(), known.again()))
        or known.best(known.kept(shared=True))
    )
    if done is None:
        others = list(known.pairs(known.streamed(), known.windows(least=True), known.again()))
        every = [*known.kept(least=True, shared=not others), *others]
        least = min((m for m in every if offer.size(m.text) <= offer.code), key=lambda m: m.ram)
        reason = [] if others else [SEARCHED if ways.keys.searches else KEPT]
        raise UsageError(
            "E150",
            f"{budget} bytes of RAM are too few for {cipher.name} with keys of {key_bits} bits "
            f"on {processor.title}",
            notes=[f"the minimum is {least.ram} bytes: {', '.join(needs(least))}", *reason],
            help=f"--ram {least.ram}",
        )
    return done


class _Memo:
    """What has been built and counted for one cipher."""

    def __init__(
        self,
        cipher: Cipher,
        key_bits: int,
        variant: str,
        budget: int,
        processor: Processor,
        ways: Ways,
        tell: ProgressCallback,
    ) -> None:
        self.cipher, self.key_bits, self.variant, self.budget = cipher, key_bits, variant, budget
        self.processor, self.ways, self.tell = processor, ways, tell
        self.counted: dict[tuple[str, str], WayCost] = {}

    def best(self, found: Iterable[BudgetResult]) -> BudgetResult | None:
        """Return the one of the fewest cycles that fits."""
        fitting = [m for m in found if m.ram <= self.budget and self._fits(m.text)]
        return min(fitting, key=lambda m: (sum(c.cycles for c in m.ways.values()), m.ram), default=None)

    def kept(self, *, least: bool = False, shared: bool = False) -> Iterable[BudgetResult]:
        """Yield code that keeps all round keys, if these alone do not pass the budget.

        ``shared``: the block lies in the key's bytes.
        """
        block = 0 if shared else self.ways.block
        if not least and self.ways.keys.bytes + self.key_bits // 8 + block > self.budget:
            return
        for way in self.ways.kept(shared=shared):
            self.tell(way.name)
            if not self._fits(way.text):
                continue
            counted = [self._count(o, way) for o in ("key_schedule", *OPERATIONS)]
            yield self._made({c.operation: c for c in counted[1:]}, way.text, max(c.stack for c in counted))

    def streamed(self, *, whole: bool = False) -> dict[str, list[WayCost]]:
        """Return the ways with round keys on the fly; ``whole``: those that are one function."""
        return {o: self._every(o, self.ways.on_the_fly(o, whole=whole)) for o in OPERATIONS}

    def again(self) -> dict[str, list[WayCost]]:
        """Return the ways in which the key schedule runs again where need be."""
        return {o: self._every(o, self.ways.again(o)) for o in OPERATIONS}

    def _fits(self, text: Text) -> bool:
        return self.ways.offer.size(text) <= self.ways.offer.code

    def _every(self, operation: str, ways: list[Way]) -> list[WayCost]:
        return [self._known(operation, way) for way in ways if self._fits(way.text)]

    def windows(self, *, least: bool = False) -> dict[str, list[WayCost]]:
        """Return the ways with a window of round keys: the largest that fits, or the smallest."""
        found: dict[str, list[WayCost]] = {o: [] for o in OPERATIONS}
        for operation in found:
            smallest = self._window(operation, 1)
            if smallest is None:
                continue
            found[operation].append(smallest)
            one = smallest
            while not least and (more := (self.budget - self._ram(one)) // self.ways.keys.row) > 0:
                larger = self._window(operation, min(one.way.window + more, self.ways.keys.rows - 1))
                if larger is None or larger is one or self._ram(larger) > self.budget:
                    break
                one = larger
                found[operation].append(one)
        return found

    def _window(self, operation: str, rows: int) -> WayCost | None:
        key = operation, f"window {rows}"
        if key not in self.counted:
            way = self.ways.windows(operation, rows)
            if way is None or not self._fits(way.text):
                return None
            self.tell(f"{operation}: {way.name}")
            self.counted[key] = self._count(operation, way)
        return self.counted[key]

    def _known(self, operation: str, way: Way) -> WayCost:
        key = operation, way.name
        if key not in self.counted:
            self.tell(f"{operation}: {way.name}")
            self.counted[key] = self._count(operation, way)
        return self.counted[key]

    @staticmethod
    def _ram(one: WayCost) -> int:
        return sum(one.way.text.objects.values()) + one.stack

    def pairs(self, *found: dict[str, list[WayCost]]) -> Iterable[BudgetResult]:
        """Yield all pairs of ways for encryption and decryption that go together."""
        encrypt, decrypt = ([c for f in found for c in f[o]] for o in OPERATIONS)
        for a in encrypt:
            for b in decrypt:
                if a.way.window and b.way.window and a.way.window != b.way.window:
                    continue
                text = a.way.text.joined(b.way.text)
                yield self._made({"encrypt": a, "decrypt": b}, text, max(a.stack, b.stack))

    def _made(self, ways: dict[str, WayCost], text: Text, stack: int) -> BudgetResult:
        return BudgetResult(
            self.cipher, self.key_bits, self.variant, self.budget, self.processor, self.ways.offer,
            self.ways.program, ways, text, stack,
        )  # fmt: skip

    def _count(self, operation: str, way: Way) -> WayCost:
        """Run an operation on random inputs; it has to give what the program gives."""
        text = self.ways.offer.written(way.text, self.ways.prefix, [])
        numbers = random.Random(_SEED)
        cycles = stack = 0
        p, size = self.ways.prefix, self.cipher.input_bits // 8
        with tempfile.TemporaryDirectory() as folder:
            runner = self.ways.offer.runner(text, Path(folder))
            for _ in range(_INPUTS):
                key, block = numbers.randbytes(self.key_bits // 8), numbers.randbytes(size)
                runner.write(f"{p}_key", key)
                functions = [f"{p}_{f}" for f in ("key_schedule", operation)]
                called = [runner.call(f) for f in functions[:1] if f in way.text.functions]
                if operation != "key_schedule":
                    runner.write(f"{p}_block", block)
                    called.append(runner.call(functions[1]))
                stack = max(stack, *(call.stack for call in called))
                cycles = max(cycles, called[0 if operation == "key_schedule" else -1].cycles)
                if operation != "key_schedule":
                    self._checked(operation, way, key, block, runner.read(f"{p}_block", size))
        return WayCost(operation, way, cycles, stack)

    def _checked(self, operation: str, way: Way, key: bytes, block: bytes, result: bytes) -> None:
        program = self.ways.program
        keys = program.evaluate("key_schedule", [key])
        wanted = bytes(program.evaluate(operation, [*keys, block])[0])
        if result != wanted:
            raise VerificationError(
                "E130",
                f"{self.cipher.name}: `{operation}` for {self.processor.title} ({way.name}) gives a wrong "
                "result",
                notes=[f"key {key.hex()}, {result.hex()} instead of {wanted.hex()}"],
                help="this is a bug: please report it",
            )
