"""Copies by pairs: where two values are copied near each other, one instruction copies both.

An instruction that changes a register needs a copy of a value that is used again. ``movw`` copies two
registers from an even one on; so two such values are asked to stand in such a pair, and are copied at once.
"""

from __future__ import annotations

from dataclasses import replace

from cipherassay.embedded.code import Byte, Instruction, Item, Repeated

NEAR = 24
"""How many instructions further the second copy may be."""

Pairs = dict[Byte, tuple[Byte, int]]
"""Of a value the other of its pair, and its own place in it: 0 or 1."""


def paired(
    items: list[Item], pairs: Pairs, after: frozenset[Byte] = frozenset(), *, chains: bool
) -> list[Item]:
    """Return the items with copies by pairs, and add the pairs; ``after`` is needed behind the items.

    ``chains``: also of values that others were changed into in their registers.
    """
    out: list[Item] = []
    start = 0
    for n, item in enumerate([*items, None]):
        if isinstance(item, Instruction):
            continue
        later = set(after)
        for other in items[n:]:
            later |= _read(other)
        out += _segment([i for i in items[start:n] if isinstance(i, Instruction)], pairs, later, chains)
        if isinstance(item, Repeated):
            ends = {o for _, _, o in item.carried if isinstance(o, Byte)}
            made = {d for i in item.body if isinstance(i, Instruction) for d in i.results()}
            params = {p for p, _, _ in item.carried}
            outside = set().union(*(_read(i) for i in item.body)) - made - params
            body = paired(item.body, pairs, frozenset(ends | outside), chains=chains)
            out.append(replace(item, body=body))
        start = n + 1
    return out


def _read(item: Item) -> set[Byte]:
    if isinstance(item, Instruction):
        return {s for s in item.sources() if isinstance(s, Byte)}
    found = {s for _, i, o in item.carried for s in (i, o) if isinstance(s, Byte)} | {item.counter}
    return found.union(*(_read(i) for i in item.body))


def _segment(
    items: list[Instruction], pairs: Pairs, later: set[Byte], chains: bool
) -> list[Instruction]:
    last = {s: n for n, i in enumerate(items) for s in i.sources() if isinstance(s, Byte)}
    made = _made(items, last if chains else {}, later)
    wanting: dict[int, list[Byte]] = {}
    for n, i in enumerate(items):
        if not i.commutative or len(i.lines) != 1:
            continue
        both = [i.tied[0][1], i.ins[0]]
        bytes_ = [s for s in both if isinstance(s, Byte)]
        if len(bytes_) == 2 and all(last[s] > n or s in later for s in bytes_):
            wanting[n] = bytes_
    before: dict[int, list[Instruction]] = {}
    changed: dict[int, Instruction] = {}
    for n in sorted(wanting):
        if n not in changed:
            _match(n, items, wanting, made, pairs, before, changed)
    out: list[Instruction] = []
    for n, i in enumerate(items):
        out += before.get(n, [])
        out.append(changed.get(n, i))
    return out


def _made(items: list[Instruction], last: dict[Byte, int], later: set[Byte]) -> dict[Byte, tuple[int, Byte]]:
    """Return where values are made, and which value first stood in their register, so that it chose it."""
    made: dict[Byte, tuple[int, Byte]] = {}
    for n, i in enumerate(items):
        if len(i.outs) == 1 and not i.tied:
            made[i.outs[0]] = (n, i.outs[0])
        elif len(i.tied) == 1 and not i.outs:
            ((d, s),) = i.tied
            if isinstance(s, Byte) and s in made and last.get(s) == n and s not in later:
                made[d] = (n, made[s][1])
    return made


def _match(
    n: int,
    items: list[Instruction],
    wanting: dict[int, list[Byte]],
    made: dict[Byte, tuple[int, Byte]],
    pairs: Pairs,
    before: dict[int, list[Instruction]],
    changed: dict[int, Instruction],
) -> None:
    """Find the other copy for the one that instruction ``n`` needs."""
    for m in (m for m in wanting if n < m <= n + NEAR and m not in changed):
        for x in wanting[n]:
            for y in wanting[m]:
                if x not in made or y not in made:
                    continue
                (at_x, first_x), (at_y, first_y) = made[x], made[y]
                free = first_x is not first_y and first_x not in pairs and first_y not in pairs
                if free and max(at_x, at_y) < n:
                    pairs[first_x], pairs[first_y] = (first_y, 0), (first_x, 1)
                    copies = [Byte(x.name), Byte(y.name)]
                    lines = ["mov {0}, {2}", "mov {1}, {3}"]
                    before.setdefault(n, []).append(Instruction(lines, outs=copies, ins=[x, y], early=True))
                    for at, value, copy in ((n, x, copies[0]), (m, y, copies[1])):
                        i = items[at]
                        other = i.ins[0] if i.tied[0][1] is value else i.tied[0][1]
                        changed[at] = Instruction(
                            i.lines, [(i.tied[0][0], copy)], ins=[other], commutative=True
                        )
                    return
