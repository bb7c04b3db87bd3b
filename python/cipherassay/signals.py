"""Signals that end a command: children end with it, temporary files go, the exit code tells the signal.

SIGINT (Ctrl-C), SIGTERM and SIGHUP raise KeyboardInterrupt in the main thread, so that one path cleans up
after each. Python raises nothing while the main thread is inside one long call of the engine; a thread that
the signal wakes then ends the process itself.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
HEAR_SECONDS, UNWIND_SECONDS = 1.0, 1.0
"""How long the main thread may take to hear of a signal, and then to end."""
KEEP_SECONDS = 10.0
"""How long it may take to hear of a signal where it then keeps what it has."""

_JOIN_SECONDS = 3.0

_endings: list[Callable[[], None]] = []
_folders: list[Path] = []
_received, _said = 0, False
_deferred = 0
_heard, _finishing = threading.Event(), threading.Event()


def on_end(ending: Callable[[], None]) -> None:
    """Call a function when a signal ends the process: it ends children and must not wait."""
    _endings.append(ending)


def received() -> int:
    """Return the number of the signal that is ending this process, 0 where there was none."""
    return _received


def finishing() -> None:
    """Let an interrupted command take its time to keep what it has; a second signal ends it at once."""
    _finishing.set()


def message() -> str:
    """Return what a command says that a signal ended; it is said once."""
    global _said
    _said = True
    if _received in (0, signal.SIGINT):
        return "interrupted; what was finished is kept"
    return f"ended by {signal.Signals(_received).name}; what was finished is kept"


def exit_code() -> int:
    """Return the exit code of a command that was interrupted: 128 and the signal's number."""
    return 128 + (_received or signal.SIGINT)


@contextmanager
def deferred() -> Iterator[None]:
    """Let signals wait while the block runs; only the main thread is interrupted by them."""
    global _deferred
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    _deferred += 1
    before = _received
    try:
        yield
    finally:
        _deferred -= 1
    if _received != before and not _deferred:
        raise KeyboardInterrupt


@contextmanager
def orderly_end() -> Iterator[None]:
    """Let signals end what the block does; its temporary files lie in one folder, which goes at the end.

    A signal that was ignored before (``nohup``) stays so. Only the main thread receives signals; elsewhere
    this does nothing.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    taken = [number for number in SIGNALS if signal.getsignal(number) != signal.SIG_IGN]
    before = {number: signal.signal(number, _receive) for number in taken}
    waking, woken = socket.socketpair()
    waking.setblocking(False)
    wakeup = signal.set_wakeup_fd(waking.fileno(), warn_on_full_buffer=False)
    threading.Thread(target=_watch, args=(woken, HEAR_SECONDS), daemon=True).start()
    try:
        with _temporary_folder():
            yield
    finally:
        signal.set_wakeup_fd(wakeup)
        for number, handler in before.items():
            signal.signal(number, handler)
        waking.close()


def in_worker() -> None:
    """Let a signal end this process, which works for another, at once, its outside programs with it."""
    waking, woken = socket.socketpair()
    waking.setblocking(False)
    for number in SIGNALS:
        signal.signal(number, lambda *_: None)
    signal.set_wakeup_fd(waking.detach(), warn_on_full_buffer=False)
    threading.Thread(target=_watch, args=(woken, 0.0), daemon=True).start()


def end_now(code: int) -> None:
    """End this process without waiting for its threads: children end, temporary files go."""
    _end_children()
    for process in _workers():
        process.join(_JOIN_SECONDS)
        process.kill()
    for folder in _folders:
        shutil.rmtree(folder, ignore_errors=True)
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):
            stream.flush()
    os._exit(code)


def _receive(number: int, frame: FrameType | None) -> None:
    global _received
    if _received:  # asked twice
        end_now(exit_code())
    _received = number
    _heard.set()
    _end_children()
    if not _deferred:
        raise KeyboardInterrupt


def _watch(woken: socket.socket, patience: float) -> None:
    """End the process where the main thread does not hear of a signal or does not come to its end."""
    global _received
    with woken:
        while (data := woken.recv(1)) and data[0] not in SIGNALS:
            pass
        if not data:
            return
        if patience and _heard.wait(KEEP_SECONDS if _finishing.is_set() else patience):
            woken.settimeout(UNWIND_SECONDS)
            try:
                again = woken.recv(1)
            except TimeoutError:
                woken.settimeout(None)
                again = woken.recv(1) if _finishing.is_set() else b"late"
            if not again:
                return
    _received = _received or data[0]
    if patience and not _said:
        with contextlib.suppress(OSError):
            shown = "\x1b[?25h\r" if sys.stderr.isatty() else ""  # a bar hides the cursor
            os.write(2, f"{shown}{message()}\n".encode())
    end_now(exit_code())


def _end_children() -> None:
    for ending in [*_endings, *(process.terminate for process in _workers())]:
        with contextlib.suppress(Exception):
            ending()


def _workers() -> list[Any]:
    """Return the processes that work for this one; whoever started them has imported `multiprocessing`."""
    library = sys.modules.get("multiprocessing")
    return library.active_children() if library is not None else []


@contextmanager
def _temporary_folder() -> Iterator[None]:
    """Let all temporary files, those of outside programs too, lie in one folder while the block runs."""
    before, inherited = tempfile.tempdir, os.environ.get("TMPDIR")
    try:
        folder = Path(tempfile.mkdtemp(prefix="assay-"))
    except OSError:  # whoever needs one will say so
        yield
        return
    _folders.append(folder)
    tempfile.tempdir = os.environ["TMPDIR"] = str(folder)
    try:
        yield
    finally:
        tempfile.tempdir = before
        os.environ.pop("TMPDIR")
        if inherited is not None:
            os.environ["TMPDIR"] = inherited
        shutil.rmtree(folder, ignore_errors=True)
        _folders.remove(folder)
