"""A design synthesized: read, cut into units, swept, mixed, and its speed grades picked."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from cipherassay.hardware.libraries.technology import Technology
from cipherassay.hardware.netlists import netlist, rtlil
from cipherassay.hardware.synthesis import arithmetic, box_circuits, climbing, front, frontend, recipes
from cipherassay.hardware.synthesis.bottom_up import Curve, Design, DesignPoint
from cipherassay.hardware.synthesis.job_results import results
from cipherassay.hardware.synthesis.jobs import Gates, Library, Map
from cipherassay.hardware.synthesis.units import MERGED, OPERATORS_APART, merged_small, units
from cipherassay.hardware.timing import analysis
from cipherassay.jobs import SILENT, Executor, Progress

LEAST_GATES = 200
"""Smaller functions are mapped within what uses them: mapping across their borders saves more than mixing."""
MOST_DESIGNS = 24


@dataclass(frozen=True)
class Synthesis:
    """What synthesis found: all whole designs that were timed, their grades, the curves of the units."""

    top: str
    technology: Technology
    points: tuple[DesignPoint, ...]
    curves: dict[str, dict[str, Curve]]
    """By split, then by unit."""
    designs: dict[str, Design] = field(repr=False)
    split_of: dict[int, str] = field(repr=False)

    @property
    def grades(self) -> list[DesignPoint]:
        """The speed grades, fastest first."""
        return front.grades(self.points)

    def split(self, point: DesignPoint) -> str:
        """Return the split that a point is of."""
        return self.split_of[id(point)]

    @property
    def tools(self) -> str:
        """The tools that made it."""
        library = Library.of(self.technology)
        return f"{library.yosys}; {library.timer}; library {library.digest[:12]}"


def synthesize(
    files: Mapping[str, str],
    technology: Technology,
    executor: Executor,
    *,
    top: str = "",
    names: Sequence[str] = recipes.SWEEP[:5],
    splits: Sequence[str] = ("auto",),
    case: Mapping[str, int] | None = None,
    most: int = MOST_DESIGNS,
    repair: bool = True,
    sign_off: bool = True,
    watch: Progress = SILENT,
) -> Synthesis:
    """Synthesize a design from the texts of its Verilog files.

    Parameters
    ----------
    names : sequence of str
        The recipes of each function's sweep.
    splits : sequence of str
        How to cut the design into units (`units.units`); the points of all are compared.
    case : mapping
        Ports held at a value during timing.
    most : int
        Whole designs timed at most, for each split.
    repair : bool
        Whether the timing of their speed grades is repaired, too (`repair.repaired`).
    sign_off : bool
        Whether their speed grades are brought within the library's limits (`Design.limited`) and timed by
        the technology's sign-off tool (`Design.signed_off`).

    Raises
    ------
    ToolError
        ``H701`` .. ``H712``: a tool is missing, failed, or gave no result.
    UsageError
        ``H705``: no such top module; ``H703``, ``H710``: no such recipe or split.
    """
    technology.timed()
    for name in names:
        recipes.find(name)
    top, modules = frontend.elaborate(files, top)
    found: list[DesignPoint] = []
    curves: dict[str, dict[str, Curve]] = {}
    designs, split_of = {}, {}
    cuts = {True: arithmetic.apart(modules)} if set(OPERATORS_APART) & set(splits) else {}
    cuts[False] = modules
    every: dict[bool, dict[str, str]] = {}
    for split in dict.fromkeys(splits):
        apart = split in OPERATORS_APART
        cut = cuts[apart]
        chosen = units(cut, top, split)
        if split in MERGED:
            if apart not in every:
                every[apart] = _gates(cut, chosen, technology, executor, watch)
            gates = every[apart]
            boxes = _boxes(gates, names[0], technology, executor, watch) if split == "boxes" else frozenset()
            if split == "boxes" and not boxes and found:
                continue
            counts = {name: text.count("\n  cell ") for name, text in gates.items()}
            chosen = merged_small(cut, top, chosen, counts, LEAST_GATES, boxes)
        design = Design(cut, top, technology, chosen, executor, case=case, watch=watch)
        curves[split] = design.sweep(names)
        designs[split] = design
        for point in climbing.points(design, names, most):
            split_of[id(point)] = split
            found.append(point)
    made = Synthesis(top, technology, tuple(found), curves, designs, split_of)
    made = with_repaired(made, made.grades) if repair else made
    while sign_off and (left := [one for one in made.grades if not is_signed_off(one, technology)]):
        made = with_sign_off(made, left)
    return made


def with_repaired(made: Synthesis, chosen: Sequence[DesignPoint]) -> Synthesis:
    """Return a synthesis with some of its points repaired, too (`Design.repaired`)."""
    points, split_of = list(made.points), dict(made.split_of)
    for split, design in made.designs.items():
        for point in design.repaired([one for one in chosen if made.split(one) == split]):
            split_of[id(point)] = split
            points.append(point)
    return replace(made, points=tuple(points), split_of=split_of)


def with_sign_off(made: Synthesis, chosen: Sequence[DesignPoint]) -> Synthesis:
    """Return a synthesis with some of its points nearer to sign-off: within the library's limits
    (`Design.limited`), or if all are, as the sign-off tool times them (`Design.signed_off`)."""
    beyond = [one for one in chosen if not one.limited]
    return _with_each(made, beyond or chosen, Design.limited if beyond else Design.signed_off)


def _with_each(
    made: Synthesis,
    chosen: Sequence[DesignPoint],
    change: Callable[[Design, Sequence[DesignPoint]], list[DesignPoint]],
) -> Synthesis:
    """Return a synthesis with what a change makes of some of its points in their places."""
    points, split_of = list(made.points), dict(made.split_of)
    for split, design in made.designs.items():
        own = [one for one in chosen if made.split(one) == split]
        for before, now in zip(own, change(design, own), strict=True):
            split_of[id(now)] = split
            points[next(n for n, one in enumerate(points) if one is before)] = now
    return replace(made, points=tuple(points), split_of=split_of)


def is_signed_off(point: DesignPoint, technology: Technology) -> bool:
    """Return whether a point is within the library's limits and timed by the technology's sign-off tool."""
    return point.limited and point.timing.tool == analysis.version(technology)


def _gates(
    modules: Mapping[str, rtlil.Module],
    chosen: frozenset[str],
    technology: Technology,
    executor: Executor,
    watch: Progress,
) -> dict[str, str]:
    """Return the gates of every module."""
    library = Library.of(technology)
    jobs = [Gates(rtlil.cut(modules, name, chosen), name, library) for name in sorted(chosen)]
    return dict(zip((job.top for job in jobs), results(jobs, executor, watch), strict=True))


def _boxes(
    gates: Mapping[str, str], recipe: str, technology: Technology, executor: Executor, watch: Progress
) -> frozenset[str]:
    """Return the small modules that are S-boxes of which the library has circuits."""
    library = Library.of(technology)
    jobs = [
        Map(text, name, recipe, library)
        for name, text in gates.items()
        if text.count("\n  cell ") < LEAST_GATES and box_circuits.mark(text, technology.name)
    ]
    made = (netlist.from_json(json.loads(text)["netlist"]) for text in results(jobs, executor, watch))
    return frozenset(
        job.top
        for job, one in zip(jobs, made, strict=True)
        if len(one) == 1 and box_circuits.is_known(one[job.top], technology)
    )
