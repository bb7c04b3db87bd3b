"""Assembly of operations that take the key: in one piece, or as calls of inner functions."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from cipherassay.embedded import assemble, memory, text_form
from cipherassay.embedded.avr_window import Window
from cipherassay.embedded.budget.steps import Step, Stepped
from cipherassay.embedded.lower import Lowering

WINDOW, FIRST, WORK, STATE = "window", "first", "work", "state"


@dataclass
class Text:
    """Lines of functions; bytes of objects in RAM; tables that are read, with their bytes.

    ``most`` is how many bytes a function's values may take in memory, if that can be.
    """

    lines: list[str] = field(default_factory=list)
    objects: dict[str, int] = field(default_factory=dict)
    tables: dict[str, int] = field(default_factory=dict)
    functions: list[str] = field(default_factory=list)
    most: int | None = None

    def object(self, name: str, size: int) -> str:
        """Note an object of at least a size."""
        self.objects[name] = max(size, self.objects.get(name, 0))
        return name

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
        """Add a function of a program whose words are bytes; values without register share the object ``_work``."""
        lowering = Lowering(program, program.functions[name], places, window)
        code = lowering.code()
        code.name = f"{prefix}_{name}"
        lines, slots = assemble.function(code, f"{prefix}_block", inner=inner, most=self.most)
        work = f"{prefix}_{WORK}"
        starts: dict[str, int] = {}
        for scratch, size in code.objects.items():
            starts[scratch] = slots
            slots += size
        self.lines += ["", *(_shared(line, code.name, work, starts) for line in lines)]
        if slots:
            self.object(work, slots)
        self.tables |= {t: len(program.tables[t][1]) for t in code.tables}
        self.functions.append(code.name)


def _shared(line: str, name: str, work: str, starts: dict[str, int]) -> str:
    line = line.replace(f"{name}_spill +", f"{work} +")
    for scratch, start in starts.items():
        line = re.sub(rf"\b{scratch}\b \+ (\d+)", lambda m, s=start: f"{work} + {s + int(m[1])}", line)
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
    places["#0"] = text.object(f"{prefix}_{WINDOW}", rows * row)
    for n, ty in enumerate(function.results[1:], 1):
        places[f"#{n}"] = text.object(f"{prefix}_kept{n}", memory.size(ty))
    first = text.object(f"{prefix}_{FIRST}", 1)
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
    for inner, (params, results) in done.places.items():
        function = program.functions[inner]
        places = {}
        for (param, ty), what in zip(function.params, params, strict=True):
            places[f"%{param}"] = text.object(_home(what, prefix, homes), memory.size(ty))
        for n, (ty, what) in enumerate(zip(function.results, results, strict=True)):
            places[f"#{n}"] = text.object(_home(what, prefix, homes), memory.size(ty))
        text.function(program, inner, prefix, places, inner=True)
    text.lines += ["", *_driver(prefix, name, done.steps, refill)]
    text.functions.append(f"{prefix}_{name}")


def _home(what: str, prefix: str, homes: dict[str, str]) -> str:
    if what in homes:
        return f"{prefix}_{homes[what]}"
    return f"{prefix}_{re.sub(r'[^A-Za-z0-9]', '_', what)}"


def _driver(prefix: str, name: str, steps: list[Step], refill: str) -> list[str]:
    """Return the function that calls the steps; it keeps all registers that a called function has to."""
    function = f"{prefix}_{name}"
    lines = [f"\t.global {function}", f"\t.type {function}, @function", f"{function}:"]
    lines += [f"\tpush r{r}" for r in assemble.KEPT]
    lines.append(f"{function}_begin:")
    at = -1
    counted: dict[int, int] = {}
    for step in steps:
        if refill and step.first not in (-1, at):
            at = step.first
            lines += [f"\tldi r24, {at}", f"\tsts {prefix}_{FIRST}, r24", f"\tcall {prefix}_{refill}"]
        for loop, trip in step.counts.items():
            if counted.get(loop) != trip:
                lines += [f"\tldi r24, {trip & 255}", f"\tsts {prefix}_count{loop}, r24"]
                counted[loop] = trip
        lines.append(f"\tcall {prefix}_{step.function}")
    lines.append(f"{function}_end:")
    lines += [f"\tpop r{r}" for r in reversed(assemble.KEPT)]
    return [*lines, "\tclr r1", "\tret", f"\t.size {function}, . - {function}"]


def written(text: Text, program: text_form.Program, prefix: str, head: list[str]) -> str:
    """Return the whole file: comments, functions, tables, objects in RAM."""
    lines = [*(f"; {line}" for line in head), "", "\t.section .text", *text.lines, ""]
    lines += [*assemble.tables(program, list(text.tables), prefix), "", '\t.section .bss,"aw",@nobits']
    for name, size in text.objects.items():
        lines += [f"\t.global {name}", f"{name}:", f"\t.space {size}"]
    return "\n".join(lines) + "\n"
