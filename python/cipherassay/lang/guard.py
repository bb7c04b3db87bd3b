"""What an author's text may not do to the process that runs it: end it, read its input, write its output.

Found are accidents, not attacks: a cipher file is a program of its user and may do what its user may.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from typing import Any, NoReturn

from .place import complain


@contextmanager
def guarded() -> Iterator[None]:
    """Run an author's text in the ``with`` block.

    What it prints goes to standard error, for standard output belongs to the command. The working folder is
    the same afterwards.

    Raises
    ------
    DescriptionError
        D027: it calls ``os._exit`` or ``os.abort``. D036: it reads standard input.
    """
    before, folder = (sys.stdin, os._exit, os.abort), _folder()
    with redirect_stdout(sys.stderr):
        sys.stdin, os._exit, os.abort = _NoInput(), _exit, _abort
        try:
            yield
        finally:
            sys.stdin, os._exit, os.abort = before
            if folder and _folder() != folder:
                os.chdir(folder)


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
