"""Running the author's functions: loops left early and exceptions become errors with a place."""

from __future__ import annotations

import linecache
from collections.abc import Callable, Iterable
from typing import Any

from cipherassay.errors import AssayError, DescriptionError, Place
from cipherassay.limits import limits

from .current import Run, current_run
from .guard import NO_END, guarded
from .limited import limited
from .outside import watch
from .place import is_machinery

MOST_PLACES = 8
"""Calls that an error shows; of a deep recursion the innermost and the first two."""


def run_author_function(function: Callable[..., Any], *args: Any) -> Any:
    """Call a function of the author.

    Raises
    ------
    DescriptionError
        What the author's text does wrong, as `run_author_text` says it.
    """
    what = getattr(function, "__name__", "the function")
    file = function.__code__.co_filename if hasattr(function, "__code__") else ""
    return run_author_text(lambda: function(*args), what, file, function)


def run_author_text(
    text: Callable[[], Any], what: str, file: str, function: Callable[..., Any] | None = None
) -> Any:
    """Run text of the author in a file; for an error, `what` it is and the function in which it begins.

    Raises
    ------
    DescriptionError
        D013: a loop over ``rounds`` was left by ``break`` or ``return``. D016: it raised. D027: it ends the
        process. D028: it takes too long. D029: memory is exhausted. D036: it reads standard input. D098 to
        D100: it reaches outside. Or what the language refuses, even where the author's ``except`` has caught
        it.
    """
    watch()
    run = Run()
    token = current_run.set(run)
    try:
        with guarded(), limited(what, file):
            result = text()
    except (AssayError, KeyboardInterrupt):
        raise
    except BaseException as error:  # noqa: BLE001 - whatever the author's text raises is reported at its place
        raise run.refused or author_error(error, what, function) from None
    finally:
        current_run.reset(token)
    if run.refused is not None:
        raise run.refused
    for places in run.open_loops.values():
        raise DescriptionError(
            "D013",
            "a round loop is left by `break` or `return`",
            places=places,
            help="a loop over `rounds` runs all its iterations; a `for` over `range` unrolls and may be left",
        )
    return result


def author_error(
    error: BaseException, what: str, function: Callable[..., Any] | None = None
) -> DescriptionError:
    """Return the error for an exception that the author's text raised, at the innermost line of that text."""
    code = getattr(function, "__code__", None)
    places = _places(error) or ([Place(code.co_filename, code.co_firstlineno)] if code else [])
    left_out = len(places) - MOST_PLACES
    notes = [f"{left_out} calls between these are left out"] if left_out > 0 else []
    if left_out > 0:
        places = [*places[: MOST_PLACES - 2], *places[-2:]]
    if isinstance(error, SystemExit):
        status = "" if error.code is None else str(error.code)
        ends = f"a cipher's file ends the command: `sys.exit({status})`"
        return DescriptionError("D027", ends, places=places, notes=notes, help=NO_END)
    if isinstance(error, MemoryError):
        return memory_error(what, places)
    if isinstance(error, SyntaxError):
        places = [Place(error.filename or "?", error.lineno, error.offset, (error.text or "").rstrip())]
    said = str(error)
    text = f"{what} raised {type(error).__name__}{': ' if said else ''}{said}"
    return DescriptionError("D016", text, places=places, notes=notes)


def memory_error(what: str, places: Iterable[Place] = ()) -> DescriptionError:
    """Return the error for a description that takes more memory than there is, or than it may."""
    return DescriptionError(
        "D029",
        f"{what} takes more memory than it may",
        places=places,
        help=limits().hint(
            "--memory GB", "allows more", "a table or list that grows without end never has enough"
        ),
    )


def _places(error: BaseException) -> list[Place]:
    places: list[Place] = []
    trace = error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        name = code.co_filename
        if not is_machinery(code):
            line, _, column, _ = list(code.co_positions())[trace.tb_lasti // 2]
            text = linecache.getline(name, trace.tb_lineno, trace.tb_frame.f_globals).rstrip()
            places.append(Place(name, line or trace.tb_lineno, None if column is None else column + 1, text))
        trace = trace.tb_next
    return places[::-1]
