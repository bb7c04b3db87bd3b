"""Boolean functions of up to four operands, written as expressions: ``a & ~b``, ``~((a & b) | c)``."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from cipherassay import expressions
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
    columns = {
        name: sum(1 << index for index in range(1 << len(operands)) if index >> n & 1)
        for n, name in enumerate(operands)
    }
    table: int = compiled(expression, operands, place)(columns) & (1 << (1 << len(operands))) - 1
    return table


def compiled(expression: str, operands: Sequence[str], place: Place) -> expressions.Expression:
    """Return what computes an expression of words of bits; raises as `truth_table` does."""
    try:
        return expressions.compiled(_written(expression), operands, bitwise=True)
    except expressions.ExpressionError as error:
        raise _wrong(f"`{expression}` is no function: {error}", operands, place) from None


def used_operands(expression: str) -> list[str]:
    """Return the names of an expression in the order of the alphabet."""
    tree = ast.parse(_written(expression), mode="eval")
    return sorted({node.id for node in ast.walk(tree) if isinstance(node, ast.Name)})


def _written(expression: str) -> str:
    return expression.strip().replace("!", "~").replace("*", "&").replace("+", "|")


def _wrong(message: str, operands: Sequence[str], place: Place) -> DescriptionError:
    help = f"write it with {', '.join(operands)} and ~ & ^ | ( )"
    return DescriptionError("C204", message, places=[place], help=help)
