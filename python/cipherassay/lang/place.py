"""Where the author's text is: line, column and name of what is being computed, from the running frames."""

from __future__ import annotations

import dis
import linecache
import sys
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from types import CodeType, FrameType

from cipherassay.errors import DescriptionError, Place

from .current import current_run

_OWN_FOLDER = str(Path(__file__).parent)
_REVIEW = str(Path(__file__).parents[1] / "review")
_COMMANDS = str(Path(__file__).parents[1] / "cli")
_LOADER = str(Path(__file__).parents[1] / "ciphers" / "__init__.py")


def user_frames() -> Iterator[FrameType]:
    """Yield the author's frames, innermost first, up to the call that started the run or loaded the file."""
    frame: FrameType | None = sys._getframe(1)
    seen_user = False
    while frame is not None:
        code = frame.f_code
        if _is_command(code.co_filename):
            return
        own = is_machinery(code)
        if own and seen_user and code.co_name == "run_author_text":
            return
        if not own:
            seen_user = True
            yield frame
        frame = frame.f_back


@lru_cache(maxsize=4096)
def _is_command(file: str) -> bool:
    return file.startswith(_COMMANDS)


def is_machinery(code: CodeType) -> bool:
    """Say whether code is not the author's: the language, the loading of files, a generated ``__init__``."""
    name = code.co_filename
    generated = name == "<string>" and code.co_name == "__init__"
    return generated or _is_machinery_file(name)


@lru_cache(maxsize=4096)
def _is_machinery_file(name: str) -> bool:
    return name.startswith((_OWN_FOLDER, _REVIEW, "<frozen")) or name == _LOADER


_known_positions: dict[int, tuple[CodeType, list[tuple[int | None, int | None]]]] = {}
"""By the identity of code, which is kept alive here: the hash of code is computed anew at each look-up."""


def _positions(code: CodeType) -> list[tuple[int | None, int | None]]:
    known = _known_positions.get(id(code))
    if known is None:
        found = [(line, column) for line, _, column, _ in code.co_positions()]
        known = _known_positions[id(code)] = code, found
    return known[1]


def frame_position(frame: FrameType) -> tuple[int, int]:
    """Return line and column (from 1) of the expression that ``frame`` is computing."""
    line, column = _positions(frame.f_code)[frame.f_lasti // 2]
    return line or frame.f_lineno, (column or 0) + 1


def here() -> tuple[Place, ...]:
    """Return the places of the author's running expression, innermost first."""
    places = []
    for frame in user_frames():
        line, column = frame_position(frame)
        name = frame.f_code.co_filename
        places.append(Place(name, line, column, linecache.getline(name, line, frame.f_globals).rstrip()))
    return tuple(places)


def place_of(position: tuple[str, int, int]) -> Place:
    """Return the place for file, line and column, with the text of the line."""
    name, line, column = position
    return Place(name, line, column, linecache.getline(name, line).rstrip())


def complain(code: str, message: str, *, notes: Iterable[str] = (), help: str = "") -> DescriptionError:
    """Build the error for what the author's running expression does wrong."""
    error = DescriptionError(code, message, places=here(), notes=notes, help=help)
    run = current_run.get()
    if run is not None and run.refused is None:
        run.refused = error
    return error


@lru_cache(maxsize=4096)
def _instructions(code: CodeType) -> tuple[list[int], list[dis.Instruction]]:
    listed = [i for i in dis.get_instructions(code) if i.opname not in ("CACHE", "EXTENDED_ARG", "NOT_TAKEN")]
    return [i.offset for i in listed], listed


def running(frame: FrameType) -> list[dis.Instruction]:
    """Return the instruction that ``frame`` is executing and those after it ."""
    offsets, listed = _instructions(frame.f_code)
    return listed[max(bisect_right(offsets, frame.f_lasti) - 1, 0) :]


def _store_names(follow: list[dis.Instruction]) -> list[str]:
    """Return the variables that the instructions store into, in order, until another instruction."""
    names: list[str] = []
    for instruction in follow:
        if instruction.opname in ("COPY", "SWAP"):
            continue
        if not instruction.opname.startswith("STORE_") or instruction.opname in (
            "STORE_SUBSCR",
            "STORE_SLICE",
            "STORE_ATTR",
        ):
            break
        value = instruction.argval
        if isinstance(value, tuple):
            names += value if instruction.opname == "STORE_FAST_STORE_FAST" else value[:1]
        else:
            names.append(str(value))
        if instruction.opname == "STORE_FAST_LOAD_FAST":
            break
    return names


def target_names(count: int = 1) -> list[str]:
    """Return the names of the variables that the result of the running expression is assigned to.

    Returns ``count`` names for ``a, b, … = …`` with ``count`` variables, numbered names (``v0``, ``v1``, …)
    for one variable, and an empty list where the expression is not assigned at once. Read from the bytecode,
    so no source is needed.
    """
    for frame in user_frames():
        follow = running(frame)[1:20]
        if not follow:
            return []
        if follow[0].opname in ("RETURN_VALUE", "RETURN_GENERATOR"):
            continue
        if count > 1 and follow[0].opname == "UNPACK_SEQUENCE" and follow[0].argval == count:
            names = _store_names(follow[1:])
            return names[:count] if len(names) >= count else []
        names = _store_names(follow)
        if follow[0].opname == "SWAP":  # the last of `a, b = x, y` or `a, b, c = x, y, z`
            names = names[int(follow[0].argval) - 1 :]
        return names[:1] if count == 1 else [f"{name}{k}" for name in names[:1] for k in range(count)]
    return []
