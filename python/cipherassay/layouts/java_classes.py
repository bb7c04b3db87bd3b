"""A layout as a Java class: its tables, made when the class is loaded, and words in, words out."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cipherassay.layouts.layers import Layer
from cipherassay.layouts.layout import Layout, Step, Table

TEMPLATES = Path(__file__).parent / "templates"
_ARRAYS = {1: "byte", 2: "char", 4: "int", 8: "long"}
"""Types of entries by their bytes: `char` has no sign."""
_PER_LINE = 32


@dataclass(frozen=True)
class LayoutClass:
    """A class without package: its name, the type of its words, the columns in the words that it takes."""

    name: str
    text: str
    word: str
    inputs: tuple[int, ...]
    """Word after word, the least significant byte first."""


def class_name(name: str) -> str:
    """Return a file's name (``cipher_p_matrix_32_01``) as a class has it (``CipherPMatrix32L01``)."""
    *parts, number = re.sub(r"\W", "_", name).split("_")
    joined = "".join(part[:1].upper() + part[1:] for part in parts) + f"L{number}"
    return joined if joined[0].isalpha() else f"Layout{joined}"


def java_class(layer: Layer, layout: Layout, name: str) -> LayoutClass:
    """Write a layout as a class for Java 11, without dependencies.

    Its method ``layer(x, y)`` takes words in which the bytes of an index of two lie side by side.
    """
    writer = _Writer(layer, layout)
    made = class_name(name)
    values: dict[str, Any] = {
        "name": made, "layer": layer, "layout": layout, "word": writer.word, "bits": layout.word_bits,
        "inputs": [column + 1 for column in writer.inputs],
        "outputs": ["-" if row is None else row + 1 for row in layout.order],
        "boxes": [(_field(box), _rows(layer.tables[box])) for box in dict.fromkeys(layer.boxes)],
        "tables": [_table(n, one, writer.size) for n, one in enumerate(layout.tables)],
        "is_wide": writer.is_wide,
        "types": sorted({_entry(one, writer.size) for one in layout.tables}),
        "steps": [f"final {writer.word} v{n} = {writer.value(n, s)};" for n, s in enumerate(layout.steps)],
        "words": range(-(-layer.inputs // writer.size)),
    }  # fmt: skip
    return LayoutClass(made, filled("Layout.java", values), writer.word, writer.inputs)


def filled(template: str, values: dict[str, Any]) -> str:
    """Return a file of the folder `templates` with its places filled in."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(TEMPLATES), undefined=StrictUndefined, keep_trailing_newline=True,
        trim_blocks=True, lstrip_blocks=True, autoescape=False,
    )  # fmt: skip
    return environment.get_template(template).render(values)


def words_of(made: LayoutClass, layout: Layout, x: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """Return inputs, shape (n, bytes), as the words that the class takes, shape (n, words)."""
    size = layout.word_bits // 8
    padded = np.zeros((len(x), -(-len(made.inputs) // size) * size), np.uint8)
    padded[:, : len(made.inputs)] = x[:, made.inputs]
    places = np.uint64(8) * np.arange(size, dtype=np.uint64)
    words: NDArray[np.uint64] = padded.reshape(len(x), -1, size).astype(np.uint64) << places
    return np.asarray(words.sum(axis=2, dtype=np.uint64))


def bytes_of(layer: Layer, layout: Layout, y: NDArray[np.uint64]) -> NDArray[np.uint8]:
    """Return the class's words, shape (n, words), as bytes in the matrix's order, shape (n, outputs)."""
    size = layout.word_bits // 8
    result = np.zeros((len(y), layer.outputs), np.uint8)
    for place, row in enumerate(layout.order):
        if row is not None:
            result[:, row] = y[:, place // size] >> np.uint64(8 * (place % size)) & np.uint64(0xFF)
    return result


def _rows(data: bytes) -> list[str]:
    return [data[n : n + _PER_LINE].hex() for n in range(0, len(data), _PER_LINE)]


def _entry(table: Table, size: int) -> str:
    """Return the type of a table's entries; those of two words are bytes, read at any of them."""
    return "byte" if len(table.factors) > size else _ARRAYS[len(table.factors)]


def _field(box: str) -> str:
    return "BOX_" + re.sub(r"\W", "_", box)


def _table(number: int, table: Table, size: int) -> tuple[int, str, str, str]:
    """Return a table's number, type, S-boxes and factors, as Java has them."""
    factors = ", ".join("{" + ", ".join(map(str, one)) + "}" for one in table.factors)
    return number, _entry(table, size), ", ".join(map(_field, table.boxes)), factors


class _Writer:
    """The expressions of a layout's steps."""

    def __init__(self, layer: Layer, layout: Layout) -> None:
        self.layout, self.bits = layout, layout.word_bits
        self.size = self.bits // 8
        self.word = "long" if self.bits == 64 else "int"
        self.is_wide = any(len(one.factors) > self.size for one in layout.tables)
        together = [c for unit in dict.fromkeys(layout.units) if len(unit) > 1 for c in unit]
        self.inputs = tuple(dict.fromkeys([*together, *range(layer.inputs)]))

    def value(self, number: int, step: Step) -> str:
        """Return what a step computes."""
        a, b, *rest = step.operands
        match step.kind:
            case "load":
                return self._load(self.layout.tables[a], a, self.layout.units[b], rest[0])
            case "xor":
                return f"v{a} ^ v{b}"
            case "mask":
                kept = sum(0xFF << (8 * n) for n in range(self.size) if b >> n & 1)
                return f"v{a} & 0x{kept:x}{'L' if self.bits == 64 else ''}"
            case "up":
                return self._cut(f"v{a} << {8 * b}")
            case "down":
                return f"v{a} >>> {8 * b}"
            case "rotate" if self.bits >= 32:
                return f"{'Long' if self.bits == 64 else 'Integer'}.rotateLeft(v{a}, {8 * b})"
            case "rotate":
                return self._cut(f"(v{a} << {8 * b} | v{a} >>> {self.bits - 8 * b})")
        raise AssertionError(step.kind)

    def _cut(self, text: str) -> str:
        """Return a narrow word without what stands above it."""
        if self.bits >= 32:
            return text
        return f"{text if text.startswith('(') else f'({text})'} & 0x{(1 << self.bits) - 1:x}"

    def _load(self, table: Table, number: int, unit: tuple[int, ...], first: int) -> str:
        index, size = self._index(unit), len(table.factors)
        if size <= self.size:
            sign = {1: " & 0xff", 4: " & 0xffffffffL" if self.bits == 64 else ""}.get(size, "")
            return f"T{number}[{index}]{sign}"
        place = f"{size} * ({index}){f' + {first}' if first else ''}"
        if self.bits == 8:
            return f"T{number}[{place}] & 0xff"
        view = f"({'short' if self.bits == 16 else self.word}) WORDS.get(T{number}, {place})"
        return f"{view} & 0xffff" if self.bits == 16 else view

    def _index(self, unit: tuple[int, ...]) -> str:
        """Return the bytes of a unit as an index, taken at once where they lie side by side in a word."""
        places = [self.inputs.index(column) for column in unit]
        beside = all(b == a + 1 for a, b in zip(places, places[1:], strict=False))
        if beside and places[0] // self.size == places[-1] // self.size:
            return self._bytes(places[0], len(unit))
        parts = [self._bytes(place, 1) for place in places]
        return " | ".join(f"({part}) << {8 * n}" if n else f"({part})" for n, part in enumerate(parts))

    def _bytes(self, place: int, count: int) -> str:
        """Return some bytes of an input word as an `int`."""
        word, shift = f"x{place // self.size}", 8 * (place % self.size)
        shifted = f"{word} >>> {shift}" if shift else word
        if self.bits == 64:
            shifted = f"(int) ({shifted})" if shift else f"(int) {word}"
        is_top = shift + 8 * count == self.bits
        return shifted if is_top else f"{shifted} & 0x{(1 << 8 * count) - 1:x}"
