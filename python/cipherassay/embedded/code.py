"""Code of a small processor before it has registers: instructions on bytes, and counted loops."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field


class Byte:
    """A value that one register holds; each is its own."""

    __slots__ = ("name",)

    def __init__(self, name: str = "") -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"%{self.name}"


Source = Byte | int
"""What an instruction reads: a value, or a constant for which a register is loaded."""
Tables = dict[str, Sequence[int]]
"""Tables of bytes by name."""


@dataclass(eq=False)
class Instruction:
    """One or more machine instructions that stay together.

    Attributes
    ----------
    lines : list of str
        Assembly text; ``{0}``, ``{1}`` … stand for the registers of `tied`, `outs`, `ins` and `temps`, in
        this order. ``1f`` and ``1:`` are labels of its own.
    tied : list of (Byte, Source)
        Results that are made in the register of a source.
    outs, ins : list
        Other results, other sources. Unless `early`, results may lie where sources lay.
    temps : int
        How many registers it needs besides.
    upper : set of int
        Places in the numbering of `lines` that need registers which immediate instructions reach.
    commutative : bool
        The first tied source and the first other source may change places.
    immediate : str
        A line that stands for `lines` if the first other source is a constant and the register an upper one.
    memory : tuple of (str, str), or None
        ``load`` or ``store``, and of which object.
    place : tuple of (str, str, int), or None
        Where in memory: a register, an object, a constant.
    word : bool
        Two results, or two values that are stored, that want to be the halves of a word.
    setting : str
        What stands in a register that such instructions share, a table's address: orders may keep those
        together that want the same.
    parts : list of Instruction
        What stands for this instruction when registers are given: nothing but copies may come between them.
    """

    lines: list[str]
    tied: list[tuple[Byte, Source]] = field(default_factory=list)
    outs: list[Byte] = field(default_factory=list)
    ins: list[Source] = field(default_factory=list)
    temps: int = 0
    upper: frozenset[int] = frozenset()
    early: bool = False
    commutative: bool = False
    immediate: str = ""
    memory: tuple[str, str] | None = None
    place: tuple[str, str, int] | None = None
    word: bool = False
    setting: str = ""
    parts: list[Instruction] = field(default_factory=list)

    def sources(self) -> list[Source]:
        """Return everything that is read."""
        return [s for _, s in self.tied] + self.ins

    def results(self) -> list[Byte]:
        """Return everything that is made."""
        return [d for d, _ in self.tied] + self.outs


@dataclass(eq=False)
class Repeated:
    """A counted loop: carried values (in the body, before, at the end of an iteration), and instructions.

    ``counter`` holds the iterations left and is counted down at the end of each. ``pinned`` are lines
    that run once before the first iteration, ``stepped`` lines at the end of each.
    """

    trips: int
    counter: Byte
    carried: list[tuple[Byte, Source, Source]]
    results: list[Byte]
    body: list[Item]
    pinned: list[str] = field(default_factory=list)
    stepped: list[str] = field(default_factory=list)


Item = Instruction | Repeated


def uses(items: list[Item]) -> Counter[Source]:
    """Return how often values are read."""
    count: Counter[Source] = Counter()
    for item in items:
        if isinstance(item, Instruction):
            count.update(item.sources())
        else:
            count.update(s for _, i, o in item.carried for s in (i, o))
            count += uses(item.body)
    return count


@dataclass
class Code:
    """A function: instructions, scratch objects with their sizes, tables used, registers that are taken.

    ``room`` is, where bytes of memory are registers, how many of them values may have: those that direct
    addresses reach, and those behind pointers alone.
    """

    name: str
    items: list[Item]
    objects: dict[str, int]
    tables: Tables
    reserved: set[int]
    room: tuple[int, int] = (0, 0)
