"""What a list of jobs tells of how far it is."""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """Whoever wants to see how far the work is; called from one thread at a time."""

    def expect(self, jobs: int) -> None:
        """Hear of jobs that will be done."""

    def begun(self, title: str) -> None:
        """Hear of a job that begins now."""

    def done(self, jobs: int, title: str) -> None:
        """Hear of jobs that are done; no title: they were in the cache."""


class SilentProgress:
    """Shows nothing."""

    def expect(self, jobs: int) -> None:
        """Hear of jobs that will be done."""

    def begun(self, title: str) -> None:
        """Hear of a job that begins now."""

    def done(self, jobs: int, title: str) -> None:
        """Hear of jobs that are done."""


SILENT = SilentProgress()
