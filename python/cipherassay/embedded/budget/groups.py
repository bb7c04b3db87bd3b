"""Where a list of events is cut into groups."""

from __future__ import annotations

from cipherassay.embedded.budget.events import Event, Flow


def by_iterations(
    made: Flow, order: list[Event], data: int, *, fine: bool, single: bool = False
) -> list[list[Event]]:
    """Cut after every iteration of a loop of the cipher (operations from number ``data`` on).

    ``fine``: iterations of each recurrence of the key schedule are groups of their own; ``single``: each one.
    """
    chained = {e[0] for e in order if e[0] < data and e[1] > 0 and (e[0], e[1] - 1) in made.needs[e]}
    groups: list[list[Event]] = [[]]
    for event in order:
        before = groups[-1][-1][0] if groups[-1] else event[0]
        if fine and (single or before != event[0]) and (before in chained or event[0] in chained):
            groups.append([])
        groups[-1].append(event)
        if event[0] >= data and event[1] >= 0:
            groups.append([])
    return [g for g in groups if g]


def rows_used(made: Flow, order: list[Event], root: str) -> list[int]:
    """Return the rows of an array in the order in which they are read first."""
    found = (c[1] for e in order for a in made.accesses[e] for c in a.cells if c[0] == root)
    return list(dict.fromkeys(found))


def by_window(
    made: Flow, order: list[Event], root: str, numbers: tuple[int, ...], rows: int
) -> list[list[Event]]:
    """Cut where a row is read that lies outside of ``rows`` successive ones with those read before."""
    groups: list[list[Event]] = [[]]
    seen: list[int] = []
    for event in order:
        read = [numbers[c[1]] for a in made.accesses[event] for c in a.cells if c[0] == root]
        if read and max(seen + read) - min(seen + read) >= rows:
            groups.append([])
            seen = []
        seen += read
        groups[-1].append(event)
    return [g for g in groups if g]
