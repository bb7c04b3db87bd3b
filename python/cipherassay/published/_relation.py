"""Expressions over printed numbers, evaluated on the intervals that the printed digits stand for."""

from __future__ import annotations

import ast
import itertools
import math
import operator
from collections.abc import Callable, Mapping, Sequence

Interval = tuple[float, float]
Values = Mapping[str, Sequence[Interval]]

SLACK = 1e-9
"""Relative allowance for the rounding of binary floating point."""


class ExpressionError(Exception):
    """An expression that cannot be evaluated; the text says why."""


def holds(expression: str, values: Values, tolerance: float = 0.0) -> bool:
    """Whether a comparison is possible within the intervals of the printed numbers.

    ``a == b`` holds where the intervals meet, ``a <= b`` where some number of the first is at most some
    number of the second. Names are the bound rows; ``min``, ``max``, ``sum`` and ``count`` take a name bound
    to several. ``tolerance`` is what may be lacking, as a share of the larger side.

    Raises
    ------
    ExpressionError
        The text is not a comparison of arithmetic, names an unbound row, or divides by zero.
    """
    try:
        tree = ast.parse(expression, mode="eval").body
    except SyntaxError as error:
        raise ExpressionError(f"not an expression: {error.msg}") from error
    if not isinstance(tree, ast.Compare):
        raise ExpressionError("not a comparison")
    sides = [_value(side, values) for side in (tree.left, *tree.comparators)]
    return all(
        _compare(op, a, b, tolerance) for op, (a, b) in zip(tree.ops, itertools.pairwise(sides), strict=True)
    )


def sides(expression: str, values: Values) -> str:
    """The sides of a comparison as numbers: ``1.17 == 1.1769``."""
    tree = ast.parse(expression, mode="eval").body
    if not isinstance(tree, ast.Compare):
        raise ExpressionError("not a comparison")
    numbers = [_value(side, values) for side in (tree.left, *tree.comparators)]
    words = [f"{(low + high) / 2:.6g}" for low, high in numbers]
    signs = [{ast.Eq: "==", ast.LtE: "<=", ast.GtE: ">="}.get(type(op), "?") for op in tree.ops]
    return " ".join(word for pair in itertools.zip_longest(words, signs) for word in pair if word)


def _compare(op: ast.cmpop, a: Interval, b: Interval, tolerance: float) -> bool:
    largest = max(abs(end) for end in (*a, *b))
    slack = max(SLACK * max(1.0, largest), tolerance * largest)
    if isinstance(op, ast.Eq):
        return a[0] <= b[1] + slack and b[0] <= a[1] + slack
    if isinstance(op, ast.LtE):
        return a[0] <= b[1] + slack
    if isinstance(op, ast.GtE):
        return b[0] <= a[1] + slack
    raise ExpressionError("only ==, <= and >= compare")


def _value(node: ast.expr, values: Values) -> Interval:
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        return float(node.value), float(node.value)
    if isinstance(node, ast.Name):
        return _single(node.id, values)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        low, high = _value(node.operand, values)
        return -high, -low
    if isinstance(node, ast.BinOp):
        return _binary(node.op, _value(node.left, values), _value(node.right, values))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
        return _call(node.func.id, node.args, values)
    raise ExpressionError(f"`{ast.unparse(node)}` is not arithmetic")


def _single(name: str, values: Values) -> Interval:
    if name not in values:
        raise ExpressionError(f"`{name}` is not bound")
    if len(values[name]) != 1:
        raise ExpressionError(f"`{name}` is {len(values[name])} rows")
    return values[name][0]


OPERATORS: Mapping[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}


def _binary(op: ast.operator, a: Interval, b: Interval) -> Interval:
    if type(op) not in OPERATORS:
        raise ExpressionError("only + - * / compute")
    if isinstance(op, ast.Div) and b[0] <= 0 <= b[1]:
        raise ExpressionError("division by zero")
    # The extremes of these operators over a box lie in its corners.
    corners = [OPERATORS[type(op)](x, y) for x in a for y in b]
    return min(corners), max(corners)


def _call(name: str, arguments: Sequence[ast.expr], values: Values) -> Interval:
    if len(arguments) == 1 and isinstance(arguments[0], ast.Name) and name in ("min", "max", "sum", "count"):
        many = values.get(arguments[0].id)
        if many is None:
            raise ExpressionError(f"`{arguments[0].id}` is not bound")
        return _aggregate(name, many)
    numbers = [_value(argument, values) for argument in arguments]
    if name in ("min", "max"):
        return _aggregate(name, numbers)
    if len(numbers) == 1 and name in ("ceil", "floor", "sqrt"):
        function: Callable[[float], float] = getattr(math, name)
        return function(numbers[0][0]), function(numbers[0][1])
    if len(numbers) == 1 and name == "abs":
        low, high = numbers[0]
        return (0.0 if low <= 0 <= high else min(abs(low), abs(high))), max(abs(low), abs(high))
    raise ExpressionError(f"unknown function `{name}` of {len(numbers)}")


def _aggregate(name: str, many: Sequence[Interval]) -> Interval:
    if name == "count":
        return float(len(many)), float(len(many))
    combine: Callable[..., float] = {"min": min, "max": max}.get(name, lambda *ends: sum(ends))
    lows, highs = [low for low, _ in many], [high for _, high in many]
    return (lows[0], highs[0]) if len(many) == 1 else (combine(*lows), combine(*highs))
