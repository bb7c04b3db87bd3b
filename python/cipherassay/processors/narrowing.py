"""Schedules of straight-line code that look ahead a limited way, where registers are few.

A list schedule issues what is ready as early as it can, so that values wait in registers for what comes late.
Here an operation issues no earlier than the one that stands so many operations before it in the program: the
fewer, the fewer values live at once, and the less can issue together.
"""

from __future__ import annotations

import json
from typing import Any

from cipherassay._engine import Graph, Processor
from cipherassay._engine import Kernel as Code

WINDOWS = (64, 96, 128)
"""Operations of the program that are looked ahead, as they are tried."""
FEW = 64
"""General registers up to which a limited look-ahead is tried."""
EACH = 4
"""Operations a register that are looked ahead at most: with more, values are too many for the registers."""


def windows(processor: Processor) -> tuple[int, ...]:
    """Return how far schedules for a processor are tried to look ahead; 0: as far as there is code."""
    classes = json.loads(processor.json())["isa"]["registers"]
    most = max(len(one["usable"]) for one in classes)
    if processor.issues_out_of_order or most > FEW:
        return (0,)
    return (0, *(window for window in WINDOWS if window <= EACH * most))


def narrowed(code: Code, processor: Processor, window: int, restarts: int) -> str:
    """Return the JSON of the regions' schedules, those of straight-line code with a limited look-ahead."""
    parts: list[dict[str, Any]] = json.loads(code.schedule(0, 1, 0))
    resources = processor.resources()
    for part, graph in zip(parts, code.graphs(), strict=True):
        if part["iterations"] > 1 or part["schedule"]["interval"] is not None:
            continue
        document = json.loads(graph.json())
        count = len(document["classes"])
        ahead = [{"from": op - window, "to": op, "latency": 0, "distance": 0} for op in range(window, count)]
        document["edges"] += ahead
        found = json.loads(Graph.parse(json.dumps(document)).list_schedule(resources, restarts, 1))
        part["schedule"] = json.loads(graph.shortened(resources, json.dumps(found["schedule"])))
    return json.dumps(parts)
