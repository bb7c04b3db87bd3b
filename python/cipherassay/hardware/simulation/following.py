"""A cipher's steps followed through the registers of a device: the first round register that is wrong.

What a register must hold comes from the reference: the steps that the cipher's function is cut into, run one
after the other by the program's evaluator. Where a step's words stand is found by their values, clock after
clock: in the same registers (iterative) or in registers whose number counts the steps (pipelined).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from cipherassay._engine import StepSequence
from cipherassay.hardware.rtl.build import CORE, Device
from cipherassay.hardware.simulation.events import Events
from cipherassay.hardware.simulation.traces import Difference
from cipherassay.hardware.simulation.vectors import Vector
from cipherassay.hardware.simulation.waves import Name, Value

_STRIDES = (1, 2, 3, 4)
"""Clocks that a step may take."""
_NUMBERED = re.compile(r"^(.*?)(\d+)$")


@dataclass(frozen=True)
class Step:
    """A step of a function: what it must write, by the names of the cipher's file."""

    function: str
    number: int
    iteration: str
    words: tuple[tuple[str, int], ...]

    def __str__(self) -> str:
        iteration = f" ({self.iteration})" if self.iteration else ""
        return f"step {self.number} of {self.function}{iteration}"


@dataclass(frozen=True)
class Mismatch:
    """The first word of a step that no register holds as it must."""

    steps: int
    """Steps before it that are right."""
    row: int
    step: Step
    place: str
    expected: int
    register: int | None
    """Where it must stand, if that is known."""


class Rows:
    """Registers and pins of some clocks, searched by value."""

    def __init__(
        self, names: Sequence[tuple[Name, int]], rows: Sequence[Sequence[Value]], pipelined: bool = False
    ) -> None:
        self.names, self.rows, self.pipelined = names, rows, pipelined
        self.number = {name: n for n, (name, _) in enumerate(names)}
        self._found: dict[int, Mapping[Value, Sequence[int]]] = {}

    def holding(self, row: int, value: int) -> Sequence[int]:
        """Return the registers that hold a value."""
        if row not in self._found:
            found: defaultdict[Value, list[int]] = defaultdict(list)
            for n, held in enumerate(self.rows[row]):
                found[held].append(n)
            self._found[row] = found
        return self._found[row].get(value, ())

    def later(self, register: int, steps: int) -> int | None:
        """Return the register whose number is higher by so many steps: `A_after_3` follows `A_after_2`."""
        (block, name), _ = self.names[register]
        numbered = _NUMBERED.match(name)
        if numbered is None:
            return None
        return self.number.get((block, f"{numbered[1]}{int(numbered[2]) + steps}"))


def key_steps(device: Device, vector: Vector) -> list[Step]:
    """Return what the steps of the key schedules write for a vector's key."""
    program = device.programs[8 * len(vector.key)]
    first, *others = device.schedules
    cut = StepSequence.of(program, first, device.strategy.key_iterations, then=others)
    return _steps(cut, first, [list(vector.key)])


def data_steps(device: Device, vector: Vector) -> list[Step]:
    """Return what the steps of encryption or decryption write for a vector."""
    chosen = device.strategy
    program = device.programs[8 * len(vector.key)]
    function = device.operation(vector.decrypt)
    # A pipeline's key schedule runs before the block, ahead or not.
    ahead = chosen.ahead and device.architecture == "iterative"
    merged = chosen.merge_before, chosen.merge_after
    keys_from = "auto" if device.architecture == CORE else chosen.keys
    cut = StepSequence.of(program, function, chosen.iterations, *merged, chosen.parts, keys_from, ahead)
    keys = program.evaluate(device.schedule(vector.decrypt), [list(vector.key)]) if device.keyed else []
    words = [key if isinstance(key, list) else [key] for key in keys]
    return _steps(cut, function, [*words, list(vector.block)])


def _steps(cut: StepSequence, function: str, arguments: list[list[int]]) -> list[Step]:
    found = []
    for n, (step, words) in enumerate(zip(cut.steps(), cut.trace(arguments), strict=True), start=1):
        writes = tuple(zip(_apart(step["writes"]), words, strict=True))
        found.append(Step(function, n, step["iteration"], writes))
    return found


def _apart(names: Sequence[str]) -> list[str]:
    """Return names with a number behind those that stand there a second time: words of one name."""
    seen: dict[str, int] = {}
    apart = []
    for name in names:
        count = seen[name] = seen.get(name, -1) + 1
        apart.append(f"{name}_{count}" if count else name)
    return apart


