"""Linear layers of bits, of any shape: what lies between the operations of a program that are not linear.

The engine finds them (`crates/layout/src/bits`): a column for each bit that an S-box, another operation that
is not linear over GF(2), or the loop's carried state gives; a row for each bit that the next such operation
takes or the loop carries on.
"""

from __future__ import annotations

import importlib
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from cipherassay import ir
from cipherassay._engine import Program
from cipherassay.circuits.nonlinear import OPERATIONS, Nonlinear, listed
from cipherassay.errors import DescriptionError, UsageError, nearest

_engine: Any = importlib.import_module("cipherassay._engine")

Block = tuple[tuple[ir.Value, ...], tuple[ir.Operation, ...], tuple[ir.Operand, ...]]
Place = tuple[str, int | None, int]
"""Name of a value, the element if it is an array, and the bit."""


@dataclass(frozen=True)
class Source:
    """Bits that one operation gives.

    `kind` is ``box``, ``state``, or the operation's word in the text form of programs; `name`, `table` and
    `outputs` are an S-box's, its output bits those of `places` in order.
    """

    kind: str
    name: str
    places: tuple[Place, ...]
    table: tuple[int, ...] = ()
    outputs: int = 0


@dataclass(frozen=True)
class BitLayer:
    """Row `i` is the sum of the columns ``rows[i]``.

    Attributes
    ----------
    name, function : str
        Its name, and the program's function that it stands in, calls replaced.
    block : int
        The block of the function, loops' bodies behind the block that the loop stands in.
    kind : str
        What the columns are: ``boxes``, ``state``, ``operations``, or ``all`` of these.
    sources : tuple of Source
        The columns, operation by operation.
    places, words : tuple
        Where each row is; rows of one word have one number.
    steps, wires : tuple
        The exclusive ors as the program has them: wires are columns, then steps; the wire of each row.
    count : int
        Equal layers side by side.
    parts : tuple of BitLayer
        Of a layer around the end of a loop's body: the S-boxes before it, and what the next iteration adds.
    """

    name: str
    function: str
    block: int
    kind: str
    sources: tuple[Source, ...]
    rows: tuple[tuple[int, ...], ...]
    places: tuple[Place, ...]
    words: tuple[int, ...]
    steps: tuple[tuple[int, int], ...]
    wires: tuple[int | None, ...]
    count: int
    parts: tuple[BitLayer, ...] = ()

    @property
    def columns(self) -> int:
        """Bits that go in."""
        return sum(len(source.places) for source in self.sources)

    @property
    def adds(self) -> bool:
        """Whether any row is the sum of several columns; if none is, bits only move."""
        return any(len(row) > 1 for row in self.rows)

    @property
    def moves(self) -> bool:
        """Whether it is more than wires: sums, or words that are not bits of one operation in their order."""
        return self.adds or any(not self._is_plain(word) for word in sorted(set(self.words)))

    def _is_plain(self, word: int) -> bool:
        first, held = 0, [row[0] for row, w in zip(self.rows, self.words, strict=True) if w == word]
        for source in self.sources:
            end = first + len(source.places)
            if held[0] < end:
                return held == list(range(held[0], held[0] + len(held))) and held[-1] < end
            first = end
        return False

    @property
    def behind(self) -> str:
        """What its columns are, in words: ``16 times S``, ``the state``."""
        names = [source.name or OPERATIONS.get(source.kind, source.kind) for source in self.sources]
        counts = Counter(names)
        return ", ".join(f"{count} times {name}" if count > 1 else name for name, count in counts.items())


