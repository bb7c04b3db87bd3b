"""What searches found, kept in `kept/x86`: orders of steps, and which of several candidates was best.

Both are taken again while the steps are the same, and are nothing but hints: text, cycles and checks are made
anew.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from cipherassay import keeping
from cipherassay._engine import TwoOperands
from cipherassay.x86.fitting import REPEATED, Effort, Fitted, Trips, greedy, problem, written
from cipherassay.x86.model import Model
from cipherassay.x86.select import Steps

KIND = "x86"
"""The kind of kept artefacts; a file per order, one for all choices."""
CHOICES = "choices.json"
QUICK = Effort()
NONE = Effort(moves=0)
"""The order from which a search would start."""


def fitted(
    steps: Steps, model: Model, effort: Effort | None, spill: str, name: str, trips: Trips | None = None
) -> Fitted:
    """Return the text of steps: in the order kept for them, or in one searched now.

    With an effort the search goes on from what is kept, and what it finds is kept, in a file of the name and
    of what the steps' hash begins with; with no moves nothing is searched, taken or kept. With iterations the
    steps are the body of a loop, cycles those of an iteration.
    """
    limits = model.looping if trips else model.limits
    if effort == NONE:
        order: Sequence[int] | None = greedy(steps)
    else:
        file = file_of(name, steps, model, trips)
        order = _kept(file, steps)
        if order is None and effort is None:
            order = _searched(steps, limits, model.load, trips)
    engine = TwoOperands.parse(limits, problem(steps, model.load, trips))
    if effort is not None and effort != NONE:
        order, _, _ = engine.improve(order or greedy(steps), effort.moves, effort.reach, effort.seed)
        document = {"schema": keeping.SCHEMAS[KIND], "order": order}
        keeping.write(KIND, file, json.dumps(document, separators=(",", ":")) + "\n")
    assert order is not None
    placed, cycles, operations = engine.fit(order)
    runs = REPEATED if trips else 1
    return written(json.loads(placed), steps, spill, cycles / runs, operations // runs)


@lru_cache(maxsize=64)
def _searched(steps: Steps, limits: str, load: int, trips: Trips | None) -> list[int]:
    """Return the order that a short search finds: processors of the same limits share it."""
    engine = TwoOperands.parse(limits, problem(steps, load, trips))
    return engine.improve(greedy(steps), QUICK.moves, QUICK.reach, QUICK.seed)[0]


def file_of(name: str, steps: Steps, model: Model, trips: Trips | None) -> str:
    """Return the name of the file that keeps the order of steps."""
    return f"{name}-{digest(steps, model, trips)[:12]}.json"


def digest(steps: Steps, model: Model, trips: Trips | None) -> str:
    """Return the hash of steps and of what limits the processor."""
    limits = model.looping if trips else model.limits
    return hashlib.sha256((limits + problem(steps, model.load, trips)).encode()).hexdigest()


def choice(name: str, candidates: Sequence[str]) -> int | None:
    """Return the number of the candidate that was best; None if that is not known of just these."""
    known = _choices().get(name)
    return candidates.index(known["best"]) if known and holds(known, candidates) else None


def holds(known: Mapping[str, str], candidates: Sequence[str]) -> bool:
    """Return whether a kept choice is one between just these candidates."""
    return known["candidates"] == _of(candidates) and known["best"] in candidates


def keep_choice(name: str, candidates: Sequence[str], best: int) -> None:
    """Keep which of several candidates, given by their hashes, was best."""
    new = {name: {"candidates": _of(candidates), "best": candidates[best]}}
    keeping.update(KIND, CHOICES, lambda path: choices_text((read_choices(path) if path else {}) | new))


def choices_text(known: Mapping[str, Mapping[str, str]]) -> str:
    """Return the text of the file of choices."""
    document = {"schema": keeping.SCHEMAS[KIND], "choices": dict(sorted(known.items()))}
    return json.dumps(document, indent=1) + "\n"


def _choices() -> dict[str, dict[str, str]]:
    known: dict[str, dict[str, str]] = {}
    for path in reversed(keeping.candidates(KIND, CHOICES)):
        known |= read_choices(path)
    return known


def read_choices(path: Path) -> dict[str, dict[str, str]]:
    """Return the choices of a file: by the title of a kernel the hash of its candidates and the best one.

    Raises
    ------
    DescriptionError
        A001: the file is damaged.
    """
    document = keeping.read(KIND, path)
    found: Any = document.get("choices") if document else {}
    entries = found.values() if isinstance(found, dict) else [None]
    if not all(isinstance(one, dict) and {"candidates", "best"} <= one.keys() for one in entries):
        raise keeping.damaged(KIND, path, "it does not hold choices between candidates")
    return dict(found)


def _of(candidates: Sequence[str]) -> str:
    return hashlib.sha256("\n".join(candidates).encode()).hexdigest()[:12]


def _kept(file: str, steps: Steps) -> list[int] | None:
    """Return a kept order that holds; None if there is none."""
    orders = (read_order(path, steps) for path in keeping.candidates(KIND, file))
    return next((order for order in orders if order is not None), None)


def read_order(path: Path, steps: Steps) -> list[int] | None:
    """Return a kept order if it is one of these steps and keeps what must come first.

    Raises
    ------
    DescriptionError
        A001: the file is damaged.
    """
    document = keeping.read(KIND, path)
    if document is None:
        return None
    order = document.get("order")
    if not isinstance(order, list) or not all(isinstance(step, int) for step in order):
        raise keeping.damaged(KIND, path, "it does not hold an order of steps")
    if sorted(order) != list(range(len(steps.steps))):
        return None
    place = {step: k for k, step in enumerate(order)}
    return order if all(place[a] < place[b] for a, b in steps.before) else None
