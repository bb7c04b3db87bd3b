"""Short straight-line programs of XORs for any GF(2) matrix: MixColumns, a P-layer, and the like."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cipherassay.errors import DescriptionError, VerificationError

_engine: Any = importlib.import_module("cipherassay._engine")

MOST_COLUMNS = 128
"""Columns of a matrix that the engine serves."""


@dataclass(frozen=True)
class XorProgram:
    """XORs in order: wires ``0 .. inputs - 1`` are the inputs, wire ``inputs + n`` is step ``n``.

    Attributes
    ----------
    inputs : int
        Number of inputs.
    steps : tuple of (int, int)
        The two wires that each step adds.
    outputs : tuple of int or None
        The wire of each output; None is the constant zero.
    """

    inputs: int
    steps: tuple[tuple[int, int], ...]
    outputs: tuple[int | None, ...]

    @property
    def xors(self) -> int:
        """Number of XORs."""
        return len(self.steps)

    def depth(self, arrival: Sequence[int] = ()) -> int:
        """Return the level of the latest output; inputs are there at level 0 or as `arrival` says."""
        levels = list(arrival) or [0] * self.inputs
        for a, b in self.steps:
            levels.append(max(levels[a], levels[b]) + 1)
        return max((levels[wire] for wire in self.outputs if wire is not None), default=0)

    def matrix(self) -> NDArray[np.uint8]:
        """Multiply the program out: one row per output, one column per input."""
        wires = np.zeros((self.inputs + len(self.steps), self.inputs), dtype=np.uint8)
        wires[: self.inputs] = np.eye(self.inputs, dtype=np.uint8)
        for n, (a, b) in enumerate(self.steps):
            wires[self.inputs + n] = wires[a] ^ wires[b]
        zero = np.zeros(self.inputs, dtype=np.uint8)
        rows = [zero if wire is None else wires[wire] for wire in self.outputs]
        return np.array(rows, dtype=np.uint8).reshape(len(rows), self.inputs)


def minimize(
    matrix: ArrayLike,
    *,
    arrival: Sequence[int] = (),
    depth: int | Sequence[int] | None = None,
    starts: int = 8,
    patience: int = 20_000,
    seed: int = 1,
    stop: Callable[[], bool] = lambda: False,
) -> XorProgram:
    """Find a short program of XORs for a GF(2) matrix, and check it by multiplying it out.

    Parameters
    ----------
    matrix : array of 0 and 1, shape (outputs, inputs)
        At most 128 inputs.
    arrival : sequence of int
        Level at which each input is there; all at 0 if absent.
    depth : int or sequence of int, optional
        Latest level of every output, or of each.
    starts, patience : int
        Starting points, and steps without improvement after which the search from one ends.
    seed : int
        Same seed, same program.
    stop : callable
        Asked about ten times a second; the best program so far is returned once it says yes.

    Raises
    ------
    DescriptionError
        C110 to C113: a matrix that is none, or a depth that no program keeps.
    VerificationError
        C114: the program does not compute the matrix.
    """
    try:
        table = np.asarray(matrix)
    except ValueError:  # rows of different lengths
        table = np.empty(0)
    if table.ndim != 2 or not np.isin(table, (0, 1)).all():
        raise DescriptionError("C111", "a matrix over GF(2) has rows of zeros and ones, all of one length")
    outputs, inputs = table.shape
    if not 1 <= inputs <= MOST_COLUMNS:
        raise DescriptionError(
            "C110",
            f"a matrix of {inputs} columns cannot be served",
            help=f"from 1 to {MOST_COLUMNS} columns are",
        )
    limits = [depth] * outputs if isinstance(depth, int) else list(depth or ())
    for name, values, count in (("arrival", arrival, inputs), ("depth", limits, outputs)):
        if len(values) not in (0, count):
            raise DescriptionError("C115", f"`{name}` has {len(values)} levels for {count} wires")
    rows = [sum(int(bit) << k for k, bit in enumerate(row)) for row in table]
    arguments = (inputs, rows, list(arrival), limits, starts, patience, seed)
    steps, wires = _engine.linear_minimize(*arguments, lambda _line: stop())
    program = XorProgram(inputs, tuple(tuple(step) for step in steps), tuple(wires))
    if not np.array_equal(program.matrix(), table.astype(np.uint8)):
        raise VerificationError(
            "C114",
            "the program of XORs does not multiply out to its matrix",
            help="this is a bug of the search: please report it",
        )
    return program
