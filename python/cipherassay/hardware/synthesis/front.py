"""Points of a sweep: which no other beats in delay and area, and the five that stand for them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

GRADES = 5


class Point(Protocol):
    """A result with a delay and an area."""

    @property
    def delay_ns(self) -> float:
        """Its delay."""

    @property
    def area_um2(self) -> float:
        """Its area."""


P = TypeVar("P", bound=Point)


def front(points: Sequence[P]) -> list[P]:
    """Return the points that no other beats in both delay and area, the fastest first."""
    kept: list[P] = []
    for point in sorted(points, key=lambda one: (one.delay_ns, one.area_um2)):
        if not kept or point.area_um2 < kept[-1].area_um2:
            kept.append(point)
    return kept


def grades(points: Sequence[P], count: int = GRADES) -> list[P]:
    """Return the speed grades of a sweep: fastest, smallest, and the knees between them, fastest first.

    The first knee is the point of the front that lies furthest below the straight line between the ends,
    delay and area both being taken by their logarithms and scaled to the ends; the next is the one furthest
    from the broken line through those chosen, on either side. With fewer points than grades, all are grades.
    """
    left = front(points)
    if len(left) <= count:
        return left
    places = [_scaled(left, lambda one: one.delay_ns), _scaled(left, lambda one: one.area_um2)]
    chosen = [0, len(left) - 1]
    while len(chosen) < count:
        others = [n for n in range(len(left)) if n not in chosen]
        first = len(chosen) == 2
        best = max(others, key=lambda n: (_off(n, chosen, *places, below=first), -n))
        chosen = sorted([*chosen, best])
    return [left[n] for n in chosen]


def _scaled(points: Sequence[P], of: Callable[[P], float]) -> list[float]:
    logs = [math.log(of(point)) for point in points]
    low, high = min(logs), max(logs)
    return [(one - low) / (high - low or 1.0) for one in logs]


def _off(n: int, chosen: Sequence[int], x: Sequence[float], y: Sequence[float], *, below: bool) -> float:
    """Return how far a point lies from the line between the chosen points beside it."""
    a = max(one for one in chosen if one < n)
    b = min(one for one in chosen if one > n)
    height = y[a] + (y[b] - y[a]) * (x[n] - x[a]) / ((x[b] - x[a]) or 1.0)
    distance = (height - y[n]) / math.hypot(1.0, (y[b] - y[a]) / ((x[b] - x[a]) or 1.0))
    return distance if below else abs(distance)
