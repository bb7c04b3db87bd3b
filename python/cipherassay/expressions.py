"""Expressions in data files, such as ``d & ~(1 << k)``: parsed once into closures, operators from a list."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

Values = Mapping[str, Any]
Expression = Callable[[Values], Any]
"""Gives the value for values of the names: numbers, or arrays of numbers."""

MOST_CHARACTERS, MOST_LEVELS, MOST_SHIFT = 4000, 100, 1 << 12


class ExpressionError(ValueError):
    """A text that is no expression; its words say why."""


def _shifted(operation: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Return a shift that refuses a distance whose result would fill the memory."""

    def shift(value: Any, by: int) -> Any:
        if not 0 <= by <= MOST_SHIFT:
            raise ExpressionError(f"it shifts by {by}")
        return operation(value, by)

    return shift


_BINARY: dict[type[ast.AST], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.BitAnd: operator.and_, ast.BitOr: operator.or_,
    ast.BitXor: operator.xor, ast.LShift: _shifted(operator.lshift), ast.RShift: _shifted(operator.rshift),
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.Gt: operator.gt,
}  # fmt: skip
_UNARY: dict[type[ast.AST], Callable[[Any], Any]] = {
    ast.Invert: operator.invert, ast.USub: operator.neg, ast.Not: operator.not_,
}  # fmt: skip


_BITWISE: frozenset[type[ast.AST]] = frozenset({ast.BitAnd, ast.BitOr, ast.BitXor, ast.Invert})


@dataclass(frozen=True)
class _Grammar:
    """What may stand in an expression."""

    names: Collection[str]
    functions: Mapping[str, Callable[[Any], Any]]
    operators: frozenset[type[ast.AST]]
    numbers: bool


def compiled(
    text: str,
    names: Collection[str],
    functions: Mapping[str, Callable[[Any], Any]] | None = None,
    *,
    bitwise: bool = False,
) -> Expression:
    """Return what computes an expression of integers.

    Operators are ``+ - & | ^ ~ << >> == != < >`` and ``not``, as Python binds them.

    Parameters
    ----------
    names : collection of str
        The names that may stand in it.
    functions : mapping, optional
        Functions of one argument that it may call.
    bitwise : bool
        Only names and ``& | ^ ~`` may stand in it.

    Raises
    ------
    ExpressionError
        It is none, it names something else, or it is too long or nested too deeply.
    """
    if len(text) > MOST_CHARACTERS:
        raise ExpressionError(f"it has {len(text)} characters, more than {MOST_CHARACTERS}")
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise ExpressionError("it is no expression") from None
    operators = _BITWISE if bitwise else frozenset({*_BINARY, *_UNARY})
    return _node(tree, _Grammar(names, functions or {}, operators, not bitwise), MOST_LEVELS)


def _node(node: ast.expr, known: _Grammar, levels: int) -> Expression:
    if not levels:
        raise ExpressionError("it is nested too deeply")
    match node:
        case ast.Constant(value=int(number)) if known.numbers:
            return lambda values: number
        case ast.Name(id=name):
            if name not in known.names:
                raise ExpressionError(f"`{name}` is none of {', '.join(known.names)}")
            return operator.itemgetter(name)
        case ast.UnaryOp(op=op, operand=operand) if type(op) in known.operators:
            return _applied(_UNARY[type(op)], _node(operand, known, levels - 1))
        case ast.Call(func=ast.Name(id=name), args=[argument], keywords=[]) if name in known.functions:
            return _applied(known.functions[name], _node(argument, known, levels - 1))
        case ast.BinOp(left=left, op=op, right=right) | ast.Compare(left=left, ops=[op], comparators=[right]):
            if type(op) in known.operators:
                sides = (_node(side, known, levels - 1) for side in (left, right))
                return _combined(_BINARY[type(op)], *sides)
    raise ExpressionError(f"`{ast.unparse(node)[:60]}` may not stand in it")


def _applied(function: Callable[[Any], Any], argument: Expression) -> Expression:
    return lambda values: function(argument(values))


def _combined(function: Callable[[Any, Any], Any], left: Expression, right: Expression) -> Expression:
    return lambda values: function(left(values), right(values))
