"""Assembly of operations that take the key: in one piece, or as calls of inner functions."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import partial

from cipherassay.embedded import assemble, memory, text_form
from cipherassay.embedded.avr_lower import AvrLowering
from cipherassay.embedded.avr_window import Window
from cipherassay.embedded.budget.steps import Step, Stepped

WINDOW, FIRST, STATE = "window", "first", "state"
WORK, VALUES = "work", "values"
"""The objects of values that found no register, and of what is kept between inner functions."""


@dataclass
class Text:
    """Lines of functions by name, in order; bytes of objects in RAM; tables that are read.

    ``budget`` is how many bytes of RAM all may take with ``stack``, if that can be.
    """

    functions: dict[str, list[str]] = field(default_factory=dict)
    objects: dict[str, int] = field(default_factory=dict)
    tables: dict[str, tuple[int, list[int]]] = field(default_factory=dict)
    values: dict[str, int] = field(default_factory=dict)
    places: dict[str, int] = field(default_factory=dict)
    budget: int | None = None
    stack: int = 0

    def object(self, name: str, size: int) -> str:
        """Note an object of at least a size."""
        self.objects[name] = max(size, self.objects.get(name, 0))
        return name

    def value(self, prefix: str, name: str, size: int) -> str:
        """Return the place of something that is kept between inner functions; operations share the memory."""
        if name not in self.values:
            at = sum(self.values.values())
            self.places[name] = at
            self.values[name] = size
            self.object(f"{prefix}_{VALUES}", at + size)
        return f"{prefix}_{VALUES} + {self.places[name]}"

    def function(
        self,
        program: text_form.Program,
        name: str,
        prefix: str,
        places: dict[str, str],
        *,
        inner: bool,
        window: Window | None = None,
    ) -> None:
        """Add a function of a program of bytes; values without register share the object ``_work``."""
        lowering = AvrLowering(program, program.functions[name], places, window)
        code = lowering.code()
        code.name = f"{prefix}_{name}"
        work = f"{prefix}_{WORK}"
        most = None
        if self.budget is not None:
            others = sum(size for o, size in self.objects.items() if o != work)
            most = max(self.budget - others - self.stack - sum(code.objects.values()), 0)
        lines, slots = assemble.function(code, f"{prefix}_block", inner=inner, most=most)
        starts: dict[str, int] = {}
        for scratch, size in code.objects.items():
            starts[scratch] = slots
            slots += size
        self.functions[code.name] = [_shared(line, code.name, work, starts) for line in lines]
        if slots:
            self.object(work, slots)
        self.tables |= {t: program.tables[t] for t in code.tables}

    def joined(self, other: Text) -> Text:
        """Return both texts as one; what has the same name is the same."""
        objects = dict(self.objects)
        for name, size in other.objects.items():
            objects[name] = max(size, objects.get(name, 0))
        return Text(self.functions | other.functions, objects, self.tables | other.tables)


def _moved(work: str, start: int, match: re.Match[str]) -> str:
    return f"{work} + {start + int(match[1])}"


def _shared(line: str, name: str, work: str, starts: dict[str, int]) -> str:
    line = line.replace(f"{name}_spill +", f"{work} +")
    for scratch, start in starts.items():
        line = re.sub(rf"\b{scratch} \+ (\d+)", partial(_moved, work, start), line)
    return line


def whole(text: Text, program: text_form.Program, prefix: str, name: str) -> None:
    """Add an operation that takes key and block and is one function."""
    function = program.functions[name]
    (key, key_type), (block, block_type) = function.params
    places = {f"%{key}": text.object(f"{prefix}_key", memory.size(key_type))}
    places[f"%{block}"] = places["#0"] = text.object(f"{prefix}_block", memory.size(block_type))
    text.function(program, name, prefix, places, inner=False)


def filler(
    text: Text, program: text_form.Program, prefix: str, name: str, rows: int, order: tuple[int, ...]
) -> None:
    """Add a key schedule that stores only the rows of its first result that the window has."""
    function = program.functions[name]
    (key, key_type) = function.params[0]
    places = {f"%{key}": text.object(f"{prefix}_key", memory.size(key_type))}
    row = memory.size(function.results[0]) // text_form.extents(function.results[0])[0]
    places["#0"] = text.value(prefix, WINDOW, rows * row)
    for n, ty in enumerate(function.results[1:], 1):
        places[f"#{n}"] = text.value(prefix, f"kept{n}", memory.size(ty))
    first = text.value(prefix, FIRST, 1)
    window = Window(places["#0"], first, rows, order)
    text.function(program, name, prefix, places, inner=True, window=window)


def in_steps(
    text: Text,
    program: text_form.Program,
    prefix: str,
    name: str,
    done: Stepped,
    homes: dict[str, str],
    refill: str = "",
) -> None:
    """Add an operation as calls of inner functions.

    ``homes`` names the objects of arrays from outside; ``refill`` is the function that fills the window of
    round keys, called before a step whose window is another than the last one's.
    """
    every: dict[str, dict[str, str]] = {}
    for inner, (params, results) in done.places.items():
        function = program.functions[inner]
        places = every.setdefault(inner, {})
        for (param, ty), what in zip(function.params, params, strict=True):
            places[f"%{param}"] = _place(text, what, prefix, homes, _size(done, what, ty))
        for n, (ty, what) in enumerate(zip(function.results, results, strict=True)):
            places[f"#{n}"] = _place(text, what, prefix, homes, _size(done, what, ty))
    for inner, places in every.items():
        text.function(program, inner, prefix, places, inner=True)
    text.functions[f"{prefix}_{name}"] = _driver(text, prefix, name, done.steps, refill)


def _size(done: Stepped, what: str, ty: str) -> int:
    """Return the bytes of what is kept of an object that a function takes."""
    rows = text_form.extents(ty)[0]
    kept = min(done.rows.get(what, rows), rows)
    return memory.size(ty) // rows * kept


def _place(text: Text, what: str, prefix: str, homes: dict[str, str], size: int) -> str:
    home = homes.get(what, what)
    return f"{prefix}_{home}" if home in ("key", "block") else text.value(prefix, home, size)


def _driver(text: Text, prefix: str, name: str, steps: list[Step], refill: str) -> list[str]:
    """Return the function that calls the steps; it keeps all registers that a called function has to."""
    function = f"{prefix}_{name}"
    lines = [f"\t.global {function}", f"\t.type {function}, @function", f"{function}:"]
    lines += [f"\tpush r{r}" for r in assemble.KEPT]
    lines.append(f"{function}_begin:")
    at = -1
    counted: dict[str, int] = {}
    for step in steps:
        if refill and step.first not in (-1, at):
            at = step.first
            lines += [
                f"\tldi r24, {at}",
                f"\tsts {text.value(prefix, FIRST, 1)}, r24",
                f"\tcall {prefix}_{refill}",
            ]
        for given, number in step.counts.items():
            if counted.get(given) != number:
                lines += [f"\tldi r24, {number & 255}", f"\tsts {text.value(prefix, given, 1)}, r24"]
                counted[given] = number
        lines.append(f"\tcall {prefix}_{step.function}")
    lines.append(f"{function}_end:")
    lines += [f"\tpop r{r}" for r in reversed(assemble.KEPT)]
    return [*lines, "\tclr r1", "\tret", f"\t.size {function}, . - {function}"]


def kept(text: Text, program: text_form.Program, prefix: str) -> None:
    """Add key set-up and operations that find their round keys in memory."""
    every: dict[str, dict[str, str]] = {}
    for name in ("key_schedule", "encrypt", "decrypt"):
        function = program.functions[name]
        places = every.setdefault(name, {})
        setup = name == "key_schedule"
        param, ty = function.params[0 if setup else -1]
        places[f"%{param}"] = text.object(f"{prefix}_{'key' if setup else 'block'}", memory.size(ty))
        if not setup:
            places["#0"] = places[f"%{param}"]
        at = 0
        keys = [(f"#{n}", t) for n, t in enumerate(function.results)]
        for what, ty in keys if setup else [(f"%{p}", t) for p, t in function.params[:-1]]:
            places[what] = f"{prefix}_keys + {at}"
            at += memory.size(ty)
        text.object(f"{prefix}_keys", at)
    for name, places in every.items():
        text.function(program, name, prefix, places, inner=False)


def written(text: Text, prefix: str, head: list[str]) -> str:
    """Return the whole file: comments, functions, tables, objects in RAM."""
    lines = [*(f"; {line}" for line in head), "", "\t.section .text"]
    for function in text.functions.values():
        lines += ["", *function]
    tables = text_form.Program(text.tables, {}, {})
    lines += ["", *assemble.tables(tables, list(text.tables), prefix), "", '\t.section .bss,"aw",@nobits']
    for name, size in text.objects.items():
        lines += [f"\t.global {name}", f"{name}:", f"\t.space {size}"]
    return "\n".join(lines) + "\n"


def flash(text: Text) -> int:
    """Return the bytes of code and tables, tables at multiples of 256."""
    code = sum(
        assemble.words(line.strip())
        for lines in text.functions.values()
        for line in lines
        if not line.strip().startswith(".")
    )
    return 2 * code + sum(-(-len(data) // 256) * 256 for _, data in text.tables.values())
