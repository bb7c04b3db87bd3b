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
from cipherassay.native.measurement import Measurement, Settings, measure_together

TRIES = 3
"""An operation whose measurement was disturbed is measured again, this often in all."""
CHAINED_INPUTS = 100
"""Inputs of the chained measurement that stands beside a distribution: each run is many blocks anyway."""


@dataclass(frozen=True)
class Session:
    """A core that was found steady, or whose unsteadiness was accepted."""

    environment: Environment
    accept_unstable: bool = False

    @property
    def target(self) -> str:
        """The machine's name, as rows have it."""
        return machine_name()

    def measure(
        self,
        ciphers: Mapping[str, LoadedCipher],
        operation: Operation,
        key_bits: int,
        settings: Settings,
        advance: Callable[[float], None] = lambda amount: None,
    ) -> tuple[dict[str, Measurement], bool]:
        """Measure an operation of several implementations by turns; the flag says whether they are stable.

        Raises
        ------
        MeasurementError
            ``N021``: it was disturbed at every try.
        """
        return self._steady(
            lambda: measure_together(ciphers, operation, key_bits, settings, advance=advance),
            f"{operation} with {key_bits}-bit keys",
        )

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
            ``N021``: it was disturbed at every try.
        """
        blocks = not operation.startswith("key")
        few = Settings(min(settings.inputs, CHAINED_INPUTS), settings.repeats, settings.seed)
        chained, stable = self.measure(
            {"": cipher}, operation, key_bits, few if blocks else settings,
            (lambda amount: None) if blocks else advance,
        )  # fmt: skip
        if not blocks:
            return chained[""], None, stable
        repeated, also = self._steady(
            lambda: measure_together(
                {"": cipher}, operation, key_bits, settings, dependence="repeated", advance=advance
            ),
            f"{operation} with {key_bits}-bit keys",
        )
        return chained[""], repeated[""], stable and also

    def _steady(
        self, take: Callable[[], dict[str, Measurement]], what: str
    ) -> tuple[dict[str, Measurement], bool]:
        problems: list[str] = []
        result: dict[str, Measurement] = {}
        for _ in range(TRIES):
            result = take()
            problems = [problem for one in result.values() for problem in one.problems]
            if not problems:
                return result, self.environment.stable
        if self.accept_unstable:
            return result, False
        raise MeasurementError(
            "N021",
            f"the measurement of {what} is refused: it was disturbed {TRIES} times",
            notes=problems[:4],
            help="try again when less runs, or add --accept-unstable (the rows are then marked unstable)",
        )


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
