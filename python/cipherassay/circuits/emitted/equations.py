"""Equations, evaluated from their text: Python's grammar reads them, no code of the engine does."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from cipherassay.circuits import documents
from cipherassay.circuits.emitted import EmittedText, Run, refused
from cipherassay.errors import DescriptionError

_TOOL = "an evaluator of equations"


def run_equations(items: Sequence[EmittedText]) -> list[Run]:
    """Evaluate each text at every input value."""
    return [Run(_TOOL, tuple(_values(item) for item in items))]


def _values(item: EmittedText) -> tuple[int, ...]:
    try:
        document = documents.one(item.text)
        lines = [ast.parse(line).body[0] for line in document.equations]
        return tuple(_value(lines, v, document.inputs, document.outputs) for v in range(1 << document.inputs))
    except (DescriptionError, SyntaxError, ValueError, KeyError) as error:
        raise refused(item, "equations", _TOOL, str(error).splitlines()) from None


def _value(lines: Sequence[ast.stmt], v: int, inputs: int, outputs: int) -> int:
    known = {f"x{k}": v >> k & 1 for k in range(inputs)}
    for line in lines:
        if not isinstance(line, ast.Assign) or not isinstance(line.targets[0], ast.Name):
            raise ValueError(f"no equation: {ast.unparse(line)}")
        known[line.targets[0].id] = _bit(line.value, known)
    return sum(known[f"y{k}"] << k for k in range(outputs))


def _bit(node: ast.expr, known: Mapping[str, int]) -> int:
    if isinstance(node, ast.Name):
        return known[node.id]
    if isinstance(node, ast.Constant) and isinstance(node.value, int) and node.value in (0, 1):
        return node.value
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Invert):
        return 1 - _bit(node.operand, known)
    if isinstance(node, ast.BinOp):
        a, b = _bit(node.left, known), _bit(node.right, known)
        for kind, value in ((ast.BitAnd, a & b), (ast.BitOr, a | b), (ast.BitXor, a ^ b)):
            if isinstance(node.op, kind):
                return value
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "lut":
        table: int = ast.literal_eval(node.args[0])
        place = sum(_bit(operand, known) << n for n, operand in enumerate(node.args[1:]))
        return table >> place & 1
    raise ValueError(f"no expression of gates: {ast.unparse(node)}")
