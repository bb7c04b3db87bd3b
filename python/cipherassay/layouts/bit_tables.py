"""Tables of words for S-boxes of any size before a layer of bits: constructed, evaluated anew, counted, as C.

The rows keep the order in which the program has them, so that nothing is searched but the sharing: how many
S-boxes one index takes, and whether a table serves several of them, its words rotated or shifted.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray

from cipherassay.errors import UsageError, VerificationError
from cipherassay.layouts.layout import Cost
from cipherassay.linear.bit_layers import BitLayer
from cipherassay.results import Row
from cipherassay.tools.compiler import build_shared_library

WORD_SIZES = (8, 16, 32, 64)
MOST_INDEX = 16
"""Bits of an index of several S-boxes."""
MOST_BYTES = 1 << 24
RANDOM_INPUTS = 512
FAMILIES = ("plain", "rotations", "shifts")
Pattern = tuple[int, ...]
"""For each bit of a word the set of a unit's output bits that it is the sum of."""


@dataclass(frozen=True)
class Load:
    """A look-up: the unit that is the index, the table, where the word belongs, and what is done to it first.

    `move` is how far bits go to the more significant end: around in the family of rotations, else shifted, to
    the less significant end where negative.
    """

    unit: int
    table: int
    word: int
    move: int


@dataclass(frozen=True)
class BitTables:
    """A layout: the S-boxes of each index, tables as patterns with the S-boxes they are of, look-ups."""

    layer: BitLayer
    word_bits: int
    family: str
    units: tuple[tuple[int, ...], ...]
    tables: tuple[tuple[tuple[int, ...], Pattern], ...]
    loads: tuple[Load, ...]

    @property
    def words(self) -> int:
        """Words of the result."""
        return -(-len(self.layer.rows) // self.word_bits)

    @property
    def cost(self) -> Cost:
        """What it costs: words of one move are added first, and moved once."""
        size = self.word_bits // 8
        bytes_ = sum(size * prod(len(self.layer.sources[n].table) for n in boxes) for boxes, _ in self.tables)
        moved = len({(load.word, load.move) for load in self.loads if load.move})
        used = len({load.word for load in self.loads})
        moves = (0, moved) if self.family == "rotations" else (moved, 0)
        return Cost(bytes_, len(self.loads), len(self.loads) - used, 0, *moves, 0, 0)

    @property
    def name(self) -> str:
        """Its name in rows."""
        cost, boxes = self.cost, max(map(len, self.units))
        parts = [f"{cost.table_bytes} bytes", f"{cost.references} references", f"{cost.xors} xors"]
        parts += [f"{n} {what}" for n, what in ((cost.shifts, "shifts"), (cost.rotations, "rotations")) if n]
        return f"{self.family}, {boxes} S-box{'es' * (boxes > 1)} an index: {', '.join(parts)}"

    def contents(self, table: int) -> NDArray[np.uint64]:
        """Return the words of a table; the first S-box of an index has its least bits."""
        boxes, pattern = self.tables[table]
        outputs, place = np.zeros(1, np.uint64), 0
        for n in boxes:
            source = self.layer.sources[n]
            values = np.array(source.table, np.uint64) << np.uint64(place)
            outputs = (values[:, None] | outputs[None, :]).ravel()
            place += len(source.places)
        total = np.zeros(len(outputs), np.uint64)
        for lane, mask in enumerate(pattern):
            if mask:
                parity = np.bitwise_count(outputs & np.uint64(mask)).astype(np.uint64) & np.uint64(1)
                total |= parity << np.uint64(lane)
        return total

    def evaluate(self, x: NDArray[np.int64]) -> NDArray[np.uint64]:
        """Return the words of the result for S-box inputs of shape (n, S-boxes)."""
        result = np.zeros((len(x), self.words), np.uint64)
        contents = [self.contents(n) for n in range(len(self.tables))]
        ones = np.uint64((1 << self.word_bits) - 1)
        for load in self.loads:
            index, place = np.zeros(len(x), np.int64), 0
            for n in self.units[load.unit]:
                index |= x[:, n] << place
                place += len(self.layer.sources[n].table).bit_length() - 1
            value, by = contents[load.table][index], np.uint64(abs(load.move))
            if load.move > 0:
                around = value >> np.uint64(self.word_bits - load.move)
                value = (value << by) & ones | (around if self.family == "rotations" else np.uint64(0))
            elif load.move < 0:
                value = value >> by
            result[:, load.word] ^= value
        return result


def front(layer: BitLayer, word_bits: int, families: Sequence[str] = ()) -> list[BitTables]:
    """Return the layouts of which no other costs at most as much in everything, each checked.

    Raises
    ------
    UsageError
        ``L102``: a word size that cannot be.
    VerificationError
        ``L401``: a layout that computes something else.
    """
    if word_bits not in WORD_SIZES:
        raise UsageError(
            "L102", f"a word of {word_bits} bits cannot hold a layout", help="possible: 8, 16, 32, 64"
        )
    made: list[BitTables] = []
    for family in FAMILIES:
        if not families or family in families:
            made += [construct(layer, word_bits, family, units) for units in _groupings(layer)]
    best = [one for one in made if one.cost.table_bytes <= MOST_BYTES] or made[:1]
    costs = [one.cost for one in best]
    kept = [
        one
        for n, one in enumerate(best)
        if not any(c.is_within(costs[n]) and (c != costs[n] or k < n) for k, c in enumerate(costs))
    ]
    for one in kept:
        check(one)
    return sorted(kept, key=lambda one: (one.cost, one.family))


def _groupings(layer: BitLayer) -> Iterator[tuple[tuple[int, ...], ...]]:
    """Yield ways to take S-boxes side by side as one index: each alone, two, three, …"""
    bits = [len(source.table).bit_length() - 1 for source in layer.sources]
    widths = [len(source.places) for source in layer.sources]
    for size in range(1, len(bits) + 1):
        units = [tuple(range(n, min(n + size, len(bits)))) for n in range(0, len(bits), size)]
        index = max(sum(bits[n] for n in unit) for unit in units)
        fits = index <= MOST_INDEX and max(sum(widths[n] for n in unit) for unit in units) <= 64
        if size > 1 and not fits:
            return
        yield tuple(units)


def construct(
    layer: BitLayer, word_bits: int, family: str, units: tuple[tuple[int, ...], ...]
) -> BitTables:
    """Return the layout in which each unit is looked up once for each word that it enters."""
    holder: dict[int, tuple[int, int]] = {}
    column = 0
    for number, unit in enumerate(units):
        place = 0
        for n in unit:
            for _ in layer.sources[n].places:
                holder[column] = (number, place)
                column, place = column + 1, place + 1
    patterns: dict[tuple[int, int], list[int]] = {}
    for number, row in enumerate(layer.rows):
        word, lane = divmod(number, word_bits)
        for one in row:
            unit_number, place = holder[one]
            patterns.setdefault((unit_number, word), [0] * word_bits)[lane] |= 1 << place
    tables: list[tuple[tuple[int, ...], Pattern]] = []
    loads = []
    for (number, word), lanes in sorted(patterns.items()):
        boxes, pattern = units[number], tuple(lanes)
        found = _serving(layer, tables, boxes, pattern, family)
        if found is None:
            tables.append((boxes, pattern))
            found = (len(tables) - 1, 0)
        loads.append(Load(number, found[0], word, found[1]))
    return BitTables(layer, word_bits, family, units, tuple(tables), tuple(loads))


def _serving(
    layer: BitLayer,
    tables: Sequence[tuple[tuple[int, ...], Pattern]],
    boxes: tuple[int, ...],
    wanted: Pattern,
    family: str,
) -> tuple[int, int] | None:
    """Return a table of the same S-boxes that has the words, and how they are moved."""
    same = [layer.sources[n].table for n in boxes]
    for number, (others, pattern) in enumerate(tables):
        if [layer.sources[n].table for n in others] != same:
            continue
        for move in _moves(len(wanted), family):
            if _moved(pattern, move, family) == wanted:
                return number, move
    return None


def _moves(bits: int, family: str) -> Iterator[int]:
    yield 0
    if family == "rotations":
        yield from range(1, bits)
    elif family == "shifts":
        for by in range(1, bits):
            yield from (by, -by)


def _moved(pattern: Pattern, move: int, family: str) -> Pattern:
    size = len(pattern)
    if family == "rotations":
        return tuple(pattern[(lane - move) % size] for lane in range(size))
    lanes = (lane - move for lane in range(size))
    return tuple(pattern[lane] if 0 <= lane < size else 0 for lane in lanes)


def inputs(layer: BitLayer) -> NDArray[np.int64]:
    """Return every value of every S-box with the others at zero, then random ones, always the same."""
    sizes = [len(source.table) for source in layer.sources]
    chance = np.random.default_rng(1)
    random = np.stack([chance.integers(0, size, RANDOM_INPUTS, np.int64) for size in sizes], axis=1)
    single = np.zeros((sum(sizes) if len(sizes) <= 64 else 0, len(sizes)), np.int64)
    first = 0
    for n, size in enumerate(sizes if len(single) else ()):
        single[first : first + size, n] = np.arange(size)
        first += size
    return np.concatenate([single, random])


def meaning(layer: BitLayer, x: NDArray[np.int64], word_bits: int) -> NDArray[np.uint64]:
    """Return the plain meaning, bit by bit: S-boxes, then sums of their output bits."""
    columns = []
    for n, source in enumerate(layer.sources):
        values = np.array(source.table, np.uint64)[x[:, n]]
        columns += [(values >> np.uint64(k) & np.uint64(1)) for k in range(len(source.places))]
    result = np.zeros((len(x), -(-len(layer.rows) // word_bits)), np.uint64)
    for number, row in enumerate(layer.rows):
        word, lane = divmod(number, word_bits)
        for one in row:
            result[:, word] ^= columns[one] << np.uint64(lane)
    return result


def check(layout: BitTables) -> None:
    """Evaluate a layout against the layer's plain meaning.

    Raises
    ------
    VerificationError
        ``L401``: another result.
    """
    x = inputs(layout.layer)
    _compare(layout, layout.evaluate(x), meaning(layout.layer, x, layout.word_bits), "evaluated")


def _compare(layout: BitTables, found: NDArray[np.uint64], wanted: NDArray[np.uint64], how: str) -> None:
    wrong = np.argwhere(found != wanted)
    if len(wrong):
        row, word = map(int, wrong[0])
        change = int(found[row, word] ^ wanted[row, word])
        byte = word * layout.word_bits // 8 + ((change & -change).bit_length() - 1) // 8
        raise VerificationError(
            "L401",
            f"the layout `{layout.name}`, {how}, differs from the layer in byte {byte}",
            help="this is a defect: please report it",
        )


def source(layout: BitTables, name: str) -> str:
    """Return C11: the tables, and ``void NAME(const uint16_t *x, uintN_t *y)``: inputs of S-boxes, words."""
    bits, word = layout.word_bits, f"uint{layout.word_bits}_t"
    head = f"void {name}(const uint16_t *x, {word} *y)"
    layer = layout.layer
    lines = [f"/* {layer.name} behind {layer.behind}, words of {bits} bits.", f" * {layout.name} */"]
    lines += ["#include <stdint.h>", ""]
    for n in range(len(layout.tables)):
        entries = [f"0x{int(value):0{bits // 4}x}" for value in layout.contents(n)]
        lines.append(f"static const {word} T{n}[{len(entries)}] = {{")
        lines += [f"    {', '.join(entries[k : k + 8])}," for k in range(0, len(entries), 8)] + ["};", ""]
    lines += [f"{head};", "", head, "{"]
    for w in range(layout.words):
        terms: list[str] = []
        for move in sorted({load.move for load in layout.loads if load.word == w}, key=lambda m: (abs(m), m)):
            loads = [load for load in layout.loads if (load.word, load.move) == (w, move)]
            total = " ^ ".join(f"T{load.table}[{_index(layout, load.unit)}]" for load in loads)
            lines.append(f"    const {word} v{w}_{len(terms)} = ({word})({total});")
            terms.append(_moved_text(layout, f"v{w}_{len(terms)}", move))
        lines.append(f"    y[{w}] = ({word})({' ^ '.join(terms) or '0'});")
    return "\n".join([*lines, "}", ""])


def _index(layout: BitTables, unit: int) -> str:
    parts, place = [], 0
    for n in layout.units[unit]:
        parts.append(f"(uint32_t)x[{n}] << {place}" if place else f"x[{n}]")
        place += len(layout.layer.sources[n].table).bit_length() - 1
    return " | ".join(parts)


def _moved_text(layout: BitTables, value: str, move: int) -> str:
    if not move:
        return value
    if move < 0:
        return f"({value} >> {-move})"
    around = f" | {value} >> {layout.word_bits - move}" if layout.family == "rotations" else ""
    return f"({value} << {move}{around})"


def check_compiled(layouts: Sequence[BitTables], names: Sequence[str]) -> None:
    """Compile the C of layouts and compare what it computes with the layer's plain meaning.

    Raises
    ------
    ToolError
        ``N002`` to ``N004``: there is no compiler, or it fails.
    VerificationError
        ``L401``: another result.
    """
    texts = {f"{name}.c": source(one, name) for name, one in zip(names, layouts, strict=True)}
    library = ctypes.CDLL(str(build_shared_library("bit_tables", texts)))
    for name, layout in zip(names, layouts, strict=True):
        x = inputs(layout.layer)
        y = np.zeros((len(x), layout.words), f"uint{layout.word_bits}")
        for given, result in zip(np.ascontiguousarray(x.astype(np.uint16)), y, strict=True):
            pointers = (one.ctypes.data_as(ctypes.c_void_p) for one in (given, result))
            getattr(library, name)(*pointers)
        _compare(layout, y.astype(np.uint64), meaning(layout.layer, x, layout.word_bits), "compiled")


def rows(layouts: Sequence[BitTables], cipher: str, command: str) -> list[Row]:
    """Return the rows of layouts, one for each thing that is counted."""
    from dataclasses import asdict

    return [
        Row(
            cipher=cipher, part=f"{one.layer.name} behind {one.layer.behind}",
            target=f"words of {one.word_bits} bits", configuration=one.name, metric=metric, value=value,
            unit="operations" if metric == "xors" else None, basis="synthesized", certificate="constructed",
            command=command,
        )
        for one in layouts
        for metric, value in asdict(one.cost).items()
    ]  # fmt: skip
