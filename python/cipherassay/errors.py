"""Errors as a product: what is wrong, where, expected and found, and how to mend it."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any, Self


@dataclass(frozen=True)
class Place:
    """A place in a text: file, line and column (both from 1; None where not known)."""

    file: str
    line: int | None = None
    column: int | None = None
    text: str = ""
    """The line itself, if at hand."""

    def __str__(self) -> str:
        parts = [self.file, *(str(n) for n in (self.line, self.column) if n is not None)]
        return ":".join(parts)


class AssayError(Exception):
    """An error that a user can mend; printed without a traceback.

    Parameters
    ----------
    code : str
        Stable code, a letter for the part and three digits: ``D004``.
    message : str
        What is wrong, in one sentence that starts in lower case and has no full stop.
    places : sequence of Place
        Where, innermost first; the rest are the callers.
    notes : sequence of str
        Facts: expected and found, the tool's own words.
    help : str
        How to mend it.
    """

    exit_code = 70

    def __init__(
        self,
        code: str,
        message: str,
        *,
        places: Iterable[Place] = (),
        notes: Iterable[str] = (),
        help: str = "",
    ) -> None:
        self.code, self.message, self.help = code, message, help
        self.places, self.notes = tuple(places), tuple(notes)
        super().__init__(str(self))

    def at(self, places: Iterable[Place]) -> Self:
        """Return the same error with the places where it arose."""
        return type(self)(self.code, self.message, places=places, notes=self.notes, help=self.help)

    def __reduce__(self) -> tuple[Any, ...]:
        """Return what makes it again in another process."""
        made = partial(type(self), places=self.places, notes=self.notes, help=self.help)
        return made, (self.code, self.message)

    def __str__(self) -> str:
        lines = [f"error[{self.code}]: {self.message}"]
        for n, place in enumerate(self.places):
            lines.append(f"  {'-->' if n == 0 else 'via'} {place}")
            if place.text.strip():
                lines.append(f"      {place.text.strip()}")
        lines += [f"   = {note}" for note in self.notes]
        if self.help:
            lines.append(f"   = help: {self.help}")
        return "\n".join(lines)


class UsageError(AssayError):
    """A command called wrongly: unknown name, bad option value."""

    exit_code = 2


class DescriptionError(AssayError):
    """A cipher file, model or data file that is wrong."""

    exit_code = 3


class VerificationError(AssayError):
    """A product that failed its check."""

    exit_code = 4


class ToolError(AssayError):
    """An outside tool that is missing or failed."""

    exit_code = 5


class MeasurementError(AssayError):
    """A measurement that was refused."""

    exit_code = 6


def closest(name: str, known: Iterable[str]) -> str:
    """Return the known name that is most like a wrong one, however it is capitalized; empty: none is near."""
    by_lower = {one.lower(): one for one in known}
    found = difflib.get_close_matches(name.lower(), by_lower, n=1, cutoff=0.5)
    return by_lower[found[0]] if found else ""


def nearest(name: str, known: Iterable[str]) -> str:
    """Say what is known, the nearest name first: ``did you mean `NAME`?`` or a list."""
    names = sorted(known)
    if close := closest(name, names):
        return f"did you mean `{close}`? (known: {', '.join(names)})"
    return f"known: {', '.join(names)}" if names else "none is known"


class EnginePanic(Exception):
    """A panic of the engine in another process: always a bug, never a user's mistake."""


def error_document(error: AssayError) -> dict[str, Any]:
    """Return an error as plain data."""
    return {
        "class": type(error).__name__,
        "code": error.code,
        "message": error.message,
        "places": [[p.file, p.line, p.column, p.text] for p in error.places],
        "notes": list(error.notes),
        "help": error.help,
    }


def error_of(document: dict[str, Any]) -> AssayError:
    """Return the error that a document holds."""
    kinds = {one.__name__: one for one in AssayError.__subclasses__()}
    return kinds.get(document["class"], AssayError)(
        document["code"],
        document["message"],
        places=[Place(*place) for place in document["places"]],
        notes=document["notes"],
        help=document["help"],
    )
