"""MCS-51: more values than direct addresses reach: in upper internal RAM by r0 and r1, then in external RAM.

A byte of upper internal RAM is an operand like others, a cycle dearer (``mov r0,#…``). What has no room there
goes to external RAM by `movx` and comes back before it is used. Only code without loops is made so.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from cipherassay.embedded.code import Byte, Code, Instruction, Source
from cipherassay.embedded.processors.mcs51.allocate import Accumulator
from cipherassay.embedded.processors.mcs51.dialect import BLOCK, WORKING, B
from cipherassay.embedded.processors.mcs51.lower import Access

OUTSIDE = "spilled"
"""The end of the name of the object in external RAM."""
_FAR = re.compile(r"<(\d+)>")


class Spilling(Accumulator):
    """Registers for one function without loops."""

    def __init__(self, code: Code) -> None:
        super().__init__(code)
        most = WORKING + self.dialect.room + self.dialect.far
        self.available = [r for r in self.available if r < most or r >= BLOCK]
        self.locked = -1  # the pointer that an instruction still needs
        self.near = False  # whether registers have to be reached by direct addresses
        self.outside_name = f"{code.name}_{OUTSIDE}"

    # Addresses.

    def emit(self, line: str) -> None:
        """Append a line, after one that lets a pointer reach its operand in upper internal RAM."""
        if match := _FAR.search(line):
            where = f"{self.dialect.values}_far"
            line = line.replace(match[0], self._pointed((where,), where, int(match[1]), "#"))
        super().emit(line)

    def _pointed(self, key: tuple[str], where: str, at: int, part: str) -> str:
        """Return a pointer to a byte, the one that holds the next address or else the one set longer ago."""
        for r, known in enumerate(self.pointers):
            if known is not None and known[0] == key and abs(at - known[1]) <= (r != self.locked):
                step = "inc" if at > known[1] else "dec"
                self.lines += [f"{step} r{r}"] * abs(at - known[1])
                break
        else:
            r = 1 - self.turn if self.turn == self.locked else self.turn
            self.lines.append(f"mov r{r},{part}({where}+{at})")
        self.turn = 1 - r
        self.pointers[r] = (key, at)
        return f"@r{r}"

    def _external(self, slot: int) -> str:
        where = self.outside_name
        if self.page != where:
            self.lines.append(f"mov p2,#>({where})")
            self.page = where
        return self._pointed((where,), where, slot, "#<")

    # Registers.

    def take(self, exclude: Iterable[int], upper: bool = False, hint: int | None = None) -> int:
        """Return a register that holds nothing; if need be a value makes room, the one used latest."""
        out = set(exclude)
        free = [r for r in self._free(upper, out) if not (self.near and self.dialect.is_far(r))]
        if hint in free:
            return hint
        if free:
            hinted = set(self.hints.values())
            return min(free, key=lambda r: (r in hinted, self.dialect.is_far(r), r))
        held = [r for r in self.state.holds if r not in out and r != B]
        held = [r for r in held if not (self.near and self.dialect.is_far(r))]
        held = [r for r in held if self.state.holds[r] not in self._reads] or held
        victim = max(held, key=lambda r: (self.next_use(self.state.holds[r], self.position - 1), -r))
        self._leave(victim)
        return victim

    def _leave(self, r: int) -> None:
        """Make a register free: its value moves to upper internal RAM, or outside. The accumulator stays."""
        value = self.state.holds[r]
        far = [] if self.dialect.is_far(r) else [f for f in self._free(False, []) if self.dialect.is_far(f)]
        if far:
            self.emit(self.dialect.copied(far[0], r))
            self._drop(value)
            self._place(value, far[0])
            return
        if isinstance(value, Byte) and value not in self.state.slot:
            self.state.slot[value] = self._new_slot()
            self.emit(f"xch a,{self.dialect.name(r)}")
            self.locked = self._pointer_of(r)
            self.lines.append(f"movx {self._external(self.state.slot[value])},a")
            self.locked = -1
            self.emit(f"xch a,{self.dialect.name(r)}")
        self._drop(value)

    def _pointer_of(self, r: int) -> int:
        return 1 - self.turn if self.dialect.is_far(r) else self.locked

    def _absent(self, value: Source) -> bool:
        """Return whether a value is in external RAM alone."""
        return isinstance(value, Byte) and value not in self.state.register and value is not self.held_in_a

    def _present(self, value: Source) -> None:
        """Bring a value back into internal RAM."""
        self._bring(value)
        if value not in self.state.register:
            self._store_in(value)  # type: ignore[arg-type]

    def _save(self) -> None:
        if self.held_in_a not in self.state.slot:
            super()._save()

    def _bring(self, value: Source) -> None:
        if not self._absent(value):
            super()._bring(value)
            return
        self._save()
        self.lines.append(f"movx a,{self._external(self.state.slot[value])}")  # type: ignore[index]
        self.held_in_a = value

    # Instructions.

    def _accumulated(self, i: Instruction) -> None:
        sources = [s for _, s in i.tied] + i.ins
        if len(sources) > 1:
            self._keep(sources)
            self._back(sources[0 if i.commutative or not i.tied else 1 :])
        super()._accumulated(i)

    def _keep(self, sources: list[Source]) -> None:
        """Store what is in the accumulator if it is one of several sources and came from outside."""
        value = self.held_in_a
        if isinstance(value, Byte) and value in sources and value in self.state.slot:
            self._present(value)

    def _back(self, sources: Iterable[Source]) -> None:
        """Bring what is in external RAM alone back."""
        for s in dict.fromkeys(sources):
            if self._absent(s):
                self._present(s)

    def _general(self, i: Instruction) -> None:
        self._save()
        self._leave_b()
        self.near = True
        self._keep(i.sources())
        self._back(i.sources())
        for s in i.sources():
            r = self.state.register.get(s)
            if r is not None and self.dialect.is_far(r):
                to = self.take([])
                self.emit(self.dialect.copied(to, r))
                self._drop(s)
                self._place(s, to)
        super()._general(i)
        self.near = False

    def _access(self, i: Access) -> None:
        # What has to come back or to leave does so before the address is made: it takes P2 and a pointer.
        if i.index:
            self._save()
            for s in i.sources():
                if isinstance(s, Byte) and s not in self.state.register:
                    self._present(s)
        if i.outs or i.where == self.dialect.block:
            super()._access(i)
            return
        number = isinstance(i.value, int) and i.space != "xdata"
        if not i.index and not number:
            self._bring(i.value)
        at = self._address(i)
        if number:
            self.emit(f"mov {at},#{i.value}")
            return
        if i.index:
            self.locked = int(at[2:]) if at.startswith("@r") else -1
            self._bring(i.value)
            self.locked = -1
        self.emit(f"{'movx' if i.space == 'xdata' else 'mov'} {at},a")

    def _move_all(self, wanted: dict[int, Source]) -> None:
        self._reads = list(wanted.values())
        self._keep(self._reads)
        self._back(self._reads)
        super()._move_all(wanted)
