"""How far a command is: bars and lines on standard error."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress as RichProgress


def messages() -> Console:
    """Return the console for progress and remarks (standard error)."""
    from rich.console import Console

    return Console(stderr=True, highlight=False)


def say(text: str) -> None:
    """Write one remark to standard error."""
    typer.echo(text, err=True)


_shown: list[Progress] = []
"""What is shown now, the innermost last."""
FIRST_SECONDS, NEXT_SECONDS = 2.0, 10.0
"""When a command that shows nothing else says that it works, and how often again."""


@contextmanager
def ticking(title: str, *, quiet: bool = False) -> Iterator[None]:
    """Say now and then, while the block runs, that it does: where it shows no progress, or that stands still.

    ``ASSAY_PROGRESS=off`` in the environment leaves it out.
    """
    if quiet or os.environ.get("ASSAY_PROGRESS") == "off":
        yield
        return
    over, start = threading.Event(), time.monotonic()

    def tick() -> None:
        after = start + FIRST_SECONDS
        while not over.wait(0.5):
            with suppress(IndexError, OSError, ValueError):
                if _shown:
                    _shown[-1].tick()
                elif time.monotonic() >= after:
                    after = time.monotonic() + NEXT_SECONDS
                    say(f"{title}: working, {format_time(time.monotonic() - start)} so far")

    threading.Thread(target=tick, daemon=True).start()
    try:
        yield
    finally:
        over.set()


class Progress:
    """A count of work done, shown on standard error with the time so far and an estimate of the time left.

    In a window a bar, elsewhere a line every few seconds; nothing when quiet. A total of 0 is not known yet.

    Parameters
    ----------
    counted : bool
        Whether the total is a number of things, shown as such; else it is a share.
    """

    def __init__(
        self, title: str, total: float, *, quiet: bool = False, every: float = 5.0, counted: bool = False
    ) -> None:
        self.title, self.total, self.done, self.note = title, total, 0.0, ""
        self.counted = counted
        self._free = 0.0
        """What of the work done took no time."""
        self._start = self._last = time.monotonic()
        self._every, self._patience = every, FIRST_SECONDS
        self._quiet = quiet
        self._bar = _window_bar(title) if sys.stderr.isatty() and not quiet else None
        _shown.append(self)
        self._update()

    def expect(self, amount: float) -> None:
        """Add to the total."""
        self.total += amount
        self._update()

    def advance(self, amount: float = 1.0, note: str = "", *, free: bool = False) -> None:
        """Count work as done; `note` says what is being worked on, `free` that it took no time."""
        self.done += amount
        self._free += amount if free else 0.0
        self.note = note or self.note
        self._update()
        if self._bar is None and not self._quiet and time.monotonic() - self._last >= self._every:
            self._last = time.monotonic()
            say(self.line())

    def left(self) -> float | None:
        """Return the estimated seconds left, None before there is anything to estimate from."""
        elapsed, done = time.monotonic() - self._start, self.done - self._free
        if done <= 0 or elapsed < 1.0:
            return None
        return elapsed / done * max(self.total - self.done, 0.0)

    def standing(self) -> str:
        """Return how much is done: ``3 of 9``, ``30 %``, or what can be said while the total is not known."""
        if self.total <= 0:
            return "working"
        if self.counted:
            return f"{self.done:.0f} of {self.total:.0f}{', finishing' if self.done >= self.total else ''}"
        return "finishing" if self.done >= self.total else f"{100.0 * self.done / self.total:.0f} %"

    def line(self) -> str:
        """Return where the work stands, in a line: how much, how long so far, how long it may still take."""
        left = self.left() if self.done < self.total else None
        words = [self.standing(), f"{format_time(time.monotonic() - self._start)} so far"]
        words += [f"about {format_time(left)} left"] if left is not None else []
        return f"{self.title}: {', '.join(words)}{': ' + self.note if self.note else ''}"

    def tick(self) -> None:
        """Show where the work stands if nothing was shown for long; a bar in a window does so itself."""
        if self._bar is None and not self._quiet and time.monotonic() - self._last >= self._patience:
            self._last, self._patience = time.monotonic(), NEXT_SECONDS
            say(self.line())

    def close(self) -> None:
        """End the display."""
        _shown.remove(self)
        if self._bar is not None:
            self._bar.stop()

    def _update(self) -> None:
        if self._bar is not None:
            left = self.left() if self.done < self.total else None
            said = "" if left is None else f"about {format_time(left)} left"
            self._bar.update(
                self._bar.task_ids[0], completed=self.done, total=self.total or None, note=self.note,
                standing=self.standing(), left=said,
            )  # fmt: skip


def _window_bar(title: str) -> RichProgress:
    """Return a bar of one line; it pulses while the total is not known."""
    from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as RichProgress
    from rich.table import Column

    one_line = Column(no_wrap=True, overflow="ellipsis")
    columns = (
        TextColumn("{task.description}"), BarColumn(bar_width=16), TextColumn("{task.fields[standing]}"),
        TimeElapsedColumn(), TextColumn("{task.fields[left]}"),
        TextColumn("[dim]{task.fields[note]}", table_column=one_line),
    )  # fmt: skip
    bar = RichProgress(*columns, console=messages(), transient=True)
    bar.add_task(title, total=None, note="", standing="working", left="")
    bar.start()
    return bar


@contextmanager
def progress(title: str, total: float, *, quiet: bool = False) -> Iterator[Progress]:
    """Show progress of `total` units of work while the block runs; 0: the total is not known yet."""
    bar = Progress(title, total, quiet=quiet)
    try:
        yield bar
    finally:
        bar.close()


@contextmanager
def job_progress(title: str, *, quiet: bool = False) -> Iterator[Bar]:
    """Show the progress of jobs while the block runs (`cipherassay.jobs.Progress`)."""
    with progress(title, 0.0, quiet=quiet) as bar:
        bar.counted = True
        yield Bar(bar)


def format_time(seconds: float) -> str:
    """Return a length of time for people: ``45 s``, ``3 min 20 s``, ``2 h 5 min``."""
    whole = max(0, round(seconds))
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


class Bar:
    """Shows jobs whose number is not known before: each stage adds to the total."""

    def __init__(self, bar: Progress) -> None:
        self.bar = bar

    def expect(self, jobs: int) -> None:
        """Add jobs to the total."""
        self.bar.expect(jobs)

    def begun(self, title: str) -> None:
        """Say what is being worked on."""
        self.bar.advance(0, title)

    def done(self, jobs: int, title: str) -> None:
        """Count jobs as done; without a title they were in the cache."""
        self.bar.advance(jobs, title, free=not title)
