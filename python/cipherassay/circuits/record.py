"""What a search knows: the best circuit, bounds, finished units; kept in a file, so that it goes on later."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from cipherassay.cache import cache_folder
from cipherassay.circuits import engine
from cipherassay.circuits.engine import Bound, Problem, Step
from cipherassay.circuits.metrics import key
from cipherassay.errors import AssayError, ToolError, VerificationError


@dataclass
class Record:
    """The state of one search; `file` is None where nothing can be kept."""

    problem: Problem
    file: Path | None = None
    best: str = ""
    """The equations of the best circuit, as the engine gave them; empty before the first."""
    metrics: dict[str, float] = field(default_factory=dict)
    found_by: str = ""
    bounds: dict[str, Bound] = field(default_factory=dict)
    finished: dict[str, list[int]] = field(default_factory=dict)
    """Numbers of the finished units by engine."""
    seconds: float = 0.0
    """Time of all units, each on one core."""

    def add(self, name: str, unit: int, step: Step, seconds: float) -> bool:
        """Take over what a unit found; return whether the best became better.

        Raises
        ------
        VerificationError
            ``C320``: a circuit of the engine does not compute the box.
        """
        better = [self._consider(name, text, step.effort) for text in dict.fromkeys(step.circuits)]
        self.know(step.bounds)
        if step.finished:
            self.finished.setdefault(name, []).append(unit)
        self.seconds += seconds
        self.save()
        return any(better)

    def know(self, bounds: Iterable[Bound]) -> None:
        """Take over bounds; of each metric the largest stays."""
        for bound in bounds:
            known = self.bounds.get(bound.metric)
            if known is None or bound.value > known.value:
                self.bounds[bound.metric] = bound

    def _consider(self, name: str, text: str, effort: str) -> bool:
        problem = self.problem
        try:
            engine.check(text, problem.box, problem.target)
        except AssayError as error:
            raise VerificationError(
                "C320",
                f"the engine `{name}` gave a circuit that is wrong",
                notes=[error.message, *error.notes],
                help="this is a bug of the engine; nothing of it was kept",
            ) from None
        text = engine.fit(text, problem.target)
        metrics = engine.measure(text, problem.target)
        if self.best and key(metrics, problem.objective) >= key(self.metrics, problem.objective):
            return False
        self.best, self.metrics, self.found_by = text, metrics, effort or name
        return True

    @property
    def units(self) -> int:
        """How many units are finished."""
        return sum(map(len, self.finished.values()))

    def optimal(self) -> list[str]:
        """Return the metrics of the objective, from the first on, that a bound proves to be the least."""
        proved = []
        for metric in self.problem.objective:
            bound = self.bounds.get(metric)
            if not self.best or bound is None or self.metrics.get(metric) != bound.value:
                break
            proved.append(metric)
        return proved

    def proof(self) -> str:
        """Return the text for the head's line ``proof``."""
        proved = self.optimal()
        parts = [f"{metric} ({self.bounds[metric].kind})" for metric in proved]
        rest = [
            f"{metric} >= {self.bounds[metric].value:g} ({self.bounds[metric].kind})"
            for metric in self.problem.objective
            if metric not in proved and metric in self.bounds
        ]
        first = f"optimal: {', '.join(parts)}" if parts else "best found"
        return "; ".join([first, *rest])

    def effort(self) -> str:
        """Return the text for the head's line ``effort``."""
        units = f"{self.units} unit{'' if self.units == 1 else 's'} in all"
        return f"{self.found_by}; {units}, {self.seconds:.0f} s on one core"

    def save(self) -> None:
        """Write the file, whole or not at all; what cannot be kept is not kept."""
        if self.file is None:
            return
        fields = {
            "problem": json.loads(self.problem.as_json()),
            "best": self.best,
            "metrics": self.metrics,
            "found_by": self.found_by,
            "bounds": [vars(bound) for bound in self.bounds.values()],
            "finished": self.finished,
            "seconds": self.seconds,
        }
        temporary = self.file.with_name(f".{self.file.name}.{os.getpid()}")
        try:
            temporary.write_text(json.dumps(fields, indent=1) + "\n", encoding="utf-8")
            os.replace(temporary, self.file)
        except OSError:
            self.file = None


def open_record(problem: Problem, *, fresh: bool = False) -> Record:
    """Return the record of a problem: what an earlier run of the same engine kept, or an empty one."""
    try:
        folder = cache_folder("circuits")
    except ToolError:
        return Record(problem)
    name = hashlib.sha256((problem.as_json() + _build()).encode()).hexdigest()[:16]
    record = Record(problem, folder / f"{problem.box.name}.{problem.target.file_name}.{name}.json")
    if not fresh:
        _restore(record)
    return record


def _restore(record: Record) -> None:
    assert record.file is not None
    try:
        fields: dict[str, Any] = json.loads(record.file.read_text(encoding="utf-8"))
        bounds = [Bound(**bound) for bound in fields["bounds"]]
        best, finished = fields["best"], fields["finished"]
        if best:
            engine.check(best, record.problem.box, record.problem.target)
            record.metrics = engine.measure(best, record.problem.target)
    except (OSError, ValueError, KeyError, TypeError, AssayError):
        return  # nothing kept, or kept by another version: the search begins anew
    record.best, record.found_by = best, fields["found_by"]
    record.bounds = {bound.metric: bound for bound in bounds}
    record.finished, record.seconds = {k: list(v) for k, v in finished.items()}, float(fields["seconds"])


@cache
def _build() -> str:
    """Return the hash of the engine's file: another engine may find other things in the same unit."""
    spec = importlib.util.find_spec("cipherassay._engine")
    return hashlib.sha256(Path(spec.origin).read_bytes()).hexdigest() if spec and spec.origin else ""


def unfinished(record: Record, name: str, units: int) -> Iterable[int]:
    """Give the numbers of an engine's units that are not finished, in order."""
    done = set(record.finished.get(name, ()))
    unit = 0
    while unit < units:
        if unit not in done:
            yield unit
        unit += 1
