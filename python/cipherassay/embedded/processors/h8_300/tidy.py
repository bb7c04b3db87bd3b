"""H8/300 text without what changes nothing."""

from __future__ import annotations

import re

_WRITES = re.compile(r"(?:.*,)?(r[0-6][hl]?)$")


def tidied(lines: list[str]) -> list[str]:
    """Leave out copies into the address register r6 of what it holds, and of a register into itself."""
    out: list[str] = []
    held: dict[str, str] = {}  # of r6h and r6l: the register or number it is a copy of
    for line in lines:
        if line.endswith(":"):
            held.clear()
            out.append(line)
            continue
        name, _, rest = line.partition(" ")
        source, _, target = rest.rpartition(",")
        if name == "mov.b" and source == target:
            continue
        copy = name == "mov.b" and target in ("r6h", "r6l") and not source.startswith("@")
        if copy and held.get(target) == source:
            continue
        for written in _written(name, rest):
            held = {r: s for r, s in held.items() if written not in (r, s)}
        if copy:
            held[target] = source
        out.append(line)
    return out


def _written(name: str, rest: str) -> list[str]:
    """Return the halves that a line changes."""
    if name in ("cmp.b", "cmp.w", "btst", "bld", "push") or re.fullmatch(r"b[a-z]{2}|jmp|jsr|rts", name):
        return []
    match = _WRITES.fullmatch(rest)
    if match is None:
        return []
    r = match[1]
    return [r] if len(r) == 3 else [f"{r}h", f"{r}l"]
