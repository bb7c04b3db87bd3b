"""Grades mixed per function: from the smallest design up, as the critical path asks, and back down."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cipherassay.hardware.synthesis import front
from cipherassay.hardware.synthesis.bottom_up import Design, DesignPoint, FunctionPoint

SAME = 1.002
"""A period within this factor counts as the same: netlists of the same design differ by more."""

STEPS = 2
"""Designs that are timed side by side: two steps up, or two sizes of a unit down."""


def points(design: Design, names: Sequence[str], most: int) -> list[DesignPoint]:
    """Return whole designs from the smallest to the fastest that mixing grades gives, all that were timed.

    First every unit by the same recipe; then, from all smallest, the unit whose next faster grade promises
    the most time per area on the critical path is taken a grade up, until the path has none left; then, from
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
        # A third is left for the way down, which begins with what gains most.
        found += _upwards(design, (most - len(found)) * 2 // 3)
        found += _downwards(design, front.front(found)[0], most - len(found))
    return list({tuple(sorted(point.choice.items())): point for point in found}.values())


def _upwards(design: Design, most: int) -> list[DesignPoint]:
    choice = {unit: curve.grades[-1].recipe for unit, curve in design.curves.items()}
    found = design.points([choice])
    while len(found) < most:
        steps = _steps(design, found[-1])
        if not steps:
            break
        made = design.points(steps[: most - len(found)])
        # The next step counts on the one before: where it is slower, it was a step too far.
        found += made if made[-1].delay_ns <= made[0].delay_ns * SAME else made[::-1]
    return found


def _steps(design: Design, point: DesignPoint) -> list[dict[str, str]]:
    """Return the choices after a point: a unit a grade faster, and the next with it; none if there is none.

    Both are timed side by side.
    """
    shares, choice = design.shares(point), dict(point.choice)
    found = []
    for _ in range(STEPS):
        unit = _promising(design, choice, shares)
        if not unit:
            break
        curve = design.curves[unit]
        now, after = curve.point(choice[unit]), _faster(curve.grades, choice[unit])
        shares[unit] *= after.delay_ns / now.delay_ns if now.delay_ns else 1.0
        choice = {**choice, unit: after.recipe}
        found.append(choice)
    return found


def _promising(design: Design, choice: Mapping[str, str], shares: Mapping[str, float]) -> str:
    """Return the unit to make faster, empty if those on the critical path are at their fastest."""
    best, unit = 0.0, ""
    for name, share in sorted(shares.items()):
        curve = design.curves[name]
        now, after = curve.point(choice[name]), _faster(curve.grades, choice[name])
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
    for unit in sorted(design.units, key=lambda name: -_saved(design, now, name)):
        curve = design.curves[unit]
        area = curve.point(now.choice[unit]).area_um2
        smaller = [one for one in reversed(curve.grades) if one.area_um2 < area][
            : min(STEPS, most - len(found))
        ]
        made = design.points([{**now.choice, unit: one.recipe} for one in smaller])
        found += made
        now = next((point for point in made if point.delay_ns <= fastest.delay_ns * SAME), now)
    return found


def _saved(design: Design, point: DesignPoint, unit: str) -> float:
    """Return the area that a unit's smallest grade saves, for all of its instances at most."""
    curve = design.curves[unit]
    return curve.point(point.choice[unit]).area_um2 - curve.grades[-1].area_um2
