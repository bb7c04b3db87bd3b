"""The inverse of a sequence of invertible steps, derived from the steps themselves."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from .field import Matrix
from .place import complain
from .trace import Block, Op, Trace, current, record, tracing
from .value import Value
from .vec import vec
from .word import Word, apply

KnownWords = dict[Value, Word]


def inverse(steps: Callable[..., Any]) -> Callable[..., vec]:
    """Return the function that undoes ``steps``.

    ``steps(state, *others)`` takes and returns a vector of words; the result takes the later state and the
    same others and returns the earlier state. What each step did is read off its operations: a word that the
    later state determines is computed from it, forwards through any operation, backwards through additions,
    subtractions, XORs, complements, rotations by known amounts, products with odd constants, permutation
    tables and boxes, invertible matrices, and the joining and taking apart of words.

    Raises
    ------
    DescriptionError
        D018: the later state does not determine some word of the earlier one in this way.
    """

    def undo(state: Iterable[Word], *others: Any) -> vec:
        later = vec(*state)
        earlier = [Value(w.width) for w in later]
        ops, result = _trace_steps(steps, earlier, others)
        if len(result) != len(later):
            raise complain(
                "D072",
                f"`{steps.__name__}` takes {len(later)} words and returns {len(result)}",
                help="a sequence of steps keeps the number of words",
            )
        known = {w.node: x for w, x in zip(result, later, strict=True) if w.node is not None}
        own = {value for op in ops for value in op.results} | set(earlier)
        while any(value not in known for value in earlier):
            if not _advance(ops, own, known):
                lost = ", ".join(str(n) for n, value in enumerate(earlier) if value not in known)
                raise complain(
                    "D018",
                    f"`{steps.__name__}` cannot be undone: word {lost} does not follow from the later state",
                    help="a step changes one word invertibly, by known values; else write the inverse out",
                )
        return vec(*(known[value] for value in earlier))

    return undo


def _trace_steps(
    steps: Callable[..., Any], earlier: list[Value], others: tuple[Any, ...]
) -> tuple[list[Op], list[Word]]:
    """Record what the steps do to unknown words, aside from the program."""
    outer = current()
    trace = outer if outer is not None else Trace()
    block = Block()
    trace.blocks.append(block)
    try:
        with tracing(trace):
            result = steps(vec(*(Word(_width(v), node=v) for v in earlier)), *others)
    finally:
        trace.blocks.pop()
    return block.ops, list(result)


def _width(value: Value) -> int:
    assert isinstance(value.type, int)
    return value.type


def _advance(ops: list[Op], own: set[Value], known: KnownWords) -> bool:
    """Compute whatever follows from the known words; say whether anything did."""
    progress = False
    for op in ops:
        if any(v not in known for v in op.results) and not _unknown(op, own, known):
            _forwards(op, known)
            progress = True
    for op in reversed(ops):
        unknown = _unknown(op, own, known)
        if unknown and all(v in known for v in op.results):
            progress |= _backwards(op, unknown, known)
    return _assemble(ops, own, known) or progress


def _unknown(op: Op, own: set[Value], known: KnownWords) -> list[Value]:
    nodes = [x.node if isinstance(x, Word) else x for x in op.operands]
    return [n for n in nodes if n is not None and n in own and n not in known]


def _word(x: Any, known: KnownWords) -> Any:
    return known.get(x.node, x) if isinstance(x, Word) and x.node is not None else x


def _forwards(op: Op, known: KnownWords) -> None:
    operands = [_word(x, known) for x in op.operands]
    if all(isinstance(x, Word) for x in operands) and operands:
        words = apply(op.kind, operands, [_width(v) for v in op.results], op.attribute)
        _label(op, words)
    else:  # a load, a counter as a word, a look-up by a counter
        values = [Value(v.type, v.name) for v in op.results]
        record(Op(op.kind, operands, list(values), op.attribute))
        words = [Word(_width(v), node=v) for v in values]
        _label(op, words)
    for value, w in zip(op.results, words, strict=True):
        known.setdefault(value, w)


def _label(op: Op, words: list[Word]) -> None:
    """Give the operation just recorded the place and names of the step it comes from."""
    trace = current()
    if trace is not None and words[0].node is not None and trace.blocks[-1].ops:
        trace.blocks[-1].ops[-1].positions = op.positions
        for w, value in zip(words, op.results, strict=True):
            if w.node is not None:
                w.node.name = value.name


def _backwards(op: Op, unknown: list[Value], known: KnownWords) -> bool:
    """Compute the unknown operands of an operation from its results, if it can be undone."""
    results = [known[v] for v in op.results]
    nodes = [x.node if isinstance(x, Word) else None for x in op.operands]
    if op.kind in ("bitsliced", "linear"):
        found = _undo_layer(op, nodes, known, results)
        return found
    if len(unknown) != 1 and op.kind != "concat":
        return False
    position = nodes.index(unknown[0])
    operands = [_word(x, known) for x in op.operands]
    if op.kind == "concat":
        low = 0
        for x, node in zip(op.operands, nodes, strict=True):
            if node in unknown:
                known[node] = (
                    apply("extract", [results[0]], [x.width], low)[0]
                    if x.width < results[0].width
                    else results[0]
                )
            low += x.width
        return True
    undone = _undo(op, position, operands, results[0])
    if undone is None:
        return False
    known[unknown[0]] = undone
    return True


def _undo(op: Op, position: int, operands: list[Any], result: Word) -> Word | None:
    """Solve ``result = op(operands)`` for the operand at ``position``; None if that is not possible."""
    found: Word
    other: Any = operands[1 - position] if len(operands) == 2 else None
    match op.kind:
        case "add":
            found = result - other
        case "sub":
            found = result + other if position == 0 else other - result
        case "xor":
            found = result ^ other
        case "not":
            found = ~result
        case "rotl" | "rotr" if position == 0:
            found = apply("rotr" if op.kind == "rotl" else "rotl", [result, operands[1]], [result.width])[0]
        case "mul" if other is not None and other.known and other.value % 2:
            found = result * pow(other.value, -1, 1 << result.width)
        case "lookup" if (
            not op.attribute[1].constant
            and len(op.attribute[0]) == 1 << operands[0].width == 1 << result.width
        ):
            found = op.attribute[0].inverse[result]
        case "zext":
            found = apply("extract", [result], [operands[0].width], 0)[0]
        case _:
            return None
    return found


def _undo_layer(op: Op, nodes: list[Value | None], known: KnownWords, results: list[Word]) -> bool:
    if len(results) != len(nodes):
        return False
    back = op.attribute.inverse
    words = (
        list(back @ results)
        if isinstance(back, Matrix)
        else apply("bitsliced", results, [results[0].width] * len(results), back)
    )
    for node, w in zip(nodes, words, strict=True):
        if node is not None:
            known.setdefault(node, w)
    return True


def _assemble(ops: list[Op], own: set[Value], known: KnownWords) -> bool:
    """Join words all of whose parts, taken out by ``extract``, are known."""
    parts: dict[Value, dict[int, tuple[int, Value]]] = {}
    for op in ops:
        if op.kind == "extract":
            node = op.operands[0].node
            if node in own and node not in known and op.results[0] in known:
                parts.setdefault(node, {})[op.attribute] = (_width(op.results[0]), op.results[0])
    progress = False
    for node, found in parts.items():
        pieces, low = [], 0
        while low in found:
            pieces.append(known[found[low][1]])
            low += found[low][0]
        if low == _width(node):
            known[node] = apply("concat", pieces, [low])[0]
            progress = True
    return progress
