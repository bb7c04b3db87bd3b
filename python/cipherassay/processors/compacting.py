"""Smaller code at the same cycles: operations moved within their room until the text needs fewer bundles.

A group of operations that issue together fills bundles of three slots; what it leaves empty is lost. Which
cycle of its room an operation takes decides how much that is.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from cipherassay import _engine
from cipherassay.errors import DescriptionError, VerificationError

if TYPE_CHECKING:
    from cipherassay.processors.kernel import Choice, Kernel

MOVES = 3000
"""Moves that are tried for a smaller text."""


@dataclass(frozen=True)
class Edges:
    """Of each operation of a region what it waits for and what waits for it: operation, latency, distance."""

    before: Sequence[Sequence[tuple[int, int, int]]]
    after: Sequence[Sequence[tuple[int, int, int]]]

    @staticmethod
    def of(graph: _engine.Graph) -> Edges:
        """Return the edges of a graph, by operation."""
        document = json.loads(graph.json())
        count = len(document["classes"])
        before: list[list[tuple[int, int, int]]] = [[] for _ in range(count)]
        after: list[list[tuple[int, int, int]]] = [[] for _ in range(count)]
        for edge in document["edges"]:
            if edge["from"] != edge["to"]:
                before[edge["to"]].append((edge["from"], edge["latency"], edge["distance"]))
                after[edge["from"]].append((edge["to"], edge["latency"], edge["distance"]))
        return Edges(before, after)

    def room(self, op: int, cycles: Sequence[int], interval: int | None) -> range:
        """Return the cycles that the others leave to an operation."""
        step = interval or max(cycles) + 1
        first = max((cycles[k] + latency - apart * step for k, latency, apart in self.before[op]), default=0)
        end = max(cycles)
        last = min((cycles[k] - latency + apart * step for k, latency, apart in self.after[op]), default=end)
        return range(max(first, 0), min(last, end) + 1)


def compacted(code: _engine.Kernel, schedules: str, rounds: int, seed: int = 1) -> str:
    """Return schedules (JSON) of the same cycles whose text has as few bundles as `rounds` moves found."""
    source = random.Random(seed)
    found: list[dict[str, Any]] = json.loads(schedules)
    edges = [Edges.of(graph) for graph in code.graphs()]
    least = _size(code, schedules)
    regions = [k for k, one in enumerate(found) if len(one["cycles"]) > 1]
    weights = [len(found[k]["cycles"]) for k in regions]
    for _ in range(rounds if least is not None else 0):
        region = source.choices(regions, weights)[0]
        one = found[region]
        op = source.randrange(len(one["cycles"]))
        room = edges[region].room(op, one["cycles"], one["interval"])
        old = one["cycles"][op]
        if len(room) < 2 or _closes(op, one):
            continue
        one["cycles"][op] = source.choice([cycle for cycle in room if cycle != old])
        size = _size(code, json.dumps(found))
        if size is None or least is None or size > least:
            one["cycles"][op] = old
        else:
            least = size
    return json.dumps(found)


def _closes(op: int, schedule: dict[str, Any]) -> bool:
    """Whether an operation is the branch of a pipeline, which stays in its row."""
    return schedule["interval"] is not None and op == len(schedule["cycles"]) - 1


def _size(code: _engine.Kernel, schedules: str) -> tuple[int, int] | None:
    """Return bundles and cycles of the text, or None if there is none."""
    try:
        assembly = json.loads(code.emit(schedules))
    except (DescriptionError, VerificationError):
        return None
    return (assembly["bundles"] or assembly["operations"], assembly["cycles"])


def smallest(kernels: Sequence[Kernel], make: Callable[[Choice], Kernel]) -> Kernel:
    """Return the kernel of the fewest bytes, then of the fewest cycles.

    Tried are each of `kernels` with all of its loops pipelined and with none, of the best each loop the other
    way, then moves.
    """
    found = min([*kernels, *_all(_without_pipelines(kernels), make)], key=_merit)
    while True:
        better = min([found, *_all(_turned(found), make)], key=_merit)
        if _merit(better) == _merit(found):
            break
        found = better
    return min(found, make(replace(found.choice, compact=MOVES)), key=_merit)


def _merit(kernel: Kernel) -> tuple[int, int]:
    return kernel.size, kernel.cycles


def _all(choices: Iterator[Choice], make: Callable[[Choice], Kernel]) -> Iterator[Kernel]:
    for choice in choices:
        try:
            yield make(choice)
        except DescriptionError:  # without a pipeline, it may lack registers or copies
            continue


def _without_pipelines(kernels: Sequence[Kernel]) -> Iterator[Choice]:
    for kernel in kernels:
        loops = [k for k, part in enumerate(kernel.parts) if part.iterations > 1]
        yield replace(kernel.choice, plain=" ".join(map(str, loops)))


def _turned(kernel: Kernel) -> Iterator[Choice]:
    known = set(map(int, kernel.choice.plain.split()))
    for k, part in enumerate(kernel.parts):
        if part.iterations > 1:
            yield replace(kernel.choice, plain=" ".join(map(str, sorted(known ^ {k}))))
