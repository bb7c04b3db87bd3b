"""Hold: which speed grades violate it, and how their rows say so.

A word that closes after its address and data have changed takes what comes next. Grades with latches are
checked (`unsafe`); numbers of grades that fail stay, marked, and no ratio, rank or figure takes them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from cipherassay import tools
from cipherassay.results import Row
from cipherassay.results.row import FAILS_HOLD

if TYPE_CHECKING:
    from cipherassay.hardware.libraries.technology import Technology
    from cipherassay.hardware.netlists.netlist import Netlist

WHY = (
    "Grades that fail hold keep words in latches that close after their address and data have changed, so "
    "the mapped device computes wrong: their numbers are withdrawn until that is repaired."
)
"""What `FAILS_HOLD` means, for people: it stands below every list that has such grades."""


def latches(cells: Mapping[str, int], technology: Technology) -> int:
    """Return how many of a netlist's cells, given by name with their numbers, are latches."""
    return sum(cells.get(one.name, 0) for one in technology.register if one.kind == "latch")


def unsafe(netlist: Netlist, top: str, technology: Technology, period_ns: float) -> int:
    """Return how many latches a netlist has, 0 if sign-off finds that none of them fails hold or its gate.

    Without OpenSTA nothing is known of hold, and all count.
    """
    from cipherassay.hardware.netlists.netlist import size
    from cipherassay.hardware.timing import signoff

    count = latches(size(netlist, top, technology).cells, technology)
    if not count or not tools.locate("opensta"):
        return count
    checks = signoff.checked(netlist, top, technology, period_ns)
    of_hold = [one for one in checks if one.name.startswith("hold") or one.name == signoff.STILL]
    return count if any(one.failing for one in of_hold) else 0


def told(count: int) -> str:
    """Return what is wrong with a grade of so many latches: ``fails hold: 96 latches``; empty for none."""
    return f"{FAILS_HOLD}: {count} latches" if count else ""


def marked(row: Row, count: int) -> Row:
    """Return a row of a device with so many latches; its certificate begins with what is wrong, if any."""
    if not count:
        return row
    return replace(row, certificate="; ".join(filter(None, (told(count), row.certificate))))


def fails(row: Row) -> bool:
    """Say whether a row is of a device that violates hold."""
    return (row.certificate or "").startswith(FAILS_HOLD)
