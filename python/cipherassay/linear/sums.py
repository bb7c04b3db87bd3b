"""Programs of bytes: exclusive ors of bytes, and doublings where the matrix is over GF(2^8)."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cipherassay.circuits.linear import minimize
from cipherassay.linear.matrices import Matrix
from cipherassay.linear.program import Program, Step

_engine: Any = importlib.import_module("cipherassay._engine")
MOST_EXHAUSTED = 8
"""Most columns of a matrix whose sets of sums can be exhausted."""
CHEAPER = 10
"""A set of sums of bytes takes about that much less time than one of words."""


@dataclass(frozen=True)
class Effort:
    """A space that was exhausted: all programs of up to `count` `what` (sums, operations, cycles).

    `count` is -1 if none was exhausted, None if programs of any length are impossible. `space` says which it
    is, `nodes` how many sets were looked at for each count, `end` why the search went no further.
    """

    what: str
    space: str
    count: int | None
    nodes: tuple[int, ...]
    end: str


@dataclass(frozen=True)
class Sums:
    """The program found for bytes, and the bound on its exclusive ors with its reason."""

    program: Program
    xor_bound: int
    reason: str
    efforts: tuple[Effort, ...] = ()


def search(matrix: Matrix, *, most_nodes: int, tell: Callable[[str], bool] = lambda _line: False) -> Sums:
    """Find the fewest exclusive ors of bytes, with a proof where the space closes."""
    bound = counting_bound(matrix)
    reason = "counting: the terms of the first output, one more for each other that is no multiple"
    if not matrix.is_binary:
        return Sums(_over_field(matrix, tell), bound, reason)
    found = minimize(matrix.rows, stop=lambda: tell("sums"))
    program = _program(matrix, found.steps, found.outputs)
    if matrix.columns > MOST_EXHAUSTED:
        return Sums(program, bound, reason)
    nodes: list[int] = []
    end = "proved"
    for count in range(bound, found.xors):
        if _expected(nodes) > CHEAPER * most_nodes:
            end = "too large"
            break
        rows = [sum(bit << k for k, bit in enumerate(row)) for row in matrix.rows]
        said = json.loads(
            _engine.linear_fewest(
                matrix.columns, rows, count, lambda _line, n=count: tell(f"{n} sums of bytes")
            )
        )
        if said["is_stopped"]:
            end = "stopped"
            break
        if said["sums"] is not None:
            program = _of_sums(matrix, said["sums"])
            break
        nodes.append(said["nodes"])
        bound, reason = count + 1, f"all sets of {count} sums exhausted"
    return Sums(
        program, bound, reason, (Effort("sums", "sums of bytes", bound - 1, tuple(nodes), end),) * bool(nodes)
    )


def counting_bound(matrix: Matrix) -> int:
    """Return the exclusive ors that any program needs, by counting.

    Of outputs that are no multiples of one another the one that is there first needs one less than it has
    terms, each other at least one more; and the widest needs one less than it has terms.
    """
    sums = {_direction(row, matrix) for row in matrix.rows if sum(map(bool, row)) > 1}
    terms = [sum(map(bool, row)) for row in sums]
    return max(min(terms) - 1 + len(sums) - 1, max(terms) - 1) if terms else 0


def _direction(row: Sequence[int], matrix: Matrix) -> tuple[int, ...]:
    """Return the multiple of a row that has one first: the same for rows that are multiples of each other."""
    scale = Matrix._inverse_of(matrix, next(factor for factor in row if factor))
    return tuple(matrix._multiplied(scale, factor) for factor in row)


def _expected(nodes: Sequence[int]) -> float:
    """Return the sets to be expected for the next count."""
    return nodes[-1] ** 2 / max(nodes[-2], 1) if len(nodes) > 1 and nodes[-1] > 10_000 else 0


def _program(matrix: Matrix, pairs: Sequence[tuple[int, int]], outputs: Sequence[int | None]) -> Program:
    """Return exclusive ors of bytes as a program; an output without terms is a byte added to itself."""
    steps = [Step("xor", pair) for pair in pairs]
    results = list(outputs)
    if None in results:
        steps.append(Step("xor", (0, 0)))
        results = [matrix.columns + len(steps) - 1 if wire is None else wire for wire in results]
    places = tuple(range(matrix.columns))
    wires = tuple(wire for wire in results if wire is not None)
    return Program(8, matrix.polynomial, tuple(steps), wires, places, tuple(range(len(matrix.rows))))


def _of_sums(matrix: Matrix, sums: Sequence[int]) -> Program:
    known = [1 << k for k in range(matrix.columns)]
    pairs = []
    for total in sums:
        pairs.append(
            next((a, known.index(known[a] ^ total)) for a in range(len(known)) if known[a] ^ total in known)
        )
        known.append(total)
    rows = [sum(bit << k for k, bit in enumerate(row)) for row in matrix.rows]
    return _program(matrix, pairs, [known.index(row) if row else None for row in rows])


def powers(matrix: Matrix, lowest: int) -> dict[int, tuple[tuple[int, ...], ...]]:
    """Return the matrices of zeros and ones that give `matrix` times x^e and added, e from `lowest` on.

    Those that are zero are left out.
    """
    scale = 1
    for _ in range(-lowest):
        scale = matrix._multiplied(2, scale)
    raised = [[matrix._multiplied(scale, factor) for factor in row] for row in matrix.rows]
    parts = {
        bit + lowest: tuple(tuple(factor >> bit & 1 for factor in row) for row in raised) for bit in range(8)
    }
    return {e: rows for e, rows in parts.items() if any(map(any, rows))}


def horner(parts: Mapping[int, Any]) -> Iterator[tuple[str, list[int]]]:
    """Yield the two chains of exponents, each from its far end: ``double`` to 0, ``halve`` to -1."""
    yield "double", sorted((e for e in parts if e >= 0), reverse=True)
    yield "halve", sorted(e for e in parts if e < 0)


class Values:
    """Steps without repetition: what was computed before is not computed again."""

    def __init__(self, inputs: int) -> None:
        self.inputs, self.steps = inputs, list[Step]()
        self._known: dict[Step, int] = {}

    def add(self, kind: str, *operands: int) -> int:
        """Return the value of a step."""
        step = Step(kind, tuple(sorted(operands)) if kind == "xor" else operands)
        if step not in self._known:
            self._known[step] = self.inputs + len(self.steps)
            self.steps.append(step)
        return self._known[step]

    def sum(self, *values: int | None) -> int | None:
        """Return the sum of values, of which None is zero; equal ones go first, so that they cancel."""
        total: int | None = None
        for value in values:
            if total is None or value is None:
                total = value if total is None else total
            else:
                total = None if total == value else self.add("xor", total, value)
        return total


def chained(values: Values, parts: Mapping[int, Sequence[int | None]], count: int) -> list[int | None]:
    """Return, for each of `count` outputs, the sum over e of x^e times its part of exponent e."""
    outputs: list[int | None] = []
    for n in range(count):
        total: int | None = None
        for kind, exponents in horner(parts):
            chain: int | None = None
            for place, e in enumerate(exponents):
                chain = values.sum(chain, parts[e][n])
                following = exponents[place + 1] if place + 1 < len(exponents) else 0
                for _ in range(abs(e - following)):
                    chain = None if chain is None else values.add(kind, chain)
            total = values.sum(total, chain)
        outputs.append(total)
    return outputs


def _over_field(matrix: Matrix, tell: Callable[[str], bool]) -> Program:
    """Return the shortest program that adds first and doubles the sums then, of all windows of exponents."""
    found = [_in_window(matrix, lowest, tell) for lowest in range(0, -8, -1)]
    return min(found, key=lambda program: len(program.steps))


def _in_window(matrix: Matrix, lowest: int, tell: Callable[[str], bool]) -> Program:
    parts = powers(matrix, lowest)
    stacked = [row for rows in parts.values() for row in rows]
    sums = minimize(stacked, starts=2, patience=4000, stop=lambda: tell("sums"))
    values = Values(matrix.columns)
    wires: list[int] = list(range(matrix.columns))
    for a, b in sums.steps:
        wires.append(values.add("xor", wires[a], wires[b]))
    outputs = iter(sums.outputs)
    placed: dict[int, Sequence[int | None]] = {
        e: [None if (wire := next(outputs)) is None else wires[wire] for _ in rows]
        for e, rows in parts.items()
    }
    results = chained(values, placed, len(matrix.rows))
    filled = [values.add("xor", 0, 0) if value is None else value for value in results]
    places = tuple(range(matrix.columns))
    rows = tuple(range(len(matrix.rows)))
    return Program(8, matrix.polynomial, tuple(values.steps), tuple(filled), places, rows)
