"""AVR: look-ups of sums with a byte from memory, as of state and round key, are made in Z."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from cipherassay.embedded.code import Instruction, Item, Repeated, Source, uses

BLOCK = "_block"
"""How the name of the object ends whose bytes are in registers before anything is counted."""


def in_z(items: list[Item]) -> list[Item]:
    """Return the items with bytes loaded into Z where only a look-up reads the sum with them."""
    return _in_z(items, uses(items))


def _in_z(items: list[Item], count: Counter[Source]) -> list[Item]:
    out: list[Item] = []
    loads: dict[Source, Instruction] = {}
    sums: dict[Source, Instruction] = {}
    gone: set[int] = set()
    for item in items:
        if isinstance(item, Repeated):
            loads, sums = {}, {}
            out.append(replace(item, body=_in_z(item.body, count)))
            continue
        found = _found(item, loads, sums)
        if found is not None:
            gone |= {id(i) for i in found}
            item = _looked_up(item, *found)
        elif item.memory and item.memory[0] == "load" and len(item.outs) == 1 and count[item.outs[0]] == 1:
            if not item.memory[1].endswith(BLOCK):
                loads[item.outs[0]] = item
        elif item.memory and item.memory[0] == "store":
            loads = {d: i for d, i in loads.items() if i.memory != ("load", item.memory[1])}
        elif item.commutative and len(item.lines) == 1 and count[item.tied[0][0]] == 1:
            sums[item.tied[0][0]] = item
        out.append(item)
    return [i for i in out if id(i) not in gone]


def _found(
    item: Instruction, loads: dict[Source, Instruction], sums: dict[Source, Instruction]
) -> tuple[Instruction, Instruction] | None:
    """Return the load and the sum that a look-up alone needs."""
    if item.lines[0] != "mov r30, {1}" or item.memory is not None or len(item.ins) != 1:
        return None
    if item.ins[0] not in sums:
        return None
    sum_ = sums[item.ins[0]]
    loaded = next((s for s in reversed(sum_.sources()) if s in loads), None)
    return None if loaded is None else (loads[loaded], sum_)


def _looked_up(item: Instruction, load: Instruction, sum_: Instruction) -> Instruction:
    """Return a look-up that loads and adds itself."""
    other = next(s for s in sum_.sources() if s is not load.outs[0])
    # Its result has the number of what was loaded; what is added comes after the address.
    lines = [line.replace("{0}", "r30") for line in load.lines]
    lines.append(sum_.lines[0].format("r30", f"{{{1 + len(load.ins)}}}"))
    return replace(
        item, lines=[*lines, *item.lines[1:]], ins=[*load.ins, other], memory=load.memory, place=load.place
    )
