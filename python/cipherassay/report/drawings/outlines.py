"""Outlines of a function as its author wrote it, from the program: what is called, read, combined.

Operations of the program know the place in the cipher's file that they come from, with the calls around it.
Those of one call become one node, which has the name that stands there; bytes of one vector are one value.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from cipherassay import ir
from cipherassay.hardware.rtl.bodies import Body, Operation, base, operation

_DIGITS = re.compile(r"(\d+)(\.\d+)?$")


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
    ancestors: set[str] = field(default_factory=set)


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


def outline(scope: Scope, source: Path, *, title: str, results: Sequence[str] = ()) -> Body:
    """Return a scope as a body to be drawn, a node for each call and for each operation outside of calls.

    Parameters
    ----------
    source : Path
        The cipher's file, from which the names of calls are read.
    title : str
        What the body is called.
    results : sequence of str
        Names for the results; by default those of the inputs in their order, as in a loop.
    """
    nodes, owner = _nodes(scope, source.read_text(encoding="utf-8").splitlines())
    made = [
        replace(node.operation, results=(name,), bits=8, operands=tuple(node.sources))
        for name, node in nodes.items()
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
    for given, name in zip(scope.inputs, scope.results, strict=False):
        found.get(owner.get(name, ""), {})[_vector(given)] = None
    return [", ".join(found[one]) for one in ends]


def _nodes(scope: Scope, text: Sequence[str]) -> tuple[dict[str, _Node], dict[str, str]]:
    """Return the nodes by name, and of every value the node, or the vector of the inputs, that it is of."""
    common = _common([line.place for line in scope.lines if len(line.place) > 1])
    nodes: dict[str, _Node] = {}
    owner = {name: _vector(name) for name in scope.inputs}
    for line in scope.lines:
        if line.does.name == "array":
            words = [owner[one] for one in line.words if one in owner]
            owner |= {one: word for word in words[:1] for one in line.does.results}
            continue
        node = _node(line, common, text, nodes, owner)
        sources = dict.fromkeys(owner[one] for one in line.does.operands if one in owner)
        node.sources += [one for one in sources if one != node.name and one not in node.sources]
        above = [one for one in sources if one in nodes and one != node.name]
        node.ancestors |= {one for name in above for one in (*nodes[name].ancestors, name)}
        owner |= dict.fromkeys(line.does.results, node.name)
    return nodes, owner


def _vector(name: str) -> str:
    """Return the name of the vector that a byte is of: ``L`` of ``L3``, ``Y1`` of ``Y13``."""
    return _DIGITS.sub(lambda found: found[1][:-1], name)


def _common(places: Sequence[tuple[ir.Place, ...]]) -> int:
    """Return how many calls around them all places share, at least one of each left."""
    shared = 0
    while places and all(len(p) > shared + 1 and p[-1 - shared] == places[0][-1 - shared] for p in places):
        shared += 1
    return shared


def _node(
    line: _Line, common: int, text: Sequence[str], nodes: dict[str, _Node], owner: dict[str, str]
) -> _Node:
    """Return the node of a line: of the call that it is in, of the same place, or a new one.

    What needs the node itself by way of another one is another time of the same place.
    """
    place = line.place[: len(line.place) - common] if common else line.place
    does = line.does
    called = len(place) > 1 and does.name != "call"
    key: tuple[object, ...] = place[-1:] if called else (does.name, *(place or line.key))
    if does.name == "call":
        key = (*key, does.results[0])
    sources = {owner[one] for one in does.operands if one in owner}
    for node in nodes.values():
        above = [nodes[one] for one in sources - {node.name} if one in nodes]
        again = any(node.name in one.ancestors for one in above)
        if node.key == key and not again and (called or node.name not in sources):
            return node
    if called:
        does = Operation("call", (), 8, (), _written(text, place, r"[\w.]+"))
    elif does.name == "load":
        # The author's index, which the program's may differ from: arrays may begin at another one.
        written = _written(text, place, r"[\w.]+\[[^]]*\]") if place else line.key[0]
        array, bracket, index = written.partition("[")
        label = base(array) + bracket + index.replace("*", "").replace(" ", "") if bracket else written
        does = replace(does, label=label)
    made = _Node(f"n{len(nodes)}", key, does)
    nodes[made.name] = made
    return made


def _written(text: Sequence[str], place: Sequence[ir.Place], pattern: str) -> str:
    """Return what the author wrote at the last place of some, as far as a pattern goes."""
    _, line, column = place[-1]
    found = re.match(pattern, text[line - 1][column - 1 :])
    return found[0] if found else ""
