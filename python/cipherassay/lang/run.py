"""Running the author's functions: loops left early and the author's own exceptions become errors with a place."""

from __future__ import annotations

import linecache
import traceback
from collections.abc import Callable
from contextvars import ContextVar
from pathlib import Path
from typing import Any

from cipherassay.errors import AssayError, DescriptionError, Place

_OWN_FOLDER = str(Path(__file__).parent)

open_loops: ContextVar[dict[int, tuple[Place, ...]] | None] = ContextVar("open_loops", default=None)
"""Loops that have begun and not ended, in the running function: identity of the iterator to its places."""


def run_author_function(function: Callable[..., Any], *args: Any) -> Any:
    """Call a function of the author.

    Raises
    ------
    DescriptionError
        D013: a loop over ``rounds`` or ``steps`` was left by ``break`` or ``return``. D016: the function raised.
    """
    token = open_loops.set({})
    try:
        result = function(*args)
        left = open_loops.get() or {}
    except AssayError:
        raise
    except Exception as error:  # noqa: BLE001 - whatever the author's text raises is reported at its place
        raise author_error(error, getattr(function, "__name__", "the function")) from None
    finally:
        open_loops.reset(token)
    for places in left.values():
        raise DescriptionError(
            "D013", "a round loop is left by `break` or `return`", places=places,
            help="a loop over `rounds` or `steps` runs all its trips; a `for` over `range` unrolls and may be left",
        )
    return result


def author_error(error: BaseException, what: str) -> DescriptionError:
    """Return the error for an exception that the author's text raised, at the innermost line of that text."""
    places = []
    for frame, line in traceback.walk_tb(error.__traceback__):
        name = frame.f_code.co_filename
        if not name.startswith(_OWN_FOLDER) and not name.startswith("<frozen"):
            places.insert(0, Place(name, line, None, linecache.getline(name, line, frame.f_globals).rstrip()))
    if isinstance(error, SyntaxError):
        places = [Place(error.filename or "?", error.lineno, error.offset, (error.text or "").rstrip())]
    return DescriptionError("D016", f"{what} raised {type(error).__name__}: {error}", places=places)
