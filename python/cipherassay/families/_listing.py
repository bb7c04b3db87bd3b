"""Listings: the machine code of an operation, with what each of its lines comes from and what it takes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

Places = tuple[tuple[str, int], ...]
"""Files and lines, innermost first."""


@dataclass(frozen=True)
class ListedOperation:
    """An instruction of a listing.

    Parameters
    ----------
    line : int
        Its line in the text, from 1.
    places : tuple of (str, int)
        File and line of the description that it comes from, innermost first; empty: it was added.
    cycle : int or None
        What stands beside it: the cycle in which it issues or retires, or the cycles of one execution.
    runs : int
        How often the operation executes it.
    cycles : float
        Its share of the operation's cycles.
    """

    line: int
    places: Places
    cycle: int | None = None
    runs: int = 1
    cycles: float = 0.0


@dataclass(frozen=True)
class Listing:
    """An operation of a cipher as assembly text of a processor.

    Parameters
    ----------
    text : str
        The assembly text.
    facts : sequence of (str, str)
        What is known of it, for people: cycles, registers, bytes.
    operations : sequence of ListedOperation
        In the order of the text.
    """

    text: str
    facts: Sequence[tuple[str, str]]
    operations: Sequence[ListedOperation]


def named(places: Sequence[tuple[int, int]], files: Sequence[str]) -> Places:
    """Return places with the names of their files instead of numbers."""
    return tuple((files[file], line) for file, line in places)


@dataclass(frozen=True)
class Block:
    """A block of a schedule: how often it runs, and the cycles that all its iterations take."""

    iterations: int
    cycles: int


@dataclass(frozen=True)
class IssuedOperation:
    """An operation of a schedule: line, places, block, the cycle of issue from the block's start."""

    line: int
    places: Places
    block: int
    cycle: int


def of_schedule(issued: Sequence[IssuedOperation], blocks: Sequence[Block]) -> Iterator[ListedOperation]:
    """Yield each operation of a schedule with its share of the planned cycles.

    A cycle, and those before it in which nothing issued, is divided among the operations that issue in it,
    so that the shares of a block make up all its cycles.
    """
    by_block: dict[int, list[IssuedOperation]] = defaultdict(list)
    for one in issued:
        by_block[one.block].append(one)
    for number, operations in sorted(by_block.items()):
        block, weights = blocks[number], _weights(operations)
        whole = sum(weights.values())
        issuing = _count(operations)
        for one in operations:
            share = block.cycles * weights[one.cycle] / issuing[one.cycle] / whole
            yield ListedOperation(one.line, one.places, one.cycle, block.iterations, share)


def _weights(operations: Sequence[IssuedOperation]) -> dict[int, int]:
    """Return of each cycle of one iteration in which something issues how many it stands for."""
    before, found = -1, {}
    for cycle in sorted({one.cycle for one in operations}):
        found[cycle] = cycle - before
        before = cycle
    return found


def _count(operations: Sequence[IssuedOperation]) -> Mapping[int, int]:
    issuing: dict[int, int] = defaultdict(int)
    for one in operations:
        issuing[one.cycle] += 1
    return issuing
