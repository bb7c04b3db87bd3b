"""A program for any matrix where the machine has masks: each diagonal is a rotated word and a mask."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Sequence

from cipherassay.linear.machines import Machine
from cipherassay.linear.matrices import Matrix
from cipherassay.linear.program import Program
from cipherassay.linear.sums import Values, chained, powers

TRIES = 1500
"""Orders that are tried where there are too many for all."""
Rows = Sequence[Sequence[int]]
Order = tuple[int, ...]


def construct(matrix: Matrix, word_bits: int, machine: Machine, *, is_free: bool) -> Program | None:
    """Return the shortest program met over orders of the bytes; None if the machine lacks what it takes."""
    if "mask" not in machine.operations or not {"rotate", "shift"} & machine.operations.keys():
        return None
    windows = [0] if matrix.is_binary else list(range(0, -8, -1))
    given = (tuple(range(matrix.columns)), tuple(range(len(matrix.rows))))
    window = min(windows, key=lambda w: len(_Builder(matrix, word_bits, machine, given, w).build().steps))
    best = _Builder(matrix, word_bits, machine, given, window).build()
    for order in _orders(given) if is_free else ():
        new = _Builder(matrix, word_bits, machine, order(best), window).build()
        if len(new.steps) < len(best.steps):
            best = new
    return best


class _Swap:
    """An order made of that of a program by exchanging two places, of the inputs or of the outputs."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance

    def __call__(self, best: Program) -> tuple[Order, Order]:
        sides = [list(best.inputs), list(best.outputs)]
        for _ in range(1 + self._chance.randrange(2)):
            side = sides[self._chance.randrange(2)]
            a, b = (self._chance.randrange(len(side)) for _ in range(2))
            side[a], side[b] = side[b], side[a]
        return tuple(sides[0]), tuple(sides[1])


class _FixedSums:
    def __init__(self, order: tuple[Order, Order]) -> None:
        self._order = order

    def __call__(self, _best: Program) -> tuple[Order, Order]:
        return self._order


def _orders(given: tuple[Order, Order]) -> Iterator[_Swap | _FixedSums]:
    """Yield every order of small matrices; of others exchanges from the best, each time the same."""
    if max(map(len, given)) <= 4:
        pairs = itertools.product(itertools.permutations(given[0]), itertools.permutations(given[1]))
        return (_FixedSums(pair) for pair in pairs)
    chance = random.Random(1)
    return (_Swap(chance) for _ in range(TRIES))


class _Builder:
    """One program."""

    def __init__(
        self, matrix: Matrix, word_bits: int, machine: Machine, order: tuple[Order, Order], window: int
    ) -> None:
        self.matrix, self.machine, self.order = matrix, machine, order
        self.bits, self.size, self.window = word_bits, word_bits // 8, window
        self.words = matrix.columns // self.size
        self.values = Values(self.words)
        self.full = (1 << self.size) - 1

    def build(self) -> Program:
        """Return the program."""
        parts = {0: self.matrix.rows} if self.matrix.is_binary else powers(self.matrix, self.window)
        placed = {e: self._sums(rows) for e, rows in parts.items()}
        results = chained(self.values, placed, len(self.matrix.rows) // self.size)
        filled = [self.values.add("xor", 0, 0) if value is None else value for value in results]
        steps = tuple(self.values.steps)
        return Program(self.bits, self.matrix.polynomial, steps, tuple(filled), *self.order)

    def _sums(self, rows: Rows) -> list[int | None]:
        """Return each word of the result for a matrix of zeros and ones."""
        count = len(self.order[1]) // self.size
        return [self._word(rows, self.order[1][n * self.size : (n + 1) * self.size]) for n in range(count)]

    def _word(self, rows: Rows, places: Order) -> int | None:
        plain = self._diagonals(rows, places, 0)
        turned = self._diagonals(rows, places, 1)
        if self._masks(turned) + 1 < self._masks(plain):  # all ones, and what is too much
            return self.values.sum(self._masked(turned), self._masked(self._diagonals(rows, places, 2)))
        return self._masked(plain)

    def _diagonals(self, rows: Rows, places: Order, how: int) -> dict[int, list[tuple[int, int]]]:
        """Return the terms (word, rotation) of each set of bytes: of the rows, their complement, or ones."""
        groups: dict[int, list[tuple[int, int]]] = {}
        for word, by in itertools.product(range(self.words), range(self.size)):
            kept = 0
            for lane, row in enumerate(places):
                column = self.order[0][word * self.size + (lane - by) % self.size]
                kept |= (rows[row][column], 1 - rows[row][column], 1)[how] << lane
            if kept:
                groups.setdefault(kept, []).append((word, by))
        return groups

    def _masks(self, groups: dict[int, list[tuple[int, int]]]) -> int:
        return sum(kept != self.full for kept in groups)

    def _masked(self, groups: dict[int, list[tuple[int, int]]]) -> int | None:
        total: int | None = None
        for kept, terms in sorted(groups.items(), reverse=True):
            total = self.values.sum(total, self._group(kept, terms))
        return total

    def _group(self, kept: int, terms: list[tuple[int, int]]) -> int | None:
        if kept != self.full and len(terms) == 1 and "shift" in self.machine.operations:
            word, by = terms[0]
            if by and kept == self.full & ~((1 << by) - 1):
                return self.values.add("up", word, by)
            if by and kept == (1 << by) - 1:
                return self.values.add("down", word, self.size - by)
        if len(terms) == self.words * self.size:
            total = self.values.sum(*range(self.words))
            half = self.size // 2
            while total is not None and half:
                total = self.values.sum(total, self._rotated(total, half))
                half //= 2
        else:
            total = self.values.sum(*(self._rotated(word, by) for word, by in terms))
        if total is None or kept == self.full:
            return total
        return self.values.add("mask", total, kept)

    def _rotated(self, value: int, by: int) -> int:
        if not by:
            return value
        if "rotate" in self.machine.operations:
            return self.values.add("rotate", value, by)
        up, down = self.values.add("up", value, by), self.values.add("down", value, self.size - by)
        return self.values.add("xor", up, down)
