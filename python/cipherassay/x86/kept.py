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
from cipherassay._engine import X86Allocation, X86Function, X86Part, X86Steps
from cipherassay.x86.fitting import Effort
from cipherassay.x86.model import Model, forms

KIND = "x86"
"""The kind of kept artefacts; a file per order, one for all choices."""
CHOICES = "choices.json"
QUICK = Effort()
NONE = Effort(moves=0)
"""The order from which a search would start."""


def placed(part: X86Part, model: Model, effort: Effort | None, name: str) -> X86Allocation:
    """Return the instructions of a part: in the order kept for its steps, or in one searched now.

    With an effort the search goes on from what is kept, and what it finds is kept, in a file of the name and
    of what the steps' hash begins with; with no moves nothing is searched, taken or kept.
    """
    steps = steps_of(part, model)
    if effort == NONE:
        return steps.fit(steps.greedy())
    file = file_of(name, part, model)
    order = _kept(file, steps)
    if effort is not None:
        order = steps.improve(order or steps.greedy(), effort.moves, effort.reach, effort.seed)
        document = {"schema": keeping.SCHEMAS[KIND], "order": order}
        keeping.write(KIND, file, json.dumps(document, separators=(",", ":")) + "\n")
    return steps.fit(order or _searched(part, _limits(part, model), model.load))


def steps_of(part: X86Part, model: Model) -> X86Steps:
    """Return the steps of a part on a processor."""
    return _steps(part, _limits(part, model), model.load)


@lru_cache(maxsize=64)
def _steps(part: X86Part, limits: str, load: int) -> X86Steps:
    return part.steps(forms(), limits, load)


def _limits(part: X86Part, model: Model) -> str:
    return model.looping if part.iterations > 1 else model.limits


@lru_cache(maxsize=64)
def _searched(part: X86Part, limits: str, load: int) -> list[int]:
    """Return the order that a short search finds: processors of the same limits share it."""
    steps = _steps(part, limits, load)
    return steps.improve(steps.greedy(), QUICK.moves, QUICK.reach, QUICK.seed)


def file_of(name: str, part: X86Part, model: Model) -> str:
    """Return the name of the file that keeps the order of a part's steps."""
    return f"{name}-{digest(part, model)[:12]}.json"


def digest(part: X86Part, model: Model) -> str:
    """Return the hash of a part's steps and of what limits the processor."""
    return hashlib.sha256((_limits(part, model) + steps_of(part, model).identity).encode()).hexdigest()


def function_digest(function: X86Function, model: Model) -> str:
    """Return the hash of all parts' steps and of how often they run."""
    parts = [f"{one.runs} {digest(one, model)}" for one in function.parts()]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:12]


def choice(name: str, candidates: Sequence[str]) -> int | None:
    """Return the number of the candidate that was best; None if that is not known of just these."""
    known = _choices().get(name)
    return candidates.index(known["best"]) if known and holds(known, candidates) else None


def best_of(name: str) -> tuple[str, str, int] | None:
    """Return strategy, circuits and words of the best kept of a name, whatever it was compared with."""
    known = _choices().get(name)
    if known is None:
        return None
    strategy, circuits, *words = known["best"].split(" ")[:-1]
    return strategy, circuits, int(words[0]) if words else 0


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


def _kept(file: str, steps: X86Steps) -> list[int] | None:
    """Return a kept order that holds; None if there is none."""
    orders = (read_order(path, steps) for path in keeping.candidates(KIND, file))
    return next((order for order in orders if order is not None), None)


def read_order(path: Path, steps: X86Steps) -> list[int] | None:
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
    return order if steps.allows(order) else None
