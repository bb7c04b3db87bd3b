"""Measuring one operation of one implementation over many inputs."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cipherassay.lang.shapes import direction_of
from cipherassay.native import harness
from cipherassay.native.harness import Dependence, Operation
from cipherassay.native.loaded import Context, LoadedCipher
from cipherassay.native.samples import best_pass, conversions, crowded_inputs, smooth_calibrations

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

RUN_CYCLES = 20_000
"""A timed run is as many calls as take about this long: many steps of the counter, few time slices."""
LONGEST_CHAIN = 1024
ROUNDS = 3
"""The runs of an input are spread over so many passes: a disturbance often outlasts one input."""
PATIENCE = 20
"""So many passes more are taken of what was disturbed; if it still is, its numbers are doubtful."""
PAUSES = 0.1, 1.0
"""Seconds of waiting before the first of them, so much more before each next one; and at most."""
CROWDED_SHARE = 0.05
"""More of the inputs with a busy neighbour make the measurement doubtful."""
SAMPLE_DRIFT_LIMIT = 0.02
"""An input during which the clock, freed of outliers, changed by more counts as unstable."""
UNSTABLE_SHARE = 0.1
"""More such inputs make the measurement doubtful."""
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
    ticks_per_cycle: NDArray[np.float64]
    """The conversion of each input (`conversions`)."""
    unstable: int = 0
    """Inputs during which the clock changed."""
    disagreement: float = 0.0
    """Difference between the two best passes over the inputs, as a share."""

    crowded: int = 0
    """Inputs during which, in every pass, another hardware thread used the core's units."""

    @property
    def problems(self) -> list[str]:
        """What makes the numbers doubtful; empty if nothing does."""
        found = []
        if self.unstable > max(2, UNSTABLE_SHARE * len(self.ticks)):
            found.append(
                f"the clock changed during {self.unstable} of {len(self.ticks)} inputs "
                f"(by more than {100 * SAMPLE_DRIFT_LIMIT:.0f} %)"
            )
        if self.disagreement > ROUND_LIMIT:
            found.append(f"passes over the same inputs differ by {100 * self.disagreement:.0f} %")
        if self.crowded > CROWDED_SHARE * len(self.ticks):
            found.append(
                f"a busy neighbour shared the core during {self.crowded} of {len(self.ticks)} inputs"
            )
        return found

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


