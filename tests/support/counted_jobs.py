"""Jobs without tools, for the tests of executors: each writes down that it ran."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class CountedJob:
    """Gives its number as text after some seconds, and appends it to a file."""

    number: int
    diary: str
    seconds: float = 0.0
    memory_mb: float = 10.0

    @property
    def key(self) -> str:
        return f"{'ff'}{self.number:04}"

    @property
    def title(self) -> str:
        return f"job {self.number}"

    def run(self) -> str:
        self.note("begin")
        time.sleep(self.seconds)
        self.note("end")
        return str(self.number * self.number)

    def note(self, word: str) -> None:
        with Path(self.diary).open("a") as diary:
            diary.write(f"{word} {self.number} {os.getpid()}\n")
