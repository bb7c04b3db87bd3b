"""What each operation computes on numbers: the plain run of a description.

Every function takes the numbers of its operands and their widths in bits; the result lies in 0 to 2^w - 1.
Independent of the engine's evaluator, with which each compiled program is compared.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import add, and_, mul, or_, sub, xor
from typing import Any

Numbers = Sequence[int]
Meaning = Callable[[Numbers, Numbers, int, Any], int]
"""(operand values, operand widths, result width, attribute) -> result."""


def _modular(operation: Callable[[int, int], int]) -> Meaning:
    return lambda v, _w, width, _: operation(v[0], v[1]) & (1 << width) - 1


def _rotate_left(value: int, amount: int, width: int) -> int:
    amount %= width
    return (value << amount | value >> (width - amount)) & (1 << width) - 1


def _concat(values: Numbers, widths: Numbers, _width: int, _: Any) -> int:
    result = position = 0
    for value, width in zip(values, widths, strict=True):
        result |= value << position
        position += width
    return result


MEANINGS: dict[str, Meaning] = {
    "add": _modular(add),
    "sub": _modular(sub),
    "mul": _modular(mul),
    "and": _modular(and_),
    "or": _modular(or_),
    "xor": _modular(xor),
    "not": lambda v, _w, width, _: ~v[0] & (1 << width) - 1,
    "shl": lambda v, _w, width, _: v[0] << v[1] & (1 << width) - 1 if v[1] < width else 0,
    "shr": lambda v, _w, width, _: v[0] >> v[1],
    "rotl": lambda v, _w, width, _: _rotate_left(v[0], v[1], width),
    "rotr": lambda v, _w, width, _: _rotate_left(v[0], width - v[1] % width, width),
    "extract": lambda v, _w, width, low: v[0] >> low & (1 << width) - 1,
    "concat": _concat,
    "zext": lambda v, _w, _width, _: v[0],
    "eq": lambda v, _w, _width, _: int(v[0] == v[1]),
    "ne": lambda v, _w, _width, _: int(v[0] != v[1]),
    "ltu": lambda v, _w, _width, _: int(v[0] < v[1]),
    "select": lambda v, _w, _width, _: v[1] if v[0] else v[2],
}


def bitsliced(box: Sequence[int], words: Numbers, width: int, outputs: int) -> list[int]:
    """Apply ``box`` at each of ``width`` bit positions; word k holds bit k of every input."""
    result = [0] * outputs
    for position in range(width):
        x = sum((word >> position & 1) << k for k, word in enumerate(words))
        for k in range(outputs):
            result[k] |= (box[x] >> k & 1) << position
    return result
