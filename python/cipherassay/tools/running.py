"""Outside programs run here and nowhere else: bounded in time, ended with their children.

Each program leads a session of its own, so that one signal ends it with all that it started. The limits are
for an idle machine; ``ASSAY_TOOL_TIME=4`` in the environment waits four times as long for every program.
"""

from __future__ import annotations

import contextlib
import math
import os
import select
import shlex
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from cipherassay import signals
from cipherassay.errors import ToolError, UsageError

ANSWER = 20.0
"""Seconds for a tool that is asked for its version."""
BUILD = 600.0
"""Seconds for compilers, assemblers and linkers."""
EXECUTE = 300.0
"""Seconds for a program made of generated code, here, emulated or simulated."""
CHECK = 1800.0
"""Seconds for synthesis, simulation of hardware and checkers of proofs."""
FETCH = 1200.0
"""Seconds for what comes over a network and is built."""
FACTOR = "ASSAY_TOOL_TIME"
SHOWN_LINES = 6

_running: set[subprocess.Popen[bytes]] = set()


class OutOfTime(ToolError):
    """A program that did not end, or did not answer, within its time."""


class NotStarted(ToolError):
    """A program that is not here or cannot be executed."""


@dataclass(frozen=True)
class CompletedRun:
    """A program that came to its end; `code` is its exit status, negative for a signal."""

    command: tuple[str, ...]
    code: int
    data: bytes
    """What it wrote to standard output."""
    errors: bytes

    @property
    def name(self) -> str:
        """The program's name without its folder."""
        return Path(self.command[0]).name

    @property
    def out(self) -> str:
        """Standard output as text; what is no UTF-8 is replaced."""
        return _text(self.data)

    @property
    def err(self) -> str:
        """Standard error as text."""
        return _text(self.errors)

    def said(self, lines: int = SHOWN_LINES) -> list[str]:
        """Return the lines that tell of an error, else the last lines, of both streams."""
        return telling(self.out + "\n" + self.err, lines)


def run(
    command: Sequence[str | Path],
    *,
    seconds: float,
    what: str = "",
    input: str | bytes | None = None,
    cwd: str | Path | None = None,
    env: Mapping[str, str] | None = None,
) -> CompletedRun:
    """Run a program to its end, whatever its exit status.

    Parameters
    ----------
    seconds : float
        Its limit before the factor of the environment: ``ANSWER``, ``BUILD``, ``EXECUTE``, ``CHECK`` or
        ``FETCH`` of this module.
    what : str
        What it is to do, for the error: ``compiling CIPHER``.
    input : str or bytes, optional
        Its standard input, else empty.
    env : mapping, optional
        Variables beside those of this process.

    Raises
    ------
    NotStarted
        ``T003``: it cannot be started.
    ToolError
        ``T006``: the command is being interrupted.
    OutOfTime
        ``T004``: it does not end in time.
    """
    limit = seconds * factor()
    data = input.encode() if isinstance(input, str) else input
    words = tuple(map(str, command))
    stdin = subprocess.DEVNULL if data is None else subprocess.PIPE
    process = _start(words, what, cwd, env, stdin, subprocess.PIPE)
    try:
        out, err = process.communicate(data, timeout=limit)
    except subprocess.TimeoutExpired:
        out, err = _ended(process)
        raise _out_of_time(words, limit, what, "end", _text(out + b"\n" + err)) from None
    finally:
        _forget(process)
    if signals.received() and threading.current_thread() is not threading.main_thread():
        raise _interrupted(words)
    return CompletedRun(words, process.returncode, out, err)


def output(
    command: Sequence[str | Path], *, seconds: float, what: str = "", cwd: str | Path | None = None
) -> str:
    """Return what a program prints on standard output; it has to end well.

    Raises
    ------
    ToolError
        ``T008``: it fails, with its own words; ``T003``, ``T004``, ``T006``: as `run` does.
    """
    done = run(command, seconds=seconds, what=what, cwd=cwd)
    if done.code:
        notes = [f"exit status {done.code}", *done.said()]
        raise ToolError("T008", f"`{done.name}` failed{' ' if what else ''}{what}", notes=notes)
    return done.out


def version_line(command: Sequence[str | Path], word: str = "") -> str:
    """Return the first line that a tool prints, with a word in it, on either stream; else the tool's name."""
    done = run(command, seconds=ANSWER, what="telling its version")
    lines = [line.strip() for line in (done.out + "\n" + done.err).splitlines()]
    return next((line for line in lines if line and word in line), done.name)


