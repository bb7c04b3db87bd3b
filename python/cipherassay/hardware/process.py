"""Outside programs of the hardware part: run in a folder, bounded in time, their failures explained."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from cipherassay.errors import ToolError

SHOWN_LINES = 6
_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_running: set[subprocess.Popen[str]] = set()


def run(command: Sequence[str], folder: Path, *, doing: str, seconds: float = 1800.0) -> str:
    """Return what a program prints on either stream.

    Parameters
    ----------
    doing : str
        What it was to do, for the error: ``mapping sbox by recipe A``.

    Raises
    ------
    ToolError
        ``H701``: it failed; ``H702``: it took too long.
    """
    environment = {**os.environ, "LC_ALL": "C"}
    # A signal between the program's start and its being known would leave it running.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
    try:
        process = subprocess.Popen(
            list(command), cwd=folder, env=environment, text=True, errors="replace",
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, process_group=0,
        )  # fmt: skip
        _running.add(process)
    except BaseException:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        raise
    with process:
        try:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
            printed, _ = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            _end(process)
            name = Path(command[0]).name
            raise ToolError("H702", f"`{name}` took more than {seconds:g} s {doing}") from None
        except BaseException:
            _end(process)
            raise
        finally:
            _running.discard(process)
    if process.returncode:
        raise failed(Path(command[0]).name, doing, printed, f"exit status {process.returncode}")
    return printed


def end_all() -> None:
    """End every program that runs now: the threads that wait for them get an error."""
    for process in list(_running):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)


@contextmanager
def ended_by_signals() -> Iterator[None]:
    """Let a request to terminate end as an interruption does: with every program that runs now.

    Only the main thread hears signals; elsewhere this does nothing.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def interrupted(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupted)
    try:
        yield
    except BaseException:
        end_all()
        raise
    finally:
        signal.signal(signal.SIGTERM, before)


def _end(process: subprocess.Popen[str]) -> None:
    """End a program and those that it started: Yosys runs ABC."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def failed(tool: str, doing: str, printed: str, why: str) -> ToolError:
    """Return the error of a program that failed; its words are those that tell of an error, or its last."""
    lines = [line.strip() for line in printed.splitlines() if line.strip()]
    telling = [line for line in lines if "error" in line.lower()] or lines
    return ToolError("H701", f"`{tool}` failed {doing}", notes=[why, *dict.fromkeys(telling[-SHOWN_LINES:])])
