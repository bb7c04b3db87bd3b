"""Two traces of registers and pins, clock by clock: where they differ first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from cipherassay.hardware.simulation.waves import Name, Value


@dataclass(frozen=True)
class Difference:
    """A register or pin that is not what it must be."""

    clock: int
    block: str
    """Empty: a pin."""
    register: str
    width: int
    found: Value
    expected: Value
    where: str = ""
    """What of the cipher it must hold: ``A after step 4 of encrypt (i = 3)``."""

    @property
    def name(self) -> str:
        """Block and register: ``algorithm.A``."""
        return f"{self.block}.{self.register}" if self.block else self.register

    def __str__(self) -> str:
        where = f": {self.where}" if self.where else ""
        found, expected = (_digits(value, self.width) for value in (self.found, self.expected))
        return f"clock {self.clock}: {self.name} is {found}, expected {expected}{where}"


def _digits(value: Value, width: int) -> str:
    return "not known" if value is None else f"{value:0{(width + 3) // 4}x}"


def first_difference(
    names: Sequence[tuple[Name, int]],
    found: Iterable[Sequence[Value]],
    expected: Iterable[Sequence[Value]],
    known_from: Mapping[str, int] | None = None,
) -> tuple[list[Difference], int]:
    """Return what differs in the first clock in which anything does, and how many clocks were compared.

    A value that is not known equals every other: registers without a reset begin so. From the clocks
    ``known_from`` on (block by block; the empty one stands for all others), what changes in the expected
    trace must be known in the found one.
    """
    starts = [_start(known_from, block) for (block, _), _ in names]
    before: Sequence[Value] = ()
    clock = -1
    for clock, (seen, wanted) in enumerate(zip_longest(found, expected)):
        if seen == wanted:
            before = wanted
            continue
        if seen is None or wanted is None:
            end = Difference(clock, "", "end of the traffic", 1, int(seen is None), int(wanted is None))
            return [end], clock
        different = []
        for n, (value, right) in enumerate(zip(seen, wanted, strict=True)):
            unknown = value is None or right is None
            strict = clock >= starts[n] and bool(before) and before[n] != right
            counted = not unknown or (strict and value is None)
            if value != right and counted:
                (block, register), width = names[n]
                different.append(Difference(clock, block, register, width, value, right))
        if different:
            return sorted(different, key=_rank), clock + 1
        before = wanted
    return [], clock + 1


def _start(known_from: Mapping[str, int] | None, block: str) -> float:
    if known_from is None:
        return float("inf")
    return known_from.get(block, known_from[""])


def _rank(difference: Difference) -> int:
    """Order of blocks in a message: what computes, then what controls, then pins."""
    order = ("algorithm", "key_schedule")
    for number, name in enumerate(order):
        if difference.block.startswith(name):
            return number
    return len(order) + (not difference.block)
