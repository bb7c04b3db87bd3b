"""Exclusive ors of single bits for a layer of bits: the fewest met, multiplied out, counted, written as C."""

from __future__ import annotations

import ctypes
import importlib
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from cipherassay.circuits.linear import minimize
from cipherassay.errors import VerificationError
from cipherassay.linear.bit_layers import BitLayer
from cipherassay.results import Row
from cipherassay.tools.compiler import build_shared_library

_engine: Any = importlib.import_module("cipherassay._engine")

MOST_WALKED = 64
"""Columns up to which sets of sums are improved step by step."""
SECONDS = 5.0
"""Of that improvement."""


@dataclass(frozen=True)
class BitProgram:
    """Exclusive ors in order: wires are columns, then steps; `wires` has that of each row, None for zero.

    `written` counts those that the program has, `bound` those that every program needs, by counting.
    """

    layer: BitLayer
    steps: tuple[tuple[int, int], ...]
    wires: tuple[int | None, ...]
    how: str
    bound: int

    @property
    def xors(self) -> int:
        """Exclusive ors of bits."""
        return len(self.steps)

    @property
    def written(self) -> int:
        """Exclusive ors that the cipher's program has."""
        return len(self.layer.steps)

    @property
    def depth(self) -> int:
        """Exclusive ors one behind another."""
        levels = [0] * self.layer.columns
        for a, b in self.steps:
            levels.append(max(levels[a], levels[b]) + 1)
        return max((levels[wire] for wire in self.wires if wire is not None), default=0)

    @property
    def certificate(self) -> str:
        """What is known of the count."""
        return "proved least" if self.xors == self.bound else "best found"


def search(layer: BitLayer, *, tell: Callable[[str], bool] = lambda _line: False) -> BitProgram:
    """Return the shortest of the program's own exclusive ors, those by pairs, and a search from both.

    Raises
    ------
    VerificationError
        ``L414``: a program that does not multiply out to the layer.
    """
    found = [(layer.steps, layer.wires, "as the cipher's program has them")]
    pairs = _engine.linear_wide(layer.columns, list(map(list, layer.rows)), lambda _line: tell("pairs"))
    if pairs is not None:
        found.append((tuple(map(tuple, pairs[0])), tuple(pairs[1]), "by pairs"))
    if layer.adds and layer.columns <= MOST_WALKED:
        table = np.zeros((len(layer.rows), layer.columns), np.uint8)
        for row, columns in zip(table, layer.rows, strict=True):
            row[list(columns)] = 1
        end = time.monotonic() + SECONDS
        walked = minimize(
            table, starts=4, patience=1000, stop=lambda: tell("sums") or time.monotonic() > end
        )
        found.append((walked.steps, walked.outputs, "by search"))
    steps, wires, how = min(found, key=lambda one: len(one[0]))
    program = BitProgram(layer, steps, wires, how, counting_bound(layer))
    check(program)
    return program


def counting_bound(layer: BitLayer) -> int:
    """Return the exclusive ors that any program needs: the terms of a row, one more for each other sum."""
    sums = [len(row) for row in set(layer.rows) if len(row) > 1]
    return max(min(sums) - 1 + len(sums) - 1, max(sums) - 1) if sums else 0


def check(program: BitProgram) -> None:
    """Multiply a program out and compare each row.

    Raises
    ------
    VerificationError
        ``L414``: a row that is another sum.
    """
    sums = [1 << column for column in range(program.layer.columns)]
    for a, b in program.steps:
        sums.append(sums[a] ^ sums[b])
    for number, (wire, row) in enumerate(zip(program.wires, program.layer.rows, strict=True)):
        found = sums[wire] if wire is not None else 0
        if found != sum(1 << column for column in row):
            raise VerificationError(
                "L414",
                f"the exclusive ors for `{program.layer.name}` do not multiply out to row {number + 1}",
                help="this is a defect: please report it",
            )


def rows(program: BitProgram, cipher: str, command: str) -> list[Row]:
    """Return the rows: exclusive ors with their bound, and their depth."""
    layer = program.layer
    part = f"{layer.name} behind {layer.behind}"
    counted = (("xors", program.xors, "operations"), ("depth", program.depth, None))
    return [
        Row(
            cipher=cipher or None,
            part=part,
            target="bits",
            configuration="bits",
            metric=metric,
            value=value,
            unit=unit,
            basis="synthesized",
            bound=program.bound if metric == "xors" else None,
            certificate=f"{program.certificate} ({program.how})" if metric == "xors" else None,
            command=command,
        )
        for metric, value, unit in counted
    ]


def source(program: BitProgram, name: str) -> str:
    """Return C11: ``void NAME(const uint64_t *x, uint64_t *y)``, a word per bit, 64 layers at once."""
    layer = program.layer
    head = f"void {name}(const uint64_t *x, uint64_t *y)"
    lines = [f"/* {layer.name} behind {layer.behind}: {program.xors} exclusive ors of bits, {program.how}.",
             " * x has a word for each column, y gets one for each row; 64 layers side by side. */",
             "#include <stdint.h>", "", f"{head};", "", head, "{"]  # fmt: skip

    def wire(number: int) -> str:
        return f"x[{number}]" if number < layer.columns else f"w{number - layer.columns}"

    for n, (a, b) in enumerate(program.steps):
        lines.append(f"    const uint64_t w{n} = {wire(a)} ^ {wire(b)};")
    for n, one in enumerate(program.wires):
        lines.append(f"    y[{n}] = {wire(one) if one is not None else 0};")
    return "\n".join([*lines, "}", ""])


def check_compiled(programs: Sequence[BitProgram], names: Sequence[str]) -> None:
    """Compile the C and compare what it gives for random words with the layer's rows.

    Raises
    ------
    ToolError
        ``N002`` to ``N004``: there is no compiler, or it fails.
    VerificationError
        ``L415``: another result.
    """
    texts = {f"{name}.c": source(one, name) for name, one in zip(names, programs, strict=True)}
    library = ctypes.CDLL(str(build_shared_library("bit_layers", texts)))
    for name, program in zip(names, programs, strict=True):
        layer = program.layer
        x = np.random.default_rng(1).integers(0, 1 << 63, layer.columns, np.uint64)
        y = np.zeros(len(layer.rows), np.uint64)
        getattr(library, name)(x.ctypes.data_as(ctypes.c_void_p), y.ctypes.data_as(ctypes.c_void_p))
        for number, row in enumerate(layer.rows):
            if y[number] != np.bitwise_xor.reduce(x[list(row)]):
                raise VerificationError(
                    "L415", f"the C of `{layer.name}` gives another row {number + 1}",
                    help="this is a defect: please report it",
                )  # fmt: skip
