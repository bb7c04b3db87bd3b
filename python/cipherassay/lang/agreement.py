"""Comparing the compiled program with the plain run, and the plain run with itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from cipherassay.errors import DescriptionError, Place

ALONE = "a description computes from key and block alone: no random numbers, no state kept from call to call"


class Describable(Protocol):
    """What an error says of a cipher: its name, its file, and where a function of it stands."""

    name: str
    file: str

    def author_function(self, role: str) -> Callable[..., Any] | None:
        """Return the function that the author wrote for a role, None if there is none."""


def compare(
    cipher: Describable,
    role: str,
    plain: Sequence[Any],
    compiled: Sequence[Any],
    again: Callable[[], Sequence[Any]],
) -> None:
    """Compare what a function gave when called with what its program gives; `again` calls it once more.

    Raises
    ------
    DescriptionError
        D015: they differ. D039: a second call differs from the first.
    """
    if list(plain) == list(compiled):
        return
    if list(again()) != list(plain):
        raise unrepeated(cipher, role)
    author = cipher.author_function(role)
    raise DescriptionError(
        "D015",
        f"{cipher.name}: `{role}` computes something else when compiled than when called",
        notes=[
            f"called: {_short(plain)}",
            f"compiled: {_short(compiled)}",
            f"function `{author.__name__ if author else role}` in {cipher.file}",
        ],
        help="keep loop state in local variables; a global list, an attribute or an iterator is not seen",
    )


def unrepeated(cipher: Describable, role: str) -> DescriptionError:
    """Return the error for a function that gives something else when called again (D039)."""
    author = cipher.author_function(role)
    places = [] if author is None else [Place(author.__code__.co_filename, author.__code__.co_firstlineno)]
    text = f"{cipher.name}: `{role}` gives different results when called twice with the same arguments"
    return DescriptionError("D039", text, places=places, help=ALONE)


def _short(values: Sequence[Any]) -> str:
    text = str(values)
    return text if len(text) < 120 else text[:117] + "…"
