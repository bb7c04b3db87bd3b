"""H8/300: bytes beside each other in memory are loaded and stored as words; look-ups of sums."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace

from cipherassay.embedded.code import Byte, Instruction, Item, Repeated, Source, uses

NEAR = 48
"""How many instructions further the second byte of a word that is stored may be made."""


def improved(items: list[Item]) -> list[Item]:
    """Return the items with words and with look-ups of sums."""
    return _improved(items, uses(items))


def _improved(items: list[Item], count: Counter[Source]) -> list[Item]:
    items = [replace(i, body=_improved(i.body, count)) if isinstance(i, Repeated) else i for i in items]
    return _stores(_loads(_sums(items, count)))


def _sums(items: list[Item], count: Counter[Source]) -> list[Item]:
    """Compute a sum that only a look-up reads in r6, so that it needs no register."""
    makers = {i.tied[0][0]: i for i in items if isinstance(i, Instruction) and _is_sum(i)}
    gone: set[int] = set()
    out: list[Item] = []
    for i in items:
        if isinstance(i, Instruction) and i.lines[0] == "mov.b {1},r6l" and len(i.ins) == 1 and i.outs:
            x = i.ins[0]
            if isinstance(x, Byte) and x in makers and count[x] == 1 and i.memory is None:
                sum_ = makers[x]
                gone.add(id(sum_))
                line = sum_.lines[0].replace("{0}", "r6l").replace("{1}", "{2}")
                ins = [sum_.tied[0][1], *sum_.ins]
                i = Instruction([i.lines[0], line, *i.lines[1:]], outs=i.outs, ins=ins)
        out.append(i)
    return [i for i in out if id(i) not in gone]


def _is_sum(i: Instruction) -> bool:
    return len(i.lines) == 1 and i.lines[0].startswith("xor.b") and len(i.tied) == 1


def _loads(items: list[Item]) -> list[Item]:
    """Load two bytes at an even address as a word, where the first was loaded."""

    def joined(out: list[Item], n: int, a: Instruction, b: Instruction) -> bool:
        line = a.lines[0].replace("mov.b", "mov.w").replace("{0}", "{0.word}").replace(":8,", ":16,")
        out[n] = Instruction([line], outs=[*a.outs, *b.outs], memory=a.memory, place=a.place, word=True)
        return True

    return _in_pairs(items, "load", joined)


def _stores(items: list[Item]) -> list[Item]:
    """Store two bytes at an even address together, where the second was stored, if they were made near."""
    made: dict[Source, int] = {
        d: n for n, i in enumerate(items) if isinstance(i, Instruction) for d in i.results()
    }

    def joined(out: list[Item], n: int, a: Instruction, b: Instruction) -> bool:
        if abs(made.get(a.ins[0], n) - made.get(b.ins[0], n)) > NEAR:
            return False
        out[n] = Instruction([])
        lines = [a.lines[0], b.lines[0].replace("{0}", "{1}")]
        out.append(Instruction(lines, ins=[*a.ins, *b.ins], memory=a.memory, place=a.place, word=True))
        return True

    return [i for i in _in_pairs(items, "store", joined) if not isinstance(i, Instruction) or i.lines]


def _in_pairs(
    items: list[Item], kind: str, joined: Callable[[list[Item], int, Instruction, Instruction], bool]
) -> list[Item]:
    """Return the items with pairs of loads, or of stores, of the two bytes of a word.

    ``joined`` gets what is returned so far, where the first of a pair stands in it, the upper and the lower
    byte's instruction; it puts one instruction there instead of the two and says whether it did. An access of
    the other kind to the same object comes between no pair.
    """
    out: list[Item] = []
    open_: dict[tuple[str, str, int], int] = {}
    for i in items:
        if not isinstance(i, Instruction):
            open_.clear()
        elif i.memory is not None and i.memory[0] == kind and i.place and len(i.ins) == (kind == "store"):
            register, where, constant = i.place
            n = open_.pop((register, where, constant ^ 1), None) if _even(where) else None
            if n is None:
                open_[i.place] = len(out)
            else:
                first = out[n]
                assert isinstance(first, Instruction)
                if joined(out, n, *((first, i) if constant & 1 else (i, first))):
                    continue
                open_.clear()
        elif i.memory is not None and (i.memory[0] != kind or kind == "store"):
            open_ = {k: n for k, n in open_.items() if k[1] != i.memory[1]}
        out.append(i)
    return out


def _even(where: str) -> bool:
    _, plus, number = where.partition(" + ")
    return not plus or int(number) % 2 == 0
