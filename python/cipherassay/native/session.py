"""A run of measurements: the pinned core, its check, the operations one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from cipherassay.errors import MeasurementError
from cipherassay.native.environment import (
    Environment,
    check_environment,
    machine_name,
    pinned,
    require_stable,
)
from cipherassay.native.harness import Operation
from cipherassay.native.loaded import LoadedCipher
from cipherassay.native.measurement import (
    PATIENCE,
    Measurement,
    Settings,
    measure_together,
    typical_cycles,
)

RIVAL = 2.0
"""An implementation within this factor of the fastest must be measured undisturbed."""
LITTLE_PATIENCE = 2
"""Passes added for what is disturbed where unstable rows are accepted anyway."""
CHAINED_INPUTS = 100
"""Inputs of the chained measurement that stands beside a distribution: each run is many blocks anyway."""


@dataclass
class Tolerance:
    """When the measurements of a run accept an unsteady machine; their rows are then marked.

    Parameters
    ----------
    after : int, optional
        How many measurements are refused before; 0: none. Without it every one is refused.
    """

    after: int | None = None
    refused: int = 0

    @property
    def accepts(self) -> bool:
        """Whether the next measurement is made on an unsteady machine, too."""
        return self.after is not None and self.refused >= self.after

    @property
    def tries(self) -> int:
        """How often a measurement may have to be tried."""
        return 1 + (self.after or 0)

    @classmethod
    def of(cls, accept: bool) -> Tolerance:
        """Return that of an option: all unsteady measurements are accepted, or none."""
        return cls(0 if accept else None)


@dataclass(frozen=True)
class Session:
    """A core that was found steady, or whose unsteadiness was accepted."""

    environment: Environment
    accept_unstable: bool = False

    @property
    def target(self) -> str:
        """The machine's name, as rows have it."""
        return machine_name()

    @property
    def _patience(self) -> int:
        return LITTLE_PATIENCE if self.accept_unstable else PATIENCE

    def measure(
        self,
        ciphers: Mapping[str, LoadedCipher],
        operation: Operation,
        key_bits: int,
        settings: Settings,
        advance: Callable[[float], None] = lambda amount: None,
    ) -> tuple[dict[str, Measurement], frozenset[str]]:
        """Measure an operation of several implementations by turns; also return which are unstable.

        One that is far slower than the fastest may be disturbed: it is only named, as its time is a bound.

        Raises
        ------
        MeasurementError
            ``N021``: it was disturbed all the time.
        """
        result = measure_together(
            ciphers, operation, key_bits, settings, patience=self._patience, advance=advance
        )
        return self._assessed(result, operation, key_bits)

    def measure_distribution(
        self,
        cipher: LoadedCipher,
        operation: Operation,
        key_bits: int,
        settings: Settings,
        advance: Callable[[float], None] = lambda amount: None,
    ) -> tuple[Measurement, Measurement | None, bool]:
        """Measure an operation chained and, for blocks, each input repeated; and whether it was stable.

        Raises
        ------
        MeasurementError
            ``N021``: it was disturbed all the time.
        """
        blocks = not operation.startswith("key")
        few = Settings(min(settings.inputs, CHAINED_INPUTS), settings.repeats, settings.seed)
        chained, unstable = self.measure(
            {"": cipher}, operation, key_bits, few if blocks else settings,
            (lambda amount: None) if blocks else advance,
        )  # fmt: skip
        if not blocks:
            return chained[""], None, not unstable
        result = measure_together(
            {"": cipher}, operation, key_bits, settings,
            dependence="repeated", patience=self._patience, advance=advance,
        )  # fmt: skip
        repeated, also = self._assessed(result, operation, key_bits)
        return chained[""], repeated[""], not unstable and not also

    def _assessed(
        self, result: dict[str, Measurement], operation: Operation, key_bits: int
    ) -> tuple[dict[str, Measurement], frozenset[str]]:
        doubtful = {name: one.problems for name, one in result.items() if one.problems}
        limit = RIVAL * min(typical_cycles(one) for one in result.values())
        rivals = [name for name in doubtful if typical_cycles(result[name]) <= limit]
        if rivals and not self.accept_unstable:
            of_keys = f" ({key_bits}-bit keys)" if key_bits else ""
            what = operation.replace("key_setup", "key setup").replace("_", ", ")
            raise MeasurementError(
                "N021",
                f"the measurement of {what}{of_keys} is refused: it was disturbed all the time",
                notes=[f"{name}: {text}" if name else text for name in rivals for text in doubtful[name]][:4],
                help="try again when less runs, or add --accept-unstable (the rows are then marked unstable)",
            )
        return result, frozenset(doubtful) if self.environment.stable else frozenset(result)


@contextmanager
def session(*, accept_unstable: bool = False, core: int | None = None) -> Iterator[Session]:
    """Pin the process to a core and check that it is steady, for as long as the block runs.

    Raises
    ------
    MeasurementError
        ``N020``: it is not, and that is not accepted.
    """
    with pinned(core) as chosen:
        environment = check_environment(chosen)
        require_stable(environment, accept_unstable=accept_unstable)
        yield Session(environment, accept_unstable)
