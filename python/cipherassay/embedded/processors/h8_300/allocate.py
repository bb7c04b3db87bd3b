"""H8/300: registers by the shared rule, words where two bytes are loaded, stored or made together."""

from __future__ import annotations

from dataclasses import replace

from cipherassay.embedded.allocate import NEVER, Allocator
from cipherassay.embedded.code import Byte, Code, Instruction, Item, Repeated, Source
from cipherassay.embedded.processors.h8_300.dialect import SLOTS


def _apart(items: list[Item]) -> list[Item]:
    """Return the items with the parts of instructions in their stead."""
    out: list[Item] = []
    for i in items:
        if isinstance(i, Repeated):
            out.append(replace(i, body=_apart(i.body)))
        else:
            out += i.parts or [i]
    return out


class WordAllocator(Allocator):
    """Of a word, the even register is the high half, the next one the low half."""

    low = -1

    def __init__(self, code: Code) -> None:
        super().__init__(replace(code, items=_apart(code.items)))

    def place(self, slot: int) -> str:
        """Return the address of a slot: the first are reached by short addresses."""
        return f"{self.spill}+{slot}:8" if slot < SLOTS else f"{self.spill}_far+{slot - SLOTS}:16"

    def _out(self, d: Byte, exclude: list[int], upper: bool, i: Instruction, k: int) -> int:
        if not i.word:
            return super()._out(d, exclude, upper, i, k)
        if k == 1:
            return self.low
        high = self._word(i, exclude)
        self.low = high + 1
        return high

    def _word(self, i: Instruction, exclude: list[int]) -> int:
        """Return the high half of a word whose halves are free, if need be after making them so."""
        if i.ins and (high := self._upon(i, exclude)) is not None:
            return high
        free = self._free(False, exclude)
        while len(free) < 2:
            free.append(self.take([*exclude, *free]))
        whole = [r for r in free if r % 2 == 0 and r + 1 in free]
        if whole:
            alone = [r for r in whole if self.hints.get(i.outs[0]) == r or self.hints.get(i.outs[1]) == r + 1]
            return (alone or whole)[0]
        for r in free:
            if r ^ 1 in self.state.holds and r ^ 1 not in exclude:
                self._move(r ^ 1, next(f for f in free if f != r))
                return r & ~1
        high = next(
            r
            for r in self.available
            if r % 2 == 0 and r + 1 in self.available and not {r, r + 1} & {*exclude}
        )
        for r, to in zip((high, high + 1), free, strict=False):
            self._move(r, to)
        return high

    def _upon(self, i: Instruction, exclude: list[int]) -> int | None:
        """Return the word whose low half holds a product's first operand, if that is not needed again."""
        s = i.ins[0]
        at = self.state.register.get(s)
        dies = isinstance(s, Byte) and self.next_use(s, self.position) == NEVER and i.ins.count(s) == 1
        if at is None or at % 2 == 0 or not dies or at - 1 not in self.available:
            return None
        if at - 1 in self.state.holds:
            free = self._free(False, exclude)
            if at - 1 in exclude or not free:
                return None
            self._move(at - 1, free[0])
        self._drop(s)
        return at - 1

    def _move(self, r: int, to: int) -> None:
        value = self.state.holds[r]
        self.emit(self.dialect.copied(to, r))
        self._drop(value)
        self._place(value, to)

    def _exchanged(self, i: Instruction) -> Instruction:
        if i.word and len(i.ins) == 2 and i.outs:
            good = [self._ends_low(s) for s in i.ins]
            return replace(i, ins=i.ins[::-1]) if good[1] and not good[0] else i
        return super()._exchanged(i)

    def _ends_low(self, s: Source) -> bool:
        return (
            isinstance(s, Byte)
            and self.next_use(s, self.position) == NEVER
            and self.state.register.get(s, 0) % 2 == 1
        )

    def _instruction(self, i: Instruction) -> None:
        if i.word and not i.outs:
            i = self._whole(i)
        super()._instruction(i)

    def _whole(self, i: Instruction) -> Instruction:
        """Return a store of two bytes as one of a word if the bytes are in one, or one copy away."""
        at = [self.state.register.get(s) for s in i.ins]
        line = i.lines[0].replace("mov.b", "mov.w").replace("{0}", "{0.word}").replace(":8", ":16")
        high, low = at
        if low is not None and high is not None and high % 2 == 0 and low == high + 1:
            return replace(i, lines=[line])
        if i.lines[0].endswith(":8") or high is None or low is None:
            return i
        free = self._free(False, [])
        if high % 2 == 0 and high + 1 in free:
            copy = f"mov.b {{1}},{self.dialect.name(high + 1)}"
            return replace(i, lines=[copy, line])
        if low % 2 == 1 and low - 1 in free:
            copy = f"mov.b {{0}},{self.dialect.name(low - 1)}"
            return replace(i, lines=[copy, line.replace("{0.word}", "{1.word}")])
        return i
