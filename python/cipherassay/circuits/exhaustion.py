"""Exhaustion: every circuit of so many two-input gates is looked at, so that what is not found is not.

Serves boxes of four inputs, several at once. The engine cuts the work into units; finished ones are kept in a
file, so that the work goes on where it stopped. What came out of long work is stored with the counts of every
unit, and any unit can be done again and compared.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from cipherassay import _engine, keeping
from cipherassay.circuits.boxes import Box
from cipherassay.circuits.engine import Bound, Problem
from cipherassay.circuits.metrics import COUNTS_OF_GATES
from cipherassay.errors import DescriptionError, Place, VerificationError

KEPT = "exhaustion"
"""The kind of kept artefacts; a file per number of gates and set of boxes."""
KIND = "exhausted"
TARGET = "two-input"

ProgressCallback = Callable[[int, int], None]
"""Called after each unit with the number of finished units and of all."""


@dataclass
class Exhaustion:
    """What is known of the circuits of `gates` gates of some boxes."""

    gates: int
    """Two-input gates, the outputs' gates among them."""
    boxes: dict[str, tuple[int, ...]]
    """Name and values of each box."""
    outputs: int
    counts: list[tuple[int, int, int]] = field(default_factory=list)
    """For 0, 1, 2 … gates: orbits of sets, sets, cones that are completed from there."""
    units: int = 0
    done: dict[int, dict[str, Any]] = field(default_factory=dict)
    """Counts of the finished units: ``cones``, ``outputs``, ``completions``, ``found``, ``seconds``."""

    @property
    def finished(self) -> bool:
        """Whether every unit was done."""
        return bool(self.units) and len(self.done) == self.units

    @property
    def seconds(self) -> float:
        """Time of all units, each on one core."""
        return sum(float(unit["seconds"]) for unit in self.done.values())

    def found(self) -> dict[str, list[int]]:
        """Return the boxes that have such a circuit, with its gates' truth tables (inputs in some order)."""
        names = list(self.boxes)
        return {names[place]: gates for unit in self.done.values() for place, gates in unit["found"]}

    def impossible(self) -> list[str]:
        """Return the boxes that have no such circuit."""
        return [name for name in self.boxes if name not in self.found()] if self.finished else []

    def plan(self, jobs: int = 1) -> _engine.Exhaustion:
        """Return the engine's plan of the same work; for 12 gates this takes some minutes."""
        tables = [bytes(values) for values in self.boxes.values()]
        return _engine.Exhaustion(tables, self.outputs, self.gates, jobs)

    def save(self, file: Path) -> None:
        """Write the file, whole or not at all; a unit is a line."""
        head = {
            "schema": keeping.SCHEMAS[KEPT],
            "gates": self.gates,
            "outputs": self.outputs,
            "boxes": {name: list(values) for name, values in self.boxes.items()},
            "counts": [list(count) for count in self.counts],
            "units": self.units,
        }
        lines = [json.dumps(head), *(json.dumps({"unit": n, **self.done[n]}) for n in sorted(self.done))]
        keeping.replace(file, "\n".join(lines) + "\n")


def read(file: Path) -> Exhaustion:
    """Read a file that `Exhaustion.save` wrote.

    Raises
    ------
    DescriptionError
        ``C340``: it cannot be read.
    """
    try:
        head, *units = (json.loads(line) for line in file.read_text(encoding="utf-8").splitlines())
        if head["schema"] != keeping.SCHEMAS[KEPT]:
            raise ValueError(f"it follows version {head['schema']} of the schema")
        boxes = {name: tuple(values) for name, values in head["boxes"].items()}
        counts = [(int(orbits), int(sets), int(cones)) for orbits, sets, cones in head["counts"]]
        done = {unit.pop("unit"): unit for unit in units}
        return Exhaustion(head["gates"], boxes, head["outputs"], counts, head["units"], done)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise DescriptionError(
            "C340",
            f"this is no file of an exhaustion: {error}",
            places=[Place(str(file))],
            help="make it anew with `assay circuit exhaust`",
        ) from None


