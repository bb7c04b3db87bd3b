"""The loops of a cipher's functions: what a round consists of, as it is drawn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from cipherassay import ir
from cipherassay.ir.text import number

SOURCES = ("load", "word", "index_div", "index_mod", "array")
"""Operations that read nothing of the data: places in arrays, counters."""
SIGNS = {
    "xor": "⊕", "and": "∧", "or": "∨", "not": "¬", "add": "+", "sub": "−", "mul": "×", "rotl": "⋘",
    "rotr": "⋙", "shl": "≪", "shr": "≫", "concat": "‖", "select": "?",
}  # fmt: skip
_SHIFTS = ("rotl", "rotr", "shl", "shr")


@dataclass(frozen=True)
class Operation:
    """An operation of a body: what it computes, from which values, what stands in its box."""

    name: str
    results: tuple[str, ...]
    bits: int
    """Width of the result if it is a word, else 0."""
    operands: tuple[str, ...]
    label: str


@dataclass
class Body:
    """A body of a loop that holds no other loop."""

    function: str
    loop: str
    """The counter's name."""
    iterations: int
    forms: int = 1
    """How many bodies the loop has: other iterations may compute something else."""
    inputs: tuple[str, ...] = ()
    """The words that change from iteration to iteration."""
    outputs: tuple[str, ...] = ()
    operations: list[Operation] = field(default_factory=list)
    results: tuple[str, ...] = ()
    """What the outputs are called, if not as the inputs in their order."""


def bodies(program: ir.Program) -> list[Body]:
    """Return the first body of every innermost loop of every function, in the program's order."""
    return [
        _drawn(function.name, loop, innermost)
        for function in program.function_list
        for loop, innermost in innermost_loops(function.ops)
    ]


def innermost_loops(ops: Sequence[ir.Operation]) -> Iterator[tuple[ir.Loop, list[ir.Body]]]:
    """Yield the loops of rounds that have bodies without such loops, with these bodies, inner loops first."""
    for op in ops:
        if op.loop is None or op.kind != "rounds":
            continue
        for body in op.loop.bodies:
            yield from innermost_loops(body.ops)
        inner = [body for body in op.loop.bodies if not any(one.kind == "rounds" for one in body.ops)]
        if inner:
            yield op.loop, inner


def _drawn(function: str, loop: ir.Loop, innermost: Sequence[ir.Body]) -> Body:
    """Return a loop's first body; its outputs are words: arrays pass through stores, which are operations."""
    body = innermost[0]
    inputs = tuple(name for name, ty in body.params if ty.is_word)
    operations = [operation(op) for op in body.ops]
    words = {*inputs, *(name for one in operations if one.bits for name in one.results)}
    outputs = tuple(name for name in body.outputs if isinstance(name, str) and name in words)
    return Body(function, loop.counter, loop.iteration_count, len(innermost), inputs, outputs, operations)


def operation(op: ir.Operation) -> Operation:
    """Return an operation as it is drawn: it reads words, not counters and places in arrays."""
    bits = op.results[0].type.word_bits if op.results else 0
    reads: tuple[str, ...] = ()
    if op.kind == "store":
        reads = tuple(replace(op, operands=(), addresses=op.addresses[1:]).reads())
        reads += tuple(replace(op, addresses=()).reads())
    elif op.kind not in SOURCES:
        reads = tuple(op.reads())
    return Operation(op.kind, tuple(name for name, _ in op.results), bits, reads, label(op))


def label(op: ir.Operation) -> str:
    """Return what stands in an operation's box: its sign, the constant it works with."""
    match op.kind:
        case "load" | "store":
            return f"{base(op.name)}[{counted(op.addresses[0])}]" + (" ←" if op.kind == "store" else "")
        case "word":
            return counted(op.addresses[0])
        case "index_div" | "index_mod":
            return f"{counted(op.addresses[0])},{op.number}"
        case "extract":
            return f"{op.number + op.results[0].type.bits - 1}:{op.number}"
        case "lookup" | "bitsliced" | "linear" | "call":
            return op.name + ("[ ]" if op.kind == "lookup" else "")
    text = str if op.kind in _SHIFTS else number
    return " ".join(
        [SIGNS.get(op.kind, op.kind), *(text(one) for one in op.operands if isinstance(one, int))]
    )


def base(name: str) -> str:
    """Return a value's name without the number that tells it from others of that name."""
    return name.partition(".")[0]


def counted(index: ir.Affine) -> str:
    """Return an expression of counters as the author would write it: ``2i+2``."""
    terms = tuple((factor, base(name)) for factor, name in index.terms)
    text = ir.affine_text(ir.Affine(terms, index.constant))
    return text.replace("%", "").replace("*", "").replace(" ", "")
