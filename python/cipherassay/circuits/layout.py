"""Places for the nodes of a levelled graph: few crossings, straight wires.

The usual four steps of layered drawing: levels are given; a wire that passes levels gets a place in each of
them, one for all readers of the same node; the order within a level is improved by sweeps towards the mean
place of the neighbours; then places are as near to the neighbours' as order and least distances allow.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

SWEEPS = 40
RELAXATIONS = 80
NODE_WIDTH, WIRE_WIDTH = 1.0, 0.45

Place = tuple[str, int]
"""A node in a level: the node itself in its own level, a place of its wire in a lower one."""


@dataclass
class LayeredGraph:
    """The graph with places for passing wires."""

    levels: list[list[Place]]
    above: dict[Place, list[Place]] = field(default_factory=dict)
    below: dict[Place, list[Place]] = field(default_factory=dict)
    x: dict[Place, float] = field(default_factory=dict)
    own: Mapping[str, int] = field(default_factory=dict)
    widths: Mapping[str, float] = field(default_factory=dict)
    """Of nodes that are not as wide as the others."""

    def is_wire(self, place: Place) -> bool:
        """Whether it is a wire's place, not the node's own."""
        return self.own[place[0]] != place[1]

    def path(self, source: str, target: Place) -> list[Place]:
        """Return the places of the wire from a node to a reader of it, both included."""
        first = self.own[source]
        return [*((source, level) for level in range(first, target[1])), target]


def lay_out(
    levels: Mapping[str, int],
    reads: Mapping[str, Sequence[str]],
    fixed: Sequence[str],
    widths: Mapping[str, float] | None = None,
) -> LayeredGraph:
    """Return places for nodes with levels, given what each node reads from lower levels.

    Parameters
    ----------
    levels : mapping
        Level of each node; a node reads only nodes of lower levels.
    fixed : sequence of str
        Nodes whose order in their level stays as given (the inputs).
    widths : mapping
        Widths of nodes that are not `NODE_WIDTH` wide.
    """
    graph = _layered(levels, reads)
    graph.widths = widths or {}
    _order(graph, set(fixed))
    _place(graph)
    return graph


def _layered(levels: Mapping[str, int], reads: Mapping[str, Sequence[str]]) -> LayeredGraph:
    graph = LayeredGraph([[] for _ in range(max(levels.values()) + 1)], own=levels)
    last: dict[str, int] = dict(levels)
    for node, sources in reads.items():
        for source in sources:
            last[source] = max(last[source], levels[node] - 1)
    for node, level in levels.items():
        for n in range(level, last[node] + 1):
            graph.levels[n].append((node, n))
            if n > level:
                _join(graph, (node, n - 1), (node, n))
    for node, sources in reads.items():
        for source in dict.fromkeys(sources):
            _join(graph, (source, levels[node] - 1), (node, levels[node]))
    return graph


def _join(graph: LayeredGraph, upper: Place, lower: Place) -> None:
    graph.below.setdefault(upper, []).append(lower)
    graph.above.setdefault(lower, []).append(upper)


def _order(graph: LayeredGraph, fixed: set[str]) -> None:
    best, fewest = [list(level) for level in graph.levels], _crossings(graph)
    for sweep in range(SWEEPS):
        down = sweep % 2 == 0
        levels = graph.levels[1:] if down else graph.levels[-2::-1]
        neighbours = graph.above if down else graph.below
        for level in levels:
            _sort(graph, level, neighbours, fixed)
        crossings = _crossings(graph)
        if crossings < fewest:
            best, fewest = [list(level) for level in graph.levels], crossings
    graph.levels = best


def _sort(
    graph: LayeredGraph, level: list[Place], neighbours: Mapping[Place, Sequence[Place]], fixed: set[str]
) -> None:
    """Order a level by the mean position of each place's neighbours; what has none stays where it is."""
    position = {place: n for line in graph.levels for n, place in enumerate(line)}
    if any(place[0] in fixed and not graph.is_wire(place) for place in level):
        return
    mean = {
        place: sum(position[other] for other in neighbours[place]) / len(neighbours[place])
        if neighbours.get(place)
        else float(position[place])
        for place in level
    }
    level.sort(key=lambda place: (mean[place], position[place]))


def _crossings(graph: LayeredGraph) -> int:
    return sum(
        _inversions(
            [
                spot
                for place in upper
                for spot in sorted(lower_position[other] for other in graph.below.get(place, ()))
            ]
        )
        for upper, lower in zip(graph.levels, graph.levels[1:], strict=False)
        for lower_position in [{place: n for n, place in enumerate(lower)}]
    )


def _inversions(numbers: Sequence[int]) -> int:
    return sum(a > b for n, a in enumerate(numbers) for b in numbers[n + 1 :])


def _place(graph: LayeredGraph) -> None:
    for level in graph.levels:
        start = -_widths(graph, level) / 2
        for place, offset in zip(level, _offsets(graph, level), strict=True):
            graph.x[place] = start + offset
    for turn in range(RELAXATIONS):
        levels = graph.levels if turn % 2 == 0 else graph.levels[::-1]
        for level in levels:
            _relax(graph, level)
    left = min(graph.x.values())
    graph.x = {place: x - left for place, x in graph.x.items()}


def _relax(graph: LayeredGraph, level: Sequence[Place]) -> None:
    """Move a level's places towards their neighbours, as near as order and distances allow.

    With y = x - offset the distances become an order, and the nearest ordered sequence is a monotone
    regression: neighbours that would change places are pooled at their weighted mean.
    """
    wanted, weights = [], []
    for place, offset in zip(level, _offsets(graph, level), strict=True):
        near = [*graph.above.get(place, ()), *graph.below.get(place, ())]
        pulls = [_pull(graph, place, other) for other in near]
        weight = sum(pulls) or 1.0
        target = sum(pull * graph.x[other] for pull, other in zip(pulls, near, strict=True)) / weight
        wanted.append((target if near else graph.x[place]) - offset)
        weights.append(weight)
    for place, y, offset in zip(level, _monotone(wanted, weights), _offsets(graph, level), strict=True):
        graph.x[place] = y + offset


def _pull(graph: LayeredGraph, one: Place, other: Place) -> float:
    """How strongly two neighbours draw each other: a wire's places most, so that it runs straight."""
    return (1.0, 2.0, 8.0)[graph.is_wire(one) + graph.is_wire(other)]


def _monotone(wanted: Sequence[float], weights: Sequence[float]) -> Iterator[float]:
    blocks: list[list[float]] = []  # mean, weight, count
    for value, weight in zip(wanted, weights, strict=True):
        blocks.append([value, weight, 1])
        while len(blocks) > 1 and blocks[-2][0] > blocks[-1][0]:
            mean, heavy, count = blocks.pop()
            before = blocks[-1]
            total = before[1] + heavy
            blocks[-1] = [(before[0] * before[1] + mean * heavy) / total, total, before[2] + count]
    for mean, _, count in blocks:
        for _ in range(int(count)):
            yield mean


def _offsets(graph: LayeredGraph, level: Sequence[Place]) -> list[float]:
    """Return the least distances of a level's places from its first one."""
    offsets, x = [], 0.0
    before: float | None = None
    for place in level:
        half = (WIRE_WIDTH if graph.is_wire(place) else graph.widths.get(place[0], NODE_WIDTH)) / 2
        x += half + before if before is not None else 0.0
        before = half
        offsets.append(x)
    return offsets


def _widths(graph: LayeredGraph, level: Sequence[Place]) -> float:
    offsets = _offsets(graph, level)
    return offsets[-1] if offsets else 0.0
