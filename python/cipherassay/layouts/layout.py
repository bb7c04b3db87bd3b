"""A layout of tables: its parts, its cost counted from its steps, and its evaluation."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cipherassay.layouts.layers import Layer, multiply


@dataclass(frozen=True, order=True)
class Cost:
    """What a layout costs; the names are those of the metrics."""

    table_bytes: int
    references: int
    xors: int
    masks: int
    shifts: int
    rotations: int
    narrow_references: int
    misaligned_references: int

    def is_within(self, other: Cost) -> bool:
        """Whether nothing of it is more than in another."""
        return all(getattr(self, f.name) <= getattr(other, f.name) for f in fields(Cost))


@dataclass(frozen=True)
class Step:
    """One operation; its value has the operation's number.

    `kind` is ``load`` (table, unit, byte of the entry at which a word is read), ``xor`` (two values),
    ``rotate`` or ``up`` (a value and bytes, to the more significant end, around or not), ``down`` (to the
    less significant end) or ``mask`` (a value and the set of bytes that stay).
    """

    kind: str
    operands: tuple[int, ...]


@dataclass(frozen=True)
class Table:
    """A table with an entry for every value of its unit's bytes, the first the least of the index.

    `factors` has for each byte of an entry, the least significant first, the factor of each S-box.
    """

    boxes: tuple[str, ...]
    factors: tuple[tuple[int, ...], ...]

    @property
    def entries(self) -> int:
        """Number of entries."""
        return int(256 ** len(self.boxes))

    @property
    def bytes(self) -> int:
        """Size."""
        return self.entries * len(self.factors)

    def contents(self, layer: Layer) -> NDArray[np.uint8]:
        """Return the entries' bytes, shape (entries, bytes of an entry), the least significant first."""
        index = np.arange(self.entries)
        found = np.zeros((self.entries, len(self.factors)), np.uint8)
        for n, box in enumerate(self.boxes):
            data = np.frombuffer(layer.tables[box], np.uint8)[index >> (8 * n) & 0xFF]
            for place, factors in enumerate(self.factors):
                found[:, place] ^= multiply(factors[n], data, layer.polynomial)
        return found


@dataclass(frozen=True)
class Layout:
    """Tables, and the operations that make the words of the result from them.

    `order` has the row of the matrix at each place, word after word, the least significant byte first
    (None: no row); `units` the columns that each index is made of; `outputs` the value that each word is.
    """

    family: str
    cost: Cost
    is_least: bool
    word_bits: int
    order: tuple[int | None, ...]
    units: tuple[tuple[int, ...], ...]
    tables: tuple[Table, ...]
    steps: tuple[Step, ...]
    outputs: tuple[int, ...]

    @property
    def name(self) -> str:
        """The layout's name in rows: family and all that it costs."""
        cost = self.cost
        parts = [f"{cost.table_bytes} bytes", f"{cost.references} references", f"{cost.xors} xors"]
        parts += [
            f"{getattr(cost, field.name)} {field.name.replace('_', ' ')}"
            for field in fields(Cost)[3:]
            if getattr(cost, field.name)
        ]
        return f"{self.family}: {', '.join(parts)}"

    def counted(self, layer: Layer) -> Cost:
        """Return the cost anew: from the steps, the tables and the second layer's."""
        kinds = [step.kind for step in self.steps]
        loads = [step for step in self.steps if step.kind == "load"]
        word = self.word_bits // 8
        sizes = {table: table.bytes for table in (*self.tables, *self.second_tables(layer))}
        return Cost(
            sum(sizes.values()),
            len(loads),
            kinds.count("xor"),
            kinds.count("mask"),
            kinds.count("up") + kinds.count("down"),
            kinds.count("rotate"),
            sum(len(self.tables[step.operands[0]].factors) < word for step in loads),
            sum(step.operands[2] % word != 0 for step in loads),
        )

    def second_tables(self, layer: Layer) -> tuple[Table, ...]:
        """Return the second layer's tables, a byte in each place; none where one word holds the result."""
        word = self.word_bits // 8
        if not layer.second or layer.outputs <= word:
            return ()
        places = [tuple((int(n == place),) for n in range(word)) for place in range(word)]
        return tuple(Table((layer.second,), factors) for factors in places)

    def evaluate(self, layer: Layer, x: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Return the result bytes in the matrix's order for inputs of shape (n, inputs), step by step."""
        word = self.word_bits // 8
        values: list[NDArray[np.uint64]] = []
        contents = [table.contents(layer) for table in self.tables]
        for step in self.steps:
            values.append(self._step(step, values, contents, x))
        result = np.zeros((len(x), layer.outputs), np.uint8)
        for place, row in enumerate(self.order):
            if row is not None:
                value = values[self.outputs[place // word]]
                result[:, row] = (value >> np.uint64(8 * (place % word))) & np.uint64(0xFF)
        return result

    def _step(
        self, step: Step, values: list[NDArray[np.uint64]], contents: list[Any], x: NDArray[np.uint8]
    ) -> NDArray[np.uint64]:
        bits, (a, b, *rest) = self.word_bits, step.operands
        ones = np.uint64((1 << bits) - 1)
        match step.kind:
            case "load":
                index = sum(x[:, c].astype(np.int64) << (8 * n) for n, c in enumerate(self.units[b]))
                entry = contents[a][index, rest[0] : rest[0] + bits // 8].astype(np.uint64)
                total = np.zeros(len(x), np.uint64)
                for n in range(entry.shape[1]):
                    total |= entry[:, n] << np.uint64(8 * n)
                return total
            case "xor":
                return values[a] ^ values[b]
            case "mask":
                kept = sum(0xFF << (8 * n) for n in range(bits // 8) if b >> n & 1)
                return values[a] & np.uint64(kept)
            case "up":
                return (values[a] << np.uint64(8 * b)) & ones
            case "down":
                return values[a] >> np.uint64(8 * b)
            case "rotate":
                back = np.uint64(bits - 8 * b)
                return ((values[a] << np.uint64(8 * b)) | (values[a] >> back)) & ones
        raise AssertionError(step.kind)
