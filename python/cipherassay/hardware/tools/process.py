"""Outside programs of the hardware part: run in a folder, bounded in time, their failures explained."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from cipherassay.errors import ToolError
from cipherassay.tools import running


def run(command: Sequence[str], folder: Path, *, doing: str, seconds: float = running.CHECK) -> str:
    """Return what a program prints on either stream.

    Parameters
    ----------
    doing : str
        What it was to do, for the error: ``mapping sbox by recipe A``.

    Raises
    ------
    ToolError
        ``H701``: it failed; ``T003``: it cannot be started; ``T004``: it took too long.
    """
    done = running.run(command, seconds=seconds, cwd=folder, what=doing)
    printed = "\n".join(text for text in (done.out, done.err) if text)
    if done.code:
        raise failed(done.name, doing, printed, f"exit status {done.code}")
    return printed


def failed(tool: str, doing: str, printed: str, why: str) -> ToolError:
    """Return the error of a program that failed; its words are those that tell of an error, or its last."""
    return ToolError("H701", f"`{tool}` failed {doing}", notes=[why, *running.telling(printed)])
