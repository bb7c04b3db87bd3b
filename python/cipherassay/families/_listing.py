"""Listings: the machine code of an operation, with what each of its lines comes from and when it issues."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class ListedOperation:
    """An instruction of a listing.

    Parameters
    ----------
    line : int
        Its line in the text, from 1.
    places : tuple of (str, int)
        File and line of the description that it comes from, innermost first; empty: it was added.
    block : int
        The block that it stands in, an index into `Listing.blocks`.
    cycle : int
        Cycle of issue, from the block's start.
    """

    line: int
    places: tuple[tuple[str, int], ...]
    block: int = 0
    cycle: int = 0


@dataclass(frozen=True)
class Block:
    """A block of a listing: how often it runs, and the cycles that all its iterations take."""

    iterations: int
    cycles: int


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
        In the order of the text; empty where the lines of the description are not known.
    blocks : sequence of Block
        Empty where the cycles of single instructions are not known.
    """

    text: str
    facts: Sequence[tuple[str, str]]
    operations: Sequence[ListedOperation] = ()
    blocks: Sequence[Block] = field(default=())

    def shares(self) -> Iterator[tuple[ListedOperation, float, int]]:
        """Yield each operation with its share of the planned cycles and how often it runs.

        A cycle, and those before it in which nothing issued, is divided among the operations that issue in
        it, so that the shares of a block make up all its cycles.
        """
        blocks: dict[int, list[ListedOperation]] = defaultdict(list)
        for one in self.operations:
            blocks[one.block].append(one)
        for number, operations in sorted(blocks.items()):
            block = self.blocks[number]
            weights = _weights(operations)
            whole = sum(weights)
            for one, weight in zip(operations, weights, strict=True):
                yield one, block.cycles * weight / whole, block.iterations


def _weights(operations: Sequence[ListedOperation]) -> list[float]:
    """Return the cycles of one iteration that each operation takes."""
    issuing: dict[int, int] = defaultdict(int)
    for one in operations:
        issuing[one.cycle] += 1
    before, waited = -1, {}
    for cycle in sorted(issuing):
        waited[cycle] = cycle - before
        before = cycle
    return [waited[one.cycle] / issuing[one.cycle] for one in operations]
