"""Functions on words that the language adds to Python's operators."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .counter import Counter
from .place import complain, target_names
from .vec import named, vec
from .word import Operand, Word, apply, as_word, constant, describe, shift


def rotl(x: Word, amount: int | Word) -> Word:
    """Rotate left by a number or a word, modulo the width."""
    return shift("rotl", x, amount)


def rotr(x: Word, amount: int | Word) -> Word:
    """Rotate right by a number or a word, modulo the width."""
    return shift("rotr", x, amount)


def bits(x: Word, low: int, width: int) -> Word:
    """Return the field of ``width`` bits from position ``low`` up, as a word of that width."""
    whole = isinstance(low, int | Counter) and isinstance(width, int | Counter)
    if not isinstance(x, Word) or not whole or not (low >= 0 and width >= 1 and low + width <= x.width):
        raise complain("D003", f"no field of {width} bits from position {low} in {describe(x)}")
    # A counter's number differs between iterations: those with the same one are recorded together.
    return x if width == x.width else apply("extract", [x], [int(width)], int(low))[0]


def byte(x: Word, n: int) -> Word:
    """Return byte ``n`` of a word, 0 being the least significant."""
    return bits(x, 8 * n, 8)


def concat(*parts: Word) -> Word:
    """Join words into one, the first being the least significant."""
    for part in parts:
        if not isinstance(part, Word):
            raise complain(
                "D063",
                f"`concat` joins words, and {describe(part)} has no width",
                help="make it a word: `u8(x)`",
            )
    width = sum(part.width for part in parts)
    if not 1 <= width <= 64:
        raise complain("D044", f"a word of {width} bits", help="words have 1 to 64 bits")
    if any(part.value is None for part in parts):  # in the text of a program a number alone has no width
        parts = tuple(constant(part) for part in parts)
    return apply("concat", parts, [width])[0]


def zext(x: Word, width: int) -> Word:
    """Return the same number in a word of ``width`` bits, at least as wide as ``x``."""
    if not isinstance(x, Word) or not x.width <= width <= 64:
        raise complain("D045", f"{describe(x)} does not extend to {width} bits")
    return x if x.width == width else apply("zext", [x], [width])[0]


def equal(a: Operand, b: Operand) -> Word:
    """Return a one-bit word: 1 if the words are equal; one of the two must be a word."""
    width = _width("equal", a, b)
    return apply("eq", [as_word(a, width), as_word(b, width)], [1])[0]


def less(a: Operand, b: Operand) -> Word:
    """Return a one-bit word: 1 if ``a`` is the smaller number; one of the two must be a word."""
    width = _width("less", a, b)
    return apply("ltu", [as_word(a, width), as_word(b, width)], [1])[0]


def _width(name: str, a: Operand, b: Operand) -> int:
    """Return the width of the first word of two operands."""
    width = next((x.width for x in (a, b) if isinstance(x, Word)), None)
    if width is None:
        raise complain(
            "D064",
            f"`{name}` between two numbers, which have no width",
            help="make one a word: `u32(x)`",
        )
    return width


def select(condition: Word, a: Operand, b: Operand) -> Word:
    """Return ``a`` if the one-bit word ``condition`` is 1, else ``b``; one of the two must be a word."""
    width = _width("select", a, b)
    return apply("select", [as_word(condition, 1), as_word(a, width), as_word(b, width)], [width])[0]


def _words(data: Sequence[Word], bits_each: int, big_endian: bool) -> vec:
    if not isinstance(bits_each, int) or bits_each % 8 or not 8 <= bits_each <= 64:
        raise complain("D046", f"{bits_each!r} is no width of a word of whole bytes", help="8, 16, … 64")
    if not isinstance(data, list | tuple):
        raise complain("D065", f"{describe(data)} is no list of bytes")
    size = bits_each // 8
    if len(data) % size:
        raise complain("D075", f"{len(data)} bytes are no whole number of words of {bits_each} bits")
    groups = [list(data[k : k + size]) for k in range(0, len(data), size)]
    return named(vec(*[concat(*(group[::-1] if big_endian else group)) for group in groups]))


def le_words(data: Sequence[Word], width: int = 32) -> vec:
    """Read bytes as words, least significant byte first."""
    return _words(data, width, big_endian=False)


def be_words(data: Sequence[Word], width: int = 32) -> vec:
    """Read bytes as words, most significant byte first."""
    return _words(data, width, big_endian=True)


def _bytes(words: tuple[Any, ...], big_endian: bool) -> vec:
    flat = list(words[0]) if len(words) == 1 and isinstance(words[0], list | tuple) else list(words)
    result: list[Word] = []
    for w in flat:
        if not isinstance(w, Word) or w.width % 8:
            raise complain("D047", f"{describe(w)} is no word of whole bytes")
        parts = [byte(w, n) for n in range(w.width // 8)]
        result += parts[::-1] if big_endian else parts
    return vec(*result)


def le_bytes(*words: Any) -> vec:
    """Return the bytes of words (or of one vector), least significant first."""
    return _bytes(words, big_endian=False)


def be_bytes(*words: Any) -> vec:
    """Return the bytes of words (or of one vector), most significant first."""
    return _bytes(words, big_endian=True)


class Box:
    """A small S-box for bit-sliced words: a permutation or function of a few bits as a truth table."""

    def __init__(self, data: Sequence[int], name: str) -> None:
        self.data, self.name = tuple(data) or (0,), name
        self.inputs = len(self.data).bit_length() - 1
        self.outputs = max(max(self.data).bit_length(), 1)
        if (
            len(self.data) != 1 << self.inputs
            or not 1 <= self.inputs <= 8
            or self.outputs > 8
            or min(self.data) < 0
        ):
            raise complain(
                "D033",
                f"a box with {len(self.data)} entries",
                help="a box has 2^n entries below 256, n from 1 to 8",
            )

    @property
    def inverse(self) -> Box:
        """The inverse permutation."""
        if sorted(self.data) != list(range(len(self.data))):
            raise complain("D096", f"box `{self.name}` is no permutation, so it has no inverse")
        return Box([self.data.index(x) for x in range(len(self.data))], f"{self.name}_inverse")


def sbox(data: Sequence[int] | str, name: str = "") -> Box:
    """Make a small S-box from its outputs for the inputs 0, 1, … (numbers, or a text of numbers)."""
    numbers = [int(x) for x in (data.split() if isinstance(data, str) else data)]
    return Box(numbers, name or (target_names() or ["box"])[0])


def bitsliced(box: Sequence[int] | Box, words: Sequence[Word]) -> vec:
    """Apply a small S-box at every bit position of the words; word k holds bit k of each input.

    ``box`` is an :func:`sbox` or the list of its outputs; as many words are needed as it has input bits.
    """
    made = box if isinstance(box, Box) else Box(box, "box")
    widths = {w.width for w in words}
    if len(words) != made.inputs or len(widths) != 1:
        raise complain(
            "D094",
            f"a box of {made.inputs} input bits needs {made.inputs} words of one width, not {len(words)}",
        )
    return vec(*apply("bitsliced", list(words), [words[0].width] * made.outputs, made))
