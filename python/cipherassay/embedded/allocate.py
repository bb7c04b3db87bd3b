"""Registers for code of a small processor: from first to last instruction, what is used latest leaves first.

Belady's rule, with homes for what a loop carries or reads: where values stand at the head of a loop
is restored at its end. A value from outside that would leave inside a loop leaves before it instead, and the
loop is done again.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable

from cipherassay.embedded.code import Byte, Code, Instruction, Item, Repeated, Source
from cipherassay.embedded.pairs import Pairs
from cipherassay.errors import DescriptionError

NEVER = 1 << 60
WORKING = 6
"""Registers that carried values leave free at the head of a loop."""


class Restart(Exception):
    """A value from outside of a loop left inside of it."""

    def __init__(self, loop: Repeated, value: Source) -> None:
        super().__init__()
        self.loop, self.value = loop, value


class State:
    """What stands where."""

    def __init__(self) -> None:
        self.register: dict[Source, int] = {}
        self.holds: dict[int, Source] = {}
        self.slot: dict[Byte, int] = {}
        self.free_slots: list[int] = []

    def copy(self) -> State:
        """Return a copy."""
        new = State()
        new.register, new.holds = dict(self.register), dict(self.holds)
        new.slot, new.free_slots = dict(self.slot), list(self.free_slots)
        return new


class Allocator:
    """Registers for one function; `lines` is the text."""

    def __init__(self, code: Code, pairs: Pairs | None = None) -> None:
        self.code = code
        self.frugal = False  # what comes back to a register gives its place in memory away
        self.held: list[set[Byte]] = []  # what is in memory at the heads of the loops around
        self.pairs = pairs or {}
        self.waiting: dict[int, Byte] = {}  # registers that the second of a pair would like
        self.dialect = code.dialect
        self.available = [r for r in self.dialect.registers if r not in code.reserved]
        self.spill = f"{code.name}_spill"
        self.slots = 0
        self.state = State()
        self.lines: list[str] = []
        self.uses: dict[Source, list[int]] = {}
        self.hints: dict[Byte, int] = {}
        self.outside: list[tuple[Repeated, set[Source]]] = []
        self.evicted: dict[int, set[Source]] = {}
        self.position = 0
        self.labels = 0
        self.trips: dict[str, int] = {}
        self.spans: dict[int, tuple[int, int]] = {}
        self.used: set[int] = set()
        self.kept: set[Byte] = set()  # slots in which a loop carries its values
        self._number(code.items)

    # Where values are used.

    def _number(self, items: list[Item]) -> set[Source]:
        """Number the instructions; return what is used from outside of these items."""
        made: set[Source] = set()
        needed: set[Source] = set()

        def use(s: Source) -> None:
            self.uses.setdefault(s, []).append(self.position)
            if s not in made:
                needed.add(s)

        for item in items:
            self.position += 1
            if isinstance(item, Instruction):
                for s in item.sources():
                    use(s)
                made.update(item.results())
                continue
            for _, init, _ in item.carried:
                use(init)
            use(item.counter)
            start = self.position
            params = {p for p, _, _ in item.carried}
            below = self._number(item.body)
            self.position += 1
            for _, _, out in item.carried:
                use(out)
            for s in sorted((below - params) | {item.counter}, key=str):
                use(s)
            self.spans[id(item)] = (start, self.position)
            made.update(item.results)
            made.update(params)
            needed -= params
        return needed - made

    def next_use(self, s: Source, after: int) -> int:
        """Return the position of the next use after a position, or NEVER."""
        uses = self.uses.get(s, [])
        n = bisect_right(uses, after)
        return uses[n] if n < len(uses) else NEVER

    # The text.

    def place(self, slot: int) -> str:
        """Return the address of a slot."""
        return f"{self.spill} + {slot}"

    def emit(self, line: str) -> None:
        """Append a line."""
        self.lines.append(line)

    def run(self) -> list[str]:
        """Return the lines of the function."""
        self.position = 0
        self._items(self.code.items)
        return self.lines

    def _items(self, items: list[Item]) -> None:
        for item in items:
            self.position += 1
            if isinstance(item, Instruction):
                self._instruction(item)
            else:
                self._loop(item)

    # Registers.

    def _free(self, upper: bool, exclude: Iterable[int]) -> list[int]:
        out = set(exclude)
        return [
            r
            for r in self.available
            if r not in self.state.holds and r not in out and (not upper or r in self.dialect.upper)
        ]

    def _place(self, value: Source, r: int) -> None:
        self.state.register[value] = r
        self.state.holds[r] = value
        self.used.add(r)

    def _drop(self, value: Source) -> None:
        r = self.state.register.pop(value, None)
        if r is not None:
            del self.state.holds[r]

    def take(self, exclude: Iterable[int], upper: bool = False, hint: int | None = None) -> int:
        """Return a register that holds nothing, if need be after making one free."""
        exclude = set(exclude)
        free = self._free(upper, exclude)
        if hint is not None and hint in free:
            return hint
        if free:
            hinted = set(self.hints.values()) | set(self.waiting)
            free.sort(key=lambda r: (r in hinted, r))
            return free[0]
        low = self._free(False, exclude) if upper else []
        candidates = [
            r for r in self.state.holds if r not in exclude and (not upper or r in self.dialect.upper)
        ]
        if not candidates:
            raise DescriptionError(
                "E114",
                f"an instruction of `{self.code.name}` needs more registers at once than there are",
                help="operations on narrower words need fewer; `assay emit c` has no such limit",
            )
        victim = max(candidates, key=lambda r: (self._distance(self.state.holds[r]), -r))
        value = self.state.holds[victim]
        if low and isinstance(value, Byte) and self.next_use(value, self.position - 1) != NEVER:
            self._drop(value)
            self._place(value, low[0])
            self.emit(self.dialect.copied(low[0], victim))
            return victim
        self.evict(value)
        return victim

    def _distance(self, value: Source) -> float:
        distance = self.next_use(value, self.position - 1) - self.position
        if isinstance(value, int):
            return distance * 2 + 3
        return distance * 1.5 if value in self.state.slot else distance

    def evict(self, value: Source) -> None:
        """Take a value out of its register; it is stored if it is needed again and not in memory."""
        for loop, known in self.outside:
            if value in known:
                raise Restart(loop, value)
        needed = self.next_use(value, self.position - 1) != NEVER
        if isinstance(value, Byte) and value not in self.state.slot and needed:
            self._store(value)
        self._drop(value)

    def _store(self, value: Byte) -> None:
        self.state.slot[value] = self._new_slot()
        self.emit(self.dialect.stored(self.place(self.state.slot[value]), self.state.register[value]))

    def _new_slot(self) -> int:
        if self.state.free_slots:
            return self.state.free_slots.pop(0)
        self.slots += 1
        return self.slots - 1

    def _release(self, value: Source) -> None:
        """Forget a value that nothing uses any more."""
        if isinstance(value, Byte) and self.next_use(value, self.position) == NEVER:
            self._drop(value)
            if value in self.state.slot and value not in self.kept:
                self.state.free_slots.append(self.state.slot.pop(value))

    def load(self, value: Source, exclude: Iterable[int], upper: bool = False) -> int:
        """Return a register that holds a value; it may be one that it was brought into."""
        exclude = set(exclude)
        if value in self.state.register:
            r = self.state.register[value]
            if not upper or r in self.dialect.upper:
                return r
            new = self.take(exclude | {r}, upper=True)
            self.emit(self.dialect.copied(new, r))
            self._drop(value)
            self._place(value, new)
            return new
        if isinstance(value, int):
            if (
                value == 0
                and self.dialect.zero(0)
                and not upper
                and not self._free(True, exclude)
                and (low := self._free(False, exclude))
            ):
                self.emit(self.dialect.zero(low[0]))
                self._place(value, low[0])
                return low[0]
            r = self.take(exclude, upper=True)
            self.emit(self.dialect.number(r, value))
        else:
            r = self.take(exclude, upper, self.hints.get(value))
            self.emit(self.dialect.fetched(r, self.place(self.state.slot[value])))
            if self.frugal and value not in self.kept and not any(value in held for held in self.held):
                self.state.free_slots.append(self.state.slot.pop(value))
        self._place(value, r)
        return r

    # Instructions.

    def _instruction(self, i: Instruction) -> None:
        i = self._exchanged(i)
        if i.immediate and self._by_immediate(i):
            return
        busy: list[int] = []
        sources: list[int] = []
        for k, s in enumerate(i.ins):
            place = len(i.tied) + len(i.outs) + k
            busy += [self.state.register[x] for x in i.sources() if x in self.state.register]
            sources.append(self.load(s, [*busy, *sources], place in i.upper))
        tied = self._tied(i, sources)
        temps: list[int] = []
        outs: list[int] = []
        taken = [*tied, *sources]
        if not i.early:
            self._finish_sources(i)
            for r in tied:
                self.state.holds[r] = self.state.holds.get(r, -1)
            taken = list(tied)
        for k, d in enumerate(i.outs):
            outs.append(self._out(d, [*taken, *outs], len(i.tied) + k in i.upper, i, k))
            self._place(d, outs[-1])
        for _ in range(i.temps):
            temps.append(self.take([*tied, *sources, *outs, *temps]))
            self.used.add(temps[-1])
        if i.early:
            self._finish_sources(i)
        for line in i.lines:
            self.emit(line.format(*map(self.dialect.name, [*tied, *outs, *sources, *temps])))
        for (d, _), r in zip(i.tied, tied, strict=True):
            self._place(d, r)
        for d in i.results():
            self._release(d)

    def _exchanged(self, i: Instruction) -> Instruction:
        """Exchange operands if that saves a copy."""
        if not i.commutative or not isinstance(i.ins[0], Byte):
            return i
        (d, a), b = i.tied[0], i.ins[0]
        dies = [isinstance(s, Byte) and self.next_use(s, self.position) == NEVER for s in (a, b)]
        at = self.state.register.get(b)
        wished = self.hints.get(d)
        if (dies[1] and not dies[0]) or (all(dies) and wished is not None and at == wished):
            return Instruction(i.lines, [(d, b)], ins=[a], commutative=True)
        return i

    def _by_immediate(self, i: Instruction) -> bool:
        (d, a) = i.tied[0]
        if not isinstance(a, Byte):
            return False
        r = self.state.register.get(a)
        in_place = r is not None and r in self.dialect.upper and self.next_use(a, self.position) == NEVER
        if not in_place and not self._free(True, []):
            return False
        r = self._tied(Instruction([], [(d, a)], upper=frozenset({0})), [])[0]
        self.emit(i.immediate.format(self.dialect.name(r)))
        self._finish_sources(i)
        self._place(d, r)
        self._release(d)
        return True

    def _tied(self, i: Instruction, sources: list[int]) -> list[int]:
        """Return the registers of the tied results; copies are made where a source is needed again."""
        chosen: list[int] = []
        everything = i.sources()
        for k, (d, s) in enumerate(i.tied):
            busy = [*sources, *chosen]
            busy += [self.state.register[x] for x in everything if x in self.state.register]
            upper = k in i.upper
            if isinstance(s, int):
                r = self.take(busy, upper=True, hint=self.hints.get(d))
                self.emit(self.dialect.number(r, s))
                self.state.holds[r] = d
                chosen.append(r)
                continue
            at = self.load(s, busy, upper and s not in self.state.register)
            shared = everything.count(s) > 1 and len(i.lines) > 1
            twice = [x for x, _ in i.tied].count(d) > 1 or [x for _, x in i.tied].count(s) > 1
            fits = not upper or at in self.dialect.upper
            if self.next_use(s, self.position) == NEVER and fits and not shared and not twice:
                chosen.append(at)
                continue
            r = self.take([*busy, at], upper, self.hints.get(d))
            self.emit(self.dialect.copied(r, at))
            self.state.holds[r] = d
            chosen.append(r)
        return chosen

    def _finish_sources(self, i: Instruction) -> None:
        for s in i.sources():
            self._release(s)

    def _out(self, d: Byte, exclude: list[int], upper: bool, i: Instruction, k: int) -> int:
        hint = self.hints.get(d)
        free = self._free(upper, exclude)
        if d in self.pairs:
            hint = self._beside(d, free)
        elif len(i.outs) > 1 and k % 2 == 0:
            hint = next((r for r in free if r % 2 == 0 and r + 1 in free), hint)
        elif (
            len(i.outs) > 1 and (before := self.state.register[i.outs[k - 1]]) % 2 == 0 and before + 1 in free
        ):
            hint = before + 1
        return self.take(exclude, upper, hint)

    def _beside(self, d: Byte, free: list[int]) -> int | None:
        """Return the register of a value that wants to stand beside another."""
        other, place = self.pairs[d]
        mine = [r for r, v in self.waiting.items() if v is d]
        for r in mine:
            del self.waiting[r]
        at = self.state.register.get(other)
        if at is not None:
            r = at ^ 1
            return r if r in free and r % 2 == place else None
        for r in free:
            if r % 2 == place and r ^ 1 in free and r ^ 1 not in self.waiting and r not in self.waiting:
                self.waiting[r ^ 1] = other
                return r
        return None

    # Loops.

    def _loop(self, loop: Repeated) -> None:
        saved = (self.state.copy(), len(self.lines), self.position, self.labels, dict(self.hints), self.slots)
        held = self.held
        while True:
            try:
                self._tried(loop)
                return
            except Restart as restart:
                if restart.loop is not loop:
                    raise
                self.evicted.setdefault(id(loop), set()).add(restart.value)
                while self.outside and self.outside[-1][0] is not loop:
                    self.outside.pop()
                self.outside.pop()
                state, length, self.position, self.labels, hints, self.slots = saved
                self.held = held
                self.state, self.hints = state.copy(), dict(hints)
                del self.lines[length:]

    def _tried(self, loop: Repeated) -> None:
        start, end = self.spans[id(loop)]
        leave = self.evicted.get(id(loop), set())
        for value in [v for v in self.state.register if v in leave]:
            self.evict(value)
        homes = self._enter(loop, leave)
        self.kept |= {p for p, r in homes.items() if r is None}
        for c in sorted(c for c in self.uses if isinstance(c, int) and c not in leave):
            inside = [p for p in self.uses[c] if start < p <= end]
            if inside and c not in self.state.register and len(self._free(True, [])) > 1:
                self.load(c, [], upper=True)
        for line in loop.pinned:
            self.emit(line)
        params = {p for p, _, _ in loop.carried}
        before, slots = self.state.copy(), self.slots
        known = {v for v in before.register if v not in params}
        self._hint(loop, homes)
        label = f".L{self.code.name}_{self.labels}"
        self.labels += 1
        self.trips[label] = loop.trips
        self.emit(f"{label}:")
        self.outside.append((loop, known))
        self.held = [*self.held, set(before.slot)]
        self._items(loop.body)
        self.position = end
        self.outside.pop()
        self.held = self.held[:-1]
        for line in loop.stepped:
            self.emit(line)
        self._restore(loop, homes, before)
        counter = before.register.get(loop.counter)
        r = self.dialect.scratch if counter is None else counter
        if counter is None:
            self.emit(self.dialect.fetched(r, self.place(before.slot[loop.counter])))
        self.emit(self.dialect.decremented(r))
        if counter is None:
            self.emit(self.dialect.stored(self.place(before.slot[loop.counter]), r))
        self.emit(self.dialect.repeated(label))
        self.state = before
        self.state.free_slots += range(slots, self.slots)
        for (p, _, _), result in zip(loop.carried, loop.results, strict=True):
            if p in self.state.register:
                r = self.state.register[p]
                self._drop(p)
                self._place(result, r)
            if p in self.state.slot:
                self.state.slot[result] = self.state.slot.pop(p)
        for value in [*self.state.register, *self.state.slot]:
            self._release(value)

    def _enter(self, loop: Repeated, leave: set[Source]) -> dict[Byte, int | None]:
        """Give every carried value a home: a register, or memory (None)."""
        room = len(self.available) - WORKING
        first = sorted(
            range(len(loop.carried)), key=lambda n: (self.next_use(loop.carried[n][0], self.position), n)
        )
        in_registers = {id(loop.carried[n][0]) for n in first[: max(room, 0)]}
        placed: list[Byte] = []
        for p, init, _ in loop.carried:
            if p in leave:
                continue
            last = isinstance(init, Byte) and self.next_use(init, self.position) == NEVER
            alone = last and [i for _, i, _ in loop.carried].count(init) == 1
            if id(p) not in in_registers:
                self._into_memory(p, init, alone)
            elif alone and init in self.state.register:
                r = self.state.register[init]
                self._drop(init)
                self.state.slot.pop(init, None)  # type: ignore[arg-type]
                self._place(p, r)
                placed.append(p)
            else:
                busy = [self.state.register[x] for x in [*placed, init] if x in self.state.register]
                r = self.take(busy)
                if isinstance(init, int) and r not in self.dialect.upper:
                    self.emit(self._copy(init, self.dialect.scratch))
                    self.emit(self.dialect.copied(r, self.dialect.scratch))
                else:
                    self.emit(self._copy(init, r))
                self._place(p, r)
                placed.append(p)
        return {p: self.state.register.get(p) for p, _, _ in loop.carried}

    def _copy(self, value: Source, r: int) -> str:
        """Return the line that brings a value into a register."""
        if isinstance(value, int):
            return self.dialect.number(r, value)
        if value in self.state.register:
            return self.dialect.copied(r, self.state.register[value])
        return self.dialect.fetched(r, self.place(self.state.slot[value]))

    def _into_memory(self, p: Byte, init: Source, alone: bool) -> None:
        """Give a carried value a home in memory."""
        if alone and isinstance(init, Byte) and init in self.state.slot:
            self._drop(init)
            self.state.slot[p] = self.state.slot.pop(init)
            return
        self.state.slot[p] = self._new_slot()
        r = self.state.register.get(init, self.dialect.scratch)
        if r == self.dialect.scratch:
            self.emit(self._copy(init, r))
        self.emit(self.dialect.stored(self.place(self.state.slot[p]), r))
        if alone:
            self._drop(init)

    def _hint(self, loop: Repeated, homes: dict[Byte, int | None]) -> None:
        made = {d for item in loop.body if isinstance(item, Instruction) for d in item.results()}
        for p, _, out in loop.carried:
            home = homes[p]
            if home is not None and isinstance(out, Byte) and out in made:
                self.hints[out] = home
        for item in reversed(loop.body):
            if isinstance(item, Instruction):
                for d, s in item.tied:
                    if d in self.hints and isinstance(s, Byte) and s in made and s not in self.hints:
                        self.hints[s] = self.hints[d]

    def _restore(self, loop: Repeated, homes: dict[Byte, int | None], before: State) -> None:
        """Bring everything to where it stood at the head of the loop."""
        state = self.state
        # Memory first, in an order in which nothing is overwritten that is still read.
        stores = {p: out for p, _, out in loop.carried if homes[p] is None and p is not out}
        reads = [out for p, _, out in loop.carried if homes[p] is not None]
        while stores:
            waiting = [o for o in [*stores.values(), *reads] if o is not None and o not in state.register]
            ready = [p for p in stores if p not in waiting or state.slot[p] != before.slot[p]]
            p = ready[0] if ready else next(iter(stores))
            out = stores.pop(p)
            if not ready and p not in state.register:
                self._aside(p)
            if isinstance(out, int) and out not in state.register:
                self.emit(self.dialect.number(self.dialect.scratch, out))
                r = self.dialect.scratch
            elif out in state.register:
                r = state.register[out]
            else:
                self.emit(self.dialect.fetched(self.dialect.scratch, self.place(state.slot[out])))  # type: ignore[index]
                r = self.dialect.scratch
            self.emit(self.dialect.stored(self.place(before.slot[p]), r))
        wanted: dict[int, Source] = {}
        for p, _, out in loop.carried:
            if homes[p] is not None:
                wanted[homes[p]] = out  # type: ignore[index]
        for value, r in before.register.items():
            if r not in wanted:
                wanted[r] = value
        self._move_all(wanted)

    def _aside(self, p: Byte) -> None:
        """Save a value in memory that would be overwritten, as values change places there."""
        free = self._free(False, [])
        r = free[0] if free else self.dialect.scratch
        self.emit(self.dialect.fetched(r, self.place(self.state.slot[p])))
        if free:
            self._place(p, r)
            return
        self.state.slot[p] = self._new_slot()
        self.emit(self.dialect.stored(self.place(self.state.slot[p]), r))

    def _move_all(self, wanted: dict[int, Source]) -> None:
        """Move several values at once into registers."""
        state = self.state
        moves = {
            r: state.register[v] for r, v in wanted.items() if v in state.register and state.register[v] != r
        }
        while moves:
            ready = [r for r in moves if r not in moves.values()]
            if ready:
                r = ready[0]
                self.emit(self.dialect.copied(r, moves.pop(r)))
                continue
            r = next(iter(moves))
            self.emit(self.dialect.copied(self.dialect.scratch, r))
            for other, source in moves.items():
                if source == r:
                    moves[other] = self.dialect.scratch
        for r, v in wanted.items():
            if v in state.register:
                continue
            if isinstance(v, Byte):
                self.emit(self.dialect.fetched(r, self.place(state.slot[v])))
            elif r in self.dialect.upper:
                self.emit(self.dialect.number(r, v))
            else:
                self.emit(self.dialect.number(self.dialect.scratch, v))
                self.emit(self.dialect.copied(r, self.dialect.scratch))


def allocated(code: Code, pairs: Pairs | None = None, *, frugal: bool = False) -> Allocator:
    """Return the allocator of a function after it has run: `lines`, `slots`, `used`, `trips` by label."""
    allocator = code.dialect.allocator(code, pairs)
    allocator.frugal = frugal
    allocator.run()
    return allocator
