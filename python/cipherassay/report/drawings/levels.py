"""Where the nodes of a levelled graph stand, so that no edge runs behind a node that it does not end at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

Place = tuple[float, float]
Edge = tuple[str, str]
STEPS = tuple(sign * 0.25 * n for n in range(13) for sign in (1, -1) if n or sign > 0)
"""How far a node is moved from where it stands, in turn."""
HIDDEN, CROSSED, ASIDE = 8.0, 0.6, 0.35
"""What an edge behind a node, a crossing of edges and a step from the middle cost; an edge aside costs 1."""
HALF = 0.5
"""Half of a node's width, with some room."""
PASSES = 6


def untangled(places: Mapping[str, Place], edges: Sequence[Edge], gap: float) -> dict[str, Place]:
    """Return the places moved within their rows, at least `gap` apart, to lower the cost; always the same.

    The first row stays as it is.
    """
    found = dict(places)
    first = min((y for _, y in found.values()), default=0.0)
    for _ in range(PASSES):
        before = dict(found)
        for name in sorted(found, key=lambda name: (found[name][1], found[name][0], name)):
            if found[name][1] > first:
                found[name] = _best(name, found, edges, gap)
        if found == before:
            break
    left = min((x for x, _ in found.values()), default=0.0)
    return {name: (x - left, y) for name, (x, y) in found.items()}


def _best(name: str, places: dict[str, Place], edges: Sequence[Edge], gap: float) -> Place:
    x, y = places[name]
    row = [u for other, (u, v) in places.items() if v == y and other != name]
    free = [x + step for step in STEPS if all(abs(x + step - u) >= gap - 1e-9 for u in row)]
    costs = {(at, y): _cost({**places, name: (at, y)}, edges, name) for at in free or [x]}
    return min(costs, key=lambda place: (round(costs[place], 6), abs(place[0] - x)))


def _cost(places: dict[str, Place], edges: Sequence[Edge], moved: str) -> float:
    """Return the cost of everything that one node has a part in, and of how wide the graph is."""
    middle = sum(x for x, _ in places.values()) / len(places)
    total = ASIDE * abs(places[moved][0] - middle)
    for edge in edges:
        (x, y), (u, v) = places[edge[0]], places[edge[1]]
        if moved in edge:
            total += abs(x - u)
            total += sum(_crossed(places, edge, other) for other in edges)
            hidden = [place for name, place in places.items() if name not in edge]
        else:
            hidden = [places[moved]]
        for a, b in hidden:
            if y < b < v and abs(x + (u - x) * (b - y) / (v - y) - a) < HALF:
                total += HIDDEN
    return total


def _crossed(places: dict[str, Place], one: Edge, other: Edge) -> float:
    """Return the cost of two edges if they cross between two rows that both pass."""
    if set(one) & set(other):
        return 0.0
    (x, y), (u, v) = places[one[0]], places[one[1]]
    (p, q), (r, s) = places[other[0]], places[other[1]]
    top, bottom = max(y, q), min(v, s)
    if top >= bottom:
        return 0.0

    def apart(at: float) -> float:
        return x + (u - x) * (at - y) / (v - y) - (p + (r - p) * (at - q) / (s - q))

    return CROSSED if apart(top) * apart(bottom) < 0 else 0.0
