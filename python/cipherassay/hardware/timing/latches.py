"""Latches in setup timing: open in the first half of a clock, read from the next clock on.

A word of latches is written from registers, and nothing reads it in the clock in which it is open (the
architectures see to that; `docs/hardware.md`). So it is timed as what it is used as: data must be there
before it closes, and what reads the word has a whole clock, which begins a clock after it opened. As clocks
are alike, that is a register which is checked at the closing edge and launched by the opening one. Timed as a
latch, words would go through it while it is open, into logic that reads them a clock later.

Sign-off (`signoff`) times latches as what they are.
"""

from __future__ import annotations

import os
import tempfile
from functools import lru_cache
from pathlib import Path

from cipherassay.cache import cache_folder
from cipherassay.errors import DescriptionError
from cipherassay.hardware.libraries import fixing, liberty
from cipherassay.hardware.libraries.technology import Register, Technology


def timing_file(technology: Technology) -> Path:
    """Return the technology's Liberty file for timing, in which latches launch when they open.

    Raises
    ------
    DescriptionError
        ``H609``: a latch's cell has no group that says what it does.
    """
    latches = tuple(one for one in technology.register if one.kind == "latch")
    text = _opening(fixing.fixed(technology), latches)
    path = cache_folder("liberty") / f"{technology.name}-{fixing.digest(technology)[:16]}-opening.lib"
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists():
        with tempfile.NamedTemporaryFile("w", dir=path.parent, delete=False, encoding="utf-8") as temporary:
            temporary.write(text)
        os.replace(temporary.name, path)
    return path


@lru_cache(maxsize=4)
def _opening(text: str, latches: tuple[Register, ...]) -> str:
    cells = {cell.name: cell for cell in liberty.read(text, "the mended library").of_kind("cell")}
    edits = [edit for latch in latches for edit in _edits(cells[latch.name], latch)]
    for edit in sorted(edits, key=lambda one: one.begin, reverse=True):
        text = text[: edit.begin] + edit.text + text[edit.end :]
    return text


def _edits(cell: liberty.Group, latch: Register) -> list[fixing.Edit]:
    state = next(cell.of_kind("latch"), None)
    if state is None:
        message = f"the cell `{cell.name}` has no group `latch`"
        raise DescriptionError("H609", message, help="mend the library")
    # Checked at the closing edge as in the library; launched by the opening one.
    high = latch.active == "high"
    edge, clock = ("rising_edge", latch.clock) if high else ("falling_edge", f"!{latch.clock}")
    names = ",".join(state.names)
    made = f'ff ({names}) {{ next_state : "{latch.data}"; clocked_on : "{clock}"; }}'
    edits = [fixing.Edit(state.begin, state.end, made)]
    for pin in cell.of_kind("pin"):
        for arc in pin.of_kind("timing"):
            kind = arc.find("timing_type")
            if arc.text("related_pin") == latch.data:
                edits.append(fixing.Edit(arc.begin, arc.end, ""))
            elif kind is not None and kind.value in ("rising_edge", "falling_edge"):
                edits.append(fixing.Edit(kind.begin, kind.end, edge))
    return edits
