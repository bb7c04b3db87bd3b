"""The search for layouts: the engine's front, every point of it checked before it counts."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from cipherassay.errors import UsageError, nearest
from cipherassay.layouts.checking import check
from cipherassay.layouts.layers import Layer
from cipherassay.layouts.layout import Cost, Layout, Step, Table

_engine: Any = importlib.import_module("cipherassay._engine")

FAMILIES = {
    "plain": "every word is looked up",
    "rotations": "words are rotated",
    "shifts": "words are shifted, or rotated by two shifts",
    "masks": "words are masked",
    "windows": "words are read inside entries of two words",
    "pairs": "two bytes are looked up at once",
}
"""How words are derived from words of tables: a layout does it in one of these ways."""
MOST_NODES = 400_000_000


@dataclass(frozen=True)
class Effort:
    """What was tried for a family: `orders` that can differ, `problems` that do, choices (`nodes`)."""

    family: str
    orders: int
    problems: int
    nodes: int
    closed: bool
    """Whether the family's space was exhausted."""


@dataclass(frozen=True)
class LayoutFront:
    """The Pareto front of a layer's layouts."""

    layer: Layer
    word_bits: int
    layouts: tuple[Layout, ...]
    effort: tuple[Effort, ...]
    second_layer_bytes: int
    """Bytes of the second S-box layer's tables, part of every `table_bytes`."""

    @property
    def is_closed(self) -> bool:
        """Whether the whole space was exhausted, so that nothing in it beats a layout of the front."""
        return all(effort.closed for effort in self.effort) and all(one.is_least for one in self.layouts)


def search(
    layer: Layer,
    word_bits: int,
    *,
    families: Sequence[str] = (),
    most_nodes: int = MOST_NODES,
    tell: Callable[[str, int, int], bool] = lambda _family, _done, _total: False,
) -> LayoutFront:
    """Search the layouts of a layer, all families without `families`, and check each of the front.

    Raises
    ------
    DescriptionError
        ``L101``, ``L102``: a layer that is none, or that does not fit the words.
    UsageError
        ``L104``: an unknown family.
    VerificationError
        ``L401``, ``L402``: a layout that is wrong.
    """
    return read(
        searched(layer, word_bits, families=families, most_nodes=most_nodes, tell=tell), layer, word_bits
    )


def searched(
    layer: Layer,
    word_bits: int,
    *,
    families: Sequence[str] = (),
    most_nodes: int = MOST_NODES,
    tell: Callable[[str, int, int], bool] = lambda _family, _done, _total: False,
) -> str:
    """Return the engine's front as JSON, not yet checked; parameters and errors as `search`."""
    for name in families:
        if name not in FAMILIES:
            raise UsageError("L104", f"there is no family of layouts `{name}`", help=nearest(name, FAMILIES))

    def heard(line: str) -> bool:
        family, done, total = line.split() if line else ("", "0", "1")
        return tell(family, int(done), int(total))

    names = _names(layer)
    boxes = [names.index(box) for box in layer.boxes]
    second = names.index(layer.second) if layer.second else None
    matrix = [bytes(row) for row in layer.matrix]
    wanted = [name for name in FAMILIES if not families or name in families]
    text: str = _engine.layout_search(matrix, boxes, second, word_bits, wanted, most_nodes, heard)
    return text


def _names(layer: Layer) -> list[str]:
    """Return the names of the S-boxes in the order in which the engine numbers them."""
    return sorted(set(layer.boxes) | ({layer.second} - {""}))


def read(text: str, layer: Layer, word_bits: int) -> LayoutFront:
    """Return a front from the engine's JSON, each of its layouts checked against the layer.

    Raises
    ------
    VerificationError
        ``L401``, ``L402``: a layout that is wrong.
    """
    document, names = json.loads(text), _names(layer)
    layouts = tuple(_layout(entry, names, word_bits) for entry in document["layouts"])
    effort = tuple(Effort(**entry) for entry in document["effort"])
    for layout in layouts:
        check(layer, layout)
    return LayoutFront(layer, word_bits, layouts, effort, document["second_layer_bytes"])


def _layout(entry: dict[str, Any], names: Sequence[str], word_bits: int) -> Layout:
    tables = tuple(
        Table(tuple(names[n] for n in table["boxes"]), tuple(map(tuple, table["factors"])))
        for table in entry["tables"]
    )
    steps = tuple(Step(kind, tuple(operands)) for step in entry["steps"] for kind, operands in step.items())
    return Layout(
        entry["family"],
        Cost(**entry["cost"]),
        entry["is_least"],
        word_bits,
        tuple(entry["order"]),
        tuple(map(tuple, entry["units"])),
        tables,
        steps,
        tuple(entry["outputs"]),
    )
