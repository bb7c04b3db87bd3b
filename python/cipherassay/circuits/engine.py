"""The engine's circuit functions with Python types: read, check, measure, search."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from cipherassay.circuits.boxes import Box
from cipherassay.circuits.targets import Target

_engine: Any = importlib.import_module("cipherassay._engine")

ENDLESS = 2**64 - 1
"""The number of units of an engine that has as many as there are seeds."""


@dataclass(frozen=True)
class Problem:
    """A question to the search: a box, a target, the metrics to make small, a seed."""

    box: Box
    target: Target
    objective: tuple[str, ...]
    seed: int = 1

    def as_json(self) -> str:
        """Return the problem as the engine reads it."""
        fields = {
            "table": list(self.box.data),
            "outputs": self.box.outputs,
            "target": json.loads(self.target.as_json()),
            "objective": list(self.objective),
            "seed": self.seed,
        }
        return json.dumps(fields, sort_keys=True)


@dataclass(frozen=True)
class Bound:
    """No circuit of the target has less of a metric than `value`; `kind` says how that is known."""

    metric: str
    value: float
    kind: str


@dataclass(frozen=True)
class Step:
    """What one unit of a search found; `finished` is false if it was stopped before its end."""

    circuits: tuple[str, ...]
    bounds: tuple[Bound, ...] = ()
    effort: str = ""
    finished: bool = True


@dataclass(frozen=True)
class Engine:
    """A way to search, and how many units it has for a problem."""

    name: str
    description: str
    units: int = field(default=0)


def read(
    text: str, target: Target | None = None, *, box: Box | None = None, file: str = "the circuit"
) -> list[dict[str, Any]]:
    """Read circuits in their text form; raises the errors ``C0xx`` with their lines.

    Each has ``name``, ``fields`` (pairs), ``equations``, ``names`` (of the gates) and ``circuit``:
    ``inputs``, ``gates`` (``arity``, ``table``, ``operands``), ``outputs``. The box serves to find outputs
    without a name.
    """
    documents: list[dict[str, Any]] = json.loads(
        _engine.circuit_read(text, _json(target), *_table(box), file)
    )
    return documents


def write(document: dict[str, Any], target: Target | None = None) -> str:
    """Return the text form of a circuit that `read` gave, or of ``name``, ``fields`` and ``circuit``."""
    text: str = _engine.circuit_write(json.dumps(document), _json(target))
    return text


def check(text: str, box: Box | None, target: Target | None = None, *, file: str = "the circuit") -> None:
    """Check a circuit against a box (None: its own line ``table``) on every input.

    Raises ``C103`` or ``C104`` with the first difference, ``C105`` where there is no table.
    """
    _engine.circuit_check(text, *_table(box), _json(target), file)


def _json(target: Target | None) -> str | None:
    return target.as_json() if target else None


def _table(box: Box | None) -> tuple[list[int] | None, int | None]:
    return (list(box.data), box.outputs) if box else (None, None)


def fit(text: str, target: Target) -> str:
    """Return a circuit in the operations of a target, complements taken into the gates around them.

    Raises what `measure` raises.
    """
    fitted: str = _engine.circuit_fit(text, target.as_json())
    return fitted


def measure(text: str, target: Target) -> dict[str, float]:
    """Return every metric of a circuit on a target; raises ``C2xx`` if the target cannot compute it."""
    metrics: dict[str, float] = json.loads(_engine.circuit_metrics(text, target.as_json()))
    return metrics


def remarks(text: str, target: Target) -> list[str]:
    """Return which figures of `measure` are not proved, or are absent, and why."""
    said: list[str] = _engine.circuit_remarks(text, target.as_json())
    return said


def engines(problem: Problem) -> list[Engine]:
    """Return the engines that can serve a problem, with the number of their units, in the engine's order."""
    found = []
    for entry in json.loads(_engine.circuit_engines()):
        units = int(_engine.circuit_units(problem.as_json(), entry["name"]))
        if units:
            found.append(Engine(entry["name"], entry["description"], units))
    return found


def run_unit(problem: Problem, engine: str, unit: int, told: Callable[[str], bool]) -> Step:
    """Run one unit of a search; `told` gets lines of progress and returns whether to stop."""
    answer = json.loads(_engine.circuit_unit(problem.as_json(), engine, unit, told))
    named = {"name": problem.box.name, "fields": []}
    texts = [write({**named, "circuit": circuit}, problem.target) for circuit in answer["circuits"]]
    bounds = tuple(Bound(b["metric"], float(b["value"]), b["kind"]) for b in answer.get("bounds", ()))
    return Step(tuple(texts), bounds, str(answer.get("effort", "")), bool(answer.get("finished", True)))


def every_engine() -> list[tuple[str, str]]:
    """Return name and description of every engine."""
    return [(entry["name"], entry["description"]) for entry in json.loads(_engine.circuit_engines())]
