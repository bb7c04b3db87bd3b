"""The text form of a program as Python objects, for back ends written in Python.

Grammar: ``docs/program.md``. Places are dropped.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field

from cipherassay.errors import DescriptionError

Operand = str | int
"""The name of a value (without ``%``), or a number."""


@dataclass(frozen=True)
class Affine:
    """Coefficients and values, and the constant."""

    terms: tuple[tuple[int, str], ...]
    constant: int
    ring: bool = False


@dataclass
class Op:
    """An operation: results with their types, what it does and with what.

    ``addresses`` are those of loads, stores and look-ups and the sum of index operations; ``name`` is the
    table, matrix, function or array; ``number`` a position or divisor.
    """

    results: list[tuple[str, str]]
    kind: str
    operands: list[Operand] = field(default_factory=list)
    name: str = ""
    addresses: list[Affine] = field(default_factory=list)
    number: int = 0
    loop: Loop | None = None


@dataclass
class Body:
    """What some trips of a loop run."""

    runs: list[int]
    params: list[tuple[str, str]]
    ops: list[Op]
    outputs: list[Operand]


@dataclass
class Loop:
    """A counted loop: its first body's parts, all bodies, the text from its name (``"i" from 0 step 1``)."""

    trips: int
    params: list[tuple[str, str]]
    ops: list[Op]
    outputs: list[Operand]
    bodies: int = 1
    every: list[Body] = field(default_factory=list)
    head: str = '"i" from 0 step 1'


@dataclass
class Function:
    """A function."""

    name: str
    params: list[tuple[str, str]]
    results: list[str]
    ops: list[Op]
    outputs: list[Operand]


@dataclass
class Program:
    """Tables (width and entries), matrices (polynomial and rows), functions."""

    tables: dict[str, tuple[int, list[int]]]
    matrices: dict[str, tuple[int, list[list[int]]]]
    functions: dict[str, Function]


_PLACE = re.compile(r"\s+@\d[\d:<]*$")
_DEFINITION = re.compile(r"%([\w.]+): ((?:u\d+|index)(?:\[\d+\])*)")


def read(text: str) -> Program:
    """Read a program's text as the engine prints it (after ``inline-calls`` and ``circuits``).

    Raises
    ------
    DescriptionError
        ``E134``: a block or a loop does not end where it should.
    """
    tables = {
        name: (int(width), [int(n, 0) for n in data.replace("\n", " ").split(",") if n.strip()])
        for name, width, data in re.findall(r"^table @([\w.]+): u(\d+)\[\d+\] = \[([^\]]*)\]", text, re.M)
    }
    matrices = {
        name: (int(poly, 0), ast.literal_eval(rows))
        for name, poly, rows in re.findall(
            r"^matrix @([\w.]+): gf\((\w+)\) = (\[.*?\]\s*\])", text, re.M | re.S
        )
    }
    lines = iter([_PLACE.sub("", line).strip() for line in text.splitlines()])
    functions = {}
    for line in lines:
        if match := re.match(r"func @([\w.]+)\((.*)\) -> \((.*)\) \{", line):
            ops, outputs = _block(lines)
            results = [r for r in match[3].split(", ") if r]
            functions[match[1]] = Function(match[1], _DEFINITION.findall(match[2]), results, ops, outputs)
    return Program(tables, matrices, functions)


def _block(lines: object) -> tuple[list[Op], list[Operand]]:
    ops: list[Op] = []
    for line in lines:  # type: ignore[attr-defined]
        if re.match(r"(return|yield)\b", line):
            if next(lines, None) != "}":  # type: ignore[call-overload]
                raise _unreadable("a block goes on behind its end")
            return ops, _operands(line.partition(" ")[2])
        ops.append(_op(line, lines))
    raise _unreadable("a block has no end")


def _op(line: str, lines: object) -> Op:
    head, equals, rest = line.partition(" = ")
    results = _DEFINITION.findall(head) if equals else []
    kind, _, rest = (rest if equals else line).partition(" ")
    op = Op(results, kind)
    if kind in ("rounds", "steps"):
        op.loop = _loop(rest, lines)
        op.operands = _operands(re.search(r"\((.*)\) \{$", rest)[1])  # type: ignore[index]
    elif kind in ("linear", "bitsliced"):
        op.name, _, rest = rest.partition(" ")
        op.name, op.operands = op.name[1:], _operands(rest)
    elif kind == "call":
        match = re.match(r"@([\w.]+)\((.*)\)", rest)
        op.name, op.operands = match[1], _operands(match[2])  # type: ignore[index]
    elif kind in ("lookup", "load", "store"):
        match = re.match(r"[@%]([\w.]+)((?:\[[^\]]*\])+)(?:, (.*))?$", rest)
        op.name = match[1]  # type: ignore[index]
        op.addresses = [_affine(a) for a in re.findall(r"\[([^\]]*)\]", match[2])]  # type: ignore[index]
        op.operands = _operands(match[3] or "")  # type: ignore[index]
    elif kind == "word":
        op.addresses = [_affine(rest)]
    elif kind in ("index_div", "index_mod"):
        affine, _, number = rest.rpartition(", ")
        op.addresses, op.number = [_affine(affine)], int(number, 0)
    elif kind == "extract":
        operand, _, number = rest.rpartition(", ")
        op.operands, op.number = _operands(operand), int(number, 0)
    else:
        op.operands = _operands(rest)
    return op


def _loop(head: str, lines: object) -> Loop:
    trips = int(head.split(" ")[0])
    named = head.partition(" ")[2].partition(" (")[0]
    loop: Loop | None = None
    for line in lines:  # type: ignore[attr-defined]
        if line == "}":
            if loop is None:
                raise _unreadable("a loop has no body")
            return loop
        match = re.match(r"body (.*?) \((.*)\) \{$", line)
        ops, outputs = _block(lines)
        one = Body(_runs(match[1]), _DEFINITION.findall(match[2]), ops, outputs)  # type: ignore[index]
        if loop is None:
            loop = Loop(trips, one.params, ops, outputs, every=[one], head=named)
        else:
            loop.bodies += 1
            loop.every.append(one)
    raise _unreadable("a loop has no end")


def _unreadable(why: str) -> DescriptionError:
    return DescriptionError("E134", f"the text of a program cannot be read: {why}")


def _runs(text: str) -> list[int]:
    """Return the trips that a body runs."""
    found: list[int] = []
    for first, last, by in re.findall(r"(\d+)(?:\.\.(\d+))?(?: by (\d+))?", text):
        found += range(int(first), int(last or first) + 1, int(by or 1))
    return found


def _operands(text: str) -> list[Operand]:
    return [o[1:] if o.startswith("%") else int(o, 0) for o in text.split(", ") if o]


def _affine(text: str) -> Affine:
    ring = text.startswith("ring ")
    terms: list[tuple[int, str]] = []
    constant = 0
    for sign, body in re.findall(r"(^-?|[+-] )([^ ]+)", text.removeprefix("ring ")):
        factor = -1 if "-" in sign else 1
        number, star, name = body.partition("*%")
        if star:
            terms.append((factor * int(number, 0), name))
        elif body.startswith("%"):
            terms.append((factor, body[1:]))
        else:
            constant += factor * int(body, 0)
    return Affine(tuple(terms), constant, ring)


def width(ty: str) -> int:
    """Return the width of a word type in bits, or 0."""
    match = re.fullmatch(r"u(\d+)", ty)
    return int(match[1]) if match else 0


def extents(ty: str) -> list[int]:
    """Return the extents of an array type."""
    return [int(n) for n in re.findall(r"\[(\d+)\]", ty)]
