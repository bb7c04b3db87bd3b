"""How much is searched for an order of steps, and what comes out of it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Effort:
    """How much is searched: moves of a step, how far a move goes, which random numbers."""

    moves: int = 6000
    reach: int = 24
    seed: int = 1


@dataclass(frozen=True)
class FittedCode:
    """Lines with labels, bytes of spilled values, cycles if every access hits, micro-operations.

    ``places``: of each line file and line of the description that it comes from, innermost first.
    """

    lines: tuple[str, ...]
    spilled: int
    cycles: float
    operations: int
    places: tuple[tuple[tuple[int, int], ...], ...] = ()
