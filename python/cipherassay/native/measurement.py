"""Measuring one operation of one implementation over many inputs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cipherassay.native import harness
from cipherassay.native.harness import Dependence, Operation
from cipherassay.native.loaded import Context, LoadedCipher

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

RUN_CYCLES = 20_000
"""A timed run is as many calls as take about this long: many steps of the counter, few time slices."""
LONGEST_CHAIN = 1024
ROUNDS = 3
"""The runs of an input are spread over so many passes: a disturbance often outlasts one input."""
SAMPLE_DRIFT_LIMIT = 0.02
"""A sample whose calibrations before and after differ more counts as unstable."""
ROUND_LIMIT = 0.05
"""More than this between the medians of the two best passes: something disturbed the measurement."""
_BATCH_SECONDS = 0.1


@dataclass(frozen=True)
class Settings:
    """How much to measure: inputs, timed runs per input, seed of the inputs."""

    inputs: int = 1000
    repeats: int = 30
    seed: int = 1


@dataclass
class Measurement:
    """The samples of one operation. Arrays have one entry per input; ticks are of one call, as cycles are."""

    operation: Operation
    key_bits: int
    dependence: Dependence
    chain: int
    repeats: int
    ticks: NDArray[np.float64]
    calibration_before: NDArray[np.float64]
    """Ticks per cycle just before the input's runs."""
    calibration_after: NDArray[np.float64]
    unstable: int = 0
    """Inputs whose calibrations before and after differ."""
    disagreement: float = 0.0
    """Difference between the two best passes over the inputs, as a share."""
    complete: bool = True
    """False when interrupted: fewer inputs or passes than asked for."""

    @property
    def problems(self) -> list[str]:
        """What makes the numbers doubtful; empty if nothing does."""
        found = []
        if self.unstable > len(self.ticks) // 20:
            found.append(
                f"the clock changed during {self.unstable} of {len(self.ticks)} inputs "
                f"(by more than {100 * SAMPLE_DRIFT_LIMIT:.0f} %)"
            )
        if self.disagreement > ROUND_LIMIT:
            found.append(f"passes over the same inputs differ by {100 * self.disagreement:.0f} %")
        return found

    @property
    def ticks_per_cycle(self) -> NDArray[np.float64]:
        """The conversion of each input: the mean of its two calibrations."""
        return (self.calibration_before + self.calibration_after) / 2

    @property
    def cycles(self) -> NDArray[np.float64]:
        """Cycles of one call, per input: the least over the runs."""
        return self.ticks / self.ticks_per_cycle

    @property
    def resolution(self) -> float:
        """The counter's step, in cycles of one call: how finely the cycles are known."""
        import numpy as np

        steps = np.unique(np.round(self.ticks * self.chain))
        if len(steps) < 2:
            return 0.0
        step = float(np.gcd.reduce(np.diff(steps).astype(np.int64)))
        return step / self.chain / float(np.mean(self.ticks_per_cycle))


