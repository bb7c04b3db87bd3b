"""Arrays of which only some rows are kept: which ones is known when the code runs."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Window:
    """``rows`` rows at the object ``name``, the first of them numbered by the byte at ``first``.

    ``order`` gives the number of each row; rows that loops count have their own.
    """

    name: str
    first: str
    rows: int
    order: tuple[int, ...]
