"""The fastest strategy of a cipher on this machine: all that apply are tried, and the choice is kept."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from cipherassay import strategies
from cipherassay.errors import AssayError, MeasurementError
from cipherassay.inputs import applicable_strategies
from cipherassay.native.backend import LoadedBackend
from cipherassay.native.checking import check_implementation
from cipherassay.native.generated import GeneratedCode, build, generate
from cipherassay.native.harness import operations
from cipherassay.native.measurement import Settings, typical_cycles
from cipherassay.strategies import preferences

if TYPE_CHECKING:
    from cipherassay.ciphers import Cipher
    from cipherassay.native.harness import Operation
    from cipherassay.native.loaded import LoadedCipher
    from cipherassay.native.session import Session
    from cipherassay.tools.compiler import Compiler

BUILDING = 0.6
"""The share of the time after which no further strategy is compiled: the rest measures."""
FIRST, FINAL = Settings(10, 9), Settings(40, 15)
NEAR = 1.15
"""Within this factor of the fastest in a first measurement a strategy is measured again, longer."""
EQUAL = 1.01
"""Within this factor of the fastest the least key setup decides, and then what is preferred already."""

Advance = Callable[[float, str], None]
"""Told the seconds since it was told last, and what is done."""


@dataclass(frozen=True)
class Tried:
    """A strategy that was measured, and those whose C is the same."""

    strategy: str
    cycles: Mapping[Operation, float]
    stable: bool
    same: tuple[str, ...] = ()

    @property
    def block(self) -> float:
        """Cycles of a block, in each direction once."""
        return sum(value for operation, value in self.cycles.items() if not operation.startswith("key"))

    @property
    def key(self) -> float:
        """Cycles of the key setups."""
        return sum(value for operation, value in self.cycles.items() if operation.startswith("key"))


@dataclass
class Choice:
    """What was tried for a cipher, the fastest first, and what was left out and why."""

    cipher: Cipher
    key_bits: int
    before: str
    """The strategy that was preferred before."""
    tried: list[Tried] = field(default_factory=list)
    left_out: dict[str, str] = field(default_factory=dict)
    failures: list[AssayError] = field(default_factory=list)

    @property
    def best(self) -> str:
        """The strategy that is chosen."""
        equal = [one for one in self.tried if one.block <= EQUAL * self.tried[0].block]
        least = min(one.key for one in equal)
        best = [one for one in equal if one.key <= EQUAL * least]
        for one in best:
            if self.before in (one.strategy, *one.same):
                return self.before
        return best[0].strategy


def choose(
    cipher: Cipher,
    session: Session,
    compiler: Compiler,
    seconds: float,
    advance: Advance = lambda amount, what: None,
) -> Choice:
    """Measure the strategies that apply to a cipher side by side, with keys of its first size.

    The one with the fewest cycles for a block each way is the best; it must apply to all key sizes.

    Parameters
    ----------
    seconds : float
        For all together. What is begun is finished; what there is no time for is left out and named.

    Raises
    ------
    AssayError
        The first strategy's error, where none gives C that is right.
    MeasurementError
        ``N021``: the measurement was disturbed, and that is not accepted. ``N053``: nothing was tried.
    """
    clock = _Clock(seconds, advance)
    choice = Choice(cipher, cipher.key_size(), strategies.preferred(cipher))
    built, same = _build_all(choice, compiler, clock)
    if not built:
        if choice.failures:
            raise choice.failures[0]
        notes = [f"{name}: {why}" for name, why in choice.left_out.items()][:4]
        help = "more --seconds let it try more"
        raise MeasurementError("N053", f"no strategy of {cipher.name} was tried", notes=notes, help=help)
    first = _measured(built, choice, session, FIRST, clock)
    near = NEAR * min(one.block for one in first.values())
    again = {name: code for name, code in built.items() if first[name].block <= near}
    final = first | (_measured(again, choice, session, FINAL, clock) if len(again) > 1 else {})
    for name, one in sorted(final.items(), key=lambda item: (item[0] not in again, item[1].block)):
        choice.tried.append(Tried(name, one.cycles, one.stable, tuple(same.get(name, ()))))
    return choice


def keep(choice: Choice) -> None:
    """Keep a choice: what measures and emits C of this program afterwards takes it; raises ``A002``."""
    preferences.keep(choice.cipher, preferences.NATIVE, choice.best)


@dataclass
class _Clock:
    """The time that is left, and who is told that it passes."""

    seconds: float
    advance: Advance

    def __post_init__(self) -> None:
        self._start = self._told = time.monotonic()

    def has_left(self, share: float) -> bool:
        return time.monotonic() - self._start < share * self.seconds

    def tell(self, what: str) -> None:
        now = time.monotonic()
        self.advance(now - self._told, what)
        self._told = now


def _build_all(
    choice: Choice, compiler: Compiler, clock: _Clock
) -> tuple[dict[str, LoadedCipher], dict[str, list[str]]]:
    """Return the compiled, checked code of each strategy, and which others have the same as one of them."""
    built: dict[str, LoadedCipher] = {}
    same: dict[str, list[str]] = {}
    texts: dict[tuple[str, ...], str] = {}
    for number, name in enumerate(_order(choice)):
        if strategies.load(name).for_each_key:
            choice.left_out[name] = "it makes code for one key"
            continue
        if number > 0 and not clock.has_left(BUILDING):
            choice.left_out[name] = "no time was left"
            continue
        clock.tell(f"compiling {name}")
        try:
            code = generate(choice.cipher, strategy=name)  # of all key sizes: it must apply to each
            text = tuple(_code(content) for _, content in code.files)
            if text in texts:
                same.setdefault(texts[text], []).append(name)
                continue
            built[name] = _checked(choice, name, code, compiler)
            texts[text] = name
        except AssayError as error:
            choice.left_out[name] = f"{error.code}: {error.message}"
            choice.failures.append(error)
    return built, same


def _order(choice: Choice) -> list[str]:
    """Return the strategies that apply, the one preferred now first: it is tried however short the time."""
    return sorted(applicable_strategies(choice.cipher), key=lambda name: (name != choice.before, name))


def _code(text: str) -> str:
    """Return C without the comment on top, which names the strategy."""
    return text.partition("*/")[2]


def _checked(choice: Choice, name: str, code: GeneratedCode, compiler: Compiler) -> LoadedCipher:
    loaded = build(code, compiler=compiler)
    backend = LoadedBackend(loaded, f"the compiled strategy `{name}`")
    for bits in choice.cipher.key_bits:
        check_implementation(choice.cipher, backend, bits)
    return loaded


def _measured(
    built: Mapping[str, LoadedCipher], choice: Choice, session: Session, settings: Settings, clock: _Clock
) -> dict[str, Tried]:
    cycles: dict[str, dict[Operation, float]] = {name: {} for name in built}
    unstable: set[str] = set()
    for operation in operations(choice.cipher):
        clock.tell(f"measuring {operation.replace('_', ' ')} of {len(built)}")
        found, disturbed = session.measure(built, operation, choice.key_bits, settings)
        unstable |= disturbed
        for name, one in found.items():
            cycles[name][operation] = typical_cycles(one)
    return {name: Tried(name, each, name not in unstable) for name, each in cycles.items()}
