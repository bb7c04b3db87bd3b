"""Assembly text that processors share: bytes of tables, branches that are too far."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence


def bytes_of(data: Sequence[int], directive: str = ".byte") -> list[str]:
    """Return the lines that hold bytes, 16 in each."""
    return [
        f"\t{directive} " + ", ".join(f"0x{x:02x}" for x in data[n : n + 16]) for n in range(0, len(data), 16)
    ]


def reaching(
    lines: list[str], branch: str, size: Callable[[str], int], far: Callable[[re.Match[str], int], list[str]]
) -> list[str]:
    """Replace branches back to loops' labels (``.L…``) that are too far.

    ``branch`` is the pattern of such a branch, its last group the label; ``size`` that of a line that is no
    label; ``far`` gives from a match and the distance the lines in the branch's stead, none if it reaches.
    """
    out: list[str] = []
    at: dict[str, int] = {}
    place = 0
    for line in lines:
        if line.startswith(".L") and line.endswith(":"):
            at[line[:-1]] = place
        match = re.fullmatch(branch, line)
        new = (far(match, place - at[match[match.re.groups]]) if match else []) or [line]
        out += new
        place += sum(0 if x.endswith(":") else size(x) for x in new)
    return out
