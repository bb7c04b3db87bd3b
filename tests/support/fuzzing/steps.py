"""Expressions and steps of random descriptions: each is written in the language and computed with plain numbers.

The two share nothing but the choice of operations, so that the numbers are known answers for the text.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

State = list[int]


@dataclass(frozen=True)
class Expression:
    """A word: its text, and its value for a state, the round's keys and the loop's counter."""

    text: str
    value: Callable[[State, Sequence[int], int], int]


@dataclass(frozen=True)
class Step:
    """A change of the state that can be undone: its lines and its effect, forwards and backwards."""

    forward: tuple[str, ...]
    backward: tuple[str, ...]
    apply: Callable[[State, Sequence[int], int], State]
    undo: Callable[[State, Sequence[int], int], State]


@dataclass
class Tables:
    """The constant tables of a description, made where they are first wanted."""

    rng: random.Random
    lines: list[str] = field(default_factory=list)

    def words(self, width: int, length: int) -> tuple[str, list[int]]:
        """Return the name and the entries of a new table of random words."""
        return self._add(f"word({width})", [self.rng.getrandbits(width) for _ in range(length)])

    def box(self, width: int) -> tuple[str, list[int]]:
        """Return the name and the entries of a new random permutation of the words of a width."""
        entries = list(range(1 << width))
        self.rng.shuffle(entries)
        return self._add(f"word({width})", entries)

    def _add(self, kind: str, entries: list[int]) -> tuple[str, list[int]]:
        name = f"T{len(self.lines)}"
        self.lines.append(f"{name} = table({kind}, {entries})")
        return name, entries


class Expressions:
    """Random words of one width.

    Parameters
    ----------
    words : sequence of int
        Those of the state that may be read.
    keys : int
        Round keys of a round; none: 0.
    """

    def __init__(self, rng: random.Random, width: int, words: Sequence[int], keys: int, tables: Tables) -> None:
        self.rng, self.width, self.words, self.keys, self.tables = rng, width, words, keys, tables
        self.mask = (1 << width) - 1

    def make(self, depth: int = 3) -> Expression:
        """Return an expression of at most so many levels."""
        if depth == 0 or self.rng.random() < 0.15:
            return self._leaf()
        kinds = [self._binary, self._binary, self._rotation, self._shift, self._complement, self._choice]
        if self.width <= 64 and self.width & (self.width - 1) == 0:
            kinds.append(self._by_variable)
        if self.width >= 4:
            kinds.append(self._look_up)
        return self.rng.choice(kinds)(depth - 1)

    def _leaf(self) -> Expression:
        kind = self.rng.choice(["word", "word", "key", "number", "counter"])
        if kind == "key" and self.keys:
            n = self.rng.randrange(self.keys)
            return Expression(f"k[{n}]", lambda s, k, i: k[n])
        if kind == "number":
            x, number = self.make(0), self.rng.getrandbits(self.width)
            return Expression(f"({x.text} ^ {number:#x})", lambda s, k, i: x.value(s, k, i) ^ number)
        if kind == "counter" and self.width >= 4:
            x = self.make(0)
            return Expression(f"({x.text} + i)", lambda s, k, i: x.value(s, k, i) + i & self.mask)
        w = self.rng.choice(self.words)
        return Expression(f"s[{w}]", lambda s, k, i: s[w])

    def _binary(self, depth: int) -> Expression:
        operator, compute = self.rng.choice(_OPERATORS)
        a, b, mask = self.make(depth), self.make(depth), self.mask
        return Expression(
            f"({a.text} {operator} {b.text})",
            lambda s, k, i: compute(a.value(s, k, i), b.value(s, k, i)) & mask,
        )

    def _rotation(self, depth: int) -> Expression:
        a, n = self.make(depth), self.rng.randrange(self.width)
        left = self.rng.random() < 0.5
        by = n if left else -n
        return Expression(
            f"rot{'l' if left else 'r'}({a.text}, {n})",
            lambda s, k, i: rotated(a.value(s, k, i), by, self.width),
        )

    def _by_variable(self, depth: int) -> Expression:
        a, b = self.make(depth), self.make(0)
        return Expression(
            f"rotl({a.text}, {b.text})",
            lambda s, k, i: rotated(a.value(s, k, i), b.value(s, k, i), self.width),
        )

    def _shift(self, depth: int) -> Expression:
        a, n = self.make(depth), self.rng.randrange(self.width)
        if self.rng.random() < 0.5:
            return Expression(f"({a.text} << {n})", lambda s, k, i: a.value(s, k, i) << n & self.mask)
        return Expression(f"({a.text} >> {n})", lambda s, k, i: a.value(s, k, i) >> n)

    def _complement(self, depth: int) -> Expression:
        a = self.make(depth)
        return Expression(f"~{a.text}", lambda s, k, i: a.value(s, k, i) ^ self.mask)

    def _choice(self, depth: int) -> Expression:
        a, b = self.make(0), self.make(0)
        c, d = self.make(depth), self.make(depth)
        name = self.rng.choice(["less", "equal"])

        def value(s: State, k: Sequence[int], i: int) -> int:
            x, y = a.value(s, k, i), b.value(s, k, i)
            holds = x < y if name == "less" else x == y
            return (c if holds else d).value(s, k, i)

        return Expression(f"select({name}({a.text}, {b.text}), {c.text}, {d.text})", value)

    def _look_up(self, depth: int) -> Expression:
        a = self.make(depth)
        index = min(self.width, self.rng.choice([4, 8]))
        low = self.rng.randrange(self.width - index + 1)
        name, entries = self.tables.words(self.width, 1 << index)
        return Expression(
            f"{name}[bits({a.text}, {low}, {index})]",
            lambda s, k, i: entries[a.value(s, k, i) >> low & (1 << index) - 1],
        )


_OPERATORS: tuple[tuple[str, Callable[[int, int], int]], ...] = (
    ("+", lambda x, y: x + y), ("-", lambda x, y: x - y), ("*", lambda x, y: x * y),
    ("&", lambda x, y: x & y), ("|", lambda x, y: x | y), ("^", lambda x, y: x ^ y),
)  # fmt: skip


def rotated(x: int, left: int, width: int) -> int:
    """Return a word rotated to the left; a negative amount rotates to the right."""
    left %= width
    return (x << left | x >> width - left) & (1 << width) - 1
