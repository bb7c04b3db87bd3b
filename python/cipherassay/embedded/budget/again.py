"""Events of a key schedule that run again, where round keys are needed in another order than it makes them.

Of the round keys so many rows are kept as the last ones made; what an operation reads of others is made anew,
from the key on, by those events alone that it takes.
"""

from __future__ import annotations

from cipherassay.embedded.budget import storage
from cipherassay.embedded.budget.events import Event, Flow
from cipherassay.embedded.budget.storage import Write

HeldWords = dict[tuple[str, int, int], Write]


def portions(made: Flow, data: int, root: str) -> list[int]:
    """Return numbers of rows of an array worth keeping: multiples of those that an event makes at once."""
    most = max(
        len({c[1] for a in accesses if a.write for c in a.cells if c[0] == root})
        for event, accesses in made.accesses.items()
        if event[0] < data
    )
    return list(range(most, made.types[root].extents[0], most)) if most else []


def in_need(made: Flow, data: int, root: str, rows: int) -> tuple[list[Event], int] | None:
    """Return an order of events, and how often they begin anew; nothing if the order of a run does not do.

    ``data`` is the number of the operation's first event: those before it may run again. Of the object
    ``root`` so many rows are kept.
    """
    order = _Order(made, root, rows)
    for event in (e for e in made.events if e[0] >= data and e not in order.done):
        needed = order.needed(event, data)
        if not order.ran([e for e in needed if e not in order.done]):
            if not order.ran(needed):
                return None
            order.runs += 1
    return order.events, order.runs


class _Order:
    """Events that have run, and which write is held in each cell."""

    def __init__(self, made: Flow, root: str, rows: int) -> None:
        self.made, self.root, self.rows = made, root, rows
        self.seen = storage.writers(made)
        self.at = {event: n for n, event in enumerate(made.events)}
        self.held: HeldWords = {}
        self.events: list[Event] = []
        self.done: set[Event] = set()
        self.runs = 1

    def needed(self, event: Event, data: int) -> list[Event]:
        """Return an event and all that it needs of the key schedule and of what has not run, in order."""
        found, waiting = {event}, [event]
        while waiting:
            needs = self.made.needs[waiting.pop()] - found
            for other in (e for e in needs if e[0] < data or e not in self.done):
                found.add(other)
                waiting.append(other)
        return sorted(found, key=self.at.__getitem__)

    def ran(self, events: list[Event]) -> bool:
        """Run events; return whether each of them reads what it should, else nothing is changed."""
        held = dict(self.held)
        for event in events:
            for n, access in enumerate(self.made.accesses[event]):
                for cell in access.cells:
                    place = (cell[0], cell[1] % self.rows, cell[2]) if cell[0] == self.root else cell
                    if access.write:
                        held[place] = (event, n, cell)
                    elif held.get(place) != self.seen[event, n, cell]:
                        return False
        self.held = held
        self.events += events
        self.done.update(events)
        return True
