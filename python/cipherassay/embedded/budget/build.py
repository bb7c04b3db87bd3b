"""Assembly of operations that take the key: in one piece, or as calls of inner functions."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from cipherassay import ir
from cipherassay.embedded.budget.offer import Action, Budgets, Window
from cipherassay.embedded.budget.text import VALUES, WORK, Text

if TYPE_CHECKING:
    from cipherassay._engine import Program, StepProgram

WINDOW, FIRST = "window", "first"
"""What holds the round keys of a window, and the number of their first row."""


@dataclass
class Builder:
    """Adds operations of programs of bytes to a text.

    ``offer`` is the processor's part, ``prefix`` what the names of functions and objects begin with.
    ``budget`` is how many bytes of RAM all may take with ``stack``, if that can be.
    """

    offer: Budgets
    prefix: str
    text: Text = field(default_factory=Text)
    budget: int | None = None
    stack: int = 0
    _values: dict[str, int] = field(default_factory=dict)
    _places: dict[str, int] = field(default_factory=dict)

    def whole(self, program: Program, name: str) -> None:
        """Add an operation that takes key and block and is one function."""
        function = program.mirror().functions[name]
        (key, key_type), (block, block_type) = function.params
        places = {f"%{key}": self.text.object(f"{self.prefix}_key", key_type.cells)}
        places[f"%{block}"] = places["#0"] = self.text.object(f"{self.prefix}_block", block_type.cells)
        self._function(program, name, places, inner=False)

    def filler(self, program: Program, name: str, rows: int, order: tuple[int, ...]) -> None:
        """Add a key schedule that stores only the rows of its first result that the window has."""
        function = program.mirror().functions[name]
        (key, key_type) = function.params[0]
        places = {f"%{key}": self.text.object(f"{self.prefix}_key", key_type.cells)}
        places["#0"] = self._value(WINDOW, rows * function.results[0].row)
        for n, ty in enumerate(function.results[1:], 1):
            places[f"#{n}"] = self._value(f"kept{n}", ty.cells)
        first = self._value(FIRST, 1)
        window = Window(places["#0"], first, rows, order)
        self._function(program, name, places, inner=True, window=window)

    def in_steps(self, program: Program, name: str, done: StepProgram, refill: str = "") -> None:
        """Add an operation as calls of inner functions.

        ``program`` has the functions of ``done`` on bytes; ``refill`` is the function that fills the window
        of round keys, called before a step whose window is another than the last one's.
        """
        every: dict[str, dict[str, str]] = {}
        for inner, params, results in done.places():
            function = program.mirror().functions[inner]
            places = every.setdefault(inner, {})
            for (param, ty), (what, rows) in zip(function.params, params, strict=True):
                places[f"%{param}"] = self._place(what, _size(ty, rows))
            for n, (ty, (what, rows)) in enumerate(zip(function.results, results, strict=True)):
                places[f"#{n}"] = self._place(what, _size(ty, rows))
        for inner, places in every.items():
            self._function(program, inner, places, inner=True)
        actions = self._actions(done, refill)
        called = dict.fromkeys(what for what, number in actions if number is None)
        self.text.functions[f"{self.prefix}_{name}"] = self.offer.driver(
            f"{self.prefix}_{name}", actions, [self.text.functions[f] for f in called]
        )

    def kept(self, program: Program) -> None:
        """Add key setup and operations that find their round keys in memory."""
        every: dict[str, dict[str, str]] = {}
        for name in ("key_schedule", "encrypt", "decrypt"):
            function = program.mirror().functions[name]
            places = every.setdefault(name, {})
            setup = name == "key_schedule"
            param, ty = function.params[0 if setup else -1]
            places[f"%{param}"] = self.text.object(f"{self.prefix}_{'key' if setup else 'block'}", ty.cells)
            if not setup:
                places["#0"] = places[f"%{param}"]
            at = 0
            keys = [(f"#{n}", t) for n, t in enumerate(function.results)]
            for what, ty in keys if setup else [(f"%{p}", t) for p, t in function.params[:-1]]:
                places[what] = f"{self.prefix}_keys + {at}"
                at += ty.cells
            self.text.object(f"{self.prefix}_keys", at)
        for name, places in every.items():
            self._function(program, name, places, inner=False)

    def _place(self, what: str, size: int) -> str:
        return f"{self.prefix}_{what}" if what in ("key", "block") else self._value(what, size)

    def _actions(self, done: StepProgram, refill: str) -> list[Action]:
        """Return the calls of the steps, and the numbers that they are given before."""
        actions: list[Action] = []
        at: int | None = None
        counted: dict[str, int] = {}
        for function, first, numbers in done.calls():
            if refill and first is not None and first != at:
                at = first
                actions += [(self._value(FIRST, 1), at), (f"{self.prefix}_{refill}", None)]
            for given, number in numbers:
                if counted.get(given) != number:
                    actions.append((self._value(given, 1), number & 255))
                    counted[given] = number
            actions.append((f"{self.prefix}_{function}", None))
        return actions

    def _value(self, name: str, size: int) -> str:
        """Return the place of something that is kept between inner functions; operations share the memory."""
        if name not in self._values:
            at = sum(self._values.values())
            self._places[name] = at
            self._values[name] = self._whole(size)
            self.text.object(f"{self.prefix}_{VALUES}", at + size)
        return f"{self.prefix}_{VALUES} + {self._places[name]}"

    def _function(
        self,
        program: Program,
        name: str,
        places: dict[str, str],
        *,
        inner: bool,
        window: Window | None = None,
    ) -> None:
        """Add a function of a program of bytes; values without register share the object ``_work``."""
        code = self.offer.lowered(program, name, f"{self.prefix}_{name}", places, window)
        work = f"{self.prefix}_{WORK}"
        most = None
        if self.budget is not None:
            others = sum(size for o, size in self.text.objects.items() if o != work)
            most = max(self.budget - others - self.stack - sum(map(self._whole, code.objects.values())), 0)
        made, slots = self.offer.function(code, f"{self.prefix}_block", inner=inner, most=most)
        # Values begin at the start of the object, scratch objects behind them.
        starts = {f"{code.name}_spill": (work, 0)}
        for scratch, size in code.objects.items():
            starts[scratch] = (work, self._whole(slots))
            slots = self._whole(slots) + size
        self.text.functions[code.name] = made.renamed(starts)
        if slots:
            self.text.object(work, slots)
        self.text.tables |= code.tables

    def _whole(self, size: int) -> int:
        return size + -size % self.offer.even


def _size(ty: ir.Type, rows: int | None) -> int:
    """Return the bytes of what is kept of an object that a function takes: so many rows, or all."""
    return ty.row * min(ty.extents[0] if rows is None else rows, ty.extents[0])
