"""Products of a matrix over GF(2^n) with bytes: sums that rows share are made once."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from functools import cache


@cache
def plan(
    polynomial: int, rows: tuple[tuple[int, ...], ...]
) -> tuple[tuple[tuple[str, int, int], ...], tuple[int, ...]]:
    """Return steps and the numbers of the rows' values: -1 is zero, inputs come first, then steps in order.

    A step is ``("xor", a, b)`` or ``("double", a, 0)``. By Horner's rule a row is s0 + x (s1 + x (s2 + …)),
    where each s is a sum of inputs; the pair in most sums is made first (Paar's greedy rule). What
    is equal is made once.
    """
    inputs, degree = len(rows[0]), polynomial.bit_length() - 1
    steps: list[tuple[str, int, int]] = []
    known: dict[tuple[str, int, int], int] = {}

    def step(kind: str, a: int, b: int) -> int:
        if kind == "xor" and -1 in (a, b):
            return max(a, b)
        if kind == "double" and a == -1:
            return -1
        key = (kind, min(a, b), max(a, b)) if kind == "xor" else (kind, a, b)
        if key not in known:
            steps.append((kind, a, b))
            known[key] = inputs + len(steps) - 1
        return known[key]

    sums = [[{j for j, e in enumerate(row) if e >> k & 1} for k in range(degree)] for row in rows]
    distinct = [set(s) for s in {frozenset(s) for row in sums for s in row if s}]
    distinct.sort(key=sorted)
    made = _shared(distinct, lambda a, b: step("xor", a, b))
    values = dict(made)
    results = []
    for row in sums:
        value = -1
        for s in reversed(row):
            value = step("double", value, 0)
            if s:
                value = step("xor", value, values[frozenset(s)])
        results.append(value)
    return tuple(steps), tuple(results)


def half(polynomial: int) -> int:
    """Return 1/x in the field."""
    return polynomial >> 1


def halving_plan(
    polynomial: int, rows: tuple[tuple[int, ...], ...]
) -> tuple[tuple[tuple[str, int, int], ...], tuple[int, ...]]:
    """Return a plan as `plan`, by Horner's rule in 1/x: steps ``("halve", a, 0)`` for doublings."""
    steps, results = plan(polynomial, turned(polynomial, rows))
    return tuple(("halve" if kind == "double" else kind, a, b) for kind, a, b in steps), results


def turned(polynomial: int, rows: tuple[tuple[int, ...], ...]) -> tuple[tuple[int, ...], ...]:
    """Return a matrix whose coefficients are those of powers of 1/x, as `plan` reads powers of x.

    What is c0 + c1/x + c2/x^2 + … is a polynomial of the same coefficients in 1/x; times x^(n-1) they stand
    in the usual order.
    """
    degree = polynomial.bit_length() - 1

    def one(e: int) -> int:
        e = product(1 << degree - 1, e, polynomial)
        return sum((e >> k & 1) << degree - 1 - k for k in range(degree))

    return tuple(tuple(map(one, row)) for row in rows)


def _shared(sums: list[set[int]], add: Callable[[int, int], int]) -> list[tuple[frozenset[int], int]]:
    originals = [frozenset(s) for s in sums]
    sums = [set(s) for s in sums]
    while True:
        counts: Counter[tuple[int, int]] = Counter()
        for s in sums:
            ordered = sorted(s)
            counts.update((a, b) for n, a in enumerate(ordered) for b in ordered[n + 1 :])
        if not counts:
            break
        (a, b), _ = min(counts.items(), key=lambda item: (-item[1], item[0]))
        new = add(a, b)
        for s in sums:
            if a in s and b in s:
                s -= {a, b}
                s ^= {new}
    return [(o, next(iter(s))) for o, s in zip(originals, sums, strict=True)]


@cache
def in_place(rows: tuple[tuple[int, ...], ...]) -> tuple[tuple[int, ...], tuple[tuple[int, int], ...]] | None:
    """Return how an invertible matrix of zeros and ones is applied without copies, or None for others.

    First which input each result begins as, then steps ``(i, j)``: result i is added to by result j. Rows are
    added to each other until each has one entry, as in the circuits of CNOT gates of linear maps: always what
    leaves the fewest entries in the matrix and its inverse together, ties by lot; the best of many attempts.
    """
    n = len(rows)
    if any(e > 1 for row in rows for e in row) or any(len(row) != n for row in rows):
        return None
    matrix = [sum(e << j for j, e in enumerate(row)) for row in rows]
    inverse = _inverted(matrix)
    if inverse is None:
        return None
    numbers = random.Random(0)
    found = [one for _ in range(_ATTEMPTS) if (one := _reduced(matrix, inverse, numbers)) is not None]
    if not found:
        return None
    steps, rest = min(found, key=lambda one: len(one[0]))
    return tuple(row.bit_length() - 1 for row in rest), tuple(reversed(steps))


_ATTEMPTS = 100


def _inverted(matrix: list[int]) -> list[int] | None:
    n = len(matrix)
    rows = [row | 1 << n + k for k, row in enumerate(matrix)]
    for c in range(n):
        pivot = next((r for r in range(c, n) if rows[r] >> c & 1), None)
        if pivot is None:
            return None
        rows[c], rows[pivot] = rows[pivot], rows[c]
        rows = [row ^ rows[c] if r != c and row >> c & 1 else row for r, row in enumerate(rows)]
    return [row >> n for row in rows]


def _reduced(
    matrix: list[int], inverse: list[int], numbers: random.Random
) -> tuple[list[tuple[int, int]], list[int]] | None:
    """Return additions of rows that leave a permutation, and that."""
    n = len(matrix)
    rows = list(matrix)
    columns = [sum((row >> k & 1) << r for r, row in enumerate(inverse)) for k in range(n)]
    steps: list[tuple[int, int]] = []
    while sum(row.bit_count() for row in rows) > n:
        # Adding row j to row i adds column i of the inverse to column j.
        gains = {
            (i, j): (rows[i] ^ rows[j]).bit_count() - rows[i].bit_count()
            + (columns[j] ^ columns[i]).bit_count() - columns[j].bit_count()
            for i in range(n) for j in range(n) if i != j
        }  # fmt: skip
        least = min(gains.values())
        if least >= 0:
            return None
        i, j = numbers.choice([step for step, gain in gains.items() if gain == least])
        rows[i] ^= rows[j]
        columns[j] ^= columns[i]
        steps.append((i, j))
    return steps, rows


def product(coefficient: int, x: int, polynomial: int) -> int:
    """Return a product in the field."""
    degree, result = polynomial.bit_length() - 1, 0
    while coefficient:
        if coefficient & 1:
            result ^= x
        x <<= 1
        if x >> degree & 1:
            x ^= polynomial
        coefficient >>= 1
    return result
