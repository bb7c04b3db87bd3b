"""How much an author's text may take: time, memory, operations. The project's own ciphers are not limited."""

from __future__ import annotations

import math
import resource
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from cipherassay.errors import DescriptionError
from cipherassay.limits import Limits, limits

from .place import complain

_OWN = str(Path(__file__).parents[1] / "ciphers")
WAITING = 10
"""So many times its processor time a text may take by the clock, which a loaded machine takes, too."""
_running = False


@contextmanager
def limited(what: str, file: str) -> Iterator[None]:
    """Run a user's text of a file in the ``with`` block, with limits of time and memory.

    Only the main thread can be interrupted: elsewhere, and within another such block, this does nothing.

    Raises
    ------
    DescriptionError
        D028: the text takes too long. (Too little memory is a MemoryError of the text itself.)
    """
    global _running
    main = threading.current_thread() is threading.main_thread()
    if _running or not main or str(Path(file).parent) == _OWN:
        yield
        return
    _running, now = True, limits()
    try:
        with _clock(what, now), _memory(now.memory):
            yield
    finally:
        _running = False


@contextmanager
def _clock(what: str, now: Limits) -> Iterator[None]:
    if not math.isfinite(now.seconds):
        yield
        return
    processor, clock = time.thread_time(), time.monotonic()

    def over(*_: Any) -> None:
        used, waited = time.thread_time() - processor, time.monotonic() - clock
        if used >= now.seconds or waited >= WAITING * now.seconds:
            raise _out_of_time(what, now)

    before = {number: signal.signal(number, over) for number in (signal.SIGPROF, signal.SIGALRM)}
    again = now.seconds / 10
    signal.setitimer(signal.ITIMER_PROF, now.seconds, again)
    signal.setitimer(signal.ITIMER_REAL, WAITING * now.seconds, again)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)
        for number, handler in before.items():
            signal.signal(number, handler)


def _out_of_time(what: str, now: Limits) -> DescriptionError:
    """Return the error for a text that does not end, at the place where it is."""
    return complain(
        "D028",
        f"`{what}` does not come to an end within {now.seconds:g} s",
        help=now.longer,
    )


@contextmanager
def _memory(gibibytes: float) -> Iterator[None]:
    """Let the process have so much more memory than now while the block runs."""
    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    has = _data_bytes()
    if not has or not math.isfinite(gibibytes):
        yield
        return
    most = has + int(gibibytes * 2**30)
    most = min([most, 2**62, *(one for one in (soft, hard) if one != resource.RLIM_INFINITY)])
    resource.setrlimit(resource.RLIMIT_DATA, (most, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))


def _data_bytes() -> int:
    """Return the bytes of data of this process; 0 where the system does not say."""
    with suppress(OSError, IndexError, ValueError), open("/proc/self/statm") as file:
        return int(file.read().split()[5]) * resource.getpagesize()
    return 0


def check_operations(count: int) -> None:
    """Raise DescriptionError ``D101`` where a trace has more operations than it may."""
    now = limits()
    if count > now.operations:
        raise complain(
            "D101",
            f"the description makes more than {now.operations:,} operations",
            help=now.hint(
                "--operations N", "allows more", "a loop over `rounds` stays a loop, one over `range` unrolls"
            ),
        )
