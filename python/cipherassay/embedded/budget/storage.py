"""How many rows of an array have to be kept when events run in another order."""

from __future__ import annotations

from cipherassay.embedded.budget.events import Cell, Event, Flow

Write = tuple[Event, int, Cell]


def writers(made: Flow) -> dict[tuple[Event, int, Cell], Write | None]:
    """Return which write each read sees in the order of the program."""
    seen: dict[tuple[Event, int, Cell], Write | None] = {}
    last: dict[Cell, Write] = {}
    for event in made.events:
        for n, access in enumerate(made.accesses[event]):
            for cell in access.cells:
                if access.write:
                    last[cell] = (event, n, cell)
                else:
                    seen[(event, n, cell)] = last.get(cell)
    return seen


def fits(made: Flow, order: list[Event], root: str, rows: int) -> bool:
    """Return whether every read of an object sees the same write as before if only so many rows are kept."""
    seen = writers(made)
    last: dict[Cell, Write] = {}
    for event in order:
        for n, access in enumerate(made.accesses[event]):
            for cell in access.cells:
                if cell[0] != root:
                    continue
                kept = (root, cell[1] % rows, cell[2])
                if access.write:
                    last[kept] = (event, n, cell)
                elif last.get(kept) != seen[(event, n, cell)]:
                    return False
    return True


def kept_rows(made: Flow, order: list[Event], steps: dict[str, list[int]]) -> dict[str, int] | None:
    """Return how many rows of each inner object are kept, or nothing if the order cannot be.

    ``steps`` are the distances by which a loop's addresses move: a number of rows that divides them all makes
    the addresses constant, so that the object can live in registers; it is taken if at most twice the least.
    """
    outside = {made.roots[n] for n, ty in made.function.params if ty.is_array}
    outside |= {made.roots[str(o)] for o in made.function.outputs}
    found: dict[str, int] = {}
    for root in dict.fromkeys(made.roots.values()):
        every = [a for e in order for a in made.accesses[e] if any(c[0] == root for c in a.cells)]
        if not every:
            continue
        whole = made.types[root].extents[0]
        rows = [whole]
        if root not in outside and all(a.known for a in every):
            rows = list(range(1, whole + 1))
        fitting = [r for r in rows if fits(made, order, root, r)]
        if not fitting:
            return None
        found[root] = _chosen(fitting, steps.get(root, []))
    return found


def _chosen(fitting: list[int], steps: list[int]) -> int:
    least = fitting[0]
    still = [r for r in fitting if all(s % r == 0 for s in steps) and r <= 2 * least]
    return still[0] if still else least
