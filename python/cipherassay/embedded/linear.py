"""Products of a matrix over GF(2^n) with bytes: sums that rows share are made once."""

from __future__ import annotations

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
