"""The inverse of an odd word modulo 2^width: a cipher says what, a named strategy says how."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from .place import complain
from .word import Word


def _newton(x: Word) -> Word:
    """y (2 - x y) has twice as many correct bits as y; x itself has three."""
    y, correct = x, 3
    while correct < x.width:
        y = y * (2 - x * y)
        correct *= 2
    return y


def _zassenhaus(x: Word) -> Word:
    """Quadratic lifting (Zassenhaus 1969): Algorithm 1 of Aoki and Ueda 1999; b is (x y - 1) / 2^(2^i)."""
    b = x >> 1
    a = b & 1
    b = (a * x + b) >> 1
    y, known = x & 3, 2
    while known < x.width:
        a = 0 - b * y
        if 2 * known < x.width:
            b = (b + a * x) >> known
        y = y + (a << known)
        known *= 2
    return y


def _hensel(x: Word) -> Word:
    """Bit by bit (Dussé and Kaliski 1990): where x y has a bit that 1 has not, that bit of y is set."""
    y, product = x & 1, x
    for n in range(1, x.width):
        bit = (product >> n) & 1
        y = y + (bit << n)
        if n + 1 < x.width:
            product = product + ((0 - bit) & (x << n))
    return y


def _binary(x: Word) -> Word:
    """Subtract and halve: 1 divided by x from its least bit on; the remainder is halved for each bit."""
    y = x & 1
    remainder = (y - x) >> 1
    for n in range(1, x.width):
        bit = remainder & 1
        y = y + (bit << n)
        if n + 1 < x.width:
            remainder = (remainder - ((0 - bit) & x)) >> 1
    return y


def _euclid(x: Word) -> Word:
    """The extended algorithm of Euclid, which divides: for numbers only."""
    if x.value is None:
        raise complain(
            "D037",
            "the strategy `euclid` divides, which a program cannot",
            help=f"one of {', '.join(name for name in STRATEGIES if name != 'euclid')}",
        )
    low, high = x.value, 1 << x.width
    a, b = 1, 0
    while low:
        quotient = high // low
        high, low = low, high - quotient * low
        a, b = b - quotient * a, a
    return Word(x.width, b % (1 << x.width), x.known)


STRATEGIES: dict[str, Callable[[Word], Word]] = {
    "newton": _newton,
    "zassenhaus": _zassenhaus,
    "hensel": _hensel,
    "binary": _binary,
    "euclid": _euclid,
}
"""How an inverse is computed; of these only `euclid` takes a time that depends on the word."""

_chosen: ContextVar[str] = ContextVar("inverse strategy", default="newton")


def odd_inverse(x: Word) -> Word:
    """Return the inverse of an odd word modulo 2^width, by the strategy at hand (`inverse_strategy`).

    Errors: D037 for `euclid` with a word that is not a number. An even word has no inverse: the result has no
    meaning.
    """
    return x if x.width == 1 else STRATEGIES[_chosen.get()](x)


def chosen_strategy() -> str:
    """Return the name of the strategy at hand."""
    return _chosen.get()


@contextmanager
def inverse_strategy(name: str) -> Iterator[None]:
    """Choose how `odd_inverse` computes within a ``with``: one of `STRATEGIES`; else an error (D038)."""
    if name not in STRATEGIES:
        raise complain(
            "D038", f"there is no way to invert called `{name}`", help=f"known: {', '.join(STRATEGIES)}"
        )
    token = _chosen.set(name)
    try:
        yield
    finally:
        _chosen.reset(token)
