"""The check of a cipher file in a process of its own, with limits of time and memory."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cipherassay.errors import DescriptionError, error_of
from cipherassay.limits import Limits
from cipherassay.review.child import out_of_time
from cipherassay.review.verdict import Review

SECONDS = 60.0
"""Wall time for one step of the check: the slowest step of the project's ciphers takes a few seconds."""
MEMORY = 2.0
"""GiB: the project's ciphers take less than a quarter."""
_GRACE = 5.0
"""Seconds after the limit in which the process itself says where it is."""
_START = "import sys, json; job = json.loads(sys.argv[1]); sys.path[:] = job['path']; " \
    "from cipherassay.review.child import main; main(job)"  # fmt: skip


class ChildBug(Exception):
    """A bug of the project that showed in the child process; its text is the traceback there."""


def check_apart(
    name_or_path: str,
    vectors: Sequence[Path] = (),
    *,
    seconds: float = SECONDS,
    memory: float = MEMORY,
    operations: int = Limits.operations,
) -> Review:
    """Check a cipher file in a process of its own.

    Parameters
    ----------
    name_or_path, vectors
        As for `check`.
    seconds : float
        Wall time for each step: loading, the compilation for one key size, each check.
    memory : float
        GiB that the process may take.
    operations : int
        Operations that may be recorded for one key size.

    Raises
    ------
    AssayError
        The file cannot be loaded. D027: it ended the process. D028: a step took too long. D029: it took too
        much memory. D035: a signal ended it. U019: a limit that is no positive number.
    """
    Limits(seconds, memory, operations).checked()
    reading, writing = os.pipe()
    job = {
        "file": name_or_path, "vectors": [str(path) for path in vectors], "seconds": seconds,
        "memory": memory, "operations": operations, "channel": writing, "path": sys.path,
    }  # fmt: skip
    try:
        child = subprocess.Popen(
            [sys.executable, "-P", "-c", _START, json.dumps(job)],
            stdin=subprocess.DEVNULL, stdout=2, pass_fds=(writing,), start_new_session=True,
        )  # fmt: skip
    finally:
        os.close(writing)
    try:
        return _Conversation(name_or_path, reading, seconds).review(child)
    finally:
        _end(child)
        os.close(reading)


def _end(child: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, signal.SIGKILL)
    child.wait()


@dataclass
class _Conversation:
    """What the child has said so far."""

    file: str
    reading: int
    seconds: float
    step: str = "starting"
    data: bytes = b""

    def review(self, child: subprocess.Popen[bytes]) -> Review:
        """Listen until there is a finished check, an error, or nobody who could say one."""
        while (said := self._line()) is not None:
            kind, content = said
            if kind == "step":
                self.step = content
            elif kind == "review":
                return Review.of_document(content)
            elif kind == "error":
                raise error_of(content)
            else:
                raise ChildBug(content)
        raise self._ended(child.wait())

    def _line(self) -> Any:
        """Return the next document; None where the child has ended."""
        end = time.monotonic() + self.seconds + _GRACE
        while b"\n" not in self.data:
            ready, _, _ = select.select([self.reading], [], [], max(0.0, end - time.monotonic()))
            if not ready:
                raise out_of_time(self.file, self.seconds, self.step)
            found = os.read(self.reading, 1 << 16)
            if not found:
                return None
            self.data += found
        line, _, self.data = self.data.partition(b"\n")
        return json.loads(line)

    def _ended(self, status: int) -> DescriptionError:
        notes = [f"while {self.step}"]
        if status >= 0:
            return DescriptionError(
                "D088",
                f"`{self.file}` ended the process that checks it, with exit status {status}",
                notes=notes,
                help="no file passes without a finished check: a cipher's file only describes",
            )
        name = signal.Signals(-status).name
        why = {
            "SIGABRT": "so does the engine where it gets no memory",
            "SIGKILL": "so does the system where memory ends",
        }
        notes += [f"{name}: {why[name]}"] if name in why else []
        return DescriptionError(
            "D035",
            f"`{self.file}` was ended by the signal {name} before it was checked",
            notes=notes,
            help="`assay check --memory GB` allows more memory",
        )