def random_inputs(
    seed: int, operation: Operation, key_bits: int, block_bytes: int, count: int
) -> tuple[bytes, bytes]:
    """Return a random key and `count` random inputs (keys or blocks), the same for the same arguments."""
    import numpy as np

    generator = np.random.Generator(np.random.PCG64([seed, harness.number(operation), key_bits]))
    size = key_bits // 8 if operation.startswith("key") else block_bytes
    return generator.bytes(key_bits // 8), generator.bytes(count * size)


def prepare(cipher: LoadedCipher, operation: Operation, key: bytes) -> Context:
    """Return a context that the operation can be measured on: with the key, for the direction."""
    return cipher.keys(key, direction_of(operation))


def choose_chain(
    cipher: LoadedCipher, context: Context, operation: Operation, key_bits: int, inputs: bytes
) -> int:
    """Return how many calls make a run of about RUN_CYCLES cycles, found by a few trial runs."""
    size = key_bits // 8 if operation.startswith("key") else cipher.block_bytes
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
    """Measure one operation of one implementation on random inputs; arguments as `measure_together`."""
    together = {"": cipher}
    return measure_together(together, operation, key_bits, settings, dependence=dependence, advance=advance)[
        ""
    ]


def measure_together(
    ciphers: Mapping[str, LoadedCipher],
    operation: Operation,
    key_bits: int,
    settings: Settings,
    *,
    dependence: Dependence = "chained",
    patience: int = PATIENCE,
    advance: Callable[[float], None] = lambda amount: None,
) -> dict[str, Measurement]:
    """Measure one operation of several implementations on the same random inputs, taking turns.

    Parameters
    ----------
    dependence : {"chained", "repeated"}
        Blocks: each the output of the last, or the same one again (harness.c). Key setup: no difference.
    patience : int
        Passes that are added at most for what was disturbed.
    advance : callable
        Told the number of inputs done since the last call, in whole passes' share.
    """
    jobs = {name: _Job(cipher, operation, key_bits, settings, dependence) for name, cipher in ciphers.items()}
    for _ in range(ROUNDS):
        for job in jobs.values():
            job.take_pass(advance)
    results = {name: job.result() for name, job in jobs.items()}
    for n in range(patience):
        disturbed = [name for name, one in results.items() if one.problems]
        if disturbed:
            time.sleep(min(PAUSES[0] * (n + 1), PAUSES[1]))
        for name in disturbed:
            jobs[name].take_pass(lambda amount: None)
            results[name] = jobs[name].result()
    return results


def typical_cycles(measurement: Measurement) -> float:
    """Return the cycles of one call: the median over the inputs of each input's least."""
    import numpy as np

    return float(np.median(measurement.cycles))


class _Job:
    """One implementation's part: its contexts, and the passes over the inputs so far."""

    def __init__(
        self,
        cipher: LoadedCipher,
        operation: Operation,
        key_bits: int,
        settings: Settings,
        dependence: Dependence,
    ) -> None:
        key, self.inputs = random_inputs(
            settings.seed, operation, key_bits, cipher.block_bytes, settings.inputs
        )
        self.cipher, self.operation, self.key_bits = cipher, operation, key_bits
        self.settings, self.dependence = settings, dependence
        self.key = key
        self.contexts = [prepare(cipher, operation, key)]
        self.chain = choose_chain(cipher, self.contexts[0], operation, key_bits, self.inputs)
        self.passes: list[NDArray[np.uint64]] = []

    def take_pass(self, advance: Callable[[float], None]) -> None:
        """Measure every input once more; in parts, so that an interrupt is heard between them.

        Each pass has a context of its own, beside those before it: where its tables lie can cost a tenth,
        when they meet other data in the cache.
        """
        import numpy as np

        self.contexts.append(prepare(self.cipher, self.operation, self.key))
        size = len(self.inputs) // self.settings.inputs
        parts = []
        for first, last in _batches(self.settings):
            part = harness.measure_samples(
                self.cipher, self.contexts[-1].address, self.operation,
                self.inputs[first * size : last * size],
                key_bits=self.key_bits, chain=self.chain, repeats=_repeats(self.settings),
                dependence=self.dependence,
            )  # fmt: skip
            parts.append(part)
            advance((last - first) / ROUNDS)
        self.passes.append(np.concatenate(parts))

    def result(self) -> Measurement:
        """Take the best pass of each input, in cycles."""
        import numpy as np

        adds = harness.calibration_adds()
        stacked = np.stack(self.passes).astype(np.float64)
        calibrations = np.stack([smooth_calibrations(one) for one in stacked])
        rates = np.stack([conversions(*pair) for pair in zip(stacked, calibrations, strict=True)]) / adds
        cycles = stacked[:, :, 0] / rates
        best = best_pass(cycles), np.arange(stacked.shape[1])
        samples, clock = stacked[best], calibrations[best]
        drift = np.abs(clock[:, 0] - clock[:, 1]) / clock.min(axis=1)
        medians = np.sort(np.median(cycles, axis=1))
        repeats = _repeats(self.settings) * len(self.passes)
        return Measurement(
            self.operation, self.key_bits, self.dependence, self.chain, repeats,
            ticks=samples[:, 0] / self.chain,
            calibration_before=samples[:, 1] / adds,
            calibration_after=samples[:, 2] / adds,
            ticks_per_cycle=rates[best],
            unstable=int(np.count_nonzero(drift > SAMPLE_DRIFT_LIMIT)),
            disagreement=float(medians[1] / medians[0] - 1.0),
            crowded=crowded_inputs(stacked, calibrations),
        )  # fmt: skip


def _batches(settings: Settings) -> Iterator[tuple[int, int]]:
    """Cut the inputs into parts of about a tenth of a second, so that an interrupt is heard."""
    seconds = 1e-4 + _repeats(settings) * RUN_CYCLES / 3e9
    size = max(1, int(_BATCH_SECONDS / seconds))
    for first in range(0, settings.inputs, size):
        yield first, min(first + size, settings.inputs)


def _repeats(settings: Settings) -> int:
    """Return the timed runs of an input in one pass."""
    return -(-settings.repeats // ROUNDS)
