"""Turns: jobs that are prepared side by side are handed over in their order."""

from __future__ import annotations

import threading


class Turns:
    """Numbers from 0 on, of which each waits until all smaller ones have passed."""

    def __init__(self) -> None:
        self._next = 0
        self._passed: set[int] = set()
        self._changed = threading.Condition()

    def wait(self, number: int) -> None:
        """Wait until all smaller numbers have passed."""
        with self._changed:
            self._changed.wait_for(lambda: self._next >= number)

    def pass_on(self, number: int) -> None:
        """Let a number pass; once more does nothing."""
        with self._changed:
            self._passed.add(number)
            while self._next in self._passed:
                self._next += 1
            self._changed.notify_all()
