"""Bytes of memory for values that found no register: values that are not needed at the same time share one.

The allocator gives a place to every value; here the text that it wrote is looked at from its end (what is
read later, around loops until nothing changes), and places become as few bytes as need be. The block's own
bytes serve as well between their last load and their first store.
"""

from __future__ import annotations

import re
from collections.abc import Callable

_ACCESS = re.compile(r"(lds|sts) (?:r\d+, )?([\w.]+) \+ (\d+)")
_LABEL = re.compile(r"(\.L\w+):")
_BACK = re.compile(r"brne (\.L\w+)")


def packed(lines: list[str], spill: str, block: str) -> tuple[list[str], int]:
    """Return lines with fewer bytes of the object ``spill``, and how many.

    ``block`` is an object that is live at both ends of the function. Loops end with ``brne`` to their label.
    """
    cells: dict[tuple[str, int], int] = {}
    at: list[tuple[int, bool] | None] = []
    for line in lines:
        match = _ACCESS.match(line)
        if match and match[2] in (spill, block):
            cell = cells.setdefault((match[2], int(match[3])), len(cells))
            at.append((cell, match[1] == "lds"))
        else:
            at.append(None)
    fixed = [n for (name, _), n in cells.items() if name == block]
    clash = _clashes(lines, at, len(cells), sum(1 << n for n in fixed))
    chosen, count = _coloured(cells, clash, fixed, spill, _merged(lines, at, clash, fixed))
    out: list[str] = []
    for line, one in zip(lines, at, strict=True):
        new = _ACCESS.sub(_with(chosen[one[0]]), line) if one else line
        if out and _copied(out[-1], new):
            continue
        out.append(new)
    return out, count


def _copied(before: str, line: str) -> bool:
    """Return whether a line stores what the line before loaded from the same place."""
    a, b = re.fullmatch(r"lds (r\d+), (.*)", before), re.fullmatch(r"sts (.*), (r\d+)", line)
    return bool(a and b and a[1] == b[2] and a[2] == b[1])


def _merged(
    lines: list[str], at: list[tuple[int, bool] | None], clash: list[int], fixed: list[int]
) -> dict[int, int]:
    """Make cells of which one is copied to the other one cell, if possible; return what stands for what."""
    stands = {n: n for n in range(len(clash))}

    def find(n: int) -> int:
        while stands[n] != n:
            n = stands[n]
        return n

    for n in range(1, len(lines)):
        a, b = at[n - 1], at[n]
        if not (a and b and a[1] and not b[1] and lines[n - 1].split()[1][:-1] == lines[n].split()[-1]):
            continue
        one, other = find(a[0]), find(b[0])
        if one == other or clash[one] >> other & 1 or (one in fixed and other in fixed):
            continue
        one, other = (one, other) if one in fixed else (other, one)
        stands[other] = one
        clash[one] |= clash[other]
        for k in _bits(clash[other]):
            clash[k] |= 1 << one
    return {n: find(n) for n in stands}


def _with(place: tuple[str, int]) -> Callable[[re.Match[str]], str]:
    def replaced(match: re.Match[str]) -> str:
        return match[0][: match.start(2) - match.start()] + f"{place[0]} + {place[1]}"

    return replaced


def _clashes(lines: list[str], at: list[tuple[int, bool] | None], count: int, outside: int) -> list[int]:
    """Return with which cells each is needed at the same time, as bits; ``outside`` are live at both ends."""
    heads: dict[str, int] = {}
    while True:
        before = dict(heads)
        clash = [0] * count
        live = outside
        for line, one in zip(reversed(lines), reversed(at), strict=True):
            if back := _BACK.match(line):
                live |= heads.get(back[1], 0)
            elif label := _LABEL.match(line):
                heads[label[1]] = live
            elif one:
                cell, read = one
                if read:
                    live |= 1 << cell
                else:
                    live &= ~(1 << cell)
                    clash[cell] |= live
        if heads == before:
            break
    for cell in range(count):
        if live >> cell & 1 or outside >> cell & 1:
            clash[cell] |= live & ~(1 << cell)
    for a in range(count):
        for b in _bits(clash[a]):
            clash[b] |= 1 << a
    return clash


def _bits(mask: int) -> list[int]:
    return [n for n in range(mask.bit_length()) if mask >> n & 1]


def _coloured(
    cells: dict[tuple[str, int], int],
    clash: list[int],
    fixed: list[int],
    spill: str,
    stands: dict[int, int],
) -> tuple[dict[int, tuple[str, int]], int]:
    """Return the place of each cell: the block's own bytes first, then as few of ``spill`` as are needed."""
    names = {n: cell for cell, n in cells.items()}
    chosen = {n: names[n] for n in fixed}
    groups: list[tuple[tuple[str, int], int]] = [(names[n], 1 << n) for n in fixed]
    count = 0
    for cell in sorted(
        (n for n in names if n not in chosen and stands[n] == n), key=lambda n: (-clash[n].bit_count(), n)
    ):
        for k, (place, members) in enumerate(groups):
            if not clash[cell] & members:
                groups[k] = (place, members | 1 << cell)
                chosen[cell] = place
                break
        else:
            chosen[cell] = (spill, count)
            groups.append((chosen[cell], 1 << cell))
            count += 1
    return {n: chosen[stands[n]] for n in names}, count