@dataclass(frozen=True)
class Found:
    """The layers of a function, each once, and what is not linear in it."""

    layers: tuple[BitLayer, ...]
    nonlinear: tuple[Nonlinear, ...]

    def behind_boxes(self) -> list[BitLayer]:
        """Return the layers behind S-boxes that are more than wires."""
        return [layer for layer in self.layers if layer.kind == "boxes" and layer.moves]

    def linear(self) -> list[BitLayer]:
        """Return the layers that say most: sums behind S-boxes, then of other operations, then moves."""
        order = (
            ("boxes", "adds"), ("state operations", "adds"), ("boxes", "moves"),
            ("all", "adds"), ("all", "moves"),
        )  # fmt: skip
        for kinds, wanted in order:
            chosen = [one for one in self.layers if one.kind in kinds.split() and getattr(one, wanted)]
            if chosen:
                return chosen
        return []

    @property
    def shapes(self) -> list[tuple[BitLayer, int]]:
        """Return the first of `linear` of each shape, and how many have it (`one_per_shape`)."""
        return one_per_shape(self.linear())

    @property
    def has_boxes(self) -> bool:
        """Whether there is an S-box."""
        return any(one.kind == "box" for one in self.nonlinear)

    def what_is_not_linear(self) -> str:
        """Return the operations that are not linear, in words."""
        return listed(self.nonlinear)


def find(program: Program, function: str = "encrypt") -> Found:
    """Return the layers of bits of a function and of what it calls.

    Raises
    ------
    UsageError
        ``L206``: no such function.
    """
    known = [one["name"] for one in program.functions()]
    if function not in known:
        message = f"{program.name} has no function `{function}`"
        raise UsageError("L206", message, help=nearest(function, known))
    document = json.loads(_engine.bit_layers(program, function))
    layers = [_layer(entry) for entry in document["layers"]]
    layers += list(_around(program, function, layers))
    return Found(tuple(layers), tuple(Nonlinear(**entry) for entry in document["nonlinear"]))


def carried(program: Program, function: str, block: int) -> dict[str, ir.Operand]:
    """Return what a loop's body carries on, by the names that the next iteration has it under."""
    found = list(blocks(program.passes(["inline-calls"]).mirror().functions[function]))
    params, _, outputs = found[block]
    if not params:
        return {}
    return {value.name: output for value, output in zip(params[1:], outputs, strict=True)}


def _around(program: Program, function: str, layers: Sequence[BitLayer]) -> Iterator[BitLayer]:
    """Yield layers behind S-boxes that end a loop's body, where the next iteration begins with them.

    S-boxes that have a layer in the body itself, and loops of several bodies, are left out.
    """
    moving = {layer.block for layer in layers if layer.kind == "boxes" and layer.moves}
    for boxes in layers:
        if boxes.kind != "boxes" or boxes.block in moving or boxes.block == 0:
            continue
        after = carried(program, function, boxes.block)
        column = {place: row[0] for place, row in zip(boxes.places, boxes.rows, strict=True)}
        for state in layers:
            if state.kind == "state" and state.adds and state.block == boxes.block:
                held = [place for source in state.sources for place in source.places]
                made = [column.get((str(after.get(name)), element, bit)) for name, element, bit in held]
                if None not in made:
                    yield _joined(boxes, state, [one for one in made if one is not None])


def _joined(boxes: BitLayer, state: BitLayer, made: Sequence[int]) -> BitLayer:
    """Return a layer of the state whose columns are those of S-boxes: `made` has the one for each."""
    numbers: dict[int, int] = {}
    sources, first = [], 0
    for source in boxes.sources:
        columns = range(first, first + len(source.places))
        if not set(columns).isdisjoint(made):
            sources.append(source)
            numbers |= {column: len(numbers) + n for n, column in enumerate(columns)}
        first += len(source.places)

    def wire(old: int) -> int:
        return numbers[made[old]] if old < len(made) else len(numbers) + old - len(made)

    return BitLayer(
        f"{len(state.rows)} by {len(numbers)} bits", state.function, state.block, "boxes", tuple(sources),
        tuple(tuple(wire(c) for c in row) for row in state.rows), state.places, state.words,
        tuple((wire(a), wire(b)) for a, b in state.steps),
        tuple(None if one is None else wire(one) for one in state.wires), state.count, (boxes, state),
    )  # fmt: skip


