"""Rows of results from measurements."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from cipherassay.native.measurement import Measurement, typical_cycles
from cipherassay.native.statistics import Distribution, describe
from cipherassay.results import Row, Sample

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Subject:
    """What was measured, as every row of it says."""

    cipher: str
    strategy: str | None
    target: str
    configuration: str
    """How it was compiled."""
    tools: str
    command: str
    variant: str = ""
    compiler: str | None = None
    constant_time: bool | None = None

    def row(self, measurement: Measurement, metric: str, value: float, *, stable: bool) -> Row:
        """Return one row of a measurement."""
        return Row(
            cipher=self.cipher, variant=self.variant or None, operation=measurement.operation,
            key_bits=measurement.key_bits or None, strategy=self.strategy, level="native", target=self.target,
            configuration=self.configuration, compiler=self.compiler,
            key_mode="one size" if measurement.key_bits else None, metric=metric, value=value,
            basis="measured", stable=stable, constant_time=self.constant_time, tools=self.tools,
            command=self.command,
        )  # fmt: skip


def cycles_per_input(chained: Measurement, repeated: Measurement | None) -> NDArray[np.float64]:
    """Return the cycles of one call for each input.

    A block repeated waits for its last output in another way than a chained one (harness.c), which costs the
    same few cycles whatever the block: they are taken off, so that both have the same median.
    """
    if repeated is None:
        return chained.cycles
    return repeated.cycles - (typical_cycles(repeated) - typical_cycles(chained))


def distribution_of(chained: Measurement, repeated: Measurement | None) -> Distribution:
    """Return the distribution of the cycles over the inputs."""
    finest = (repeated or chained).resolution
    return describe(cycles_per_input(chained, repeated), resolution=finest)


def rows_of(
    subject: Subject, chained: Measurement, repeated: Measurement | None, *, stable: bool
) -> tuple[list[Row], Sample]:
    """Return the rows of one operation, and its sample.

    `chained` gives ``cycles``, the comparable number; `repeated` (for blocks) the distribution over inputs.
    """
    import numpy as np

    sampled = repeated or chained
    cycles = cycles_per_input(chained, repeated)
    found = distribution_of(chained, repeated)
    values: dict[str, float | None] = {
        "cycles": typical_cycles(chained),
        "cycles_min": found.min,
        "cycles_average": found.average,
        "cycles_mode": found.mode,
        "cycles_max": found.max,
        "cycles_sigma": found.sigma,
        "normality_p": found.normality.p,
        "inputs": float(found.count),
        "repeats": float(sampled.repeats * sampled.chain),
        "ticks": float(np.median(chained.ticks)),
        "cycles_per_tick": float(np.median(1.0 / chained.ticks_per_cycle)),
    }
    rows = [
        subject.row(chained, metric, value, stable=stable)
        for metric, value in values.items()
        if value is not None
    ]
    return rows, Sample(rows[0], ticks=list(sampled.ticks), cycles=list(cycles))
