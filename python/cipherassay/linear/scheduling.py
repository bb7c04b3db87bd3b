"""A program in the cycles of a machine: the earliest free slot, first for what most depends on."""

from __future__ import annotations

from dataclasses import replace

from cipherassay.linear.machines import Machine
from cipherassay.linear.program import Program, Step


def kind_of(step: Step) -> str:
    """Return the machine's operation."""
    return "shift" if step.kind in ("up", "down") else step.kind


def scheduled(program: Program, machine: Machine) -> Program:
    """Return the program, its steps ordered and given cycles; a bound from above, not the least."""
    words = program.words
    latency = [machine.operations[kind_of(step)].latency for step in program.steps]
    uses: list[list[int]] = [[] for _ in program.steps]
    for n, step in enumerate(program.steps):
        for value in values_of(step):
            if value >= words:
                uses[value - words].append(n)
    height = [0] * len(program.steps)
    for n in reversed(range(len(height))):
        height[n] = latency[n] + max((height[m] for m in uses[n]), default=0)
    starts: dict[int, int] = {}
    cycle, taken = 0, 0
    while len(starts) < len(height):
        issued: list[str] = []
        for n in sorted(range(len(height)), key=lambda n: (-height[n], n)):
            step, kind = program.steps[n], kind_of(program.steps[n])
            waits = any(
                value >= words and starts.get(value - words, cycle) + latency[value - words] > cycle
                for value in values_of(step)
            )
            slots = machine.operations[kind].slots
            room = machine.issue - taken
            fits = room > 0 and (slots <= room or slots > machine.issue)
            limited = any(
                kind in kinds and sum(i in kinds for i in issued) >= most for kinds, most in machine.limits
            )
            if n not in starts and not waits and fits and not limited:
                starts[n] = cycle
                taken += slots
                issued.append(kind)
        cycle, taken = cycle + 1, max(0, taken - machine.issue)
    order = sorted(starts, key=lambda n: (starts[n], n))
    place = {words + n: words + at for at, n in enumerate(order)} | {n: n for n in range(words)}
    steps = tuple(_renumbered(program.steps[n], place) for n in order)
    results = tuple(place[value] for value in program.results)
    return replace(program, steps=steps, results=results, starts=tuple(starts[n] for n in order))


def values_of(step: Step) -> tuple[int, ...]:
    """Return the operands that are values."""
    return step.operands[: 2 if step.kind in ("xor", "xor_rotated") else 1]


def _renumbered(step: Step, place: dict[int, int]) -> Step:
    values = values_of(step)
    return replace(step, operands=(*(place[v] for v in values), *step.operands[len(values) :]))
