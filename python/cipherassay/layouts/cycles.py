"""What a layout takes on a modelled processor: its operations as a program, scheduled."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

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
        text = program_text(layer, layout)
        yield None if text is None else _scheduled(layer, layout, text, processor)


def _scheduled(layer: Layer, layout: Layout, text: str, processor: Processor) -> Cycles:
    program = Program.parse(text).passes(["fold", "cse", "dce"])
    _check(layer, layout, program)
    how = (1, True, None, "never", False)
    code = Kernel.select(program, FUNCTION, processor, [], *how)
    (part,) = json.loads(code.schedule(RESTARTS, 1, 0))
    return Cycles(1 + max(part["schedule"]["cycles"]), part["bound"]["cycles"])


def program_text(layer: Layer, layout: Layout) -> str | None:
    """Return a layout as the text of a program of one function; None where it has windows.

    The function takes the layer's bytes in words, the first byte least significant, and gives the result's
    words.
    """
    word = layout.word_bits // 8
    if any(step.kind == "load" and step.operands[2] for step in layout.steps):
        return None
    if any(len(table.factors) > word for table in layout.tables):
        return None
    words = range((layer.inputs + word - 1) // word)
    used = sorted({step.operands[0] for step in layout.steps if step.kind == "load"})
    tables = [_table(layer, layout.tables[n], f"T{n}") for n in used]
    bits = layout.word_bits
    results = ", ".join(f"u{bits}" for _ in layout.outputs)
    lines = [line for n, step in enumerate(layout.steps) for line in _operations(layout, n, step)]
    lines.append(f"return {', '.join(f'%v{n}' for n in layout.outputs)}")
    head = f"func @{FUNCTION}({', '.join(f'%x{n}: u{bits}' for n in words)}) -> ({results}) {{"
    body = "".join(f"  {line}\n" for line in lines)
    return f'program "{layer.name}" {{\n}}\n{"".join(tables)}{head}\n{body}}}\n'


def _table(layer: Layer, table: Table, name: str) -> str:
    entries = table.contents(layer)
    places = np.uint64(1) << (np.uint64(8) * np.arange(entries.shape[1], dtype=np.uint64))
    numbers = (entries.astype(np.uint64) * places).sum(axis=1)
    return f"table @{name}: u{8 * entries.shape[1]}[{len(numbers)}] = [{', '.join(map(str, numbers))}]\n"


def _operations(layout: Layout, number: int, step: Step) -> Iterator[str]:
    """Yield the lines of a step; its value is named by its number."""
    bits, (a, b, *_) = layout.word_bits, step.operands
    value = f"%v{number}: u{bits} ="
    match step.kind:
        case "load":
            yield from _index(layout, number, layout.units[b])
            entry = 8 * len(layout.tables[a].factors)
            if entry == bits:
                yield f"{value} lookup @T{a}[%i{number}]"
            else:
                yield f"%n{number}: u{entry} = lookup @T{a}[%i{number}]"
                yield f"{value} zext %n{number}"
        case "xor":
            yield f"{value} xor %v{a}, %v{b}"
        case "mask":
            kept = sum(0xFF << (8 * n) for n in range(bits // 8) if b >> n & 1)
            yield f"{value} and %v{a}, {kept:#x}"
        case _:
            shift = {"up": "shl", "down": "shr", "rotate": "rotl"}[step.kind]
            yield f"{value} {shift} %v{a}, {8 * b}"


def _index(layout: Layout, number: int, unit: tuple[int, ...]) -> Iterator[str]:
    """Yield the lines that take the bytes of a unit out of the words."""
    word = layout.word_bits // 8
    names = [f"%i{number}" if len(unit) == 1 else f"%b{number}.{n}" for n in range(len(unit))]
    for name, column in zip(names, unit, strict=True):
        yield f"{name}: u8 = extract %x{column // word}, {8 * (column % word)}"
    if len(unit) > 1:
        yield f"%i{number}: u{8 * len(unit)} = concat {', '.join(names)}"


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
