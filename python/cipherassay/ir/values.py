"""What values are: names, types, numbers, places in the author's text."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import NamedTuple

Operand = str | int
"""The name of a value, without ``%``, or a number, which takes the width that its operation asks for."""


@dataclass(frozen=True, slots=True)
class Type:
    """The type of a value.

    Parameters
    ----------
    bits : int
        Width of a word, or of an array's element: 1 to 64; 0 for an index.
    extents : tuple of int
        Of an array one or two, outermost first; none for a word or an index.
    """

    bits: int
    extents: tuple[int, ...] = ()

    @property
    def is_array(self) -> bool:
        """Whether it is an array."""
        return bool(self.extents)

    @property
    def is_word(self) -> bool:
        """Whether it is a word."""
        return bool(self.bits) and not self.extents

    @property
    def word_bits(self) -> int:
        """Width of a word in bits; 0 for an array or an index."""
        return 0 if self.extents else self.bits

    @property
    def cells(self) -> int:
        """Number of elements of an array; 1 for a word."""
        return prod(self.extents)

    @property
    def row(self) -> int:
        """Number of elements that one index of an array stands for: 1, or the columns of two extents."""
        return prod(self.extents[1:])

    def with_rows(self, rows: int) -> Type:
        """Return the type of an array with another outermost extent."""
        return Type(self.bits, (rows, *self.extents[1:]))

    def __str__(self) -> str:
        word = f"u{self.bits}" if self.bits else "index"
        return word + "".join(f"[{extent}]" for extent in self.extents)


INDEX = Type(0)
"""A number that is known before the program runs: a loop's counter, or made from one."""


class Value(NamedTuple):
    """The definition of a value: its name without ``%``, and its type."""

    name: str
    type: Type


class Place(NamedTuple):
    """A place in the author's text: index into `Program.files`, line and column, both from 1."""

    file: int
    line: int
    column: int