def blocks(function: ir.Function) -> Iterator[Block]:
    """Yield parameters, operations, outputs of each block, a loop's bodies behind it, as the engine does."""

    def inside(ops: Sequence[ir.Operation]) -> Iterator[Block]:
        for op in ops:
            for body in op.loop.bodies if op.loop else ():
                yield body.params, body.ops, body.outputs
                yield from inside(body.ops)

    yield (), function.ops, function.outputs
    yield from inside(function.ops)


def one_per_shape(layers: Sequence[BitLayer], *, names: bool = False) -> list[tuple[BitLayer, int]]:
    """Return the first layer of each shape, and how many there are.

    Of one shape are layers of the same sizes and weights of rows and columns; with `names` the S-boxes, too.
    """
    found: dict[Any, list[BitLayer]] = {}
    for layer in layers:
        weights = [0] * layer.columns
        for row in layer.rows:
            for column in row:
                weights[column] += 1
        widths = sorted(Counter(layer.words).values())
        key = (layer.columns, tuple(sorted(map(len, layer.rows))), tuple(sorted(weights)), tuple(widths))
        boxes = tuple(sorted(source.name for source in layer.sources)) if names else ()
        found.setdefault((key, boxes), []).append(layer)
    return [(each[0], len(each)) for each in found.values()]


def inverted(layer: BitLayer) -> BitLayer:
    """Return the inverse layer, whose program's exclusive ors are those of its rows one after another.

    Raises
    ------
    DescriptionError
        ``L203``: it is not square; ``L204``: it is singular.
    """
    size = layer.columns
    if len(layer.rows) != size:
        raise DescriptionError(
            "L203",
            f"matrix `{layer.name}` has {len(layer.rows)} rows and {size} columns, so it has no inverse",
        )
    work = [sum(1 << c for c in row) | 1 << (size + n) for n, row in enumerate(layer.rows)]
    for column in range(size):
        pivot = next((n for n in range(column, size) if work[n] >> column & 1), None)
        if pivot is None:
            raise DescriptionError("L204", f"matrix `{layer.name}` is singular, so it has no inverse")
        work[column], work[pivot] = work[pivot], work[column]
        for n in range(size):
            if n != column and work[n] >> column & 1:
                work[n] ^= work[column]
    rows = tuple(tuple(c for c in range(size) if row >> (size + c) & 1) for row in work)
    steps: list[tuple[int, int]] = []
    wires = []
    for row in rows:
        wire = row[0]
        for column in row[1:]:
            steps.append((wire, column))
            wire = size + len(steps) - 1
        wires.append(wire)
    words = tuple(n for n, source in enumerate(layer.sources) for _ in source.places)
    places = tuple(place for source in layer.sources for place in source.places)
    return replace(
        layer, name=f"{layer.name}, inverse", kind="inverse", rows=rows, places=places, words=words,
        steps=tuple(steps), wires=tuple(wires),
    )  # fmt: skip


def _layer(entry: dict[str, Any]) -> BitLayer:
    rows = entry["rows"]
    numbers = {sink: n for n, sink in enumerate(dict.fromkeys(row["sink"] for row in rows))}
    sources = tuple(
        Source(one["kind"], one["name"], _places(one["bits"]), tuple(one["table"]), one["outputs"])
        for one in entry["groups"]
    )
    columns = sum(len(source.places) for source in sources)
    return BitLayer(
        f"{len(rows)} by {columns} bits",
        entry["function"],
        entry["block"],
        entry["kind"],
        sources,
        tuple(tuple(row["columns"]) for row in rows),
        _places(row["at"] for row in rows),
        tuple(numbers[row["sink"]] for row in rows),
        tuple(map(tuple, entry["steps"])),
        tuple(row["wire"] for row in rows),
        entry["count"],
    )


def _places(entries: Any) -> tuple[Place, ...]:
    return tuple((one["value"], one["element"], one["bit"]) for one in entries)
