"""Measuring one operation of one implementation over many inputs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
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
CALIBRATION_WINDOW = 9
"""Calibrations whose median converts a sample: its own two and those around it."""
SAMPLE_DRIFT_LIMIT = 0.02
"""A sample whose calibrations before and after differ more counts as unstable."""
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
    """The conversion of each input: the median of the calibrations around it (`conversions`)."""
    unstable: int = 0
    """Inputs whose calibrations before and after differ."""
    disagreement: float = 0.0
    """Difference between the two best passes over the inputs, as a share."""

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
    advance: Callable[[float], None] = lambda amount: None,
) -> dict[str, Measurement]:
    """Measure one operation of several implementations on the same random inputs, taking turns.

    Parameters
    ----------
    dependence : {"chained", "repeated"}
        Blocks: each the output of the last, or the same one again (harness.c). Key set-up: no difference.
    advance : callable
        Told the number of inputs done since the last call, in whole passes' share.
    """
    jobs = {name: _Job(cipher, operation, key_bits, settings, dependence) for name, cipher in ciphers.items()}
    for _ in range(ROUNDS):
        for job in jobs.values():
            job.take_pass(advance)
    return {name: job.result() for name, job in jobs.items()}


class _Job:
    """One implementation's part: its context, and the passes over the inputs so far."""

    def __init__(
        self,
        cipher: LoadedCipher,
        operation: Operation,
        key_bits: int,
        settings: Settings,
        dependence: Dependence,
    ) -> None:
        key, self.inputs = random_inputs(settings.seed, operation, key_bits, settings.inputs)
        self.cipher, self.operation, self.key_bits = cipher, operation, key_bits
        self.settings, self.dependence = settings, dependence
        self.context = prepare(cipher, operation, key)
        self.chain = choose_chain(cipher, self.context, operation, key_bits, self.inputs)
        self.passes: list[NDArray[np.uint64]] = []

    def take_pass(self, advance: Callable[[float], None]) -> None:
        """Measure every input once more; in parts, so that an interrupt is heard between them."""
        import numpy as np

        size = len(self.inputs) // self.settings.inputs
        parts = []
        for first, last in _batches(self.settings):
            part = harness.measure_samples(
                self.cipher, self.context.address, self.operation,
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
        rates = np.stack([conversions(one) for one in stacked]) / adds
        cycles = stacked[:, :, 0] / rates
        best = np.argmin(cycles, axis=0), np.arange(stacked.shape[1])
        samples = stacked[best]
        medians = np.sort(np.median(cycles, axis=1))
        return Measurement(
            self.operation, self.key_bits, self.dependence, self.chain, _repeats(self.settings) * ROUNDS,
            ticks=samples[:, 0] / self.chain,
            calibration_before=samples[:, 1] / adds,
            calibration_after=samples[:, 2] / adds,
            ticks_per_cycle=rates[best],
            unstable=int(np.count_nonzero(_drift(samples) > SAMPLE_DRIFT_LIMIT)),
            disagreement=float(medians[1] / medians[0] - 1.0),
        )  # fmt: skip


def conversions(samples: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return for each sample of shape (n, 3), in the order taken, the calibration ticks that convert it.

    A calibration can be slowed by an interrupt, which would make its sample look fast: the median of those
    around a sample (before and after it and its neighbours', about a millisecond in all) is not.
    """
    import numpy as np
    from scipy.ndimage import median_filter

    filtered = median_filter(samples[:, 1:].ravel(), size=CALIBRATION_WINDOW, mode="nearest")
    return np.asarray(filtered.reshape(-1, 2).mean(axis=1), dtype=np.float64)


def _batches(settings: Settings) -> Iterator[tuple[int, int]]:
    """Cut the inputs into parts of about a tenth of a second, so that an interrupt is heard."""
    seconds = 1e-4 + _repeats(settings) * RUN_CYCLES / 3e9
    size = max(1, int(_BATCH_SECONDS / seconds))
    for first in range(0, settings.inputs, size):
        yield first, min(first + size, settings.inputs)


def _repeats(settings: Settings) -> int:
    """Return the timed runs of an input in one pass."""
    return -(-settings.repeats // ROUNDS)


def _drift(samples: NDArray[np.float64]) -> NDArray[np.float64]:
    import numpy as np

    before, after = samples[:, 1], samples[:, 2]
    return np.asarray(np.abs(before - after) / np.maximum(np.minimum(before, after), 1.0))
