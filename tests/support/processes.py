"""Programs that stand for outside tools, and whether processes have ended."""

from __future__ import annotations

import time
from pathlib import Path


def script(folder: Path, text: str, name: str = "tool") -> Path:
    """Write a shell script that stands for an outside program."""
    place = folder / name
    place.write_text(f"#!/bin/sh\n{text}\n")
    place.chmod(0o755)
    return place


def alive(number: int) -> bool:
    """Return whether a process runs; one that nobody waited for has ended, too."""
    try:
        return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def soon_dead(number: int) -> bool:
    """Return whether a process has ended within a few seconds."""
    end = time.monotonic() + 5
    while alive(number) and time.monotonic() < end:
        time.sleep(0.02)
    return not alive(number)
