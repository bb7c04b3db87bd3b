"""What an author's text may not do to the process that runs it: end it, read its input, write its output.

Found are accidents, not attacks: a cipher file is a program of its user and may do what its user may.
"""

from __future__ import annotations

import os
import posix
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

from .place import complain


@contextmanager
def guarded() -> Iterator[None]:
    """Run an author's text in the ``with`` block.

    What it prints goes to standard error, for standard output belongs to the command. The working folder is
    the same afterwards. Other threads of the process are not affected, and may be guarded as well.

    Raises
    ------
    DescriptionError
        D027: it calls ``os._exit`` or ``os.abort``. D036: it reads standard input.
    """
    folder = _folder()
    _enter()
    try:
        yield
    finally:
        _leave()
        if folder and _folder() != folder:
            os.chdir(folder)


class _Thread(threading.local):
    """How many guards the thread is in."""

    depth = 0


_thread = _Thread()


def is_guarded() -> bool:
    """Return whether this thread is in a guard."""
    return _thread.depth > 0


_lock = threading.Lock()
_guards = 0
"""How many guards all threads are in; the first puts the replacements in place, the last takes them out."""
_originals: list[Any] = []


def _enter() -> None:
    global _guards
    with _lock:
        if _guards == 0:
            _originals[:] = [getattr(module, name) for module, name, _ in _REPLACEMENTS]
            for (module, name, replaced), original in zip(_REPLACEMENTS, _originals, strict=True):
                setattr(module, name, replaced(original))
        _guards += 1
    _thread.depth += 1


def _leave() -> None:
    global _guards
    _thread.depth -= 1
    with _lock:
        _guards -= 1
        if _guards == 0:
            for (module, name, _), original in zip(_REPLACEMENTS, _originals, strict=True):
                setattr(module, name, original)


def _by_thread(refuse: Callable[..., NoReturn], original: Callable[..., NoReturn]) -> Any:
    """Return a function that refuses in threads that are guarded, and is the original in others."""
    return lambda *status, **named: (refuse if _thread.depth else original)(*status, **named)


class _ByThread:
    """A stream that is another one in threads that are guarded."""

    def __init__(self, guarded_stream: Callable[[], Any], original: Any) -> None:
        self._guarded_stream = guarded_stream
        self._original = original

    def __getattr__(self, name: str) -> Any:
        return getattr(self._guarded_stream() if _thread.depth else self._original, name)

    def __iter__(self) -> Any:
        return self.__getattr__("__iter__")()

    def __next__(self) -> Any:
        return self.__getattr__("__next__")()


def _folder() -> str:
    try:
        return os.getcwd()
    except OSError:  # it has been removed
        return ""


def _exit(status: int = 0) -> NoReturn:
    raise complain("D027", f"a cipher's file ends the command: `os._exit({status})`", help=NO_END)


def _abort() -> NoReturn:
    raise complain("D027", "a cipher's file ends the command: `os.abort()`", help=NO_END)


NO_END = (
    "take the call out: a cipher's file only describes, and what is wrong in it is raised as an exception"
)


class _NoInput:
    """Standard input that refuses to be read."""

    def _refuse(self, *_: Any) -> NoReturn:
        raise complain(
            "D036",
            "a cipher's file reads standard input",
            help="what varies is the key and the block; give a constant in the file itself",
        )

    read = readline = readlines = __iter__ = __next__ = _refuse

    @property
    def buffer(self) -> _NoInput:
        """The same for bytes."""
        return self

    def fileno(self) -> NoReturn:
        """Say as a stream without a file does that there is none."""
        raise OSError("a cipher's file has no standard input")


_REPLACEMENTS: tuple[tuple[Any, str, Callable[[Any], Any]], ...] = (
    (sys, "stdin", lambda original: _ByThread(_NoInput, original)),
    (sys, "stdout", lambda original: _ByThread(lambda: sys.stderr, original)),
    (os, "_exit", lambda original: _by_thread(_exit, original)),
    (os, "abort", lambda original: _by_thread(_abort, original)),
    (posix, "_exit", lambda original: _by_thread(_exit, original)),
    (posix, "abort", lambda original: _by_thread(_abort, original)),
)
"""What is replaced while a thread is guarded: module, name, how the replacement is made of the original."""
