"""MCS-51: results are made in the accumulator, and stored only if they are needed after the next ones.

Bytes of internal RAM are the registers of the shared allocator. Block and key are registers from the start,
so loading them costs nothing; what is stored into the block is moved there at the end, or made there. r0,
r1, the page in P2 and DPTR are addresses that are remembered: one further is an increment.
"""

from __future__ import annotations

from cipherassay.embedded.allocate import NEVER, Allocator, State
from cipherassay.embedded.code import Byte, Code, Instruction, Item, Repeated, Source
from cipherassay.embedded.processors.mcs51.dialect import BLOCK, KEY, A, B, Mcs51Dialect
from cipherassay.embedded.processors.mcs51.lower import Access
from cipherassay.errors import DescriptionError

NEAR = 3
"""How far an address is moved by increments."""


class Accumulator(Allocator):
    """Registers for one function."""

    dialect: Mcs51Dialect

    def __init__(self, code: Code) -> None:
        super().__init__(code)
        self.uses = {s: n for s, n in self.uses.items() if isinstance(s, Byte)}
        self.held_in_a: Source | None = None
        self.soon: list[Source] = []  # what further parts of the instruction read
        self.following: Item | None = None
        self.starts: dict[Byte, int] = {}
        self.ends: dict[int, Source] = {}
        self.outer: set[Access] = set()  # accesses to the block outside of loops, which need no lines
        self._forget()
        self._ends(code.items)

    def _ends(self, items: list[Item]) -> None:
        """Note where the block's bytes begin, and which values are its bytes at the end."""
        for i in items:
            if isinstance(i, Access) and i.where == self.dialect.block and not i.index:
                self.outer.add(i)
                if i.outs:
                    self.starts[i.outs[0]] = BLOCK + i.at
                else:
                    self.ends[BLOCK + i.at] = i.value
        for r, value in self.ends.items():
            if isinstance(value, Byte):
                self.uses.setdefault(value, []).append(self.position + 1)
                self.hints.setdefault(value, r)
        if self.starts or self.ends:
            self.available += range(BLOCK, BLOCK + 16)

    def run(self) -> list[str]:
        """Return the lines of the function."""
        self.position = 0
        for value, r in self.starts.items():
            if value in self.uses:
                self._place(value, r)
        self._items(self.code.items)
        self.position += 1
        self._save()
        self._leave_b()
        self._move_all(self.ends)
        return self.lines

    def _items(self, items: list[Item]) -> None:
        for n, item in enumerate(items):
            self.position += 1
            self.following = items[n + 1] if n + 1 < len(items) else None
            if isinstance(item, Instruction):
                self._instruction(item)
            else:
                self._loop(item)

    # The accumulator, B, and bytes of RAM.

    def _forget(self) -> None:
        """Know nothing of the accumulator and of addresses."""
        self.held_in_a = None
        self.pointers: list[tuple[object, int] | None] = [None, None]
        self.turn = 0
        self.page = ""
        self.dptr: object = None

    def _wanted(self, value: Source, after: int) -> bool:
        return isinstance(value, Byte) and (self.next_use(value, after) != NEVER or value in self.soon)

    def _save(self) -> None:
        """Store what is in the accumulator alone and still needed."""
        value = self.held_in_a
        if (
            isinstance(value, Byte)
            and value not in self.state.register
            and self._wanted(value, self.position - 1)
        ):
            self._store_in(value)

    def _store_in(self, value: Byte) -> None:
        """Store the accumulator, which holds a value, in a byte that is free."""
        r = self.take([], hint=self.hints.get(value))
        self.emit(self.dialect.copied(r, A))
        self._place(value, r)

    def _leave_b(self) -> None:
        """Move a value that is still needed out of B."""
        value = self.state.holds.get(B)
        if value is None:
            return
        if self._wanted(value, self.position - 1):
            r = self.take([], hint=self.hints.get(value))  # type: ignore[arg-type]
            self.emit(self.dialect.copied(r, B))
            self._drop(value)
            self._place(value, r)
        else:
            self._drop(value)

    def _bring(self, value: Source) -> None:
        """Bring a value into the accumulator."""
        if value is self.held_in_a and isinstance(value, Byte):
            again = self._wanted(value, self.position) or self._reads.count(value) > 1
            if again and value not in self.state.register:
                self._store_in(value)
            return
        self._save()
        self.emit(
            self.dialect.number(A, value)
            if isinstance(value, int)
            else self.dialect.copied(A, self.state.register[value])
        )
        self.held_in_a = value

    def _operand(self, value: Source) -> str:
        return f"#{value}" if isinstance(value, int) else self.dialect.name(self.state.register[value])

    def _place(self, value: Source, r: int) -> None:
        if r >= KEY:
            self.state.register[value] = r
        else:
            super()._place(value, r)

    def _drop(self, value: Source) -> None:
        r = self.state.register.pop(value, None)
        if r is not None and r < KEY:
            del self.state.holds[r]

    # Instructions.

    def _instruction(self, i: Instruction) -> None:
        self._reads = i.sources()
        if isinstance(i, Access):
            self._access(i)
        elif i.parts:
            self._glued(i)
        elif len(i.tied) > 1 or i.temps or not i.results():
            self._general(i)
        elif not self._in_place(i):
            self._accumulated(i)
        for s in i.sources():
            self._release(s)
        for d in i.results():
            if d is not self.held_in_a:
                self._release(d)

    def _glued(self, i: Instruction) -> None:
        for n, part in enumerate(i.parts):
            self.soon = [s for later in i.parts[n + 1 :] for s in later.sources()]
            self._reads = part.sources()
            self._accumulated(part)
        self.soon = []

    def _accumulated(self, i: Instruction) -> None:
        """Make a result in the accumulator; of the other results of products the upper byte is in B."""
        sources = [s for _, s in i.tied] + i.ins
        if i.commutative and self.held_in_a is sources[1] is not sources[0]:
            sources.reverse()
        if i.setting and self.dptr != i.setting:
            self.emit(f"mov dptr,#{i.setting}")
            self.dptr = i.setting
        if i.tied:
            self._bring(sources[0])
        else:
            self._save()
        if any(line.endswith((" ab", "orl a,b")) for line in i.lines):
            self._leave_b()
        if "mov dph,a" in i.lines:
            self.dptr = None
        others = sources[1:] if i.tied else sources
        names = ["a"] * len(i.tied) + [""] * len(i.outs) + [self._operand(s) for s in others]
        for line in i.lines:
            self.emit(line.format(*names))
        made = i.results()
        self.held_in_a = made[0]
        if len(made) == 2:
            self._place(made[1], B)

    def _in_place(self, i: Instruction) -> bool:
        """Change the byte of an operand that is not needed again, if that takes fewer cycles."""
        name = i.lines[0].split()[0]
        if name not in ("xrl", "anl", "orl") or len(i.lines) != 1 or not i.tied:
            return False
        (d, s), b = i.tied[0], i.ins[0]
        in_a = self.held_in_a
        pending = isinstance(in_a, Byte) and in_a not in self.state.register
        once, continues = len(self.uses.get(d, [])) == 1, self._continues(d)
        least = (0 if in_a in (s, b) and isinstance(in_a, Byte) else 1) + 1 + (0 if continues and once else 1)
        least += int(pending and in_a in (s, b) and self._wanted(in_a, self.position))
        best: tuple[int, Source, int] | None = None
        for x, y in ((s, b), (b, s)):
            p = self.state.register.get(x) if isinstance(x, Byte) and x is not y else None
            if p is None or p >= KEY or p == B or self.dialect.is_far(p) or self._wanted(x, self.position):
                continue
            cycles = (2 if isinstance(y, int) else 1 + (in_a is not y)) + int(continues)
            cycles += 2 * (self.hints.get(d, p) != p)
            if cycles < least or (cycles == least and not continues):
                least, best = cycles, (cycles, x, p)
        if best is None:
            return False
        x, p = best[1], best[2]
        y = b if x is s else s
        if isinstance(y, int):
            self.emit(f"{name} {self.dialect.direct(p)},#{y}")
            self.held_in_a = None if self.held_in_a is x else self.held_in_a
        else:
            self._bring(y)
            self.emit(f"{name} {self.dialect.direct(p)},a")
        self._drop(x)
        self._place(d, p)
        return True

    def _continues(self, d: Byte) -> bool:
        """Return whether the next instruction takes a value from the accumulator."""
        i = self.following
        if not isinstance(i, Instruction):
            return False
        if isinstance(i, Access):
            return not i.outs and i.value is d and i.space != "data"
        i = i.parts[0] if i.parts else i
        if len(i.tied) != 1 or i.temps:
            return False
        return i.tied[0][1] is d or (i.commutative and i.ins[0] is d)

    def _general(self, i: Instruction) -> None:
        """Make several results in bytes of RAM, or none; the accumulator, B and DPTR are lost."""
        self._save()
        self._leave_b()
        sources, chosen = i.sources(), list[int]()
        for d, s in i.tied:
            at = self.state.register.get(s)
            if at is not None and at < KEY and sources.count(s) == 1 and not self._wanted(s, self.position):
                self._drop(s)
                r = at
            else:
                r = self.take(chosen, hint=self.hints.get(d))
                self.emit(self.dialect.number(r, s) if isinstance(s, int) else self.dialect.copied(r, at))  # type: ignore[arg-type]
            self._place(d, r)
            chosen.append(r)
        for d in i.outs:
            chosen.append(self.take(chosen, hint=self.hints.get(d)))
            self._place(d, chosen[-1])
        names = [self.dialect.name(r) for r in chosen] + [self._operand(s) for s in i.ins]
        for _ in range(i.temps):
            chosen.append(self.take(chosen))
            self.used.add(chosen[-1])
            names.append(self.dialect.name(chosen[-1]))
        for line in i.lines:
            self.emit(line.format(*names))
        self.held_in_a = None
        if any("r0" in line for line in i.lines):
            self.pointers[0] = None

    # Memory.

    def _access(self, i: Access) -> None:
        if i.where == self.dialect.block:
            if i not in self.outer:
                raise DescriptionError(
                    "E114",
                    "an access to the block in a loop is not made yet",
                    help="load the block before the loop, or make code without loops: --straight",
                )
            return
        if i.where == self.dialect.key and not i.index:
            self._place(i.outs[0], KEY + i.at)
            return
        if i.outs:
            self._save()
            at = self._address(i)
            self.emit(f"{'movx' if i.space == 'xdata' else 'mov'} a,{at}")
            self.held_in_a = i.outs[0]
            return
        value = i.value
        at = self._address(i)
        if i.space == "xdata":
            self._bring(value)
            self.emit(f"movx {at},a")
        elif isinstance(value, int):
            self.emit(f"mov {at},#{value}")
        elif value is self.held_in_a:
            self.emit(f"mov {at},a")
        else:
            self.emit(f"mov {at},{self.dialect.direct(self.state.register[value])}")

    def _address(self, i: Access) -> str:
        """Make an address; return how it is written as an operand."""
        where = i.where.replace(" ", "")
        key = (where, *i.index)
        if not i.paged:
            return self._in_dptr(i, where, key)
        if i.space == "xdata" and self.page != where:
            self.emit(f"mov p2,#>({where})")
            self.page = where
        low = f"#<({where}+{i.at})" if i.space == "xdata" else f"#({where}+{i.at})"
        reach = NEAR if i.index else 1
        for r, known in enumerate(self.pointers):
            if known is not None and known[0] == key and abs(i.at - known[1]) <= reach:
                step = "inc" if i.at > known[1] else "dec"
                self.lines += [f"{step} r{r}"] * abs(i.at - known[1])
                break
        else:
            r = self.turn
            self._set(r, i.index, low)
        self.turn = 1 - r
        self.pointers[r] = (key, i.at)
        return f"@r{r}"

    def _set(self, r: int, index: tuple[Source, ...], low: str) -> None:
        if not index:
            self.emit(f"mov r{r},{low}")
            return
        self._bring(index[0])
        self.lines += [f"add a,{low}", f"mov r{r},a"]
        self.held_in_a = None

    def _in_dptr(self, i: Access, where: str, key: tuple[object, ...]) -> str:
        """Make a 16-bit address."""
        known = self.dptr
        if isinstance(known, tuple) and known[0] == key and 0 <= i.at - known[1] <= 1:
            self.lines += ["inc dptr"] * (i.at - known[1])
        elif not i.index:
            self.emit(f"mov dptr,#({where}+{i.at})")
        else:
            self._save()
            for n, (s, half, part) in enumerate(zip(i.index, "<>", ("dpl", "dph"), strict=True)):
                self._bring(s)
                self.lines += [f"{'addc' if n else 'add'} a,#{half}({where}+{i.at})", f"mov {part},a"]
                self.held_in_a = None
        self.dptr = (key, i.at)
        return "@dptr"

    # Loops.

    def _loop(self, loop: Repeated) -> None:
        self._save()
        self._leave_b()
        self.held_in_a = None
        for _, init, _ in loop.carried:
            if isinstance(init, Byte) and self.state.register[init] >= KEY:
                r = self.take([])
                self.emit(self.dialect.copied(r, self.state.register[init]))
                self._drop(init)
                self._place(init, r)
        super()._loop(loop)

    def _tried(self, loop: Repeated) -> None:
        self._forget()
        super()._tried(loop)
        self._forget()

    def _restore(self, loop: Repeated, homes: dict[Byte, int | None], before: State) -> None:
        self._save()
        self._leave_b()
        self.held_in_a = None
        super()._restore(loop, homes, before)
