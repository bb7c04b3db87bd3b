"""The types of words: ``u32(5)`` is a word, ``word(24)`` the type of words of 24 bits."""

from __future__ import annotations

from .place import complain
from .word import Operand, Word, as_word


class WordType:
    """A word type: ``u32(5)`` is a word, ``array(u32, 44)`` an array of them."""

    def __init__(self, width: int) -> None:
        if not 1 <= width <= 64:
            raise complain("D044", f"a word of {width} bits", help="widths from 1 to 64 are known")
        self.width = width

    def __call__(self, x: Operand) -> Word:
        """Return the number, counter or word (of this very width) as a word."""
        return as_word(x, self.width)

    def __repr__(self) -> str:
        return f"u{self.width}"


def word(width: int) -> WordType:
    """Return the word type of ``width`` bits."""
    return WordType(width)


u8, u16, u32, u64 = (WordType(w) for w in (8, 16, 32, 64))
