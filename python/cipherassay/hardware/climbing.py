"""Grades mixed per function: from the smallest design up, as the worst path asks, and back down."""

from __future__ import annotations

from collections.abc import Sequence

from cipherassay.hardware import front
from cipherassay.hardware.bottom_up import Design, DesignPoint, FunctionPoint

SAME = 1.002
"""A period within this factor counts as the same: netlists of the same design differ by more."""


def points(design: Design, names: Sequence[str], most: int) -> list[DesignPoint]:
    """Return whole designs from the smallest to the fastest that mixing grades gives, all that were timed.

    First every unit by the same recipe; then, from all smallest, the unit whose next faster grade promises
    the most time per area on the worst path is taken a grade up, until the path has none left; then, from
    the fastest design found, every unit that can be smaller at the same period is taken down.

    Parameters
    ----------
    names : sequence of str
        The recipes of the sweep.
    most : int
        How many whole designs to time at most.
    """
    found = design.points([design.alike(name) for name in names][:most])
    if len(design.units) > 1:
        found += _upwards(design, most - len(found))
        found += _downwards(design, front.front(found)[0], most - len(found))
    return list({tuple(sorted(point.choice.items())): point for point in found}.values())


def _upwards(design: Design, most: int) -> list[DesignPoint]:
    grades = {unit: curve.grades for unit, curve in design.curves.items()}
    choice = {unit: grades[unit][-1].recipe for unit in design.units}
    found: list[DesignPoint] = []
    while len(found) < most:
        (point,) = design.points([choice])
        found.append(point)
        unit = _promising(design, point)
        if not unit:
            break
        choice = {**choice, unit: _faster(grades[unit], choice[unit]).recipe}
    return found


def _promising(design: Design, point: DesignPoint) -> str:
    """Return the unit to make faster, empty if those on the worst path are at their fastest."""
    best, unit = 0.0, ""
    for name, share in sorted(design.shares(point).items()):
        curve = design.curves[name]
        now, after = curve.point(point.choice[name]), _faster(curve.grades, point.choice[name])
        if after is now or share <= 0:
            continue
        saved = share * max(1 - after.delay_ns / now.delay_ns, 0.01) if now.delay_ns else share * 0.01
        promise = saved / max(after.area_um2 - now.area_um2, 1.0)
        if promise > best:
            best, unit = promise, name
    return unit


def _faster(grades: list[FunctionPoint], recipe: str) -> FunctionPoint:
    """Return the next faster grade than a recipe's, or the recipe's own if there is none."""
    at = next(n for n, one in enumerate(grades) if one.recipe == recipe)
    return grades[max(at - 1, 0)]


def _downwards(design: Design, fastest: DesignPoint, most: int) -> list[DesignPoint]:
    """Return designs as fast as the fastest with units made smaller one by one, the largest first."""
    found: list[DesignPoint] = []
    now = fastest
    for unit in sorted(design.units, key=lambda name: -design.curves[name].point(now.choice[name]).area_um2):
        for smaller in reversed(design.curves[unit].grades):
            if smaller.area_um2 >= design.curves[unit].point(now.choice[unit]).area_um2 or len(found) >= most:
                break
            (point,) = design.points([{**now.choice, unit: smaller.recipe}])
            found.append(point)
            if point.delay_ns <= fastest.delay_ns * SAME:
                now = point
                break
    return found
