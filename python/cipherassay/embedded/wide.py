"""Operations on wide words, in the program functions of bytes (``add_32``, ``rotl_32_11``)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from cipherassay.embedded.barrel import shifted_by
from cipherassay.embedded.code import Source
from cipherassay.embedded.selection import Selection
from cipherassay.errors import DescriptionError

S = TypeVar("S", bound=Selection)
Bytes = list[Source]


@dataclass(frozen=True)
class Wide(Generic[S]):
    """What a processor makes of wide words, each of bytes, the least significant first.

    Attributes
    ----------
    sum : callable
        ``add`` or ``sub`` of two words.
    product : callable
        The low half of a product of two words.
    rotated, shifted : callable
        ``rotl``, ``rotr``, or ``shl``, ``shr`` of a word by a number.
    rotated_by : callable
        ``rotl`` or ``rotr`` of four bytes by a byte.
    """

    sum: Callable[[S, str, Bytes, Bytes], Bytes]
    product: Callable[[S, Bytes, Bytes], Bytes]
    rotated: Callable[[S, str, Bytes, int], Bytes]
    shifted: Callable[[S, str, Bytes, int], Bytes]
    rotated_by: Callable[[S, str, Bytes, Source], Bytes]

    def call(self, s: S, name: str, operands: Bytes) -> Bytes:
        """Select instructions for a call of a function of the pass ``split-words``; the bytes of its result.

        Raises
        ------
        DescriptionError
            E101 to E103: the function is not known, is on parts of bytes, rotates words whose width is no
            power of two by what is not known.
        """
        match = re.fullmatch(r"([a-z]+)_(\d+)(?:_by_(\d+)|_(\d+))?", name)
        if match is None:
            raise DescriptionError("E101", f"no instructions are known for a call of `{name}`")
        kind, n = match[1], (int(match[2]) + 7) // 8
        if int(match[2]) % 8:
            raise DescriptionError(
                "E102",
                f"`{name}` is on words that are no whole number of bytes",
                help="words of 8, 16, 24, 32 … bits are",
            )
        if kind in ("add", "sub"):
            return self.sum(s, kind, operands[:n], operands[n:])
        if kind == "mul":
            return self.product(s, operands[:n], operands[n:])
        if kind in ("eq", "ne", "ltu"):
            return [s.compared(kind, operands[:n], operands[n:])]
        rotates = kind in ("rotl", "rotr")
        moved = self.rotated if rotates else self.shifted
        if match[4] is not None:
            return moved(s, kind, operands, int(match[4]))
        if rotates and n == 4:
            return self.rotated_by(s, kind, operands[:n], operands[n])
        made = shifted_by(s, kind, operands[:n], operands[n:], 8 * n, lambda a, by: moved(s, kind, a, by))
        if made is None:
            raise DescriptionError(
                "E103", f"`{name}`: rotations by an amount that is not known are of 16, 32 or 64 bits"
            )
        return made


def byte_products(a: Sequence[Source], b: Sequence[Source]) -> Iterator[tuple[Source, Source, int]]:
    """Yield the products of bytes that the low half of a product needs, and from which byte on each counts.

    A number is the second of the two. Products of even weight come first: they fill pairs of bytes that
    nothing was added to yet.
    """
    n = len(a)
    pairs = [(i, j) for i in range(n) for j in range(n - i) if a[i] != 0 and b[j] != 0]
    pairs.sort(key=lambda p: ((p[0] + p[1]) % 2, p[0] + p[1], abs(p[0] - p[1])))
    for i, j in pairs:
        x, y = a[i], b[j]
        yield (y, x, i + j) if isinstance(x, int) else (x, y, i + j)
