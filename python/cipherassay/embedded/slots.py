"""Bytes of memory for values that found no register: values that are not needed at the same time share one.

The allocator gives a place to every value; here the text that it wrote is looked at from its end (what is
read later, around loops until nothing changes), and places become as few bytes as need be. The block's own
bytes serve as well between their last load and their first store.
"""

from __future__ import annotations

import re

from cipherassay.embedded.dialect import Access, Dialect

_LABEL = re.compile(r"(\.L\w+):")
_Cells = list[tuple[list[int], Access] | None]
"""For each line the bytes that it loads or stores, by number."""


def packed(lines: list[str], spill: str, block: str, dialect: Dialect) -> tuple[list[str], int]:
    """Return lines with fewer bytes of the object ``spill``, and how many.

    ``block`` is an object that is live at both ends of the function; it is left alone if lines reach it by
    pointers. Each byte of ``spill`` is loaded and stored alone.
    """
    found = [dialect.accessed(line) for line in lines]
    others = [line for line, one in zip(lines, found, strict=True) if one is None]
    pointed = not block or any(re.search(rf"\b{block}\b", line) for line in others)
    shared = {spill} if pointed else {spill, block}
    cells: dict[tuple[str, int], int] = {}
    at: _Cells = []
    for one in found:
        if one is None or one.name not in shared:
            at.append(None)
            continue
        places = [(one.name, one.at + k) for k in range(one.size)]
        at.append(([cells.setdefault(place, len(cells)) for place in places], one))
    fixed = [n for (name, _), n in cells.items() if name == block]
    clash = _clashes(lines, at, len(cells), sum(1 << n for n in fixed), dialect)
    chosen, count = _coloured(cells, clash, fixed, spill, _merged(at, clash, fixed))
    out: list[str] = []
    before: Access | None = None
    for line, known in zip(lines, at, strict=True):
        new = dialect.readdressed(line, *chosen[known[0][0]]) if known else line
        access = dialect.accessed(new) if known else None
        if access is None or before is None or not _copied(before, access):
            out.append(new)
            before = access
    return out, count


def _copied(before: Access, access: Access) -> bool:
    """Return whether a line stores what the line before loaded from the same place."""
    same = (before.name, before.at, before.size, before.register)
    return before.load and not access.load and same == (access.name, access.at, access.size, access.register)


def _merged(at: _Cells, clash: list[int], fixed: list[int]) -> dict[int, int]:
    """Make cells of which one is copied to the other one cell, if possible; return what stands for what."""
    stands = {n: n for n in range(len(clash))}

    def find(n: int) -> int:
        while stands[n] != n:
            n = stands[n]
        return n

    for a, b in zip(at, at[1:], strict=False):
        if not (a and b and a[1].load and not b[1].load and a[1].register == b[1].register):
            continue
        if len(a[0]) > 1 or len(b[0]) > 1:
            continue
        one, other = find(a[0][0]), find(b[0][0])
        if one == other or clash[one] >> other & 1 or (one in fixed and other in fixed):
            continue
        one, other = (one, other) if one in fixed else (other, one)
        stands[other] = one
        clash[one] |= clash[other]
        for k in _bits(clash[other]):
            clash[k] |= 1 << one
    return {n: find(n) for n in stands}


def _clashes(lines: list[str], at: _Cells, count: int, outside: int, dialect: Dialect) -> list[int]:
    """Return with which cells each is needed at the same time, as bits; ``outside`` are live at both ends."""
    heads: dict[str, int] = {}
    while True:
        before = dict(heads)
        clash = [0] * count
        live = outside
        for line, one in zip(reversed(lines), reversed(at), strict=True):
            if ".L" in line and line == dialect.repeated(line.split()[-1]):
                live |= heads.get(line.split()[-1], 0)
            elif label := _LABEL.match(line):
                heads[label[1]] = live
            elif one:
                for cell in one[0]:
                    if one[1].load:
                        live |= 1 << cell
                    else:
                        live &= ~(1 << cell)
                for cell in one[0] if not one[1].load else []:
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
