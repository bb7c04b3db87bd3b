"""The hardware paper's Figure 2: functions swept, their speed grades picked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from cipherassay.hardware.results.designs import TARGET
from cipherassay.hardware.synthesis import front
from cipherassay.report.elements.figures import Figure
from cipherassay.results import Row
from cipherassay.studies.weeks2000 import charts

BY = "function by "
SHOWN = 3
"""How many functions of a device are drawn: the largest."""


@dataclass(frozen=True)
class SweepPoint:
    """A function mapped by a recipe."""

    function: str
    recipe: str
    delay_ns: float
    area_um2: float


def swept(rows: Sequence[Row], cipher: str) -> dict[str, list[SweepPoint]]:
    """Return the sweeps of the functions of a cipher's iterative device for 128-bit keys, largest first.

    Of several strategies, that with the fewest µm² in all functions at their smallest.
    """
    found: dict[str, dict[tuple[str, str], dict[str, float]]] = {}
    for row in rows:
        words = (row.configuration or "").split(", ")
        if (
            (row.cipher, row.variant, row.target, words[0]) == (cipher, "128", TARGET, "iterative")
            and len(words) > 1
            and words[-1].startswith(BY)
        ):
            key = (row.part or "", words[-1].removeprefix(BY))
            found.setdefault(row.strategy or "", {}).setdefault(key, {})[row.metric] = row.value
    made = [list(_curves(points).items()) for _, points in sorted(found.items())]
    if not made:
        return {}
    best = min(made, key=lambda one: sum(_smallest(curve) for _, curve in one))
    return dict(sorted(best, key=lambda item: (-_smallest(item[1]), item[0])))


def _curves(points: dict[tuple[str, str], dict[str, float]]) -> dict[str, list[SweepPoint]]:
    curves: dict[str, list[SweepPoint]] = {}
    for (function, recipe), values in points.items():
        if {"time_ns", "area_um2"} <= values.keys():
            one = SweepPoint(function, recipe, values["time_ns"], values["area_um2"])
            curves.setdefault(function, []).append(one)
    return curves


def _smallest(curve: Sequence[SweepPoint]) -> float:
    return min(point.area_um2 for point in curve)


def figures(rows: Sequence[Row], ciphers: Sequence[str]) -> Iterator[Figure]:
    """Yield the figure of swept functions, if any were kept."""
    points = [point for cipher in ciphers for point in _points(cipher, swept(rows, cipher))]
    if points:
        caption = (
            f"The {SHOWN} largest functions of each iterative device for 128-bit keys, mapped by each "
            "recipe; filled: the speed grades picked for the library of functions (fastest, smallest, the "
            "knees between)."
        )
        title = "Figure 2: functions swept"
        yield Figure("hardware-functions", title, caption, charts.sweeps(points))


def _points(cipher: str, curves: dict[str, list[SweepPoint]]) -> Iterator[dict[str, object]]:
    for rank, (function, curve) in enumerate(list(curves.items())[:SHOWN], 1):
        picked = {id(point) for point in front.grades(curve)}
        for point in curve:
            yield {
                "panel": cipher, "function": _short(function, cipher), "rank": str(rank),
                "recipe": point.recipe, "x": point.delay_ns, "y": point.area_um2 / 1e6,
                "picked": id(point) in picked,
            }  # fmt: skip


def _short(function: str, cipher: str) -> str:
    return function.removeprefix(f"{cipher.lower()}_iterative_128_").replace("_", " ")
