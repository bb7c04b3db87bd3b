"""The order of instructions: several orders are tried, each with registers, and the least cycles win.

Loads wait until just before their first use. Among what is ready an order takes what leaves the fewest values
alive, or what continues with the latest results; the former suits sums of many, the latter S-boxes written as
gates.
"""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import accumulate

from cipherassay.embedded.allocate import Allocator, allocated
from cipherassay.embedded.code import Byte, Code, Instruction, Item, Repeated
from cipherassay.embedded.dialect import Rank
from cipherassay.embedded.slots import packed

ORDERS: dict[str, Rank | None] = {
    "as written": None,
    "fewest alive": Rank(lambda alive, newest, place: (alive, -newest, place)),
    "newest": Rank(lambda alive, newest, place: (-newest, alive, place)),
    "in turn": Rank(lambda alive, newest, place: (0, 0, place)),
}
NEAR, SHORT = 30, 10
"""A cut has no fewer values alive within so many instructions, and so many come after it at least."""


def best(code: Code, block: str, most: int | None = None, shared: str = "") -> Allocator:
    """Return a function with registers, in the best order; object ``block`` is loaded first, stored last.

    ``most`` bytes in memory for values are a limit that goes before cycles where it can be kept; values may
    stand in the object ``shared`` (default: the block) while it is not needed.
    """
    shared = shared or block
    ranks = [rank for rank in [*ORDERS.values(), *code.dialect.orders] if rank]
    orders = [code.items, *(ordered(code.items, rank, block) for rank in ranks)]
    orders += [
        ordered(code.items, _in_stretches(r), block) for r in (ORDERS["fewest alive"], ORDERS["newest"]) if r
    ]
    tried = [allocated(replace(code, items=items)) for items in orders]
    if most is not None and all(over(done, shared, most) for done in tried):
        tried += [allocated(replace(code, items=items), frugal=True) for items in orders]
    done = least(tried, shared, most)
    return least([done, *code.dialect.again(done)], shared, most)


def least(tried: list[Allocator], block: str, most: int | None) -> Allocator:
    """Return the allocation of the fewest cycles, among those within the limit or with the fewest bytes."""
    if most is None:
        return min(tried, key=lambda done: (done.dialect.over(done), cycles(done)))
    return min(tried, key=lambda done: (over(done, block, most), cycles(done)))


def over(done: Allocator, block: str, most: int) -> int:
    """Return by how many bytes an allocation passes a limit."""
    if done.slots <= most:
        return 0
    return max(packed(done.lines, done.spill, block, done.dialect)[1] - most, 0)


def _in_stretches(rank: Rank) -> Rank:
    """Return an order that ends a stretch of the program before it begins the next."""
    return Rank(rank.key, stretches=True)


def cycles(done: Allocator) -> int:
    """Return about how many cycles a function takes: branches count as not taken."""
    dialect = done.dialect
    total, weight, stack = 0, 1, []
    for line in dialect.tidied(done.lines):
        if match := re.fullmatch(r"(\.L\w+):", line):
            stack.append(weight)
            weight *= done.trips[match[1]]
        elif not line.endswith(":"):
            total += weight * dialect.cycles(line)
            if ".L" in line and line == dialect.repeated(line.split()[-1]):
                weight = stack.pop()
    return total


def ordered(items: list[Item], rank: Rank, block: str) -> list[Item]:
    """Return the items with the instructions between loops in another order."""
    out: list[Item] = []
    segment: list[Instruction] = []
    for n, item in enumerate(items):
        if isinstance(item, Instruction):
            segment.append(item)
            continue
        out += _segment(segment, rank, block, _used(items[n:]))
        segment = []
        out.append(replace(item, body=ordered_body(item, rank, block)))
    return out + _segment(segment, rank, block, set())


def ordered_body(loop: Repeated, rank: Rank, block: str) -> list[Item]:
    """Return a loop's body in another order; what it carries on stays alive."""
    out: list[Item] = []
    segment: list[Instruction] = []
    ends = {o for _, _, o in loop.carried if isinstance(o, Byte)} | _needed(loop)
    for n, item in enumerate(loop.body):
        if isinstance(item, Instruction):
            segment.append(item)
            continue
        out += _segment(segment, rank, block, _used(loop.body[n:]) | ends)
        segment = []
        out.append(replace(item, body=ordered_body(item, rank, block)))
    return out + _segment(segment, rank, block, ends)


def _needed(loop: Repeated) -> set[Byte]:
    made = {d for i in loop.body if isinstance(i, Instruction) for d in i.results()}
    return _used(loop.body) - made - {p for p, _, _ in loop.carried}


def _used(items: list[Item]) -> set[Byte]:
    found: set[Byte] = set()
    for item in items:
        if isinstance(item, Instruction):
            found |= {s for s in item.sources() if isinstance(s, Byte)}
        else:
            found |= {s for _, i, o in item.carried for s in (i, o) if isinstance(s, Byte)} | {item.counter}
            found |= _used(item.body)
    return found


def _segment(items: list[Instruction], rank: Rank, block: str, alive: set[Byte]) -> list[Instruction]:
    first = [i for i in items if i.memory == ("load", block)]
    last = [i for i in items if i.memory == ("store", block)]
    middle = [i for i in items if i.memory not in (("load", block), ("store", block))]
    kept = alive | {s for i in last for s in i.sources() if isinstance(s, Byte)}
    return first + _Order(middle, rank, kept).run() + last


