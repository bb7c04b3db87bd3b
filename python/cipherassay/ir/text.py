"""The one way from the mirror back into the engine: the text form, as the engine itself writes it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from cipherassay.ir.structure import Affine, Function, Loop, Operation, Program
from cipherassay.ir.values import Operand, Place, Value

if TYPE_CHECKING:
    from cipherassay._engine import Program as EngineProgram

_PLACE_COLUMN = 64
"""The column at which places begin where the line leaves room."""
_TABLE_ROW, _MATRIX_ROW, _BOX_ROW = 8, 4, 16
"""Entries, or rows of a matrix, on a line."""


def engine_program(program: Program) -> EngineProgram:
    """Return the engine's program of a mirror.

    Raises
    ------
    DescriptionError
        ``P001`` to ``P004``, ``P101`` to ``P120``: it is no sound program.
    """
    from cipherassay._engine import Program as EngineProgram

    return EngineProgram.parse(written(program))


def written(program: Program) -> str:
    """Return the text form of a program, byte for byte as the engine writes it."""
    lines = [f"program {quoted(program.name)} {{"]
    lines += [f"  meta {quoted(key)} = {quoted(value)}" for key, value in program.facts]
    lines += [f"  file {n} {quoted(name)}" for n, name in enumerate(program.files)]
    lines.append("}")
    constants = [*_constants(program)]
    lines += ["", *constants] if constants else []
    for function in program.function_list:
        lines += ["", *_function(function)]
    return "\n".join(lines) + "\n"


def _constants(program: Program) -> Iterable[str]:
    for table in program.table_list:
        entries = [number(entry) for entry in table.entries]
        yield f"table @{table.name}: u{table.bits}[{len(entries)}] = {_rows(entries, _TABLE_ROW)}"
    for matrix in program.matrix_list:
        rows = ["[" + ", ".join(f"{entry:#x}" for entry in row) + "]" for row in matrix.rows]
        per_line = 1 if len(rows) > _MATRIX_ROW else _MATRIX_ROW
        yield f"matrix @{matrix.name}: gf({matrix.polynomial:#x}) = {_rows(rows, per_line)}"
    for box in program.box_list:
        listed = _rows([str(entry) for entry in box.entries], _BOX_ROW)
        yield f"box @{box.name}: {box.inputs} -> {box.outputs} = {listed}"


def _rows(items: Sequence[str], per_line: int) -> str:
    """Return a bracketed list, on one line if it is short."""
    if len(items) <= per_line:
        return f"[{', '.join(items)}]"
    lines = [", ".join(items[n : n + per_line]) for n in range(0, len(items), per_line)]
    return "[\n  " + ",\n  ".join(lines) + "\n]"


def _function(function: Function) -> Iterable[str]:
    results = ", ".join(map(str, function.results))
    yield f"func @{function.name}({_definitions(function.params)}) -> ({results}) {{"
    yield from _block(function.ops, function.outputs, "return", "  ")
    yield "}"


def _block(ops: Sequence[Operation], outputs: Sequence[Operand], end: str, indent: str) -> Iterable[str]:
    for op in ops:
        left = f"{indent}{_definitions(op.results)}{' = ' if op.results else ''}"
        if op.loop is not None:
            yield f"{left}{op.kind} {_head(op.loop)} ({_operands(op.operands)}) {{"
            yield from _bodies(op.loop, indent + "  ")
            yield f"{indent}}}{_places(op.places, 0)}"
        else:
            line = f"{left}{op.kind} {_rest(op)}".rstrip()
            yield line + _places(op.places, _PLACE_COLUMN - len(line))
    yield f"{indent}{end} {_operands(outputs)}".rstrip()


def _head(loop: Loop) -> str:
    return f"{loop.iteration_count} {quoted(loop.counter)} from {loop.start} step {loop.step}"


def _bodies(loop: Loop, indent: str) -> Iterable[str]:
    for n, body in enumerate(loop.bodies):
        which = runs(loop.iterations(n))
        yield f"{indent}body {which}{' ' if which else ''}({_definitions(body.params)}) {{"
        yield from _block(body.ops, body.outputs, "yield", indent + "  ")
        yield indent + "}"


def _rest(op: Operation) -> str:
    """Return what stands behind the word of an operation."""
    operands = _operands(op.operands)
    addresses = "".join(f"[{affine_text(one)}]" for one in op.addresses)
    match op.kind:
        case "linear" | "bitsliced":
            return f"@{op.name} {operands}"
        case "call":
            return f"@{op.name}({operands})"
        case "lookup":
            return f"@{op.name}{addresses}"
        case "load":
            return f"%{op.name}{addresses}"
        case "store":
            return f"%{op.name}{addresses}, {operands}"
        case "word":
            return affine_text(op.addresses[0])
        case "index_div" | "index_mod":
            return f"{affine_text(op.addresses[0])}, {op.number}"
        case "extract":
            return f"{operands}, {op.number}"
        case "shl" | "shr" | "rotl" | "rotr" if isinstance(op.operands[1], int):
            return f"{_operands(op.operands[:1])}, {op.operands[1]}"
    return operands


def _definitions(values: Iterable[Value]) -> str:
    return ", ".join(f"%{name}: {type_}" for name, type_ in values)


def _operands(operands: Iterable[Operand]) -> str:
    return ", ".join(number(one) if isinstance(one, int) else f"%{one}" for one in operands)


def number(value: int) -> str:
    """Return a number as the text form writes it: decimal below 10, else hexadecimal."""
    return str(value) if value < 10 else f"{value:#x}"


def affine_text(affine: Affine) -> str:
    """Return the text of a sum: ``ring 2*%i - 1``."""
    parts = [(c < 0, f"{'' if abs(c) == 1 else f'{abs(c)}*'}%{value}") for c, value in affine.terms]
    if affine.constant or not parts:
        parts.append((affine.constant < 0, str(abs(affine.constant))))
    text = "".join(f" {'-' if negative else '+'} {part}" for negative, part in parts)
    text = text[3:] if text.startswith(" +") else f"-{text[3:]}"
    return f"ring {text}" if affine.ring else text


def runs(iterations: Sequence[int]) -> str:
    """Return iterations as the fewest arithmetic runs that a greedy scan finds: ``0..2, 5, 9..21 by 4``."""
    parts: list[str] = []
    at = 0
    while at < len(iterations):
        first, last, end = iterations[at], iterations[at], at + 1
        step = iterations[end] - first if end < len(iterations) else 0
        while end < len(iterations) and iterations[end] - last == step:
            last, end = iterations[end], end + 1
        if end - at > 2 or step == 1:
            parts.append(f"{first}..{last}" + (f" by {step}" if step > 1 else ""))
            at = end
        else:
            parts.append(str(first))
            at += 1
    return ", ".join(parts)


def _places(places: Sequence[Place], room: int) -> str:
    if not places:
        return ""
    chain = (f"{f'{file}:' if file else ''}{line}:{column}" for file, line, column in places)
    return " " * max(room, 2) + "@" + "<".join(chain)


def quoted(text: str) -> str:
    """Return a string literal of the text form."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
