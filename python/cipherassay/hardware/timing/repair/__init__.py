"""Timing repair: cells of a mapped netlist sized, buffered and copied along its critical paths.

Mapping knows a function at a time and gives all its inputs one driver; what the whole design hangs on a net
shows only when it is put together. Every round looks at the slack of all pins, changes the cells with least
slack where a linear model of delay promises something, and keeps the result if the longest path, or else what
all paths together miss, got shorter. Functions and registers stay what they were.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from cipherassay.hardware.libraries.technology import Technology
from cipherassay.hardware.netlists.netlist import Netlist
from cipherassay.hardware.timing import static_timing
from cipherassay.hardware.timing.repair.checking import demand_same
from cipherassay.hardware.timing.repair.choosing import Chooser
from cipherassay.hardware.timing.repair.moves import Move, compatible, moved_in
from cipherassay.hardware.timing.repair.slack import Slacks
from cipherassay.hardware.timing.repair.where import Places, critical
from cipherassay.hardware.timing.static_timing.flat import Parts

FORM = 5
"""Counts changes of what comes out."""
ROUNDS, LEAST_ROUNDS = 60, 12
LARGE = 40_000
"""Cells from which on a netlist gets fewer rounds: each takes as long as its cells are many."""
MOST = 4000
"""Cells looked at in a round."""
MARGIN, FINEST = 0.04, 16
"""Pins with less slack than this part of the period are critical; where nothing helps, of half of it."""
SHORTER, MISSED = 0.9995, 0.97
"""A round is worth keeping if the longest path gets shorter by this factor, or else what all paths miss."""
PARTS = 3
"""Where all moves together do not help: parts of them that are tried."""


def repaired(
    netlist: Netlist,
    top: str,
    technology: Technology,
    *,
    clock: str = "",
    case: Mapping[str, int] | None = None,
    rounds: int = ROUNDS,
) -> Netlist:
    """Return a netlist with the same functions and registers and a shorter longest path, or as it was.

    Parameters
    ----------
    clock, case
        As of `static_timing.paths`.
    rounds : int
        How often the netlist is timed at most; fewer where it is large.

    Raises
    ------
    ToolError
        ``H733``: the result is not what was given but for buffers, copies and sizes (`checking`).
    """

    parts: Parts = {}

    def looked_at(one: Netlist) -> Slacks:
        return Slacks(static_timing.analysis(one, top, technology, clock=clock, case=case, parts=parts))

    given, slacks = netlist, looked_at(netlist)
    cells = sum(len(kind.nets) for kind in slacks.analysis.flat.cells)
    left = max(min(rounds, LEAST_ROUNDS), rounds * LARGE // max(cells, LARGE))
    margin = MARGIN
    while left > 0 and margin > MARGIN / FINEST:
        better = None
        for wanted in _batches(_moves(slacks, netlist, top, technology, margin)):
            tried = moved_in(netlist, wanted, technology)
            seen, left = looked_at(tried), left - 1
            if _is_better(seen, slacks, margin):
                better = tried, seen
            if better is not None or left <= 0:
                break
        if better is None:
            margin /= 2
        else:
            netlist, slacks = better
    demand_same(given, netlist, technology)
    return netlist


def _batches(moves: list[Move]) -> Iterator[list[Move]]:
    """Yield what to try: all together, then every so many of them."""
    if moves:
        yield moves
    for begin in range(PARTS if len(moves) >= PARTS else 0):
        yield moves[begin::PARTS]


def _moves(
    slacks: Slacks, netlist: Netlist, top: str, technology: Technology, margin: float
) -> list[Move]:
    places = Places(netlist, top, slacks.analysis)
    chooser = Chooser(slacks, places, technology, margin * slacks.period)
    found = [chooser.best(*one) for one in critical(slacks, places, margin * slacks.period, MOST)]
    return compatible(move for move in found if move is not None)


def _is_better(seen: Slacks, before: Slacks, margin: float) -> bool:
    if seen.period < before.period * SHORTER:
        return True
    aim = before.period * (1 - margin)
    return seen.period <= before.period and seen.short_ns(aim) < before.short_ns(aim) * MISSED
