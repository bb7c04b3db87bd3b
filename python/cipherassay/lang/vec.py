"""Vectors: fixed-length lists of words with elementwise operations, permutations and look-ups."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from operator import add, and_, floordiv, lshift, mod, mul, or_, pow, rshift, sub, truediv, xor
from typing import Any, NoReturn, SupportsIndex

from .counter import Counter
from .place import complain, target_names
from .word import Word, as_word, describe
from .word_types import WordType


class vec(list[Any]):
    """A list of words of fixed length: ``a ^ b`` works elementwise, ``v[[2, 0, 1]]`` permutes.

    ``vec(a, b, c)`` holds the given words; ``vec(u8, x, 0, 0)`` makes words of the given numbers.
    A word or number on the other side of an operator meets every element.
    """

    def __init__(self, *items: Any) -> None:
        if items and isinstance(items[0], WordType):
            super().__init__(items[0](x) for x in items[1:])
        else:
            super().__init__(items)

    def _map(self, other: Any, operation: Callable[[Any, Any], Any], reverse: bool = False) -> vec:
        if isinstance(other, list | tuple):
            if len(other) != len(self):
                raise complain(
                    "D048",
                    f"vectors of {len(self)} and {len(other)} words",
                    help="elementwise operations need equal lengths",
                )
            pairs: Iterable[tuple[Any, Any]] = zip(self, other, strict=True)
        elif isinstance(other, Word | int | Counter):
            pairs = ((x, other) for x in self)
        else:
            raise complain("D066", f"a vector and {describe(other)} have no elementwise operation")
        return named(vec(*[operation(y, x) if reverse else operation(x, y) for x, y in pairs]))

    def __add__(self, other: Any) -> vec:
        return self._map(other, add)

    __radd__ = __add__

    def __iadd__(self, other: Any) -> vec:
        return self._map(other, add)

    def __sub__(self, other: Any) -> vec:
        return self._map(other, sub)

    def __rsub__(self, other: Any) -> vec:
        return self._map(other, sub, reverse=True)

    def __mul__(self, other: Any) -> vec:
        return self._map(other, mul)

    __rmul__ = __mul__

    def __imul__(self, other: Any) -> vec:
        return self._map(other, mul)

    def __xor__(self, other: Any) -> vec:
        return self._map(other, xor)

    __rxor__ = __xor__

    def __and__(self, other: Any) -> vec:
        return self._map(other, and_)

    __rand__ = __and__

    def __or__(self, other: Any) -> vec:
        return self._map(other, or_)

    __ror__ = __or__

    def __lshift__(self, other: Any) -> vec:
        return self._map(other, lshift)

    def __rlshift__(self, other: Any) -> vec:
        return self._map(other, lshift, reverse=True)

    def __rshift__(self, other: Any) -> vec:
        return self._map(other, rshift)

    def __rrshift__(self, other: Any) -> vec:
        return self._map(other, rshift, reverse=True)

    def __invert__(self) -> vec:
        return vec(*(~x for x in self))

    # What words refuse, vectors refuse in the same words.

    def __neg__(self) -> vec:
        return vec(*(-x for x in self))

    def __truediv__(self, other: Any) -> vec:
        return self._map(other, truediv)

    def __floordiv__(self, other: Any) -> vec:
        return self._map(other, floordiv)

    def __mod__(self, other: Any) -> vec:
        return self._map(other, mod)

    def __pow__(self, other: Any) -> vec:
        return self._map(other, pow)

    def __rtruediv__(self, other: Any) -> vec:
        return self._map(other, truediv, reverse=True)

    def __rfloordiv__(self, other: Any) -> vec:
        return self._map(other, floordiv, reverse=True)

    def __rmod__(self, other: Any) -> vec:
        return self._map(other, mod, reverse=True)

    def __rpow__(self, other: Any) -> vec:
        return self._map(other, pow, reverse=True)

    def rotate(self, n: int) -> vec:
        """Return the vector with its elements moved ``n`` places to the front: ``(a, b, c).rotate(1)`` is
        ``(b, c, a)``."""
        n %= len(self)
        return vec(*list.__getitem__(self, slice(n, None)), *list.__getitem__(self, slice(0, n)))

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, slice):
            return vec(*list.__getitem__(self, key))
        if isinstance(key, list | tuple):
            return vec(*(self[i] for i in key))
        try:
            return list.__getitem__(self, key)
        except IndexError:
            raise complain(
                "D051",
                f"index {int(key)} is out of the range of a vector of {len(self)} words",
                help=f"indices run from 0 to {len(self) - 1}",
            ) from None

    def __setitem__(self, key: SupportsIndex | slice, value: Any) -> None:
        if isinstance(key, slice):
            value = list(value)
            if len(range(*key.indices(len(self)))) != len(value):
                raise complain(
                    "D019",
                    f"{len(value)} words do not fit a slice of {len(range(*key.indices(len(self))))}",
                    help="a vector keeps its length",
                )
            before = list.__getitem__(self, key)
            list.__setitem__(self, key, [_like(old, new) for old, new in zip(before, value, strict=True)])
            return
        if not -len(self) <= int(key) < len(self):
            raise complain(
                "D051",
                f"index {int(key)} is out of the range of a vector of {len(self)} words",
                help=f"indices run from 0 to {len(self) - 1}",
            )
        list.__setitem__(self, key, _like(list.__getitem__(self, key), value))

    def _refuse(self, *_: Any, **__: Any) -> NoReturn:
        raise complain(
            "D076",
            "a vector keeps its length",
            help="join vectors with `join(a, b)`, or collect words in a list",
        )

    append = extend = insert = pop = remove = clear = __delitem__ = _refuse

    def __eq__(self, other: object) -> bool:
        return (
            all(x == y for x, y in zip(self, other, strict=True))
            if isinstance(other, list | tuple)
            else NotImplemented
        )

    __hash__ = None

    def __repr__(self) -> str:
        return f"vec({', '.join(map(repr, self))})"


def _like(old: Any, new: Any) -> Any:
    """Return a number as a word of the width of the word whose place it takes."""
    return as_word(new, old.width) if isinstance(old, Word) and isinstance(new, int | Counter) else new


def join(*vectors: Iterable[Any]) -> vec:
    """Return the words of all vectors, one after the other."""
    return vec(*(x for v in vectors for x in v))


def named(words: vec) -> vec:
    """Give the words the names of the variables that the running expression is assigned to; returns them."""
    for x, name in zip(words, target_names(len(words)), strict=False):
        if isinstance(x, Word) and x.node is not None and not x.node.name:
            x.node.name = name
    return words


def words_of(items: Iterable[Any], width: int) -> list[Word]:
    """Return the items, rows flattened, as words of ``width`` bits."""
    words: list[Word] = []
    for item in items:
        if isinstance(item, list | tuple):
            words += words_of(item, width)
        else:
            words.append(as_word(item, width))
    return words
