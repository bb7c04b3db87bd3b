"""Running the author's functions: loops left early and exceptions become errors with a place."""

from __future__ import annotations

import linecache
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from cipherassay.errors import AssayError, DescriptionError, Place

from .place import is_machinery


@dataclass
class Run:
    """What is noted while a function of the author runs."""

    open_loops: dict[int, tuple[Place, ...]] = field(default_factory=dict)
    """Places of the loops that have begun and not ended, by the identity of their iterator."""
    refused: DescriptionError | None = None
    """The first error of the language, which the author's ``except`` may have caught."""


current_run: ContextVar[Run | None] = ContextVar("run", default=None)


def run_author_function(function: Callable[..., Any], *args: Any) -> Any:
    """Call a function of the author.

    Raises
    ------
    DescriptionError
        D013: a loop over ``rounds`` was left by ``break`` or ``return``. D016: the function raised.
    """
    run = Run()
    token = current_run.set(run)
    try:
        result = function(*args)
    except AssayError:
        raise
    except Exception as error:  # noqa: BLE001 - whatever the author's text raises is reported at its place
        raise author_error(error, getattr(function, "__name__", "the function")) from None
    finally:
        current_run.reset(token)
    if run.refused is not None:
        raise run.refused
    for places in run.open_loops.values():
        raise DescriptionError(
            "D013",
            "a round loop is left by `break` or `return`",
            places=places,
            help="a loop over `rounds` runs all its trips; a `for` over `range` unrolls and may be left",
        )
    return result


def author_error(error: BaseException, what: str) -> DescriptionError:
    """Return the error for an exception that the author's text raised, at the innermost line of that text."""
    places: list[Place] = []
    trace = error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        name = code.co_filename
        if not is_machinery(code):
            line, _, column, _ = list(code.co_positions())[trace.tb_lasti // 2]
            text = linecache.getline(name, trace.tb_lineno, trace.tb_frame.f_globals).rstrip()
            places.insert(
                0, Place(name, line or trace.tb_lineno, None if column is None else column + 1, text)
            )
        trace = trace.tb_next
    if isinstance(error, SyntaxError):
        places = [Place(error.filename or "?", error.lineno, error.offset, (error.text or "").rstrip())]
    return DescriptionError("D016", f"{what} raised {type(error).__name__}: {error}", places=places)
