"""Steps to assembly text: an order of few cycles, registers, lines."""

from __future__ import annotations

import heapq
import json
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from cipherassay.x86.reader import HIGH, LOW, NAMES, micro_operations, parse
from cipherassay.x86.select import ANY, Step, Steps


@dataclass(frozen=True)
class Effort:
    """How much is searched: moves of a step, how far a move goes, which random numbers."""

    moves: int = 6000
    reach: int = 24
    seed: int = 1


REPEATED = 4
"""Iterations of a loop that a search simulates."""


@dataclass(frozen=True)
class Trips:
    """A loop of which steps are the body: registers that it may use, the lines that end each iteration."""

    registers: int
    tail: tuple[str, ...]


@dataclass(frozen=True)
class Fitted:
    """Lines with labels, bytes of spilled values, cycles if every access hits, micro-operations."""

    lines: tuple[str, ...]
    spilled: int
    cycles: float
    operations: int


@lru_cache(maxsize=1 << 14)
def _template(text: str, load: int) -> dict[str, Any] | None:
    return micro_operations(parse(text.replace("{m}", "spill")), load) if text else None


@lru_cache(maxsize=64)
def problem(steps: Steps, load: int, trips: Trips | None = None) -> str:
    """Return the steps as the engine takes them, for a latency of loads; with iterations as a loop's body."""

    def template(text: str) -> dict[str, Any] | None:
        return _template(text, load)

    made = [
        {
            "operands": [{"value": v, "access": a, "class": c} for v, a, c in step.operands],
            "plain": template(step.plain),
            "first": template(step.first),
            "folded": template(step.folded),
            "first_folded": template(step.first_folded),
            "again": step.again,
        }
        | ({} if step.cell is None else {"cell": step.cell})
        for step in steps.steps
    ]
    tail = [micro_operations(parse(line), load, flags=True) for line in trips.tail] if trips else []
    return json.dumps(
        {
            "steps": made,
            "before": sorted(steps.before),
            "registers": trips.registers if trips else ANY,
            "load": template("movl spill, %0"),
            "store": template("movl %0, spill"),
            "copy": template("movl %1, %0"),
        }
        | ({"trips": REPEATED, "tail": tail} if trips else {})
    )


@lru_cache(maxsize=64)
def greedy(steps: Steps) -> tuple[int, ...]:
    """Return an order in which few values are alive: what ends most goes first, then what comes first."""
    n = len(steps.steps)
    after: list[list[int]] = [[] for _ in range(n)]
    waits = [0] * n
    for a, b in steps.before:
        after[a].append(b)
        waits[b] += 1
    users: dict[int, list[int]] = {}
    for k, step in enumerate(steps.steps):
        for value, _, _ in step.operands:
            users.setdefault(value, []).append(k)
    left = {value: len(those) for value, those in users.items()}
    begun: set[int] = set()
    # What a step adds only falls while it waits: it is pushed again whenever that may be.
    heap = [(_grows(steps.steps[k], left, begun), k) for k in range(n) if waits[k] == 0]
    heapq.heapify(heap)
    order: dict[int, None] = {}
    while heap:
        _, best = heapq.heappop(heap)
        if best in order:
            continue
        order[best] = None
        changed: set[int] = set()
        for value, access, _ in steps.steps[best].operands:
            left[value] -= 1
            if left[value] == 1 or (access != "read" and value not in begun):
                changed.add(value)
            if access != "read":
                begun.add(value)
        for b in after[best]:
            waits[b] -= 1
        again = {k for value in changed for k in users[value]} | set(after[best])
        for k in again:
            if waits[k] == 0 and k not in order:
                heapq.heappush(heap, (_grows(steps.steps[k], left, begun), k))
    assert len(order) == n, "steps wait for each other"
    return tuple(order)


def _grows(step: Step, left: dict[int, int], begun: set[int]) -> int:
    """Return by how many values more are alive behind a step."""
    new = sum(access != "read" and value not in begun for value, access, _ in step.operands)
    return new - sum(left[value] == 1 for value, _, _ in step.operands)


def written(placed: list[Any], steps: Steps, spill: str, cycles: float, operations: int) -> Fitted:
    """Return the lines of instructions that the engine placed; ``spill`` is the object of spilled values."""
    lines = []
    slots = 0

    def place(where: dict[str, int]) -> str:
        nonlocal slots
        if "of" in where:
            return steps.steps[where["of"]].memory
        slots = max(slots, where["slot"] + 1)
        return f"{spill}+{4 * where['slot']}" if where["slot"] else spill

    for one in placed:
        ((kind, what),) = one.items()
        if kind == "load":
            lines.append(f"movl {place(what[1])}, %{NAMES[what[0]]}")
        elif kind == "store":
            lines.append(f"movl %{NAMES[what[0]]}, {place({'slot': what[1]})}")
        elif kind == "copy":
            lines.append(f"movl %{NAMES[what[1]]}, %{NAMES[what[0]]}")
        else:
            number, first, folded, registers = what
            step = steps.steps[number]
            texts = (step.first_folded, step.first) if first else (step.folded, step.plain)
            text = texts[0 if folded else 1]
            lines.append(_named(text, registers, place(folded) if folded else ""))
    return Fitted(tuple(lines), 4 * slots, cycles, operations)


def _named(text: str, registers: list[int], memory: str) -> str:
    def name(match: re.Match[str]) -> str:
        number = registers[int(match[1])]
        return "%" + {"": NAMES, "l": LOW, "h": HIGH}[match[2]][number]

    return re.sub(r"%(\d)([lh]?)", name, text.replace("{m}", memory))
