"""MCS-51: how internal RAM is shared out among registers, key, block, values, round keys and the stack."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cipherassay.embedded import build
from cipherassay.embedded.processors.mcs51.text import DATA, DIRECT, KEYS, MCS51
from cipherassay.errors import DescriptionError
from cipherassay.lang.shapes import BLOCK_OPERATIONS

if TYPE_CHECKING:
    from cipherassay._engine import Program

INTERNAL = 256
"""Bytes of internal RAM (an 8052)."""
BANK, STACK = 8, 4
"""Bytes of register bank 0, and those left for the stack (two return addresses)."""


def room(program: Program, *, internal: bool) -> tuple[int, int]:
    """Return the bytes for values besides r2 to r7, by direct addresses and by pointers alone.

    ``internal``: the round keys are in internal RAM.

    Raises
    ------
    DescriptionError
        ``E118``: key and block alone take more than direct addresses reach.
    """
    functions = program.mirror().functions
    forward = next(functions[name] for name in BLOCK_OPERATIONS if name in functions)
    block = max(forward.params[-1][1].cells, forward.results[0].cells)
    schedule = functions.get("key_schedule")
    fixed = BANK + block + (schedule.params[0][1].cells if schedule else 0)
    if fixed > DIRECT:
        raise DescriptionError(
            "E118",
            f"key and block take {fixed - BANK} bytes of internal RAM, "
            f"and direct addresses reach {DIRECT - BANK}",
            notes=["behind register bank 0; what is added to them has to lie there as well"],
            help="another processor: AVR and H8/300 have kilobytes of RAM",
        )
    schedules = [one for name, one in functions.items() if name in build.SCHEDULES]
    keys = sum(ty.cells for one in schedules for ty in one.results) if internal else 0
    left = INTERNAL - STACK - fixed - keys
    near = min(DIRECT - fixed, left)
    return near, left - near


def keys_fit(program: Program) -> bool:
    """Return whether the round keys find room in internal RAM, where a byte takes one cycle less.

    Every function is given registers in the order in which it is written and, if that needs too much, in the
    best one.
    """
    most, _ = room(program, internal=True)
    functions = program.mirror().functions
    if most < 0:
        return False
    for name in (f for f in build.FUNCTIONS if f in functions):
        places = build.places(functions[name], "x", {}, from_key=False, separate=build.SEPARATE in functions)
        code = MCS51.lower(program, name, places, name=name, near=DATA, internal=[KEYS])
        if all(MCS51.allocate(code, block="x_block", room=(most, 0), search=s).over for s in (False, True)):
            return False
    return True
