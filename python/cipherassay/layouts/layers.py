"""The layers of a cipher: bytes through S-boxes, then through a matrix."""

from __future__ import annotations

import importlib
import json
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cipherassay._engine import Program

_engine: Any = importlib.import_module("cipherassay._engine")

WORD_SIZES = (8, 16, 32, 64)
MOST_COLUMNS, MOST_WORDS, MOST_PARTS = 8, 8, 32
"""Input bytes, words of a result, and the one times the other, that the engine's search tells apart."""


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

    def fits(self, word_bits: int) -> bool:
        """Whether the search can take it: its orders are those of few columns and words of the result."""
        words = -(-self.outputs // max(1, word_bits // 8))
        fills = self.outputs <= word_bits // 8 or self.outputs % (word_bits // 8) == 0
        few = self.inputs <= MOST_COLUMNS and self.inputs * words <= MOST_PARTS
        return word_bits not in WORD_SIZES or (fills and words <= MOST_WORDS and few)

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
    """
    found = [_layer(entry) for entry in json.loads(_engine.layout_layers(program, function))]
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
