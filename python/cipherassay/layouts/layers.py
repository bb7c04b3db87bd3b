"""The layers of a cipher: bytes through S-boxes, then through a matrix."""

from __future__ import annotations

import importlib
import json
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cipherassay._engine import Program
from cipherassay.errors import UsageError

_engine: Any = importlib.import_module("cipherassay._engine")


@dataclass(frozen=True)
class Layer:
    """Result byte `i` is the sum over `j` of ``matrix[i][j] * boxes[j][x[j]]`` in GF(2^8).

    Attributes
    ----------
    function, name : str
        The program's function that the layer stands in, and its matrix.
    polynomial : int
        Of the field, with its leading bit; of no account where the matrix has only zeros and ones.
    matrix : tuple of tuple of int
        Rows of bytes.
    boxes : tuple of str
        The S-box of each column; `tables` has its 256 bytes.
    second : str
        The S-box that every result goes through in the same round, keys added; empty if there is none.
    count : int
        How many times the layer stands side by side in a round.
    """

    function: str
    name: str
    polynomial: int
    matrix: tuple[tuple[int, ...], ...]
    boxes: tuple[str, ...]
    tables: dict[str, bytes]
    second: str = ""
    count: int = 1

    @property
    def inputs(self) -> int:
        """Bytes that go in."""
        return len(self.boxes)

    @property
    def outputs(self) -> int:
        """Bytes that come out."""
        return len(self.matrix)

    def compute(self, x: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Return the plain meaning: results, shape (n, outputs), of inputs, shape (n, inputs)."""
        substituted = [np.frombuffer(self.tables[box], np.uint8)[x[:, j]] for j, box in enumerate(self.boxes)]
        result = np.zeros((len(x), self.outputs), np.uint8)
        for i, row in enumerate(self.matrix):
            for factor, byte in zip(row, substituted, strict=True):
                result[:, i] ^= multiply(factor, byte, self.polynomial)
        return result

    def joined(self, word_bits: int) -> Layer:
        """Return as many equal layers side by side as a word holds: the layer itself if it fills a word."""
        times = max(1, min(self.count, word_bits // 8 // self.outputs))
        if times == 1:
            return self
        empty = (0,) * self.inputs
        rows = tuple(empty * n + row + empty * (times - 1 - n) for n in range(times) for row in self.matrix)
        return replace(self, matrix=rows, boxes=self.boxes * times, count=self.count // times)


def multiply(factor: int, byte: NDArray[np.uint8], polynomial: int) -> NDArray[np.uint8]:
    """Return products in GF(2^8), bit by bit of the factor."""
    power: NDArray[Any] = byte.astype(np.uint16)
    total = np.zeros(len(byte), np.uint16)
    for bit in range(8):
        if factor >> bit & 1:
            total ^= power
        power = power << 1
        power ^= np.where(power & 0x100, polynomial, 0).astype(np.uint16)
    return total.astype(np.uint8)


def find(program: Program, function: str = "encrypt") -> list[Layer]:
    """Return the layers of a function and of what it calls, each once, in the order of the program.

    Raises
    ------
    UsageError
        ``L103``: there is none.
    """
    found = [_layer(entry) for entry in json.loads(_engine.layout_layers(program, function))]
    if not found:
        raise UsageError(
            "L103",
            f"`{function}` of {program.name} has no S-box layer of bytes with a linear layer behind it",
            notes=["looked for: a matrix of bytes whose inputs all come straight from tables of 256 bytes"],
            help="layouts are for ciphers whose S-boxes of bytes lead into a linear layer",
        )
    return found


def _layer(entry: dict[str, Any]) -> Layer:
    return Layer(
        entry["function"],
        entry["matrix"],
        entry["polynomial"],
        tuple(map(tuple, entry["rows"])),
        tuple(entry["boxes"]),
        {name: bytes(data) for name, data in entry["tables"].items()},
        entry["second"] or "",
        entry["count"],
    )
