"""What searches found, kept in `stored/x86`: orders of steps, and which of several candidates was best.

Both are taken again while the steps are the same, and are nothing but hints: text, cycles and checks are made
anew.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from cipherassay._engine import TwoOperands
from cipherassay.x86.fitting import REPEATED, Effort, Fitted, Trips, greedy, problem, written
from cipherassay.x86.model import Model
from cipherassay.x86.select import Steps

FOLDER = Path(__file__).parents[3] / "stored" / "x86"
CHOICES = "choices.json"
QUICK = Effort()
NONE = Effort(moves=0)
"""The order from which a search would start."""


def fitted(
    steps: Steps, model: Model, effort: Effort | None, spill: str, name: str, trips: Trips | None = None
) -> Fitted:
    """Return the text of steps: in the order kept for them, or in one searched now.

    With an effort the search goes on from what is kept, and what it finds is kept, in a file of the name and
    of what the steps' hash begins with; with no moves nothing is searched, taken or kept. With trips the
    steps are the body of a loop, cycles those of a trip.
    """
    limits = model.looping if trips else model.limits
    if effort == NONE:
        order: Sequence[int] | None = greedy(steps)
    else:
        path = FOLDER / f"{name}-{digest(steps, model, trips)[:12]}.json"
        order = _read(path, steps)
        if order is None and effort is None:
            order = _searched(steps, limits, model.load, trips)
    engine = TwoOperands.parse(limits, problem(steps, model.load, trips))
    if effort is not None and effort != NONE:
        order, _, _ = engine.improve(order or greedy(steps), effort.moves, effort.reach, effort.seed)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(order, separators=(",", ":")) + "\n", encoding="utf-8")
    assert order is not None
    placed, cycles, operations = engine.fit(order)
    runs = REPEATED if trips else 1
    return written(json.loads(placed), steps, spill, cycles / runs, operations // runs)


@lru_cache(maxsize=64)
def _searched(steps: Steps, limits: str, load: int, trips: Trips | None) -> list[int]:
    """Return the order that a short search finds: processors of the same limits share it."""
    engine = TwoOperands.parse(limits, problem(steps, load, trips))
    return engine.improve(greedy(steps), QUICK.moves, QUICK.reach, QUICK.seed)[0]


def digest(steps: Steps, model: Model, trips: Trips | None) -> str:
    """Return the hash of steps and of what limits the processor."""
    limits = model.looping if trips else model.limits
    return hashlib.sha256((limits + problem(steps, model.load, trips)).encode()).hexdigest()


def choice(name: str, candidates: Sequence[str]) -> int | None:
    """Return the number of the candidate that was best; None if that is not known of just these."""
    known = _choices().get(name)
    if known is None or known["candidates"] != _of(candidates) or known["best"] not in candidates:
        return None
    return candidates.index(known["best"])


def keep_choice(name: str, candidates: Sequence[str], best: int) -> None:
    """Keep which of several candidates, given by their hashes, was best."""
    known = _choices() | {name: {"candidates": _of(candidates), "best": candidates[best]}}
    FOLDER.mkdir(parents=True, exist_ok=True)
    text = json.dumps(dict(sorted(known.items())), indent=1)
    (FOLDER / CHOICES).write_text(text + "\n", encoding="utf-8")


def _choices() -> dict[str, dict[str, str]]:
    path = FOLDER / CHOICES
    if not path.is_file():
        return {}
    known: dict[str, dict[str, str]] = json.loads(path.read_text(encoding="utf-8"))
    return known


def _of(candidates: Sequence[str]) -> str:
    return hashlib.sha256("\n".join(candidates).encode()).hexdigest()[:12]


def _read(path: Path, steps: Steps) -> list[int] | None:
    """Return a kept order if it is one of these steps and keeps what must come first."""
    if not path.is_file():
        return None
    order: list[int] = json.loads(path.read_text(encoding="utf-8"))
    if sorted(order) != list(range(len(steps.steps))):
        return None
    place = {step: k for k, step in enumerate(order)}
    return order if all(place[a] < place[b] for a, b in steps.before) else None
