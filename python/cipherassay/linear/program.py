"""A program of words that hold bytes: its steps, its cost, its evaluation, its text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

_METRICS = {
    "xor": "xors", "xor_rotated": "xors", "rotate": "rotations", "up": "shifts", "down": "shifts",
    "mask": "masks", "double": "doublings", "halve": "doublings",
}  # fmt: skip
COUNTED = ("xors", "rotations", "shifts", "masks", "doublings")
"""The metrics that operations are counted by; an exclusive or with a rotated operand counts once, as one."""


@dataclass(frozen=True)
class Step:
    """One operation; its value has the number of input words plus its own.

    `kind` is ``xor`` (two values), ``xor_rotated`` (a value, and another that is rotated by bytes first),
    ``rotate`` or ``up`` (a value and bytes, to the more significant end, around or not), ``down`` (to the
    less significant end), ``mask`` (a value and the set of bytes that stay), ``double`` or ``halve`` (every
    byte times or by x).
    """

    kind: str
    operands: tuple[int, ...]


@dataclass(frozen=True)
class Program:
    """Steps on words, and what lies in the words.

    `inputs` has the matrix's column at each place, `outputs` its row, word after word, the least significant
    byte first; `results` the value that each word of the result is; `starts` the cycle in which each step
    starts, if planned.
    """

    word_bits: int
    polynomial: int
    steps: tuple[Step, ...]
    results: tuple[int, ...]
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    starts: tuple[int, ...] = ()

    @property
    def bytes(self) -> int:
        """Bytes of a word."""
        return self.word_bits // 8

    @property
    def words(self) -> int:
        """Words of the input."""
        return len(self.inputs) // self.bytes

    def counted(self) -> dict[str, int]:
        """Return how many operations of each kind there are."""
        kinds = [_METRICS[step.kind] for step in self.steps]
        return {metric: kinds.count(metric) for metric in COUNTED}

    def evaluate(self, x: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Return the result bytes in the matrix's order for inputs of shape (n, columns), step by step."""
        size = self.bytes
        places = np.array(self.inputs).reshape(-1, size)
        values = [_joined(x[:, word]) for word in places]
        for step in self.steps:
            values.append(self._step(step, values))
        result = np.zeros((len(x), len(self.outputs)), np.uint8)
        for place, row in enumerate(self.outputs):
            value = values[self.results[place // size]]
            result[:, row] = (value >> np.uint64(8 * (place % size))) & np.uint64(0xFF)
        return result

    def _step(self, step: Step, values: list[NDArray[np.uint64]]) -> NDArray[np.uint64]:
        bits, (a, *rest) = self.word_bits, step.operands
        ones = np.uint64((1 << bits) - 1)

        def turned(value: NDArray[np.uint64], by: int) -> NDArray[np.uint64]:
            return ((value << np.uint64(8 * by)) | (value >> np.uint64(bits - 8 * by))) & ones

        match step.kind:
            case "xor":
                return values[a] ^ values[rest[0]]
            case "xor_rotated":
                return values[a] ^ turned(values[rest[0]], rest[1])
            case "rotate":
                return turned(values[a], rest[0])
            case "up":
                return (values[a] << np.uint64(8 * rest[0])) & ones
            case "down":
                return values[a] >> np.uint64(8 * rest[0])
            case "mask":
                kept = sum(0xFF << (8 * n) for n in range(self.bytes) if rest[0] >> n & 1)
                return values[a] & np.uint64(kept)
            case "double" | "halve":
                apart = np.stack([values[a] >> np.uint64(8 * n) & np.uint64(0xFF) for n in range(self.bytes)])
                return _joined(np.moveaxis(self._scaled(step.kind, apart), 0, -1))
        raise AssertionError(step.kind)

    def _scaled(self, kind: str, byte: NDArray[np.uint64]) -> NDArray[np.uint64]:
        """Return bytes times or by x, each by itself."""
        one, polynomial = np.uint64(1), np.uint64(self.polynomial)
        if kind == "double":
            byte = byte << one
            return byte ^ np.where(byte & np.uint64(0x100), polynomial, np.uint64(0))
        return (byte ^ np.where(byte & one, polynomial, np.uint64(0))) >> one

    def text(self) -> list[str]:
        """Return the program, a line for each step; the bytes of words from the most significant."""
        size = self.bytes
        lines = [
            f"{_name(n)} = input ({self._named('x', self.inputs[n * size : (n + 1) * size])})"
            for n in range(self.words)
        ]
        for n, step in enumerate(self.steps):
            cycle = f"  # cycle {self.starts[n] + 1}" if self.starts else ""
            lines.append(f"{_name(self.words + n)} = {self._described(step)}{cycle}")
        for n, value in enumerate(self.results):
            named = self._named("y", self.outputs[n * size : (n + 1) * size])
            lines.append(f"output {_name(value)} ({named})")
        return lines

    def _named(self, letter: str, places: tuple[int, ...]) -> str:
        return " ".join(f"{letter}{place + 1}" for place in reversed(places))

    def _described(self, step: Step) -> str:
        a, *rest = step.operands
        match step.kind:
            case "xor":
                return f"{_name(a)} ^ {_name(rest[0])}"
            case "xor_rotated":
                return f"{_name(a)} ^ ({_name(rest[0])} <<< {8 * rest[1]})"
            case "rotate":
                return f"{_name(a)} <<< {8 * rest[0]}"
            case "up" | "down":
                return f"{_name(a)} {'<<' if step.kind == 'up' else '>>'} {8 * rest[0]}"
            case "mask":
                return f"{_name(a)} & {mask_of(rest[0], self.bytes)}"
        return f"{step.kind}({_name(a)})"

    def as_document(self) -> dict[str, Any]:
        """Return what ``--json`` shows; bytes and values are numbered from 0."""
        return {
            "word_bits": self.word_bits,
            "steps": [{"kind": step.kind, "operands": step.operands} for step in self.steps],
            "starts": self.starts or None,
            "results": self.results,
            "input_order": self.inputs,
            "output_order": self.outputs,
            "text": self.text(),
        }


def mask_of(kept: int, size: int) -> str:
    """Return a set of bytes as a mask in hexadecimal."""
    return "0x" + "".join("ff" if kept >> n & 1 else "00" for n in reversed(range(size)))


def _joined(apart: NDArray[Any]) -> NDArray[np.uint64]:
    total = np.zeros(len(apart), np.uint64)
    for n in range(apart.shape[1]):
        total |= apart[:, n].astype(np.uint64) << np.uint64(8 * n)
    return total


def _name(value: int) -> str:
    return f"w{value + 1}"
