"""Words: unsigned bit vectors of fixed width, concrete in a plain run and symbolic in a trace."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import eq, ge, gt, le, lt, ne
from typing import Any, NoReturn

from .counter import Counter
from .meaning import MEANINGS, bitsliced
from .place import complain, target_names
from .trace import Address, Op, record
from .value import Value


class Word:
    """An unsigned bit vector of ``width`` bits (1 to 64).

    Arithmetic is modulo 2^width. A Python number or counter that meets a word takes its width and must fit;
    two words must agree in width. ``value`` is None for a symbolic word; ``known`` says that the number is a
    constant of the author's text, so that it may serve where Python needs a number.
    """

    __slots__ = ("known", "node", "value", "width")

    def __init__(
        self, width: int, value: int | None = None, known: bool = False, node: Value | None = None
    ) -> None:
        self.width, self.value, self.known, self.node = width, value, known, node

    def __repr__(self) -> str:
        return (
            f"u{self.width}({self.value:#x})"
            if self.value is not None
            else f"<u{self.width} {self.node and self.node.name}>"
        )

    def __add__(self, other: Operand) -> Word:
        return _binary("add", self, other)

    def __radd__(self, other: Operand) -> Word:
        return _binary("add", other, self)

    def __sub__(self, other: Operand) -> Word:
        return _binary("sub", self, other)

    def __rsub__(self, other: Operand) -> Word:
        return _binary("sub", other, self)

    def __mul__(self, other: Operand) -> Word:
        return _binary("mul", self, other)

    def __rmul__(self, other: Operand) -> Word:
        return _binary("mul", other, self)

    def __and__(self, other: Operand) -> Word:
        return _binary("and", self, other)

    __rand__ = __and__

    def __or__(self, other: Operand) -> Word:
        return _binary("or", self, other)

    __ror__ = __or__

    def __xor__(self, other: Operand) -> Word:
        return _binary("xor", self, other)

    __rxor__ = __xor__

    def __invert__(self) -> Word:
        return apply("not", [self], [self.width])[0]

    def __lshift__(self, amount: int | Word) -> Word:
        return shift("shl", self, amount)

    def __rshift__(self, amount: int | Word) -> Word:
        return shift("shr", self, amount)

    def _number(self, use: str) -> int:
        if self.known and self.value is not None:
            return self.value
        raise complain(
            "D002",
            f"a word that depends on the key or the data cannot be {use}",
            help="index a table or array with it (`T[x]`), or take a field of it with `bits(x, low, width)`",
        )

    def __index__(self) -> int:
        return self._number("a list index or a Python number")

    def __int__(self) -> int:
        return self._number("made a Python number")

    def __bool__(self) -> bool:
        if self.known:
            return bool(self.value)
        raise complain(
            "D001",
            "a word that depends on the key or the data cannot decide a Python condition",
            help="use `select(condition, a, b)` with `equal(a, b)` or `less(a, b)`",
        )

    def _compare(self, other: Any, operation: Callable[[Any, Any], bool]) -> bool:
        if not isinstance(other, Word | int | Counter):
            return NotImplemented  # type: ignore[no-any-return]
        number = other.value if isinstance(other, Word) and other.known else other
        if self.known and isinstance(number, int):
            return operation(self.value, number)
        raise complain(
            "D042",
            "a comparison of words that depend on the key or the data has no Python answer",
            help="use `equal(a, b)` or `less(a, b)`, which give a one-bit word for `select`",
        )

    def __eq__(self, other: object) -> bool:
        return self._compare(other, eq)

    def __ne__(self, other: object) -> bool:
        return self._compare(other, ne)

    def __lt__(self, other: Any) -> bool:
        return self._compare(other, lt)

    def __le__(self, other: Any) -> bool:
        return self._compare(other, le)

    def __gt__(self, other: Any) -> bool:
        return self._compare(other, gt)

    def __ge__(self, other: Any) -> bool:
        return self._compare(other, ge)

    __hash__ = object.__hash__

    def _refuse(self, what: str, instead: str) -> NoReturn:
        raise complain("D010", f"a word has no {what}", help=instead)

    def __truediv__(self, _: object) -> NoReturn:
        self._refuse(
            "division `/`", "shift by a constant, or write the division of the paper as word operations"
        )

    __rtruediv__ = __floordiv__ = __rfloordiv__ = __truediv__

    def __mod__(self, _: object) -> NoReturn:
        self._refuse("remainder `%`", "arithmetic is modulo 2^w already; take low bits with `bits(x, 0, n)`")

    __rmod__ = __mod__

    def __pow__(self, _: object) -> NoReturn:
        self._refuse("power `**`", "write the multiplications out, or use `GF(...).pow` on numbers")

    __rpow__ = __pow__

    def __neg__(self) -> NoReturn:
        self._refuse("negation `-x`", "write `0 - x`, which is modulo 2^w")

    def __abs__(self) -> NoReturn:
        self._refuse("absolute value", "words are unsigned")

    def __rlshift__(self, _: object) -> NoReturn:
        self._refuse("place as a shift amount of a Python number", "give the number a width: `u32(1) << x`")

    __rrshift__ = __rlshift__

    def __iter__(self) -> NoReturn:
        self._refuse("parts to iterate over", "`le_bytes(x)` gives its bytes, `bits(x, low, width)` a field")

    def __getitem__(self, _: object) -> NoReturn:
        self._refuse("index", "`byte(x, n)` gives a byte, `bits(x, low, width)` a field")

    def __len__(self) -> NoReturn:
        self._refuse("length", "`x.width` is its width in bits")


Operand = Word | int | Counter


def as_word(x: Any, width: int) -> Word:
    """Return ``x`` as a word of ``width`` bits.

    Raises
    ------
    DescriptionError
        D003: a word of another width. D004: a number that does not fit. D010: something that is no word.
    """
    if isinstance(x, Word):
        if x.width != width:
            raise complain(
                "D049",
                f"words of different width: u{width} and u{x.width}",
                help="make the widths agree: `zext`, `bits`, `byte`, `concat`; nothing widens by itself",
            )
        return x
    if isinstance(x, Counter):
        return _counter_word(x, width)
    if isinstance(x, int):
        if not 0 <= x < 1 << width:
            hint = "write it modulo 2^w" + (
                " (negative numbers never fit)" if x < 0 else ", or use a wider word"
            )
            raise complain("D004", f"the number {x} does not fit u{width}", help=hint)
        return Word(width, int(x), known=True)
    raise complain(
        "D067",
        f"a word of {width} bits is needed here, not {describe(x)}",
        help=f"make one with `u{width}(number)`",
    )


def describe(x: Any) -> str:
    """Say what a value is, for an error: ``the float 1.5``; a variable without a value refuses by itself."""
    width = getattr(x, "width", None)
    if isinstance(x, Word):
        return f"a word of {width} bits"
    if x is None:
        return "None (a function without `return`?)"
    if isinstance(x, list) and type(x).__name__ == "vec":
        return f"a vector of {len(x)} words"
    text = repr(x)
    return f"the {type(x).__name__} {text}" if len(text) < 40 else f"a value of type {type(x).__name__}"


def _counter_word(counter: Counter, width: int) -> Word:
    low, high = counter.range()
    if low < 0 or high >= 1 << width:
        raise complain(
            "D050",
            f"the counter runs from {low} to {high} and does not fit u{width}",
            help="take it modulo a number, or use a wider word",
        )
    if counter.number is not None:
        return Word(width, counter.number, known=True)
    value = Value(width)
    record(Op("word", [], [value], Address(counter, 0)))
    return Word(width, node=value)


def _binary(kind: str, a: Any, b: Any) -> Word:
    width = a.width if isinstance(a, Word) else b.width
    if not all(isinstance(x, Word | Counter | int) for x in (a, b)):
        other = b if isinstance(a, Word) else a
        raise complain(
            "D068",
            f"a word and {describe(other)} have no `{kind}`",
            help="use `vec` for elementwise operations on several words",
        )
    return apply(kind, [as_word(a, width), as_word(b, width)], [width])[0]


def shift(kind: str, x: Word, amount: Any) -> Word:
    """Shift or rotate ``x``; a number as amount is below the width (a rotation takes it modulo the width)."""
    if not isinstance(x, Word):
        one = f"`vec(*({kind}(x, n) for x in v))`" if isinstance(x, list | tuple) else ""
        raise complain(
            "D069",
            f"a word is needed to shift or rotate, not {describe(x)}",
            help=f"take the words one by one: {one}" if one else "give it a width: `u32(x)`",
        )
    if isinstance(amount, Counter) and amount.number is not None:
        amount = amount.number
    if isinstance(amount, Counter):
        amount = as_word(amount, 8)
    if isinstance(amount, Word):
        return apply(kind, [x, amount], [x.width])[0]
    if not isinstance(amount, int):
        raise complain(
            "D011", f"the amount of a shift or rotation is a number or a word, not {describe(amount)}"
        )
    if kind.startswith("rot"):
        amount %= x.width
    elif not 0 <= amount < x.width:
        raise complain(
            "D070", f"a shift of u{x.width} by {amount}", help=f"the amount must be from 0 to {x.width - 1}"
        )
    return apply(kind, [x, Word(8, amount, known=True)], [x.width])[0]


def apply(kind: str, operands: Sequence[Word], widths: Sequence[int], attribute: Any = None) -> list[Word]:
    """Perform one operation on words: compute it if all operands hold numbers, else record it.

    ``widths`` are those of the results, in bits.
    """
    if all(w.value is not None for w in operands):
        known = all(w.known for w in operands)
        return [
            Word(width, value, known)
            for width, value in zip(widths, _compute(kind, operands, widths, attribute), strict=True)
        ]
    names = target_names(len(widths)) or [""] * len(widths)
    results = [Value(width, name) for width, name in zip(widths, names, strict=True)]
    record(Op(kind, list(operands), list(results), attribute))
    return [Word(width, node=value) for width, value in zip(widths, results, strict=True)]


def constant(w: Word) -> Word:
    """Return a word that holds a number as a value of the program; another word as it is."""
    if w.value is None:
        return w
    value = Value(w.width)
    record(Op("const", [], [value], w.value))
    return Word(w.width, node=value)


def _compute(kind: str, operands: Sequence[Word], widths: Sequence[int], attribute: Any) -> list[int]:
    values = [w.value or 0 for w in operands]
    if kind == "linear":
        result: list[int] = attribute.times(values)
        return result
    if kind == "bitsliced":
        return bitsliced(attribute.data, values, widths[0], len(widths))
    if kind == "lookup":
        table, address = attribute
        return [table.data[values[0] + address.constant]]
    return [MEANINGS[kind](values, [w.width for w in operands], widths[0], attribute)]
