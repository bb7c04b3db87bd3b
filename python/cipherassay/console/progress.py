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
    """A count of work done, shown on standard error with an estimate of the time left.

    In a window a bar, elsewhere a line every few seconds; nothing when quiet.
    """

    def __init__(self, title: str, total: float, *, quiet: bool = False, every: float = 5.0) -> None:
        self.title, self.total, self.done, self.note = title, total, 0.0, ""
        self._start = self._last = time.monotonic()
        self._every, self._patience = every, FIRST_SECONDS
        self._quiet = quiet
        self._bar = _window_bar(title, total) if sys.stderr.isatty() and not quiet else None
        _shown.append(self)

    def advance(self, amount: float = 1.0, note: str = "") -> None:
        """Count work as done; `note` says what is being worked on."""
        self.done += amount
        self.note = note or self.note
        if self._bar is not None:
            self._bar.update(self._bar.task_ids[0], completed=self.done, note=self.note)
        elif not self._quiet and time.monotonic() - self._last >= self._every:
            self._last = time.monotonic()
            say(self.line())

    def left(self) -> float | None:
        """Return the estimated seconds left, None before there is anything to estimate from."""
        elapsed = time.monotonic() - self._start
        if self.done <= 0 or elapsed < 1.0:
            return None
        return elapsed / self.done * max(self.total - self.done, 0.0)

    def line(self) -> str:
        """Return where the work stands, in a line."""
        left = self.left()
        share = 100.0 * self.done / self.total if self.total else 100.0
        tail = f", about {format_time(left)} left" if left is not None and self.done < self.total else ""
        return f"{self.title}: {share:.0f} %{tail}{'  ' + self.note if self.note else ''}"

    def tick(self) -> None:
        """Show where the work stands if nothing was shown for long; a bar in a window does so itself."""
        if self._bar is None and not self._quiet and time.monotonic() - self._last >= self._patience:
            self._last, self._patience = time.monotonic(), NEXT_SECONDS
            say(f"{self.line()}  ({format_time(self._last - self._start)} so far)")

    def close(self) -> None:
        """End the display."""
        _shown.remove(self)
        if self._bar is not None:
            self._bar.stop()


def _window_bar(title: str, total: float) -> RichProgress:
    from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as RichProgress

    columns = (
        TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn(),
        TextColumn("[dim]{task.fields[note]}"),
    )  # fmt: skip
    bar = RichProgress(*columns, console=messages(), transient=True)
    bar.add_task(title, total=total, note="")
    bar.start()
    return bar


@contextmanager
def progress(title: str, total: float, *, quiet: bool = False) -> Iterator[Progress]:
    """Show progress of `total` units of work while the block runs."""
    bar = Progress(title, total, quiet=quiet)
    try:
        yield bar
    finally:
        bar.close()


@contextmanager
def job_progress(title: str, *, quiet: bool = False) -> Iterator[Bar]:
    """Show the progress of jobs while the block runs (`cipherassay.jobs.Progress`)."""
    with progress(title, 0.0, quiet=quiet) as bar:
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
        self.bar.total += jobs

    def begun(self, title: str) -> None:
        """Say what is being worked on."""
        self.bar.advance(0, title)

    def done(self, jobs: int, title: str) -> None:
        """Count jobs as done."""
        self.bar.advance(jobs, title)
