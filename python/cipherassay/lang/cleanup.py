"""What is done to a traced function before it is printed: unused operations go, equal bodies become one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from cipherassay.errors import DescriptionError

from .counter import Counter, Quotient
from .place import place_of
from .trace import Address, Block, Function, Loop, Op, Position
from .value import Value
from .word import Word


def operand_values(operands: Iterable[Any]) -> list[Value]:
    """Return the values among operands (words that hold numbers have none)."""
    found = []
    for operand in operands:
        node = operand.node if isinstance(operand, Word) else operand
        if isinstance(node, Value):
            found.append(node)
    return found


def addresses(op: Op) -> list[Address]:
    """Return the addresses that an operation holds."""
    if op.kind == "lookup":
        return [op.attribute[1]]
    if op.kind == "word":
        return [op.attribute]
    return op.attribute if op.kind in ("load", "store") else []


def check_scope(function: Function) -> None:
    """Raise DescriptionError (D025) where a word is used that no local variable brought there."""
    made: dict[Value, tuple[Position, ...]] = {}
    _note_definitions(function.block, made)
    _check_block(function.block, set(function.params), made)


def _note_definitions(block: Block, made: dict[Value, tuple[Position, ...]]) -> None:
    for op in block.ops:
        made.update(dict.fromkeys(op.results, op.positions))
        for body in op.attribute.bodies if op.kind == "loop" else ():
            _note_definitions(body, made)


def _check_block(block: Block, known: set[Value], made: dict[Value, tuple[Position, ...]]) -> None:
    known = known | set(block.params)
    for op in block.ops:
        _check_known(op.operands, op.positions, known, made)
        for body in op.attribute.bodies if op.kind == "loop" else ():
            _check_block(body, known, made)
            _check_known(body.outputs, op.positions, known | _defined(body), made)
        known.update(op.results)
    _check_known(block.outputs, block.ops[-1].positions if block.ops else (), known, made)


def _defined(block: Block) -> set[Value]:
    return set(block.params).union(*(op.results for op in block.ops))


def _check_known(
    operands: Iterable[Any],
    positions: Iterable[Position],
    known: set[Value],
    made: dict[Value, tuple[Position, ...]],
) -> None:
    for value in operand_values(operands):
        if value not in known:
            name = f"word `{value.name}`" if value.name else "word"
            where = made.get(value, ())
            raise DescriptionError(
                "D025",
                f"a {name} is used here that no local variable brings here",
                places=[place_of(p) for p in positions],
                notes=[f"it was made at {place_of(where[0])}"] if where else [],
                help="keep what a loop or a function makes in local variables, or return it",
            )


def remove_unused(function: Function) -> None:
    """Remove operations and carried values that no output depends on, also through loops."""
    live: set[Value] = set()
    while True:
        before = len(live)
        _mark(function.block, live)
        if len(live) == before:
            break
    _sweep(function.block, live)


def _mark(block: Block, live: set[Value]) -> None:
    live.update(operand_values(block.outputs))
    for op in reversed(block.ops):
        if op.kind == "loop":
            _mark_loop(op, live)
        elif any(value in live for value in op.results):
            live.update(operand_values(op.operands))


def _mark_loop(op: Op, live: set[Value]) -> None:
    loop: Loop = op.attribute
    for n, result in enumerate(op.results):
        params = [body.params[n + 1] for body in loop.bodies]
        if result in live or any(p in live for p in params):
            live.update([result, *params])
            live.update(operand_values([op.operands[n]]))
    for body in loop.bodies:
        outputs = body.outputs
        body.outputs = [out for out, result in zip(outputs, op.results, strict=True) if result in live]
        _mark(body, live)
        body.outputs = outputs


def _sweep(block: Block, live: set[Value]) -> None:
    kept = []
    for op in block.ops:
        if not any(value in live for value in op.results):
            continue
        if op.kind == "loop":
            _sweep_loop(op, live)
        kept.append(op)
    block.ops = kept


def _sweep_loop(op: Op, live: set[Value]) -> None:
    loop: Loop = op.attribute
    keep = [n for n, result in enumerate(op.results) if result in live]
    for body in loop.bodies:
        body.outputs = [body.outputs[n] for n in keep]
        body.params = [body.params[0], *(body.params[n + 1] for n in keep)]
        _sweep(body, live)
    op.operands = [op.operands[n] for n in keep]
    op.results = [op.results[n] for n in keep]
    _merge_bodies(loop)


def _merge_bodies(loop: Loop) -> None:
    """Make one of bodies that do the same; places in the author's text may differ."""
    keys: dict[Any, int] = {}
    kept: list[Block] = []
    number: list[int] = []
    for body in loop.bodies:
        key = _canonical(body, {})
        if key not in keys:
            keys[key] = len(kept)
            kept.append(body)
        number.append(keys[key])
    loop.bodies = kept
    loop.pattern = [number[k] for k in loop.pattern]


def _canonical(block: Block, names: dict[Value, int]) -> Any:
    """Describe a block up to the names of its own values."""
    for param in block.params:
        names[param] = len(names)
    parts: list[Any] = [tuple(str(p.type) for p in block.params)]
    for op in block.ops:
        parts.append((op.kind, _keys(op.operands, names), _attribute_key(op, names)))
        for value in op.results:
            names[value] = len(names)
    parts.append(_keys(block.outputs, names))
    return tuple(parts)


def _keys(operands: Iterable[Any], names: dict[Value, int]) -> tuple[Any, ...]:
    found: list[Any] = []
    for operand in operands:
        node = operand.node if isinstance(operand, Word) else operand
        if node is None:
            found.append((operand.width, operand.value))
        else:
            found.append(names.get(node, ("outer", id(node))))
    return tuple(found)


def _attribute_key(op: Op, names: dict[Value, int]) -> Any:
    if op.kind == "loop":
        loop: Loop = op.attribute
        return (
            loop.tag,
            loop.start,
            loop.step,
            tuple(loop.pattern),
            tuple(_canonical(b, names) for b in loop.bodies),
        )
    if addresses(op):
        table = id(op.attribute[0]) if op.kind == "lookup" else None
        return (
            table,
            tuple((_counter_key(a.counter, names), a.constant, a.dynamic, a.ring) for a in addresses(op)),
        )
    if op.kind == "bitsliced":
        return op.attribute.data
    return op.attribute if isinstance(op.attribute, int) else id(op.attribute)


def _counter_key(counter: Counter | None, names: dict[Value, int]) -> Any:
    if counter is None:
        return None
    terms: list[Any] = []
    for coefficient, atom in counter.terms:
        if isinstance(atom, Quotient):
            terms.append((coefficient, atom.kind, atom.divisor, _counter_key(atom.counter, names)))
        else:
            terms.append((coefficient, names.get(atom.value, id(atom.value))))
    return (counter.constant, tuple(terms))
