"""Events that repeat: stretches of an order that are one piece of code, run several times."""

from __future__ import annotations

from dataclasses import dataclass

from cipherassay.embedded.budget.events import Event, Flow


@dataclass(frozen=True)
class Stretch:
    """Events from ``start``: ``period`` of them, ``count`` times."""

    start: int
    period: int
    count: int


def stretches(made: Flow, order: list[Event], start: int = 0) -> list[Stretch]:
    """Return repeated stretches, those that save most code first taken, in the order of the events."""
    best: tuple[int, int] = (0, 0)
    found: Stretch | None = None
    weights = [_weight(made, e) for e in order]
    for period in range(1, len(order) // 2 + 1):
        run = 0
        for n in range(len(order) - period + 1):
            if n + period < len(order) and _same(made, order, n, period):
                run += 1
                continue
            count = run // period + 1
            if count > 1:
                first = n - run
                saved = sum(weights[first + period : first + count * period])
                if _steady(made, order, first, period, count) and (saved, -period) > best:
                    best, found = (saved, -period), Stretch(start + first, period, count)
            run = 0
    if found is None:
        return []
    first, end = found.start - start, found.start - start + found.period * found.count
    return [*stretches(made, order[:first], start), found, *stretches(made, order[end:], start + end)]


def _weight(made: Flow, event: Event) -> int:
    op = made.op(event)
    return len(op.loop.body_at(event[1]).ops) if op.loop else 1


def _same(made: Flow, order: list[Event], n: int, period: int) -> bool:
    """Return whether an event and the one a period later run the same body."""
    a, b = order[n], order[n + period]
    op = made.op(a)
    return a[0] == b[0] and op.loop is not None and op.loop.pattern[a[1]] == op.loop.pattern[b[1]]


def _steady(made: Flow, order: list[Event], first: int, period: int, count: int) -> bool:
    """Return whether the iterations of each loop move on by one number from period to period."""
    for loop in {order[n][0] for n in range(first, first + period)}:
        steps = {
            order[n + period][1] - order[n][1]
            for n in range(first, first + (count - 1) * period)
            if order[n][0] == loop
        }
        if len(steps) != 1:
            return False
    return True


def moves(made: Flow, order: list[Event], repeated: list[Stretch]) -> dict[str, list[int]]:
    """Return by how many rows the addresses of each object move from period to period."""
    found: dict[str, list[int]] = {}
    for s in repeated:
        for n in range(s.start, s.start + s.period):
            here, later = order[n], order[n + s.period]
            for a, b in zip(made.accesses[here], made.accesses[later], strict=True):
                if a.known:
                    found.setdefault(a.cells[0][0], []).append(b.cells[0][1] - a.cells[0][1])
    return found
