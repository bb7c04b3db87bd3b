"""Assembly of operations that take the key: in one piece, or as calls of inner functions."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from cipherassay import ir
from cipherassay.embedded.budget.offer import Action, Budgets, Window
from cipherassay.embedded.budget.steps import Step, StepProgram
from cipherassay.embedded.lines import Tables

if TYPE_CHECKING:
    from cipherassay._engine import MachineFunction, Program

WINDOW, FIRST, STATE = "window", "first", "state"
WORK, VALUES = "work", "values"
"""The objects of values that found no register, and of what is kept between inner functions."""


@dataclass
class Text:
    """Functions by name, in order; bytes of objects in RAM; tables that are read.

    ``offer`` is the processor's part. ``budget`` is how many bytes of RAM all may take with ``stack``, if
    that can be. ``inside`` says of an object in the bytes of which other one it lies.
    """

    offer: Budgets
    functions: dict[str, MachineFunction] = field(default_factory=dict)
    objects: dict[str, int] = field(default_factory=dict)
    tables: Tables = field(default_factory=dict)
    values: dict[str, int] = field(default_factory=dict)
    places: dict[str, int] = field(default_factory=dict)
    budget: int | None = None
    stack: int = 0
    inside: dict[str, str] = field(default_factory=dict)

    def object(self, name: str, size: int) -> str:
        """Note an object of at least a size."""
        whole = self.inside.get(name, name)
        self.objects[whole] = max(size, self.objects.get(whole, 0))
        return name

    def labels(self, name: str) -> list[str]:
        """Return an object and those in its bytes."""
        return [name, *(other for other, whole in self.inside.items() if whole == name)]

    def value(self, prefix: str, name: str, size: int) -> str:
        """Return the place of something that is kept between inner functions; operations share the memory."""
        if name not in self.values:
            at = sum(self.values.values())
            self.places[name] = at
            self.values[name] = self._whole(size)
            self.object(f"{prefix}_{VALUES}", at + size)
        return f"{prefix}_{VALUES} + {self.places[name]}"

    def function(
        self,
        program: Program,
        name: str,
        prefix: str,
        places: dict[str, str],
        *,
        inner: bool,
        window: Window | None = None,
    ) -> None:
        """Add a function of a program of bytes; values without register share the object ``_work``."""
        code = self.offer.lowered(program, name, f"{prefix}_{name}", places, window)
        work = f"{prefix}_{WORK}"
        most = None
        if self.budget is not None:
            others = sum(size for o, size in self.objects.items() if o != work)
            most = max(self.budget - others - self.stack - sum(map(self._whole, code.objects.values())), 0)
        made, slots = self.offer.function(code, f"{prefix}_block", inner=inner, most=most)
        # Values begin at the start of the object, scratch objects behind them.
        starts = {f"{code.name}_spill": (work, 0)}
        for scratch, size in code.objects.items():
            starts[scratch] = (work, self._whole(slots))
            slots = self._whole(slots) + size
        self.functions[code.name] = made.renamed(starts)
        if slots:
            self.object(work, slots)
        self.tables |= code.tables

    def _whole(self, size: int) -> int:
        return size + -size % self.offer.even

    def joined(self, other: Text) -> Text:
        """Return both texts as one; what has the same name is the same."""
        objects = dict(self.objects)
        for name, size in other.objects.items():
            objects[name] = max(size, objects.get(name, 0))
        return Text(self.offer, self.functions | other.functions, objects, self.tables | other.tables)


def whole(text: Text, program: Program, prefix: str, name: str) -> None:
    """Add an operation that takes key and block and is one function."""
    function = program.mirror().functions[name]
    (key, key_type), (block, block_type) = function.params
    places = {f"%{key}": text.object(f"{prefix}_key", key_type.cells)}
    places[f"%{block}"] = places["#0"] = text.object(f"{prefix}_block", block_type.cells)
    text.function(program, name, prefix, places, inner=False)


def filler(text: Text, program: Program, prefix: str, name: str, rows: int, order: tuple[int, ...]) -> None:
    """Add a key schedule that stores only the rows of its first result that the window has."""
    function = program.mirror().functions[name]
    (key, key_type) = function.params[0]
    places = {f"%{key}": text.object(f"{prefix}_key", key_type.cells)}
    places["#0"] = text.value(prefix, WINDOW, rows * function.results[0].row)
    for n, ty in enumerate(function.results[1:], 1):
        places[f"#{n}"] = text.value(prefix, f"kept{n}", ty.cells)
    first = text.value(prefix, FIRST, 1)
    window = Window(places["#0"], first, rows, order)
    text.function(program, name, prefix, places, inner=True, window=window)


def in_steps(
    text: Text,
    program: Program,
    prefix: str,
    name: str,
    done: StepProgram,
    homes: dict[str, str],
    refill: str = "",
) -> None:
    """Add an operation as calls of inner functions.

    ``homes`` names the objects of arrays from outside; ``refill`` is the function that fills the window of
    round keys, called before a step whose window is another than the last one's.
    """
    every: dict[str, dict[str, str]] = {}
    for inner, (params, results) in done.places.items():
        function = program.mirror().functions[inner]
        places = every.setdefault(inner, {})
        for (param, ty), what in zip(function.params, params, strict=True):
            places[f"%{param}"] = _place(text, what, prefix, homes, _size(done, what, ty))
        for n, (ty, what) in enumerate(zip(function.results, results, strict=True)):
            places[f"#{n}"] = _place(text, what, prefix, homes, _size(done, what, ty))
    for inner, places in every.items():
        text.function(program, inner, prefix, places, inner=True)
    actions = _actions(text, prefix, done.steps, refill)
    called = dict.fromkeys(what for what, number in actions if number is None)
    text.functions[f"{prefix}_{name}"] = text.offer.driver(
        f"{prefix}_{name}", actions, [text.functions[f] for f in called]
    )


def _size(done: StepProgram, what: str, ty: ir.Type) -> int:
    """Return the bytes of what is kept of an object that a function takes."""
    rows = ty.extents[0]
    kept = min(done.rows.get(what, rows), rows)
    return ty.row * kept


def _place(text: Text, what: str, prefix: str, homes: dict[str, str], size: int) -> str:
    home = homes.get(what, what)
    return f"{prefix}_{home}" if home in ("key", "block") else text.value(prefix, home, size)


def _actions(text: Text, prefix: str, steps: list[Step], refill: str) -> list[Action]:
    """Return the calls of the steps, and the numbers that they are given before."""
    actions: list[Action] = []
    at = -1
    counted: dict[str, int] = {}
    for step in steps:
        if refill and step.first not in (-1, at):
            at = step.first
            actions += [(text.value(prefix, FIRST, 1), at), (f"{prefix}_{refill}", None)]
        for given, number in step.counts.items():
            if counted.get(given) != number:
                actions.append((text.value(prefix, given, 1), number & 255))
                counted[given] = number
        actions.append((f"{prefix}_{step.function}", None))
    return actions


def kept(text: Text, program: Program, prefix: str) -> None:
    """Add key setup and operations that find their round keys in memory."""
    every: dict[str, dict[str, str]] = {}
    for name in ("key_schedule", "encrypt", "decrypt"):
        function = program.mirror().functions[name]
        places = every.setdefault(name, {})
        setup = name == "key_schedule"
        param, ty = function.params[0 if setup else -1]
        places[f"%{param}"] = text.object(f"{prefix}_{'key' if setup else 'block'}", ty.cells)
        if not setup:
            places["#0"] = places[f"%{param}"]
        at = 0
        keys = [(f"#{n}", t) for n, t in enumerate(function.results)]
        for what, ty in keys if setup else [(f"%{p}", t) for p, t in function.params[:-1]]:
            places[what] = f"{prefix}_keys + {at}"
            at += ty.cells
        text.object(f"{prefix}_keys", at)
    for name, places in every.items():
        text.function(program, name, prefix, places, inner=False)