def random_inputs(seed: int, operation: Operation, key_bits: int, count: int) -> tuple[bytes, bytes]:
    """Return a random key and `count` random inputs (keys or blocks), the same for the same arguments."""
    import numpy as np

    generator = np.random.Generator(np.random.PCG64([seed, harness.OPERATIONS.index(operation), key_bits]))
    size = key_bits // 8 if operation.startswith("key") else 16
    return generator.bytes(key_bits // 8), generator.bytes(count * size)


def prepare(cipher: LoadedCipher, operation: Operation, key: bytes) -> Context:
    """Return a context that the operation can be measured on: with the key, for the direction."""
    backwards = operation in ("decrypt", "key_setup_decrypt")
    return cipher.keys(key, "decrypt" if backwards else "encrypt")


def choose_chain(
    cipher: LoadedCipher, context: Context, operation: Operation, key_bits: int, inputs: bytes
) -> int:
    """Return how many calls make a run of about RUN_CYCLES cycles, found by a few trial runs."""
    size = key_bits // 8 if operation.startswith("key") else 16
    trial = harness.measure_samples(
        cipher, context.address, operation, inputs[:size], key_bits=key_bits, chain=4, repeats=20
    )[0]
    cycles = max(1.0, float(trial[0]) / 4 * harness.calibration_adds() / max(1.0, float(trial[1])))
    return int(min(LONGEST_CHAIN, max(1, round(RUN_CYCLES / cycles))))


def measure(
    cipher: LoadedCipher,
    operation: Operation,
    key_bits: int,
    settings: Settings,
    *,
    dependence: Dependence = "chained",
    advance: Callable[[float], None] = lambda amount: None,
) -> Measurement:
    """Measure one operation on random inputs.

    An interrupt (Ctrl-C) ends it early: the inputs done so far are returned, `complete` is False.

    Parameters
    ----------
    dependence : {"chained", "repeated"}
        Blocks: each the output of the last, or the same one again (harness.c). Key set-up: no difference.
    advance : callable
        Told the number of inputs done since the last call.
    """
    import numpy as np

    key, inputs = random_inputs(settings.seed, operation, key_bits, settings.inputs)
    context = prepare(cipher, operation, key)
    chain = choose_chain(cipher, context, operation, key_bits, inputs)
    size = len(inputs) // settings.inputs

    def take(part: bytes) -> NDArray[np.uint64]:
        return harness.measure_samples(
            cipher, context.address, operation, part,
            key_bits=key_bits, chain=chain, repeats=_repeats(settings), dependence=dependence,
        )  # fmt: skip

    passes: list[NDArray[np.uint64]] = []
    current, done = np.zeros((settings.inputs, 3), dtype=np.uint64), 0
    try:
        for _ in range(ROUNDS):
            current, done = np.zeros_like(current), 0
            for first, last in _batches(settings):
                current[first:last] = take(inputs[first * size : last * size])
                done = last
                advance((last - first) / ROUNDS)
            passes.append(current)
    except KeyboardInterrupt:
        if not passes and not done:
            raise
        passes = passes or [current[:done]]
    return _measurement(passes, operation, key_bits, dependence, chain, settings)


def _batches(settings: Settings) -> Iterator[tuple[int, int]]:
    """Cut the inputs into parts of about a tenth of a second, so that an interrupt is heard."""
    seconds = 1e-4 + _repeats(settings) * RUN_CYCLES / 3e9
    size = max(1, int(_BATCH_SECONDS / seconds))
    for first in range(0, settings.inputs, size):
        yield first, min(first + size, settings.inputs)


def _repeats(settings: Settings) -> int:
    """Return the timed runs of an input in one pass."""
    return -(-settings.repeats // ROUNDS)


def _cycles(samples: NDArray[np.uint64]) -> NDArray[np.float64]:
    """Return numbers in proportion to the cycles of samples of shape (..., 3)."""
    import numpy as np

    values = samples.astype(np.float64)
    return np.asarray(values[..., 0] / np.maximum(values[..., 1] + values[..., 2], 1.0))


def _drift(samples: NDArray[np.uint64]) -> NDArray[np.float64]:
    import numpy as np

    before, after = samples[:, 1].astype(np.float64), samples[:, 2].astype(np.float64)
    return np.asarray(np.abs(before - after) / np.maximum(np.minimum(before, after), 1.0))


def _measurement(
    passes: list[NDArray[np.uint64]],
    operation: Operation,
    key_bits: int,
    dependence: Dependence,
    chain: int,
    settings: Settings,
) -> Measurement:
    """Take the best pass of each input, in cycles."""
    import numpy as np

    adds = harness.calibration_adds()
    stacked = np.stack(passes)
    cycles = _cycles(stacked)
    best = np.argmin(cycles, axis=0)
    samples = stacked[best, np.arange(stacked.shape[1])]
    medians = np.sort(np.median(cycles, axis=1))
    return Measurement(
        operation, key_bits, dependence, chain, _repeats(settings) * len(passes),
        ticks=samples[:, 0].astype(np.float64) / chain,
        calibration_before=samples[:, 1].astype(np.float64) / adds,
        calibration_after=samples[:, 2].astype(np.float64) / adds,
        unstable=int(np.count_nonzero(_drift(samples) > SAMPLE_DRIFT_LIMIT)),
        disagreement=float(medians[1] / medians[0] - 1.0) if len(medians) > 1 else 0.0,
        complete=len(passes) == ROUNDS and stacked.shape[1] == settings.inputs,
    )  # fmt: skip
