"""Shifts and rotations by an amount that is not known: by 1, 2, 4, … bits, each of them or not."""

from __future__ import annotations

from collections.abc import Callable

from cipherassay.embedded.code import Source
from cipherassay.embedded.selection import Selection, number_of

Moved = Callable[[list[Source], int], list[Source]]


def shifted_by(
    s: Selection, kind: str, a: list[Source], amount: list[Source], width: int, moved: Moved
) -> list[Source] | None:
    """Return a word of ``width`` bits in bytes, shifted or rotated; ``moved`` does it by a number.

    Amounts have the least significant byte first. Shifts by the width and more give zero; rotations are
    modulo the width, and there are none (None) for widths that are no powers of two.
    """
    rotates = kind in ("rotl", "rotr")
    if rotates and width & width - 1:
        return None
    if (number := number_of(amount)) is not None:
        by = number % width if rotates else number
        return moved(a, by) if by < width else [0] * len(a)
    steps = (width - 1).bit_length()
    for k in range(steps):
        bit = s.field(amount[0], k, 1, 8)
        a = [x if x is y else s.chosen(bit, x, y) for x, y in zip(moved(a, 1 << k), a, strict=True)]
    if rotates:
        return a
    high = [s.shifted("shr", amount[0], steps, 8), *amount[1:]]
    over = s.compared("ne", high, [0] * len(high))
    return [s.chosen(over, 0, x) for x in a]
