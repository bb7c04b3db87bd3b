"""The distribution of cycles: against NumPy and SciPy, and what counts as Gaussian."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from cipherassay.native.statistics import anderson_darling, describe, histogram


def gaussian(count: int = 2000) -> NDArray[np.float64]:
    return np.random.default_rng(7).normal(250.0, 4.0, count)


def test_moments_are_those_of_numpy() -> None:
    data = gaussian()
    found = describe(data)
    assert (found.count, found.min, found.max) == (2000, data.min(), data.max())
    assert found.average == pytest.approx(np.mean(data))
    assert found.sigma == pytest.approx(np.std(data))
    assert found.median == pytest.approx(np.median(data))


def test_mode_is_the_middle_of_the_fullest_bin() -> None:
    data = np.array([10.2, 12.1, 12.4, 12.9, 14.0, 14.1])
    found = describe(data)
    assert found.mode == 12.5
    assert describe(data, resolution=4.0).mode == pytest.approx(14.0)  # bins 8-12 and 12-16
    assert describe(np.array([5.01, 5.02, 5.03])).mode == 5.03  # never beyond the values


def test_histogram_counts_every_value_once() -> None:
    data = gaussian()
    found = histogram(data, 0.5)
    edges = found.start + found.width * np.arange(len(found.counts) + 1)
    assert list(found.counts) == list(np.histogram(data, edges)[0])
    assert sum(found.counts) == 2000
    assert found.start % 0.5 == 0


def test_histogram_of_far_values_stays_small() -> None:
    data = np.concatenate([gaussian(), [1e6]])
    found = describe(data).histogram
    assert len(found.counts) <= 202
    assert sum(found.counts) == 2001


def test_gaussian_data_are_called_gaussian() -> None:
    found = describe(gaussian()).normality
    assert found.verdict == "Gaussian"
    assert found.p == pytest.approx(stats.normaltest(gaussian()).pvalue)


@pytest.mark.parametrize("shape", ["uniform", "two peaks", "tail"])
def test_other_data_are_not(shape: str) -> None:
    generator = np.random.default_rng(3)
    data = {
        "uniform": generator.uniform(100, 110, 1000),
        "two peaks": np.concatenate([generator.normal(100, 1, 500), generator.normal(110, 1, 500)]),
        "tail": 100 + generator.exponential(3, 1000),
    }[shape]
    assert describe(data).normality.verdict == "not Gaussian"


def test_values_equal_but_for_rounding_are_constant() -> None:
    found = describe(np.array([0.1 + 0.2, 0.3] * 50))
    assert (found.sigma, found.normality.verdict) == (0.0, "constant")


def test_nothing_to_test() -> None:
    constant = describe(np.full(100, 161.0)).normality
    assert (constant.verdict, constant.p, constant.anderson) == ("constant", None, None)
    assert describe(gaussian(19)).normality.verdict == "too few"


@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_anderson_darling_is_that_of_scipy() -> None:
    data = gaussian(300)
    theirs = stats.anderson(data, "norm")
    assert anderson_darling(data) == pytest.approx(theirs.statistic, abs=1e-9)
    critical = describe(data).normality.anderson_critical
    assert critical == pytest.approx(0.787 / (1 + 4 / 300 - 25 / 300**2))


@pytest.mark.parametrize("data", [[], [[1.0]], [1.0, float("nan")]])
def test_what_is_no_distribution(data: list[float]) -> None:
    with pytest.raises(ValueError, match="one or more finite values"):
        describe(np.array(data))