def exhaust(
    boxes: Sequence[Box],
    gates: int,
    *,
    jobs: int = 1,
    file: Path | None = None,
    told: ProgressCallback = lambda _done, _all: None,
) -> Exhaustion:
    """Look at every circuit of `gates` two-input gates of boxes of four inputs and as many outputs each.

    Parameters
    ----------
    jobs : int
        Threads.
    file : Path or None
        Where finished units are kept; units that it holds already are not done again.

    Raises
    ------
    UsageError
        ``C318``, ``C319``: boxes or a number of gates that it cannot serve.
    DescriptionError
        ``C340``: the file cannot be read.
    VerificationError
        ``C341``: the file is of other work.
    KeyboardInterrupt
        After the units in hand were kept.
    """
    work = Exhaustion(gates, {box.name: box.data for box in boxes}, boxes[0].outputs)
    plan = work.plan(jobs)
    work.counts, work.units = plan.counts(), plan.units()
    if file is not None and file.exists():
        work.done = _kept(work, file)
    pool = ThreadPoolExecutor(max(1, jobs))
    waiting = iter([n for n in range(work.units) if n not in work.done])
    running: set[Future[tuple[int, dict[str, Any]]]] = set()
    try:
        while True:
            for unit in _next(waiting, max(1, jobs) - len(running)):
                running.add(pool.submit(_unit, plan, unit))
            if not running:
                return work
            done, running = wait(running, return_when=FIRST_COMPLETED)
            work.done.update(future.result() for future in done)
            if file is not None:
                work.save(file)
            told(len(work.done), work.units)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _next(waiting: Iterable[int], count: int) -> list[int]:
    return [unit for _, unit in zip(range(count), waiting, strict=False)]


def _unit(plan: _engine.Exhaustion, unit: int) -> tuple[int, dict[str, Any]]:
    start = time.monotonic()
    counts = json.loads(plan.run(unit))
    return unit, {**counts, "seconds": round(time.monotonic() - start, 2)}


def _kept(work: Exhaustion, file: Path) -> dict[int, dict[str, Any]]:
    kept = read(file)
    if (kept.gates, kept.boxes, kept.counts, kept.units) != (work.gates, work.boxes, work.counts, work.units):
        raise VerificationError(
            "C341",
            "the file is of other boxes, another number of gates or another version",
            places=[Place(str(file))],
            notes=[f"in the file: {kept.gates} gates, {', '.join(kept.boxes)}"],
            help="give another file, or remove this one",
        )
    return kept.done


def check(work: Exhaustion, *, closed: int = 6, again: Sequence[int] = (), jobs: int = 1) -> None:
    """Check what is stored: its counts of sets against sets counted one by one, and some units done again.

    Parameters
    ----------
    closed : int
        Sets of up to so many gates are counted one by one, without symmetry (6 gates: about a second).
    again : sequence of int
        Units that are done again; the plan for 12 gates takes minutes.

    Raises
    ------
    VerificationError
        ``C342``: a count differs, or a unit is missing.
    """
    for gates, (_, sets, _) in enumerate(work.counts[: closed + 1]):
        if (found := _engine.count_sets(gates)) != sets:
            raise _wrong(work, f"sets of {gates} gates: stored {sets}, counted one by one {found}")
    if missing := [n for n in range(work.units) if n not in work.done]:
        raise _wrong(work, f"{len(missing)} of {work.units} units are not done, unit {missing[0]} the first")
    plan = work.plan(jobs) if again else None
    for unit in again:
        assert plan is not None
        _, counts = _unit(plan, unit)
        stored = {name: work.done[unit][name] for name in counts if name != "seconds"}
        if stored != {name: count for name, count in counts.items() if name != "seconds"}:
            raise _wrong(work, f"unit {unit}, done again, gives other counts than are stored")


def _wrong(work: Exhaustion, note: str) -> VerificationError:
    return VerificationError(
        "C342",
        f"the stored exhaustion of {work.gates} gates is wrong",
        notes=[note],
        help="make it anew with `assay circuit exhaust`",
    )


def bounds(problem: Problem) -> list[Bound]:
    """Return what stored exhaustions say of a problem whose operations have two operands at most.

    They hold of each metric that counts operations: a complement is no gate of its own there, so that no
    circuit of the target has fewer operations than gates were needed.
    """
    box, operations = problem.box, problem.target.operations
    if any(operation.arity > 2 for operation in operations):
        return []
    works = [work for work in stored() if any(work.boxes[n] == box.data for n in work.impossible())]
    counted = [metric for metric in problem.objective if metric in COUNTS_OF_GATES]
    return [Bound(metric, float(work.gates + 1), KIND) for work in works for metric in counted]


def stored() -> tuple[Exhaustion, ...]:
    """Return every kept exhaustion; each file is read once."""
    return tuple(_once(file, file.stat().st_mtime_ns) for file in keeping.files(KEPT, "*.jsonl"))


@cache
def _once(file: Path, changed: int) -> Exhaustion:
    return read(file)
