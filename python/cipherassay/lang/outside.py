"""What an author's text may not touch: files, programs, the network. A description depends on nothing else.

Found by the events that Python itself reports (`sys.addaudithook`); accidents, not attacks.
"""

from __future__ import annotations

import os
import sys
import sysconfig
from pathlib import Path
from types import FrameType
from typing import Any

from cipherassay.errors import DescriptionError

from .guard import is_guarded
from .place import complain

_PACKAGE = str(Path(__file__).parents[1])
_LIBRARIES = (
    "<frozen",
    *{sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")},
)
_CIPHERS = str(Path(_PACKAGE) / "ciphers")
_LISTS = ("os.listdir", "os.scandir")
_CHANGES = (
    "os.remove", "os.rename", "os.mkdir", "os.rmdir", "os.link", "os.symlink", "os.truncate", "os.chmod",
    "os.chown", "shutil.rmtree", "shutil.move", "shutil.copyfile",
)  # fmt: skip
_PROGRAMS = ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.fork", "os.forkpty")
_NETWORK = ("socket.connect", "socket.bind", "socket.getaddrinfo")
_EVENTS = frozenset(("open", *_LISTS, *_CHANGES, *_PROGRAMS, *_NETWORK))
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC
_ALONE = "a description depends on key and block alone: give its numbers in the file itself"


def _watch(event: str, arguments: tuple[Any, ...]) -> None:
    if event in _EVENTS and is_guarded() and _is_authors(sys._getframe(1)):
        refusal = _refusal(event, arguments)
        own = (place for place in refusal.places if not place.file.startswith(_LIBRARIES))
        refusal.places = tuple(own)
        raise refusal


def watch() -> None:
    """Refuse from now on, while an author's text runs, what it does outside of itself.

    Raises (in that text)
    ---------------------
    DescriptionError
        D098: it reads a file; D099: it changes one; D100: it starts a program or opens a connection.
    """
    if not _watching:
        _watching.append(True)
        sys.addaudithook(_watch)


_watching: list[bool] = []


def _is_authors(frame: FrameType | None) -> bool:
    """Say whether the author's text did it: no import, nor the language that shows a line of it."""
    while frame is not None:
        name = frame.f_code.co_filename
        if name.startswith("<frozen importlib"):
            return False
        if name.startswith(_PACKAGE) and not name.startswith(_CIPHERS):
            return False
        if not name.startswith(_LIBRARIES):
            return True
        frame = frame.f_back
    return False


def _refusal(event: str, arguments: tuple[Any, ...]) -> DescriptionError:
    if event in _PROGRAMS or event in _NETWORK:
        what = "starts a program" if event in _PROGRAMS else "opens a connection"
        return complain("D100", f"a cipher's file {what}: `{event}`", help=_ALONE)
    named = f" `{os.fsdecode(arguments[0])}`" if isinstance(arguments[0], str | bytes | os.PathLike) else ""
    if event in _CHANGES or (event == "open" and _is_write(*arguments[1:3])):
        return complain("D099", f"a cipher's file writes or changes{named or ' a file'}", help=_ALONE)
    return complain("D098", f"a cipher's file reads{named or ' a file'}", help=_ALONE)


def _is_write(mode: Any, flags: Any) -> bool:
    if isinstance(mode, str):
        return any(letter in mode for letter in "wax+")
    return isinstance(flags, int) and bool(flags & _WRITES)
