"""Outlines of a function as its author wrote it, from the program: what is called, read, combined.

Operations of the program know the place in the cipher's file that they come from, with the calls around it.
Those of one call become one node, which has the name that stands there; bytes of one vector are one value.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from cipherassay import ir
from cipherassay.hardware.rtl.bodies import SIGNS, SOURCES, Body, Operation, base, operation

Source = Sequence[Mapping[tuple[int, int], Sequence[ast.expr]]]
"""Of each source file of a program the expressions that begin at a line and column, outer ones first."""
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_DIGITS = re.compile(r"\d+$")


@dataclass(frozen=True)
class _Line:
    """An operation and its place, the innermost call first."""

    does: Operation
    place: tuple[ir.Place, ...]
    key: tuple[str, ...]
    """What tells operations apart that have no place: loops by their counters, arrays by their names."""
    words: tuple[str, ...] = ()
    """Of the operation `array` the elements."""


@dataclass
class _Node:
    name: str
    key: tuple[object, ...]
    operation: Operation
    sources: list[str] = field(default_factory=list)


@dataclass
class Scope:
    """The lines of a function, or of the first body of one of its loops, with its inputs and results."""

    inputs: tuple[str, ...]
    results: tuple[str, ...]
    lines: list[_Line]


def function(program: ir.Program, name: str) -> Scope:
    """Return a function of a program; each of its loops is one operation.

    Raises
    ------
    KeyError
        The program has no such function.
    """
    found = _function(program, name)
    return _scope(found.params, found.outputs, found.ops)


def loop(program: ir.Program, name: str, counter: str) -> Scope:
    """Return the first body of a function's first loop with a counter of that name; errors as `function`."""
    loops = (op.loop for op in ir.walk(_function(program, name).ops) if op.loop)
    found = next((one for one in loops if one.counter == counter), None)
    if found is None:
        raise KeyError(f"{name} has no loop {counter}")
    body = found.bodies[0]
    return _scope(body.params[1:], body.outputs, body.ops)


def _function(program: ir.Program, name: str) -> ir.Function:
    if name not in program.functions:
        raise KeyError(f"no function {name}")
    return program.functions[name]


def _scope(params: Sequence[ir.Value], outputs: Sequence[ir.Operand], ops: Sequence[ir.Operation]) -> Scope:
    results = tuple(one for one in outputs if isinstance(one, str))
    return Scope(tuple(name for name, _ in params), results, list(_lines(ops)))


def _lines(ops: Sequence[ir.Operation]) -> Iterator[_Line]:
    for op in ops:
        if op.loop is None:
            words = tuple(one for one in op.operands if isinstance(one, str))
            yield _Line(operation(op), op.places, (op.name, *map(str, op.operands)), words)
        elif op.kind == "rounds":
            does = operation(op)
            rounds = f"{op.loop.iteration_count} rounds"
            yield _Line(replace(does, name=rounds, bits=8, label=rounds), (), (f"loop {op.loop.counter}",))


def expressions(program: ir.Program, cipher_file: Path) -> Source:
    """Return the expressions of each source file of a program; none of one not beside the cipher's."""
    beside = [cipher_file.with_name(name) for name in program.files]
    return [_expressions(one.read_text(encoding="utf-8")) if one.is_file() else {} for one in beside]


def _expressions(text: str) -> dict[tuple[int, int], list[ast.expr]]:
    found: dict[tuple[int, int], list[ast.expr]] = {}
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.expr):
            found.setdefault((node.lineno, node.col_offset + 1), []).append(node)
    return found


def outline(scope: Scope, source: Source, *, title: str, results: Sequence[str] = ()) -> Body:
    """Return a scope as a body to be drawn, a node for each call and for each operation outside of calls.

    Parameters
    ----------
    source : sequence of mapping
        The cipher's files (`expressions`), from which the names of calls are read.
    title : str
        What the body is called.
    results : sequence of str
        Names for the results; by default those of the inputs in their order, as in a loop.
    """
    nodes, owner = _nodes(scope, source)
    made = [
        replace(nodes[name].operation, results=(name,), bits=8, operands=tuple(nodes[name].sources))
        for name in _ordered(nodes)
    ]
    read = {one for node in nodes.values() for one in node.sources}
    stores = {name for name, node in nodes.items() if node.operation.name == "store"}
    ends = tuple(dict.fromkeys(owner[n] for n in scope.results if n in owner and owner[n] not in stores))
    inputs = dict.fromkeys(owner[name] for name in scope.inputs)
    used = tuple(name for name in inputs if name in read or name in ends)
    if not results and len(ends) > len(used):
        results = _names(scope, owner, ends)
    return Body(title, "", 1, 1, used, ends, made, tuple(results))


def _names(scope: Scope, owner: dict[str, str], ends: Sequence[str]) -> list[str]:
    """Return of each result the names of the vectors whose next values it has."""
    found: dict[str, dict[str, None]] = {one: {} for one in ends}
    vectors = _vectors(scope.inputs)
    for given, name in zip(scope.inputs, scope.results, strict=False):
        found.get(owner.get(name, ""), {})[vectors[given]] = None
    return [", ".join(found[one]) for one in ends]


