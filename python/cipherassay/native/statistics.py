"""The distribution of an operation's cycles over its inputs, as Worley et al. (2000) describe it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Values = NDArray[np.float64]

SIGNIFICANCE = 0.05
"""Below this probability the times are called not Gaussian."""
LEAST_FOR_TEST = 20
"""Fewer values than this are not tested: the K² test is asymptotic."""
_BINS = 200


@dataclass(frozen=True)
class Histogram:
    """Counts of the values in bins of equal width; bin n begins at ``start + n * width`` cycles."""

    start: float
    width: float
    counts: tuple[int, ...]


@dataclass(frozen=True)
class Normality:
    """Two tests of whether the values are Gaussian.

    `p` is of D'Agostino and Pearson's K² (skewness and kurtosis), `anderson` the Anderson-Darling statistic
    (the middle and the tails), `anderson_critical` its 5 % point. All are None where there is nothing to
    test: under 20 values, or all equal.
    """

    p: float | None
    anderson: float | None
    anderson_critical: float | None
    verdict: str
    """``Gaussian`` (neither test refutes it), ``not Gaussian``, ``constant`` or ``too few``."""


@dataclass(frozen=True)
class Distribution:
    """Minimum, average, mode, maximum and standard deviation in cycles, with histogram and normality."""

    count: int
    min: float
    average: float
    mode: float
    max: float
    sigma: float
    median: float
    histogram: Histogram
    normality: Normality


def describe(values: Values, *, resolution: float = 1.0) -> Distribution:
    """Describe the distribution of `values` (cycles, shape (n,), n ≥ 1).

    The mode is the middle of the fullest bin, of bins as wide as a cycle or as the measurement resolves
    (`resolution`, cycles), whichever is more; of several fullest bins the lowest. `sigma` is that of the
    values themselves (divided by n).
    """
    import numpy as np

    data = np.asarray(values, dtype=np.float64)
    if data.ndim != 1 or data.size == 0 or not np.all(np.isfinite(data)):
        raise ValueError("a distribution needs one or more finite values")
    if _is_constant(data):
        data = np.full_like(data, np.median(data))  # equal but for the rounding of the division
    fine = histogram(data, max(1.0, resolution))
    fullest = int(np.argmax(fine.counts))
    return Distribution(
        count=int(data.size),
        min=float(data.min()),
        average=float(data.mean()),
        mode=min(max(fine.start + (fullest + 0.5) * fine.width, float(data.min())), float(data.max())),
        max=float(data.max()),
        sigma=float(data.std()) if np.ptp(data) else 0.0,
        median=float(np.median(data)),
        histogram=fine if len(fine.counts) <= _BINS else histogram(data, float(np.ptp(data)) / _BINS),
        normality=assess_normality(data),
    )


def histogram(data: Values, width: float) -> Histogram:
    """Count the values in bins of `width` cycles that begin at a multiple of it."""
    import numpy as np

    first = math.floor(float(data.min()) / width)
    bins = np.floor(data / width).astype(np.int64) - first
    counts = np.bincount(bins)
    return Histogram(first * width, width, tuple(int(count) for count in counts))


def assess_normality(data: Values) -> Normality:
    """Test whether the values can come from a Gaussian distribution."""
    from scipy import stats

    if _is_constant(data):
        return Normality(None, None, None, "constant")
    if data.size < LEAST_FOR_TEST:
        return Normality(None, None, None, "too few")
    p = float(stats.normaltest(data).pvalue)
    statistic = anderson_darling(data)
    critical = 0.787 / (1.0 + 4.0 / data.size - 25.0 / data.size**2)
    verdict = "Gaussian" if p >= SIGNIFICANCE and statistic <= critical else "not Gaussian"
    return Normality(p, statistic, critical, verdict)


def _is_constant(data: Values) -> bool:
    import numpy as np

    return bool(np.ptp(data) <= 1e-9 * abs(float(data.mean())))


def anderson_darling(data: Values) -> float:
    """Return the Anderson-Darling statistic A² for a Gaussian whose mean and deviation are the sample's own.

    Source: M. A. Stephens, EDF Statistics for Goodness of Fit and Some Comparisons, JASA 69 (1974), case 3;
    its critical values belong to this statistic. SciPy's function of the name is changing its answer's form.
    """
    import numpy as np
    from scipy import stats

    n = data.size
    standard = (np.sort(data) - data.mean()) / data.std(ddof=1)
    weights = 2.0 * np.arange(1, n + 1) - 1.0
    below, above = stats.norm.logcdf(standard), stats.norm.logsf(standard[::-1])
    return float(-n - np.sum(weights * (below + above)) / n)
