"""Boolean functions of up to four operands, written as expressions: ``a & ~b``, ``~((a & b) | c)``."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from cipherassay.errors import DescriptionError, Place

OPERANDS = ("a", "b", "c", "d")


def truth_table(expression: str, operands: Sequence[str], place: Place) -> int:
    """Return the truth table of an expression: bit ``a0 + 2 a1 + 4 a2 + 8 a3`` is the value there.

    ``~`` or ``!`` is the complement, then ``&`` (or ``*``), ``^``, ``|`` (or ``+``) in that order of binding.

    Raises
    ------
    DescriptionError
        ``C204``: it is no expression, or names what is no operand.
    """
    text = expression.strip().replace("!", "~").replace("*", "&").replace("+", "|")
    try:
        tree = ast.parse(text, mode="eval").body
    except SyntaxError:
        raise _wrong(f"`{expression}` is no function", operands, place) from None
    full = (1 << (1 << len(operands))) - 1
    columns = {
        name: sum(1 << index for index in range(1 << len(operands)) if index >> n & 1)
        for n, name in enumerate(operands)
    }
    return _evaluate(tree, columns, full, expression, place) & full


def used_operands(expression: str) -> list[str]:
    """Return the names of an expression in the order of the alphabet."""
    tree = ast.parse(expression.strip().replace("!", "~").replace("*", "&").replace("+", "|"), mode="eval")
    return sorted({node.id for node in ast.walk(tree) if isinstance(node, ast.Name)})


def _evaluate(node: ast.expr, columns: dict[str, int], full: int, expression: str, place: Place) -> int:
    if isinstance(node, ast.Name) and node.id in columns:
        return columns[node.id]
    if isinstance(node, ast.Name):
        raise _wrong(f"`{node.id}` is no operand of `{expression}`", list(columns), place)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Invert):
        return full ^ _evaluate(node.operand, columns, full, expression, place)
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.BitAnd, ast.BitOr, ast.BitXor)):
        left = _evaluate(node.left, columns, full, expression, place)
        right = _evaluate(node.right, columns, full, expression, place)
        if isinstance(node.op, ast.BitAnd):
            return left & right
        return left | right if isinstance(node.op, ast.BitOr) else left ^ right
    raise _wrong(f"`{expression}` is no function", list(columns), place)


def _wrong(message: str, operands: Sequence[str], place: Place) -> DescriptionError:
    help = f"write it with {', '.join(operands)} and ~ & ^ | ( )"
    return DescriptionError("C204", message, places=[place], help=help)
