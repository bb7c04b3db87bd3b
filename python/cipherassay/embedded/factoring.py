"""Matrices over GF(2^n) in the fewest cycles: sums taken out on either side of what Horner's rule makes.

A factor adds the sum of some inputs to others before the rest of the matrix (as in M = M' F), or the sum of
some results to others behind it (M = F M'); several of each are tried, always those first that leave the
fewest terms. What such a factor takes out is what rows share across powers of x: the inverse of Rijndael's
MixColumns takes three doublings instead of the seven of Horner's rule.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import combinations

from cipherassay.embedded import linear

Matrix = tuple[tuple[int, ...], ...]
Factor = tuple[tuple[int, ...], tuple[int, ...]]
"""What is added to, and what is summed up."""
Plan = tuple[tuple[tuple[str, int, int], ...], tuple[int, ...]]

FACTORS = 3
"""How many factors there are at most."""
TRIED, KEPT = 40, 4
"""Matrices of which the cost is computed from one, and those that the next factors are tried on."""
SMALL, FEW = 4, 2
"""Up to so many inputs or results any of them are in a factor, of more than those at most so many."""


@dataclass(frozen=True)
class Weights:
    """Cycles of an exclusive or, a product with x or 1/x in place, a copy where a value is needed again."""

    xor: float
    double: float
    copy: float


@dataclass(frozen=True)
class _Tried:
    """Factors before and behind a matrix that is left, and the cost of all."""

    cost: float
    before: tuple[Factor, ...]
    matrix: Matrix
    behind: tuple[Factor, ...]
    plan: Plan


@cache
def best(polynomial: int, rows: Matrix, weights: Weights) -> Plan:
    """Return the cheapest plan found, as `linear.plan` or `linear.halving_plan` do.

    Tried are additions in place (matrices of zeros and ones), and factors around Horner's rule in x and 1/x.
    """
    plans = [_searched(polynomial, rows, weights)]
    if all(e < 2 for row in rows for e in row):
        if found := linear.in_place(rows):
            plans.append(_as_plan(*found))
    else:
        steps, results = _searched(polynomial, linear.turned(polynomial, rows), weights)
        plans.append((tuple(("halve" if kind == "double" else kind, a, b) for kind, a, b in steps), results))
    return min(plans, key=lambda plan: cost(plan, weights))


def cost(plan: Plan, weights: Weights) -> float:
    """Return the cycles of a plan in its order: a step overwrites an operand that nothing needs any more."""
    steps, results = plan
    last = {o: n for n, step in enumerate(steps) for o in _operands(step)}
    total = 0.0
    for n, step in enumerate(steps):
        total += weights.xor if step[0] == "xor" else weights.double
        if all(last[o] > n or o in results for o in _operands(step)):
            total += weights.copy
    return total


def _operands(step: tuple[str, int, int]) -> tuple[int, ...]:
    return step[1:] if step[0] == "xor" else step[1:2]


def _as_plan(begins: tuple[int, ...], additions: tuple[tuple[int, int], ...]) -> Plan:
    """Return additions of one result to another as a plan."""
    made, steps = list(begins), []
    for i, j in additions:
        steps.append(("xor", made[i], made[j]))
        made[i] = len(begins) + len(steps) - 1
    return tuple(steps), tuple(made)


def _searched(polynomial: int, rows: Matrix, weights: Weights) -> Plan:
    """Return the cheapest plan found of factors and doublings."""
    factors = (_factors(len(rows[0])), _factors(len(rows)))
    done = least = _tried(polynomial, weights, (), rows, ())
    front, seen = [done], {rows}
    for _ in range(FACTORS):
        found = [_tried(polynomial, weights, *one) for at in front for one in _next(at, factors, seen)]
        front = sorted(found, key=lambda t: t.cost)[:KEPT]
        least = min([least, *front], key=lambda t: t.cost)
    return least.plan


def _factors(count: int) -> list[Factor]:
    """Return the factors that are their own inverses."""
    most = count if count <= SMALL else FEW
    chosen = [c for k in range(1, most + 1) for c in combinations(range(count), k)]
    return [(a, b) for b in chosen for a in chosen if len({*a} & {*b}) % 2 == 0]


def _next(
    at: _Tried, factors: tuple[list[Factor], list[Factor]], seen: set[Matrix]
) -> Iterator[tuple[tuple[Factor, ...], Matrix, tuple[Factor, ...]]]:
    """Yield one factor more, of those that leave the fewest terms in the matrix."""
    turned = tuple(zip(*at.matrix, strict=True))
    # Summing up inputs adds columns to columns, and what was added to is then summed up.
    before = [(f, tuple(zip(*_added(turned, (f[1], f[0])), strict=True)), True) for f in factors[0]]
    behind = [(f, _added(at.matrix, f), False) for f in factors[1]]
    fresh = [one for one in before + behind if one[1] not in seen]
    fresh.sort(key=lambda one: sum(e.bit_count() for row in one[1] for e in row))
    for factor, matrix, first in fresh[: max(TRIED * SMALL // max(SMALL, len(turned)), 1)]:
        if matrix not in seen:
            seen.add(matrix)
            yield (
                ((*at.before, factor), matrix, at.behind) if first
                else (at.before, matrix, (factor, *at.behind))
            )  # fmt: skip


def _added(rows: Matrix, factor: Factor) -> Matrix:
    """Return rows with the sum of some added to others."""
    to, of = factor
    total = [0] * len(rows[0])
    for n in of:
        total = [a ^ b for a, b in zip(total, rows[n], strict=True)]
    return tuple(
        tuple(a ^ b for a, b in zip(row, total, strict=True)) if n in to else row
        for n, row in enumerate(rows)
    )


def _tried(
    polynomial: int, weights: Weights, before: tuple[Factor, ...], matrix: Matrix, behind: tuple[Factor, ...]
) -> _Tried:
    maker = _Maker(len(matrix[0]))
    values = list(range(len(matrix[0])))
    for factor in before:
        values = maker.added(values, factor)
    steps, results = linear.plan(polynomial, matrix)
    for kind, a, b in steps:
        values.append(maker.step(kind, values[a], values[b] if kind == "xor" else 0))
    values = [values[r] if r >= 0 else -1 for r in results]
    for factor in behind:
        values = maker.added(values, factor)
    plan = maker.needed(values)
    return _Tried(cost(plan, weights), before, matrix, behind, plan)


class _Maker:
    """Steps of a plan; what is equal is made once, -1 is zero."""

    def __init__(self, inputs: int) -> None:
        self.inputs = inputs
        self.steps: list[tuple[str, int, int]] = []
        self.known: dict[tuple[str, int, int], int] = {}

    def step(self, kind: str, a: int, b: int) -> int:
        """Return the number of a step's value."""
        if kind == "xor":
            a, b = sorted((a, b))
            if a in (-1, b):
                return b if a == -1 else -1
        elif a == -1:
            return -1
        if (kind, a, b) not in self.known:
            self.steps.append((kind, a, b))
            self.known[kind, a, b] = self.inputs + len(self.steps) - 1
        return self.known[kind, a, b]

    def added(self, values: list[int], factor: Factor) -> list[int]:
        """Return values with the sum of some added to others."""
        to, of = factor
        total = -1
        for n in of:
            total = self.step("xor", total, values[n])
        return [self.step("xor", v, total) if n in to else v for n, v in enumerate(values)]

    def needed(self, results: list[int]) -> Plan:
        """Return the steps that results need, numbered anew, and the results."""
        needed = set(results)
        for n in range(len(self.steps) - 1, -1, -1):
            if self.inputs + n in needed:
                needed.update(_operands(self.steps[n]))
        number = {n: n for n in range(-1, self.inputs)}
        steps = []
        for n, (kind, a, b) in enumerate(self.steps, self.inputs):
            if n in needed:
                steps.append((kind, number[a], number[b] if kind == "xor" else 0))
                number[n] = self.inputs + len(steps) - 1
        return tuple(steps), tuple(number[r] for r in results)
