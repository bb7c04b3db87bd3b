"""The machine and its state: which core, how steady its clock, how much else runs."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from cipherassay.errors import MeasurementError
from cipherassay.native import harness
from cipherassay.tools.machine import machine_name as machine_name

WINDOWS = 12
WINDOW_SECONDS = 0.01
DRIFT_LIMIT = 0.03
"""More than this between the fastest and the slowest window: the clock is not steady."""
DISTURBED_LIMIT = 0.5
"""More than this share of the calibrations slowed by a tenth: too much else runs on the core."""
_LOOK_SECONDS = 0.05


@dataclass(frozen=True)
class Environment:
    """What the check before a measurement found."""

    core: int
    counter: str
    """``cycle counter`` or ``time-stamp counter``."""
    ticks_per_cycle: float
    drift: float
    """Spread of the clock between windows of 10 ms, as a share."""
    disturbed: float
    """Share of the calibrations that something else slowed."""
    problems: tuple[str, ...]

    @property
    def stable(self) -> bool:
        """Whether numbers from here can be trusted."""
        return not self.problems


@contextmanager
def pinned(core: int | None = None) -> Iterator[int]:
    """Keep the process on one core (by default the idlest of those allowed) while the block runs."""
    allowed = sorted(os.sched_getaffinity(0))
    chosen = _idlest(allowed) if core is None else core
    os.sched_setaffinity(0, {chosen})
    try:
        yield chosen
    finally:
        os.sched_setaffinity(0, allowed)


def _idlest(cores: list[int]) -> int:
    before = _idle_times()
    time.sleep(_LOOK_SECONDS)
    after = _idle_times()
    # Of equally idle cores the last: interrupts tend to go to the first.
    return max(cores, key=lambda core: (after.get(core, 0) - before.get(core, 0), core))


def _idle_times() -> dict[int, int]:
    try:
        lines = Path("/proc/stat").read_text().splitlines()
    except OSError:
        return {}
    rows = [line.split() for line in lines if line.startswith("cpu") and line[3:4].isdigit()]
    return {int(row[0][3:]): int(row[4]) for row in rows}


@cache
def counter_kind() -> str:
    """Return the name of what counts on this machine: its cycle counter if that can be read."""
    return _in_a_thread(_open_counter)


def counter_name() -> str:
    """Open the cycle counter for this thread if it can be read; return the name of what counts."""
    # A counter is a thread's; the harness reads the one that was opened last.
    kind = counter_kind()
    if not getattr(_opened, "counter", False):
        _opened.counter = True
        return _open_counter()
    return kind


def _open_counter() -> str:
    return "cycle counter" if harness.library().assay_cycles_open() else "time-stamp counter"


def _in_a_thread(work: Callable[[], str]) -> str:
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(work).result()


_opened = threading.local()


def check_environment(core: int) -> Environment:
    """Watch the clock and the load of the pinned core for a moment (about 0.1 s)."""
    adds = harness.calibration_adds()
    counter = counter_name()
    windows: list[list[int]] = []
    for _ in range(WINDOWS):
        end = time.monotonic() + WINDOW_SECONDS
        window = [harness.calibrate()]
        while time.monotonic() < end:
            window.append(harness.calibrate())
        windows.append(window)
    return assess_calibrations(windows, adds, core=core, counter=counter)


def assess_calibrations(windows: list[list[int]], adds: int, *, core: int, counter: str) -> Environment:
    """Assess the ticks of calibrations, one list per window of time, each of `adds` cycles."""
    least = [min(window) for window in windows]
    everything = [ticks for window in windows for ticks in window]
    best = min(everything)
    drift = (max(least) - min(least)) / min(least)
    disturbed = sum(ticks > 1.1 * best for ticks in everything) / len(everything)
    problems = []
    if drift > DRIFT_LIMIT:
        problems.append(
            f"the clock of core {core} drifts: {100 * drift:.1f} % between windows of "
            f"{1000 * WINDOW_SECONDS:.0f} ms (limit {100 * DRIFT_LIMIT:.0f} %)"
        )
    if disturbed > DISTURBED_LIMIT:
        problems.append(
            f"core {core} is busy with other work: {100 * disturbed:.0f} % of the calibrations were slowed "
            f"(limit {100 * DISTURBED_LIMIT:.0f} %)"
        )
    return Environment(core, counter, best / adds, drift, disturbed, tuple(problems))


def require_stable(environment: Environment, *, accept_unstable: bool) -> None:
    """Refuse to measure in an unstable environment, unless told to accept it.

    Raises
    ------
    MeasurementError
        ``N020``: refused, with what was found.
    """
    if environment.stable or accept_unstable:
        return
    raise MeasurementError(
        "N020",
        "the measurement is refused: this machine is not steady enough now",
        notes=environment.problems,
        help="try again when less runs, or add --accept-unstable (the rows are then marked unstable)",
    )