def _nodes(scope: Scope, source: Source) -> tuple[dict[str, _Node], dict[str, str]]:
    """Return the nodes by name, and of every value the node, or the vector of the inputs, that it is of."""
    lines = [replace(one, place=_calls(one.place, source)) for one in scope.lines]
    common = _common([one.place for one in lines if one.place and one.does.name not in (*SOURCES, "store")])
    nodes: dict[str, _Node] = {}
    owner = _vectors(scope.inputs)
    for line in lines:
        if line.does.name == "array":
            words = [owner[one] for one in line.words if one in owner]
            owner |= {one: word for word in words[:1] for one in line.does.results}
            continue
        node = _node(line, common, source, nodes, owner)
        sources = dict.fromkeys(owner[one] for one in line.does.operands if one in owner)
        node.sources += [one for one in sources if one != node.name and one not in node.sources]
        owner |= dict.fromkeys(line.does.results, node.name)
    return nodes, owner


def _vectors(names: Sequence[str]) -> dict[str, str]:
    """Return of each input the vector that it is of: ``L`` of ``L3``, ``Y1`` of ``Y13`` beside ``Y10``.

    All digits are the number where those from 0 up to it are there, else the last one is.
    """
    plain = {base(name) for name in names}
    return {name: _vector(base(name), plain) for name in names}


def _vector(name: str, known: set[str]) -> str:
    found = _DIGITS.search(name)
    if not found:
        return name
    stem, number = name[: found.start()], int(found[0])
    whole = all(f"{stem}{n}" in known for n in range(number))
    return stem if whole else name[:-1]


def _calls(place: tuple[ir.Place, ...], source: Source) -> tuple[ir.Place, ...]:
    """Return a place without those of comprehensions, which are calls to Python alone."""
    return place[:1] + tuple(
        one for one in place[1:] if not any(isinstance(e, _COMPREHENSIONS) for e in _at(source, one))
    )


def _at(source: Source, place: ir.Place) -> Sequence[ast.expr]:
    return source[place.file].get((place.line, place.column), ())


def _common(places: Sequence[tuple[ir.Place, ...]]) -> int:
    """Return how many calls around them all places share, at least one of each left."""
    shared = 0
    while places and all(len(p) > shared + 1 and p[-1 - shared] == places[0][-1 - shared] for p in places):
        shared += 1
    return shared


def _node(
    line: _Line, common: int, source: Source, nodes: dict[str, _Node], owner: dict[str, str]
) -> _Node:
    """Return the node of a line: of the call that it is in, of the same place, or a new one.

    What needs the node itself by way of another one is another time of the same place.
    """
    place = line.place[: max(1, len(line.place) - common)]
    does = line.does
    called = len(place) > 1 and does.name != "call"
    key: tuple[object, ...] = place[-1:] if called else (does.name, *(place or line.key))
    if does.name == "call":
        key = (*key, does.results[0])
    sources = {owner[one] for one in does.operands if one in owner}
    for node in (one for one in nodes.values() if one.key == key):
        again = node.name in _above(nodes, sources - {node.name})
        if not again and (called or node.name not in sources):
            if not called and does.name in SIGNS and does.label != node.operation.label:
                node.operation = replace(node.operation, label=f"{SIGNS[does.name]} …")  # amounts differ
            return node
    if called:
        does = Operation("call", (), 8, (), _called(_at(source, place[-1])))
    elif does.name == "load":
        # The author's index, which the program's may differ from: arrays may begin at another one.
        here = _at(source, place[-1]) if place else ()
        written = next((ast.unparse(e) for e in here if isinstance(e, ast.Subscript)), line.key[0])
        array, bracket, index = written.partition("[")
        label = base(array) + bracket + index.replace("*", "").replace(" ", "") if bracket else written
        does = replace(does, label=label)
    made = _Node(f"n{len(nodes)}", key, does)
    nodes[made.name] = made
    return made


def _called(found: Sequence[ast.expr]) -> str:
    """Return what is called by the expressions that begin at one place."""
    functions = [ast.unparse(one.func) for one in found if isinstance(one, ast.Call)]
    return functions[0] if functions else ast.unparse(found[-1]) if found else "call"


def _ordered(nodes: dict[str, _Node]) -> list[str]:
    """Return the names of the nodes in their order, but each behind those that it reads."""
    found: dict[str, None] = {}
    waiting = list(reversed(nodes))
    while waiting:
        above = [one for one in nodes[waiting[-1]].sources if one in nodes and one not in found]
        if above:
            waiting += reversed(above)
        else:
            found[waiting.pop()] = None
    return list(found)


def _above(nodes: dict[str, _Node], names: Iterable[str]) -> set[str]:
    """Return all nodes that some nodes read, directly or by way of others, and these."""
    found: set[str] = set()
    waiting = [one for one in names if one in nodes]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += [one for one in nodes[name].sources if one in nodes]
    return found
