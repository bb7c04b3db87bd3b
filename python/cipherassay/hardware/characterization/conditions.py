"""When an output of a cell follows one of its inputs: the levels of the others, and which edge comes out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from cipherassay.hardware.libraries.technology import Cell


@dataclass(frozen=True)
class Condition:
    """Levels of the other inputs under which an output changes with a pin; `inverts`: the other way."""

    pin: str
    output: str
    others: tuple[tuple[str, int], ...]
    inverts: bool


def conditions(cell: Cell, output: str, pin: str) -> Iterator[Condition]:
    """Yield every condition under which an output of a cell follows a pin."""
    table = cell.table(output)
    rest = [name for name in cell.pins if name != pin]
    for levels in product((0, 1), repeat=len(rest)):
        others = dict(zip(rest, levels, strict=True))
        low, high = (_value(table, cell.pins, others | {pin: level}) for level in (0, 1))
        if low != high:
            yield Condition(pin, output, tuple(others.items()), inverts=bool(low))


def _value(table: int, pins: tuple[str, ...], levels: dict[str, int]) -> int:
    return table >> sum(levels[pin] << n for n, pin in enumerate(pins)) & 1


def sense(found: list[Condition]) -> str:
    """Return the timing sense of an arc as Liberty writes it."""
    kinds = {one.inverts for one in found}
    return "non_unate" if len(kinds) == 2 else "negative_unate" if kinds.pop() else "positive_unate"
