"""Orders of steps that a search found, kept in `stored/x86`: taken again while the steps are the same."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from cipherassay._engine import TwoOperands
from cipherassay.x86.fitting import REPEATED, Effort, Fitted, Trips, greedy, problem, written
from cipherassay.x86.model import Model
from cipherassay.x86.select import Steps

FOLDER = Path(__file__).parents[3] / "stored" / "x86"
QUICK = Effort()


def fitted(
    steps: Steps, model: Model, effort: Effort | None, spill: str, name: str, trips: Trips | None = None
) -> Fitted:
    """Return the text of steps: in the order kept for them, or in one searched now.

    With an effort the search goes on from what is kept, and what it finds is kept, in a file of the name and
    of what the steps' hash begins with. With trips the steps are the body of a loop, cycles those of a trip.
    """
    text = problem(steps, model, trips)
    limits = model.looping if trips else model.limits
    engine = TwoOperands.parse(limits, text)
    digest = hashlib.sha256((limits + text).encode()).hexdigest()
    path = FOLDER / f"{name}-{digest[:12]}.json"
    order = _read(path, steps)
    if order is None or effort is not None:
        search = effort or QUICK
        order, _, _ = engine.improve(order or greedy(steps), search.moves, search.reach, search.seed)
        if effort is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(order, separators=(",", ":")) + "\n", encoding="utf-8")
    placed, cycles, operations = engine.fit(order)
    runs = REPEATED if trips else 1
    return written(json.loads(placed), steps, spill, cycles / runs, operations // runs)


def estimate(steps: Steps, model: Model, trips: Trips | None = None) -> float:
    """Return the cycles of steps in the order from which a search would start, of a trip in a loop."""
    engine = TwoOperands.parse(model.looping if trips else model.limits, problem(steps, model, trips))
    return engine.fit(greedy(steps))[1] / (REPEATED if trips else 1)


def _read(path: Path, steps: Steps) -> list[int] | None:
    """Return a kept order if it is one of these steps and keeps what must come first."""
    if not path.is_file():
        return None
    order: list[int] = json.loads(path.read_text(encoding="utf-8"))
    if sorted(order) != list(range(len(steps.steps))):
        return None
    place = {step: k for k, step in enumerate(order)}
    return order if all(place[a] < place[b] for a, b in steps.before) else None
