"""List scheduling in a single pass, cycle by cycle: what a compiler does, not the best schedule.

Of the operations that are ready, those with the longest way to the end issue first, of equal ways the
first of the code, or the last; nothing is improved afterwards.
"""

from __future__ import annotations

import heapq
import json
from collections.abc import Sequence
from dataclasses import dataclass

Edges = list[list[tuple[int, int]]]


@dataclass(frozen=True)
class Region:
    """The operations of a region with their dependences, prepared for scheduling."""

    classes: Sequence[int]
    after: Edges
    """Of each operation those that wait for it, and for how many cycles."""
    waits: Sequence[int]
    """Of each operation for how many it waits."""
    ways: Sequence[int]
    """Of each operation the longest way to the end."""
    carried: Sequence[tuple[int, int, int]]
    """Dependences of the next iteration: from, to, cycles."""


@dataclass(frozen=True)
class Limits:
    """How many operations issue together: of each cap its limit and what each class takes of it."""

    caps: Sequence[tuple[int, Sequence[int]]]

    @staticmethod
    def parse(text: str) -> Limits:
        """Read a processor's resources."""
        return Limits([(cap["limit"], cap["takes"]) for cap in json.loads(text)["caps"]])


def region(text: str) -> Region:
    """Read a graph's JSON."""
    graph = json.loads(text)
    count = len(graph["classes"])
    after: Edges = [[] for _ in range(count)]
    waits = [0] * count
    carried = []
    for edge in graph["edges"]:
        if edge["distance"]:
            carried.append((edge["from"], edge["to"], edge["latency"]))
        else:
            after[edge["from"]].append((edge["to"], edge["latency"]))
            waits[edge["to"]] += 1
    return Region(graph["classes"], after, waits, _ways(after, waits), carried)


def _ways(after: Edges, waits: Sequence[int]) -> list[int]:
    left = list(waits)
    order = [k for k, n in enumerate(left) if n == 0]
    for k in order:
        for to, _ in after[k]:
            left[to] -= 1
            if left[to] == 0:
                order.append(to)
    ways = [0] * len(left)
    for k in reversed(order):
        ways[k] = max((ways[to] + latency for to, latency in after[k]), default=0)
    return ways


def schedule(region: Region, limits: Limits, *, last_first: bool = False) -> list[int]:
    """Return the cycle of each operation; of equal ways the first of the code goes first, or the last."""
    return _Pass(region, limits, -1 if last_first else 1).run()


class _Pass:
    def __init__(self, region: Region, limits: Limits, order: int) -> None:
        self.region, self._order = region, order
        self.cycles = [-1] * len(region.classes)
        self._caps = [limit for limit, _ in limits.caps]
        self._takes = list(zip(*(takes for _, takes in limits.caps), strict=True))
        """Of each class what it takes of each cap."""
        self._waits = list(region.waits)
        self._earliest = [0] * len(region.classes)
        self._ready: list[list[tuple[int, int]]] = [[] for _ in self._takes]
        """Of each class the operations that are ready: longest way first, then by place in the code."""
        self._later: list[tuple[int, int]] = []

    def run(self) -> list[int]:
        """Issue what can be, cycle by cycle."""
        for k, waits in enumerate(self._waits):
            if waits == 0:
                self._make_ready(k)
        cycle, left = 0, len(self.cycles)
        while left:
            while self._later and self._later[0][0] <= cycle:
                self._make_ready(heapq.heappop(self._later)[1])
            left -= self._issue(cycle)
            cycle += 1
        return self.cycles

    def _make_ready(self, k: int) -> None:
        heapq.heappush(self._ready[self.region.classes[k]], (-self.region.ways[k], self._order * k))

    def _issue(self, cycle: int) -> int:
        """Issue the operations of a cycle; return how many."""
        room, issued = list(self._caps), 0
        while True:
            heads = [
                (ready[0], kind)
                for kind, ready in enumerate(self._ready)
                if ready and all(left >= taken for left, taken in zip(room, self._takes[kind], strict=True))
            ]
            if not heads:
                return issued
            kind = min(heads)[1]
            room = [left - taken for left, taken in zip(room, self._takes[kind], strict=True)]
            self._done(abs(heapq.heappop(self._ready[kind])[1]), cycle)
            issued += 1

    def _done(self, k: int, cycle: int) -> None:
        self.cycles[k] = cycle
        for to, latency in self.region.after[k]:
            self._earliest[to] = max(self._earliest[to], cycle + latency)
            self._waits[to] -= 1
            if self._waits[to] == 0:
                if self._earliest[to] <= cycle:
                    self._make_ready(to)
                else:
                    heapq.heappush(self._later, (self._earliest[to], to))


def length(region: Region, cycles: Sequence[int]) -> int:
    """Return the cycles of an iteration: to the last issue, and until the next iteration can start."""
    last = max(cycles, default=-1) + 1
    return max([last, *(cycles[a] + latency - cycles[b] for a, b, latency in region.carried)])