def _apart(items: list[Instruction]) -> set[str]:
    """Return the objects of which every load and store says the same register, and a place of its own."""
    places: dict[str, list[tuple[str, str, int] | None]] = {}
    for i in items:
        if i.memory is not None:
            places.setdefault(i.memory[1], []).append(i.place)
    return {
        where
        for where, known in places.items()
        if None not in known and len({p[0] for p in known if p is not None}) == 1
    }


def _stretches(items: list[Instruction], alive: set[Byte]) -> list[int]:
    """Return the stretch that each instruction lies in; ``alive`` are values needed at the end."""
    last = {s: n for n, i in enumerate(items) for s in i.sources() if isinstance(s, Byte)}
    made = {d: n for n, i in enumerate(items) for d in i.results()}
    change = [0] * (len(items) + 1)
    for value in last.keys() | made.keys():
        if value in made and (value in last or value in alive):
            change[made[value] + 1] += 1
        if value in last and value not in alive:
            change[last[value] + 1] -= 1
    counts = list(accumulate(change))
    numbers, cut = [], 0
    for n in range(len(items)):
        if n - cut > SHORT and counts[n] == min(counts[max(0, n - NEAR) : n + NEAR + 1]):
            cut = n
        numbers.append(cut)
    return numbers


class _Order:
    """List scheduling of instructions without loops."""

    def __init__(self, items: list[Instruction], rank: Rank, alive: set[Byte]) -> None:
        self.items, self.rank, self.alive = items, rank, alive
        self.stretch = _stretches(items, alive) if rank.stretches else [0] * len(items)
        self.maker = {d: n for n, i in enumerate(items) for d in i.results()}
        self.before: list[set[int]] = [
            {self.maker[s] for s in i.sources() if isinstance(s, Byte) and s in self.maker} for i in items
        ]
        self.apart = _apart(items)
        self._memory()
        self.after: list[list[int]] = [[] for _ in items]
        for n, befores in enumerate(self.before):
            for b in befores:
                self.after[b].append(n)
        self.read = [tuple({s for s in i.sources() if isinstance(s, Byte)}) for i in items]
        self.readers: dict[Byte, list[int]] = {}
        for n, read in enumerate(self.read):
            for s in read:
                self.readers.setdefault(s, []).append(n)
        self.left = {s: len(readers) for s, readers in self.readers.items()}
        self.ranks: list[tuple[int, ...] | None] = [None] * len(items)
        """Ranks since nothing has changed on which they depend."""
        self.made: dict[Byte, int] = {}
        self.out: list[Instruction] = []
        self.done = [False] * len(items)
        self.setting = ""

    def _memory(self) -> None:
        """Keep loads and stores of an object in order, unless they are known to be of different bytes."""
        last: dict[str, list[int]] = {}
        stored: dict[str, int] = {}
        for n, i in enumerate(self.items):
            if i.memory is None:
                continue
            kind, where = i.memory
            if where in self.apart and i.place is not None:
                where = f"{where}, word {i.place[2] // 2}"
            if kind == "load":
                if where in stored:
                    self.before[n].add(stored[where])
                last.setdefault(where, []).append(n)
            else:
                self.before[n] |= set(last.pop(where, [])) | ({stored[where]} if where in stored else set())
                stored[where] = n

    def run(self) -> list[Instruction]:
        """Return the instructions in their new order."""
        waiting = [len(b) for b in self.before]
        lazy = [i.memory is not None and i.memory[0] == "load" and not i.setting for i in self.items]
        ready = {n for n, w in enumerate(waiting) if w == 0}
        released: set[int] = set()

        def release(n: int) -> None:
            for a in self.after[n]:
                waiting[a] -= 1
                if waiting[a] == 0:
                    ready.add(a)
                    if lazy[a]:
                        free(a)

        def free(n: int) -> None:
            if n not in released:
                released.add(n)
                release(n)

        for n in sorted(ready):
            if lazy[n]:
                free(n)
        while len(self.out) < len(self.items):
            candidates = [n for n in ready if not lazy[n]] or list(ready)
            chosen = min(candidates, key=self._rank)
            ready.discard(chosen)
            for n in (*self._loads(chosen, lazy), chosen):
                self._emit(n)
                ready.discard(n)
            if not lazy[chosen]:
                release(chosen)
        return self.out

    def _loads(self, n: int, lazy: list[bool]) -> list[int]:
        """Return the loads that wait for an instruction, and those that they need for their addresses."""
        found: list[int] = []
        for b in sorted(self.before[n]):
            if lazy[b] and not self.done[b]:
                found += [one for one in (*self._loads(b, lazy), b) if one not in found]
        return found

    def _rank(self, n: int) -> tuple[int, ...]:
        rank = self.ranks[n]
        if rank is None:
            rank = self.ranks[n] = self._rank_anew(n)
        setting = self.items[n].setting
        return (self.stretch[n], self.rank.together and bool(setting) and setting != self.setting, *rank)

    def _rank_anew(self, n: int) -> tuple[int, ...]:
        sources = self.read[n]
        loads = sum(s in self.maker and not self.done[self.maker[s]] for s in sources)
        dying = sum(self.left[s] == 1 and s not in self.alive for s in sources)
        alive = len(self.items[n].results()) + loads - dying
        newest = max((self.made.get(s, -1) for s in sources), default=-1)
        return self.rank.key(alive, newest, n)

    def _emit(self, n: int) -> None:
        i = self.items[n]
        self.done[n] = True
        self.setting = i.setting or self.setting
        for s in self.read[n]:
            self.left[s] -= 1
        for d in i.results():
            self.made[d] = len(self.out)
        for changed in (*self.read[n], *i.results()):
            for reader in self.readers.get(changed, ()):
                self.ranks[reader] = None
        self.out.append(i)
