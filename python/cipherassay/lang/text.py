"""The text form of a traced program, as docs/program.md defines it; the engine parses it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from typing import Any

from cipherassay.ir.text import number, quoted, runs

from .arrays import Table
from .cleanup import addresses
from .counter import Counter, Quotient
from .field import Matrix
from .functions import Box
from .trace import Address, Block, Function, Loop, Op, Position
from .value import Type, Value
from .word import Word


def type_text(type_: Type) -> str:
    """Return a type as the text form writes it."""
    return f"u{type_}" if isinstance(type_, int) else str(type_)


def program_text(name: str, meta: Sequence[tuple[str, str]], functions: Sequence[Function]) -> str:
    """Return the text form of a program."""
    writer = _Writer()
    bodies = [writer.function(f) for f in functions]
    head = [f"program {quoted(name)} {{"]
    head += [f"  meta {quoted(k)} = {quoted(v)}" for k, v in meta]
    head += [f"  file {n} {quoted(os.path.basename(f))}" for f, n in writer.files.items()]
    head.append("}")
    parts = ["\n".join(head), *(["\n".join(writer.constants)] if writer.constants else []), *bodies]
    return "\n\n".join(parts) + "\n"


class _Writer:
    """Names of constants and values as they are given out, and the text made so far."""

    def __init__(self) -> None:
        self.files: dict[str, int] = {}
        self.constants: list[str] = []
        self.constant_names: dict[Any, str] = {}
        self.used: set[str] = set()

    def constant(self, key: Any, wanted: str, text: str) -> str:
        """Return the name of a table, matrix or box, writing it when it is met first."""
        if (key, wanted) not in self.constant_names:
            name = _free(re.sub(r"[^A-Za-z0-9_]", "_", wanted) or "T", self.used)
            self.constant_names[key, wanted] = name
            self.constants.append(text.replace("@@", f"@{name}", 1))
            self.constants.sort(key=lambda line: ("table", "matrix", "box").index(line.split()[0]))
        return self.constant_names[key, wanted]

    def table(self, t: Table) -> str:
        data = ", ".join(map(number, t.data))
        return self.constant(
            ("table", t.width, tuple(t.data)), t.name, f"table @@: u{t.width}[{len(t.data)}] = [{data}]"
        )

    def matrix(self, m: Matrix) -> str:
        rows = ", ".join("[" + ", ".join(f"{x:#x}" for x in row) + "]" for row in m.rows)
        key = ("matrix", m.field.polynomial, tuple(map(tuple, m.rows)))
        return self.constant(key, m.name, f"matrix @@: gf({m.field.polynomial:#x}) = [{rows}]")

    def box(self, b: Box) -> str:
        return self.constant(
            ("box", b.data), b.name, f"box @@: {b.inputs} -> {b.outputs} = [{', '.join(map(str, b.data))}]"
        )

    def function(self, f: Function) -> str:
        names = _Names()
        params = ", ".join(f"{names.define(p)}: {type_text(p.type)}" for p in f.params)
        results = ", ".join(type_text(t) for t in f.results)
        lines = [f"func @{f.name}({params}) -> ({results}) {{"]
        lines += self.block(f.block, names, "  ", "return")
        return "\n".join([*lines, "}"])

    def block(self, block: Block, names: _Names, indent: str, last: str) -> list[str]:
        lines: list[str] = []
        for op in block.ops:
            for counter in _counters(op):
                lines += _quotients(counter, names, indent)
            lines += self.op(op, names, indent)
        outputs = ", ".join(names.operand(x) for x in block.outputs)
        return [*lines, f"{indent}{last} {outputs}".rstrip()]

    def op(self, op: Op, names: _Names, indent: str) -> list[str]:
        if op.kind == "loop":
            return self.loop(op, names, indent)
        what = self.operation(op, names)
        defined = ", ".join(f"{names.define(v)}: {type_text(v.type)}" for v in op.results)
        return [f"{indent}{defined} = {what}{self.place(op.positions)}"]

    def operation(self, op: Op, names: _Names) -> str:
        operands = [names.operand(x) for x in op.operands]
        listed = ", ".join(operands)
        match op.kind:
            case "lookup":
                table, address = op.attribute
                return f"lookup @{self.table(table)}{_addresses([address], operands, names)}"
            case "load":
                return f"load {operands[0]}{_addresses(op.attribute, operands[1:], names)}"
            case "store":
                moving = sum(a.dynamic for a in op.attribute)
                where = _addresses(op.attribute, operands[1 : 1 + moving], names)
                return f"store {operands[0]}{where}, {', '.join(operands[1 + moving :])}"
            case "word":
                return f"word {_affine(op.attribute, None, names)}"
            case "const":
                return f"const {number(op.attribute)}"
            case "extract":
                return f"extract {listed}, {op.attribute}"
            case "linear":
                return f"linear @{self.matrix(op.attribute)} {listed}"
            case "bitsliced":
                return f"bitsliced @{self.box(op.attribute)} {listed}"
            case "call":
                return f"call @{op.attribute.name}({listed})"
            case "shl" | "shr" | "rotl" | "rotr" if op.operands[1].node is None:
                return f"{op.kind} {operands[0]}, {op.operands[1].value}"
        return f"{op.kind} {listed}".rstrip()

    def loop(self, op: Op, names: _Names, indent: str) -> list[str]:
        loop: Loop = op.attribute
        init = ", ".join(names.operand(x) for x in op.operands)
        bodies: list[str] = []
        for n, body in enumerate(loop.bodies):
            params = ", ".join(f"{names.define(p)}: {type_text(p.type)}" for p in body.params)
            iterations = runs([t for t, k in enumerate(loop.pattern) if k == n])
            bodies.append(f"{indent}  body {iterations} ({params}) {{")
            bodies += self.block(body, names, indent + "    ", "yield")
            bodies.append(f"{indent}  }}")
        defined = ", ".join(f"{names.define(v)}: {type_text(v.type)}" for v in op.results)
        head = (
            f'{loop.tag} {len(loop.pattern)} "{loop.counter}" from {loop.start} step {loop.step} ({init}) {{'
        )
        return [f"{indent}{defined} = {head}", *bodies, f"{indent}}}{self.place(op.positions)}"]

    def place(self, positions: Sequence[Position]) -> str:
        parts = []
        for file, line, column in positions:
            n = self.files.setdefault(file, len(self.files))
            parts.append(f"{f'{n}:' if n else ''}{line}:{column}")
        return "  @" + "<".join(parts) if parts else ""


class _Names:
    """Unique names of the values of one function."""

    def __init__(self) -> None:
        self.names: dict[Value, str] = {}
        self.used: set[str] = set()
        self.next: dict[str, int] = {}
        self.quotients: dict[int, Value] = {}

    def define(self, value: Value) -> str:
        base = re.sub(r"[^A-Za-z0-9_]", "", value.name)
        if base in ("", "_") or base[0].isdigit():
            base = ""
        name = base
        if not base or base in self.used:
            count = self.next.get(base, 0) + 1
            self.next[base] = count
            name = f"{base}.{count}" if base else str(count)
        self.used.add(name)
        self.names[value] = name
        return f"%{name}"

    def operand(self, x: Any) -> str:
        node = x.node if isinstance(x, Word) else x
        if node is None:
            return number(x.value)
        return f"%{self.names.get(node) or 'unknown_' + node.name}"


def _free(name: str, used: set[str]) -> str:
    candidate, n = name, 1
    while candidate in used:
        candidate, n = f"{name}.{n}", n + 1
    used.add(candidate)
    return candidate


def _counters(op: Op) -> Iterable[Counter]:
    return [a.counter for a in addresses(op) if a.counter is not None]


def _quotients(counter: Counter, names: _Names, indent: str) -> list[str]:
    """Define the quotients and remainders inside a counter, each as a value of its own."""
    lines: list[str] = []
    for _, atom in counter.terms:
        if isinstance(atom, Quotient):
            lines += _quotients(atom.counter, names, indent)
            inner = _affine(Address(atom.counter, 0), None, names)
            value = Value("index", "")
            names.quotients[id(atom)] = value
            lines.append(f"{indent}{names.define(value)}: index = index_{atom.kind} {inner}, {atom.divisor}")
    return lines


def _affine(address: Address, word: str | None, names: _Names) -> str:
    """Return ``2*%i + %x - 8``."""
    terms: list[tuple[int, str]] = []
    constant = address.constant
    if address.counter is not None:
        constant += address.counter.constant
        for coefficient, atom in address.counter.terms:
            value = names.quotients[id(atom)] if isinstance(atom, Quotient) else atom.value
            terms.append((coefficient, names.operand(value)))
    if word is not None:
        terms.append((1, word))
    text = ""
    for coefficient, name in terms:
        size = "" if abs(coefficient) == 1 else f"{abs(coefficient)}*"
        sign = (" - " if coefficient < 0 else " + ") if text else ("-" if coefficient < 0 else "")
        text += f"{sign}{size}{name}"
    if not text:
        return str(constant)
    return text + (f" {'-' if constant < 0 else '+'} {abs(constant)}" if constant else "")


def _addresses(listed: Sequence[Address], words: Sequence[str], names: _Names) -> str:
    moving = iter(words)
    return "".join(
        f"[{'ring ' if a.ring else ''}{_affine(a, next(moving) if a.dynamic else None, names)}]"
        for a in listed
    )
