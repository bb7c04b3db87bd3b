"""Programs that were read by `text_form` back as text: functions that a rewriting made."""

from __future__ import annotations

import re

from cipherassay.embedded.text_form import Affine, Function, Op, Operand


def header(text: str, name: str) -> str:
    """Return what stands before the first function of a program's text (tables, matrices, boxes)."""
    head = text[: re.search(r"^func @", text, re.M).start()]  # type: ignore[union-attr]
    return re.sub(r'^program ".*"', f'program "{name}"', head, flags=re.M)


def written(function: Function) -> str:
    """Return a function's text."""
    params = ", ".join(f"%{n}: {t}" for n, t in function.params)
    lines = [f"func @{function.name}({params}) -> ({', '.join(function.results)}) {{"]
    lines += _ops(function.ops)
    lines.append(f"return {_operands(function.outputs)}".rstrip())
    return "\n".join([*lines, "}"]) + "\n"


def _ops(ops: list[Op]) -> list[str]:
    lines: list[str] = []
    for op in ops:
        head = ", ".join(f"%{n}: {t}" for n, t in op.results)
        lines.append(f"{head} = {op.kind} {_rest(op)}".rstrip())
        if op.loop is None:
            continue
        for body in op.loop.every:
            params = ", ".join(f"%{n}: {t}" for n, t in body.params)
            lines.append(f"body {', '.join(map(str, body.runs))} ({params}) {{")
            lines += _ops(body.ops)
            lines += [f"yield {_operands(body.outputs)}".rstrip(), "}"]
        lines.append("}")
    return lines


def _rest(op: Op) -> str:
    operands = _operands(op.operands)
    addresses = "".join(f"[{affine(a)}]" for a in op.addresses)
    match op.kind:
        case "rounds" | "steps":
            assert op.loop is not None
            return f"{op.loop.trips} {op.loop.head} ({operands}) {{"
        case "linear" | "bitsliced":
            return f"@{op.name} {operands}"
        case "lookup":
            return f"@{op.name}{addresses}"
        case "load":
            return f"%{op.name}{addresses}"
        case "store":
            return f"%{op.name}{addresses}, {operands}"
        case "word":
            return affine(op.addresses[0])
        case "index_div" | "index_mod":
            return f"{affine(op.addresses[0])}, {op.number}"
        case "extract":
            return f"{operands}, {op.number}"
        case _:
            return operands


def _operands(operands: list[Operand]) -> str:
    return ", ".join(str(o) if isinstance(o, int) else f"%{o}" for o in operands)


def affine(a: Affine) -> str:
    """Return the text of an address."""
    text = "".join(
        f" {'-' if c < 0 else '+'} {'' if abs(c) == 1 else f'{abs(c)}*'}%{v}" for c, v in a.terms if c
    )
    if a.constant or not text:
        text += f" {'-' if a.constant < 0 else '+'} {abs(a.constant)}"
    text = text[3:] if text.startswith(" +") else "-" + text[3:]
    return f"ring {text}" if a.ring else text
