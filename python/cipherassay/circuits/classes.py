"""Affine classes: boxes that are another one between two affine maps, ``S = B ∘ R ∘ A``.

A permutation of 3 to 6 bits is compared with every known box; one of 8 bits is written as inversion in
GF(2^8), if it is that. The maps that the engine finds are tried on every input here.
"""

from __future__ import annotations

import importlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from cipherassay.circuits import boxes
from cipherassay.circuits.boxes import Box
from cipherassay.errors import VerificationError

_engine: Any = importlib.import_module("cipherassay._engine")

FIELD_BITS = 8
"""Bits of the boxes that are compared with inversion."""
MOST_BITS = 6
"""Bits of other boxes that are compared."""


@dataclass(frozen=True)
class Affine:
    """An affine map: the images of the unit vectors, and what is added."""

    images: tuple[int, ...]
    constant: int = 0

    def __call__(self, x: int) -> int:
        """Return the value at a point."""
        total = self.constant
        for place, image in enumerate(self.images):
            total ^= image * (x >> place & 1)
        return total

    def inverse(self) -> Affine:
        """Return the inverse of a map of as many bits to as many."""
        size = 1 << len(self.images)
        back = {self(x): x for x in range(size)}
        return Affine(tuple(back[1 << k] ^ back[0] for k in range(len(self.images))), back[0])

    def after(self, other: Affine) -> Affine:
        """Return this map behind another."""
        zero = self(other.constant)
        return Affine(tuple(self(image ^ other.constant) ^ zero for image in other.images), zero)

    @property
    def is_identity(self) -> bool:
        """Whether it changes nothing."""
        return self.constant == 0 and all(image == 1 << k for k, image in enumerate(self.images))


@dataclass(frozen=True)
class Equivalence:
    """A box is `box` between two affine maps: its value at x is ``outer(box(inner(x)))``."""

    box: Box
    inner: Affine
    outer: Affine


def of_inversion(box: Box) -> tuple[Affine, Affine] | None:
    """Return the inner and the outer map between which a box is inversion in GF(2^8), or None.

    The field is GF(2)[x] modulo x^8 + x^4 + x^3 + x + 1, and zero is taken to zero.

    Raises
    ------
    VerificationError
        ``C135``: the maps do not give the box.
    """
    if box.inputs != FIELD_BITS or not box.is_permutation:
        return None
    found = _engine.circuit_inversion(bytes(box.data))
    if found is None:
        return None
    inner, outer = _maps(found)
    _check(box, inverses(), inner, outer)
    return inner, outer


@cache
def inverses() -> tuple[int, ...]:
    """Return the inverse of every element of the field, 0 for 0, by multiplication."""

    def product(a: int, b: int) -> int:
        total = 0
        for bit in range(FIELD_BITS):
            total ^= (a << bit) * (b >> bit & 1)
        for bit in range(2 * FIELD_BITS - 2, FIELD_BITS - 1, -1):
            total ^= (0x11B << (bit - FIELD_BITS)) * (total >> bit & 1)
        return total

    found = [0] * 256
    for a in range(1, 256):
        found[a] = next(b for b in range(1, 256) if product(a, b) == 1)
    return tuple(found)


def equivalent(box: Box, known: Sequence[Box] | None = None) -> Iterator[Equivalence]:
    """Yield the known boxes of a box's affine class, in order of their names, each with its maps.

    Raises
    ------
    VerificationError
        ``C135``: maps that do not give the box.
    """
    if not box.is_permutation or (box.inputs > MOST_BITS and box.inputs != FIELD_BITS):
        return
    spectrum, own = _spectrum(box.data), of_inversion(box)
    for other in map(boxes.find, boxes.every_name()) if known is None else known:
        if other.name == box.name or other.inputs != box.inputs or not other.is_permutation:
            continue
        if box.inputs == FIELD_BITS:
            if own is not None and (theirs := of_inversion(other)) is not None:
                # S = B inv A and R = D inv C: S = B D^-1 R C^-1 A
                inner = theirs[0].inverse().after(own[0])
                outer = own[1].after(theirs[1].inverse())
                _check(box, other.data, inner, outer)
                yield Equivalence(other, inner, outer)
        elif _spectrum(other.data) == spectrum:
            found = _engine.circuit_equivalence(bytes(other.data), bytes(box.data))
            if found is not None:
                inner, outer = _maps(found)
                _check(box, other.data, inner, outer)
                yield Equivalence(other, inner, outer)


def _maps(found: tuple[list[int], int, list[int], int]) -> tuple[Affine, Affine]:
    before, inner, after, outer = found
    return Affine(tuple(before), inner), Affine(tuple(after), outer)


def _check(box: Box, data: Sequence[int], inner: Affine, outer: Affine) -> None:
    wrong = next((x for x, y in enumerate(box.data) if outer(data[inner(x)]) != y), None)
    if wrong is not None:
        raise VerificationError(
            "C135",
            f"the affine maps for {box.name} do not give its value at {wrong}",
            help="this is a defect: please report it",
        )


@cache
def _spectrum(data: tuple[int, ...]) -> tuple[tuple[int, int], ...]:
    """Return how often each count of the table of differences comes: the same throughout an affine class."""
    if len(data) > 1 << MOST_BITS:
        return ()
    counts: Counter[int] = Counter()
    for change in range(1, len(data)):
        counts.update(Counter(Counter(data[x] ^ data[x ^ change] for x in range(len(data))).values()))
    return tuple(sorted(counts.items()))