def follow(rows: Rows, steps: Sequence[Step]) -> Mismatch | None:
    """Return the first word that is wrong where most steps are right; None: all are."""
    best: Mismatch | None = None
    for stride in _STRIDES:
        for start in range(len(rows.rows) - stride * (len(steps) - 1)):
            wrong = _followed(rows, steps, start, stride)
            if wrong is None:
                return None
            if best is None or wrong.steps > best.steps:
                best = wrong
    return best


def _followed(rows: Rows, steps: Sequence[Step], start: int, stride: int) -> Mismatch | None:
    # Per word of the cipher: where it may stand, as a register and the step in which it was found there.
    places: dict[str, list[tuple[int, int | None]]] = {}
    for k, step in enumerate(steps):
        row = start + stride * k
        for place, value in step.words:
            if place not in places:
                holding = rows.holding(row, value)
                kept, moving = [(n, None) for n in holding], [(n, k) for n in holding]
                places[place] = [*moving, *kept] if rows.pipelined else [*kept, *moving]
                expected: list[int] = []
            else:
                alive = []
                expected = []
                for register, since in places[place]:
                    now = register if since is None else rows.later(register, stride * (k - since))
                    if now is None:
                        continue
                    expected.append(now)
                    if rows.rows[row][now] == value:
                        alive.append((register, since))
                places[place] = alive
            if not places[place]:
                return Mismatch(k, row, step, place, value, expected[0] if expected else None)
    return None


def first_wrong_register(
    device: Device,
    vectors: Sequence[Vector],
    number: int,
    events: Events,
    names: Sequence[tuple[Name, int]],
    trace: Sequence[Sequence[Value]],
) -> Difference | None:
    """Return the first register that is not what the cipher's steps say, for a vector that fails.

    Stored round keys are followed first, from the clock that takes the key, then the block. None: every
    step is right, or the block was never taken.
    """
    vector = vectors[number]
    taken = events.blocks.get(number)
    if taken is None:
        return None
    keys = [clock for n, clock in events.keys.items() if n <= number]
    if device.strategy.keys == "stored" and keys:
        block = device.block("key_schedule", number)
        rows = _window(block, names, trace[max(keys) : taken + 2], False)
        found = _difference(rows, block, key_steps(device, vector), max(keys))
        if found is not None:
            return found
    end = events.results[number][0] if number in events.results else len(trace) - 1
    block = device.block("algorithm", number)
    rows = _window(block, names, trace[taken : end + 2], device.architecture == "pipelined")
    return _difference(rows, block, data_steps(device, vector), taken)


def _window(
    block: str, names: Sequence[tuple[Name, int]], trace: Sequence[Sequence[Value]], pipelined: bool
) -> Rows:
    """Return the registers of a block in some clocks, and the bytes of those that have several."""
    inside = [n for n, ((owner, _), _) in enumerate(names) if owner == block]
    bytes_of = [(n, low) for n in inside for low in range(0, names[n][1], 8) if names[n][1] in (16, 32, 64)]
    parts = [((block, f"{names[n][0][1]}[{low + 7}:{low}]"), 8) for n, low in bytes_of]
    values = [[row[n] for n in inside] + [_byte(row[n], low) for n, low in bytes_of] for row in trace]
    return Rows([*(names[n] for n in inside), *parts], values, pipelined)


def _byte(value: Value, low: int) -> Value:
    return None if value is None else value >> low & 255


def _difference(rows: Rows, block: str, steps: Sequence[Step], first: int) -> Difference | None:
    """Return the first register that differs; the rows begin with the clock ``first``."""
    wrong = follow(rows, steps)
    if wrong is None:
        return None
    register = wrong.register if wrong.register is not None else _named(rows, wrong)
    clock, where = first + wrong.row, f"{wrong.place} after {wrong.step}"
    if register is None:
        return Difference(clock, block, wrong.place, 32, None, wrong.expected, where)
    (_, name), width = rows.names[register]
    return Difference(clock, block, name, width, rows.rows[wrong.row][register], wrong.expected, where)


def _named(rows: Rows, wrong: Mismatch) -> int | None:
    """Return the register with the name of a word that has not been found before."""
    plain = wrong.place.replace("[", "").replace("]", "")
    for name in (wrong.place, plain, f"{plain}_after_{wrong.step.number - 1}"):
        for (block, register), _ in rows.names:
            if register == name:
                return rows.number[block, register]
    return None
