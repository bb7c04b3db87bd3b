"""What a layout takes on a modelled processor: its operations as a program, scheduled."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from cipherassay import ir
from cipherassay._engine import Kernel, Processor, Program
from cipherassay.errors import VerificationError
from cipherassay.layouts.layers import Layer
from cipherassay.layouts.layout import Layout, Step, Table

FUNCTION = "layer"
RESTARTS = 200
"""Randomized list schedules."""
_INPUTS = 64


@dataclass(frozen=True)
class Cycles:
    """From the first instruction to the last store of one evaluation, inputs and results in memory."""

    cycles: int
    bound: int
    """No schedule of these instructions is shorter."""

    @property
    def is_least(self) -> bool:
        """Whether the schedule is as short as the bound."""
        return self.cycles == self.bound


def cycles(layer: Layer, layouts: Sequence[Layout], processor: Processor) -> Iterator[Cycles | None]:
    """Yield the cycles of each layout; None where it reads words inside of entries, which programs do not.

    Raises
    ------
    DescriptionError
        ``M2xx``: an operation that the processor lacks.
    VerificationError
        ``L403``: a layout's program computes something else.

    Notes
    -----
    No cache misses; addresses of tables are made from one pointer.
    """
    for layout in layouts:
        written = program(layer, layout)
        yield None if written is None else _scheduled(layer, layout, written, processor)


def _scheduled(layer: Layer, layout: Layout, written: ir.Program, processor: Processor) -> Cycles:
    program = ir.engine_program(written).passes(["fold", "cse", "dce"])
    _check(layer, layout, program)
    how = (1, True, None, "never", False)
    code = Kernel.select(program, FUNCTION, processor, [], *how)
    (part,) = json.loads(code.schedule(RESTARTS, 1, 0))
    return Cycles(1 + max(part["schedule"]["cycles"]), part["bound"]["cycles"])


def program(layer: Layer, layout: Layout) -> ir.Program | None:
    """Return a layout as a program of one function; None where it has windows.

    The function takes the layer's bytes in words, the first byte least significant, and gives the result's
    words.
    """
    word = layout.word_bits // 8
    if any(step.kind == "load" and step.operands[2] for step in layout.steps):
        return None
    if any(len(table.factors) > word for table in layout.tables):
        return None
    used = sorted({step.operands[0] for step in layout.steps if step.kind == "load"})
    tables = tuple(_table(layer, layout.tables[n], f"T{n}") for n in used)
    type_ = ir.Type(layout.word_bits)
    params = tuple(ir.Value(f"x{n}", type_) for n in range((layer.inputs + word - 1) // word))
    ops = tuple(op for n, step in enumerate(layout.steps) for op in _operations(layout, n, step))
    outputs = tuple(f"v{n}" for n in layout.outputs)
    function = ir.Function(FUNCTION, params, (type_,) * len(outputs), ops, outputs)
    return ir.Program(layer.name, table_list=tables, function_list=(function,))


def _table(layer: Layer, table: Table, name: str) -> ir.Table:
    entries = table.contents(layer)
    places = np.uint64(1) << (np.uint64(8) * np.arange(entries.shape[1], dtype=np.uint64))
    numbers = (entries.astype(np.uint64) * places).sum(axis=1)
    return ir.Table(name, 8 * entries.shape[1], tuple(map(int, numbers)))


def _operations(layout: Layout, number: int, step: Step) -> Iterator[ir.Operation]:
    """Yield the operations of a step; its value is named by its number."""
    bits, (a, b, *_) = layout.word_bits, step.operands
    value = (ir.Value(f"v{number}", ir.Type(bits)),)
    match step.kind:
        case "load":
            yield from _index(layout, number, layout.units[b])
            index = (ir.Affine(((1, f"i{number}"),), 0),)
            entry = 8 * len(layout.tables[a].factors)
            read = value if entry == bits else (ir.Value(f"n{number}", ir.Type(entry)),)
            yield ir.Operation(read, "lookup", name=f"T{a}", addresses=index)
            if entry != bits:
                yield ir.Operation(value, "zext", (f"n{number}",))
        case "xor":
            yield ir.Operation(value, "xor", (f"v{a}", f"v{b}"))
        case "mask":
            kept = sum(0xFF << (8 * n) for n in range(bits // 8) if b >> n & 1)
            yield ir.Operation(value, "and", (f"v{a}", kept))
        case _:
            shift = {"up": "shl", "down": "shr", "rotate": "rotl"}[step.kind]
            yield ir.Operation(value, shift, (f"v{a}", 8 * b))


def _index(layout: Layout, number: int, unit: tuple[int, ...]) -> Iterator[ir.Operation]:
    """Yield the operations that take the bytes of a unit out of the words."""
    word = layout.word_bits // 8
    names = tuple(f"i{number}" if len(unit) == 1 else f"b{number}.{n}" for n in range(len(unit)))
    for name, column in zip(names, unit, strict=True):
        byte = (ir.Value(name, ir.Type(8)),)
        yield ir.Operation(byte, "extract", (f"x{column // word}",), number=8 * (column % word))
    if len(unit) > 1:
        yield ir.Operation((ir.Value(f"i{number}", ir.Type(8 * len(unit))),), "concat", names)


def _check(layer: Layer, layout: Layout, program: Program) -> None:
    """Compare a program with the layer's plain meaning on random bytes."""
    word = layout.word_bits // 8
    x = np.random.default_rng(1).integers(0, 256, (_INPUTS, layer.inputs), dtype=np.uint8)
    for given, wanted in zip(x, layer.compute(x), strict=True):
        padded = bytes(given) + bytes(-layer.inputs % word)
        words = [int.from_bytes(padded[n : n + word], "little") for n in range(0, len(padded), word)]
        made = b"".join(int(one).to_bytes(word, "little") for one in _numbers(program, words))
        found = [made[place] for place, row in enumerate(layout.order) if row is not None]
        if found != [int(wanted[row]) for row in layout.order if row is not None]:
            raise VerificationError(
                "L403", f"the program of the layout `{layout.name}` computes something else than its layer",
                notes=[f"given {bytes(given).hex()}"], help="this is a defect: please report it",
            )  # fmt: skip


def _numbers(program: Program, words: list[int]) -> list[int]:
    return [one for one in program.evaluate(FUNCTION, words) if isinstance(one, int)]
