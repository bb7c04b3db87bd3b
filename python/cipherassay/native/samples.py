"""Samples: which clock converts them, which pass counts, whether a neighbour disturbed them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

CALIBRATION_WINDOW = 9
"""Calibrations whose median converts a sample: its own two and those around it."""
CROWDING_LIMIT = 1.12
"""Additions side by side slower than at best by more: another hardware thread works on the same core."""
FASTER_CLOCK = 0.99
"""A calibration shorter than those around it by more than this is believed."""
ALONE = 0.98
"""A time below the next one of the same input by more than this is not believed."""


def smooth_calibrations(samples: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the calibrations of samples, shape (n, 5), in the order taken, without outliers; shape (n, 2).

    A calibration can be slowed by an interrupt, which would make its sample look fast. The median of those
    around it (its neighbours', about a millisecond in all) follows the clock and not the interrupts.
    """
    import numpy as np
    from scipy.ndimage import median_filter

    filtered = median_filter(samples[:, 1:3].ravel(), size=CALIBRATION_WINDOW, mode="nearest")
    return np.asarray(np.maximum(filtered, 1.0).reshape(-1, 2), dtype=np.float64)


def conversions(samples: NDArray[np.float64], clock: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the calibration ticks that convert each sample: of the clock, or less.

    Nothing makes a calibration short but a faster clock. One that is clearly shorter than those around it
    says that the clock ran faster just then, and with it the shortest run.
    """
    import numpy as np

    usual, shortest = clock.mean(axis=1), samples[:, 1:3].min(axis=1)
    return np.asarray(np.where(shortest < FASTER_CLOCK * usual, shortest, usual))


def best_pass(cycles: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return for each input the pass that counts, that of the least time; `cycles` is (passes, inputs).

    A time that no other pass comes near is not the code's but a moment of a faster clock that no calibration
    saw: then the second least counts.
    """
    import numpy as np

    order = np.argsort(cycles, axis=0, kind="stable")
    least, second = np.take_along_axis(cycles, order[:2], axis=0)
    return np.asarray(np.where(least < ALONE * second, order[1], order[0]))


_least: list[float] = []


def crowded_inputs(samples: NDArray[np.float64], calibrations: NDArray[np.float64]) -> int:
    """Count the inputs that had a busy neighbour in all their passes but one at most.

    `samples` has shape (passes, inputs, 5), `calibrations` (passes, inputs, 2). A neighbour on the same core
    only slows, so that two passes without one are enough (see `best_pass`). What additions side by side take
    at best is learnt: it is the least that this process has seen.
    """
    import numpy as np

    crowding = samples[:, :, 3:].max(axis=2) / calibrations.mean(axis=2)
    _least[:] = [min([float(crowding.min()), *_least])]
    second = np.sort(crowding, axis=0)[1]
    return int(np.count_nonzero(second > CROWDING_LIMIT * _least[0]))