class Interactive:
    """A program that answers line by line; used as a context, at whose end it is ended."""

    def __init__(self, command: Sequence[str | Path], *, seconds: float, what: str = "") -> None:
        self.command, self.what = tuple(map(str, command)), what
        self.limit = seconds * factor()
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed where the program is ended
        try:
            self._process = _start(self.command, what, None, None, subprocess.PIPE, self._errors.fileno())
        except BaseException:
            self._errors.close()
            raise
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._in, self._out = self._process.stdin.fileno(), self._process.stdout.fileno()
        os.set_blocking(self._in, False)
        self._read = b""

    def __enter__(self) -> Interactive:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End it."""
        _forget(self._process)
        self._errors.close()

    def send(self, line: str) -> None:
        """Give it a line.

        Raises
        ------
        ToolError
            ``T005``: it has ended.
        OutOfTime
            ``T004``: it does not read the line in time.
        """
        data, end = line.encode() + b"\n", time.monotonic() + self.limit
        while data:
            self._wait([], [self._in], end)
            try:
                data = data[os.write(self._in, data) :]
            except BlockingIOError:
                continue
            except OSError:
                raise self._ended() from None

    def line(self) -> str:
        """Return its next line, without the end of the line; raises as `send` does."""
        end = time.monotonic() + self.limit
        while b"\n" not in self._read:
            self._wait([self._out], [], end)
            data = os.read(self._out, 1 << 16)
            if not data:
                raise self._ended()
            self._read += data
        line, _, self._read = self._read.partition(b"\n")
        return _text(line)

    def _wait(self, reading: list[int], writing: list[int], end: float) -> None:
        ready = select.select(reading, writing, [], max(0.0, end - time.monotonic()))
        if not any(ready):
            raise _out_of_time(self.command, self.limit, self.what, "answer", self._said())

    def _said(self) -> str:
        self._errors.seek(max(0, self._errors.seek(0, os.SEEK_END) - 4096))
        return _text(self._errors.read())

    def _ended(self) -> ToolError:
        _end(self._process)
        return ToolError(
            "T005",
            f"`{Path(self.command[0]).name}` ended before it answered{' ' if self.what else ''}{self.what}",
            notes=[f"exit status {self._process.wait()}", *telling(self._said())],
        )


def end_all() -> None:
    """End every program that runs now: the threads that wait for them get an error or its exit status."""
    for process in list(_running):
        _kill(process)


def factor() -> float:
    """Return by how much the environment lengthens every limit.

    Raises
    ------
    UsageError
        ``T007``: ASSAY_TOOL_TIME is no number above zero.
    """
    text = os.environ.get(FACTOR, "").strip() or "1"
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0 < number < math.inf:
        raise UsageError(
            "T007",
            f"{FACTOR} is `{text}`",
            help=f"a factor above zero for the time that outside programs may take: {FACTOR}=4",
        )
    return number


def telling(printed: str, lines: int = SHOWN_LINES) -> list[str]:
    """Return the lines of a program's output that tell of an error, else the last ones."""
    said = [line.strip() for line in printed.splitlines() if line.strip()]
    return list(dict.fromkeys(([line for line in said if "error" in line.lower()] or said)[-lines:]))


def _start(
    command: tuple[str, ...], what: str, cwd: str | Path | None, env: Mapping[str, str] | None,
    stdin: int, stderr: int,
) -> subprocess.Popen[bytes]:  # fmt: skip
    environment = {**os.environ, "LC_ALL": "C.UTF-8", **(env or {})}
    if signals.received() and threading.current_thread() is not threading.main_thread():
        raise _interrupted(command)
    try:
        # A signal between the program's start and its being known would leave it running.
        with signals.deferred():
            process = subprocess.Popen(
                command, cwd=cwd, env=environment, stdin=stdin, stdout=subprocess.PIPE, stderr=stderr,
                start_new_session=True,
            )  # fmt: skip
            _running.add(process)
    except KeyboardInterrupt:
        end_all()
        raise
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise NotStarted(
            "T003",
            f"`{Path(command[0]).name}` cannot be started{' ' if what else ''}{what}",
            notes=[f"{command[0]}: {reason}"],
            help="`assay doctor` shows which outside tools work",
        ) from None
    return process


def _kill(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


def _end(process: subprocess.Popen[bytes]) -> None:
    if process.returncode is None:  # else its number may be another's already
        _kill(process)
        process.wait()


def _ended(process: subprocess.Popen[bytes]) -> tuple[bytes, bytes]:
    """End a program; return what it had written."""
    _end(process)
    try:
        return process.communicate(timeout=1.0)
    except subprocess.TimeoutExpired as error:  # a child in another session holds the pipes
        return error.stdout or b"", error.stderr or b""


def _forget(process: subprocess.Popen[bytes]) -> None:
    with signals.deferred():
        _end(process)
        _running.discard(process)
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()


def _out_of_time(command: tuple[str, ...], limit: float, what: str, verb: str, printed: str) -> OutOfTime:
    shown = shlex.join(command)
    return OutOfTime(
        "T004",
        f"`{Path(command[0]).name}` does not {verb} within {limit:g} s{' ' if what else ''}{what}",
        notes=[f"command: {shown if len(shown) <= 300 else shown[:300] + ' …'}", *telling(printed)],
        help=f"{FACTOR}=4 in the environment waits four times as long",
    )


def _interrupted(command: tuple[str, ...]) -> ToolError:
    return ToolError("T006", f"`{Path(command[0]).name}` was interrupted", notes=["the command is ending"])


def _text(data: bytes) -> str:
    return data.decode("utf-8", errors="replace").replace("\r\n", "\n")


signals.on_end(end_all)
