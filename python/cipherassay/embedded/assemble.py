"""Assembly text for AVR in GNU syntax: nothing twice, pairs of copies are one, branches reach."""

from __future__ import annotations

import re
from collections.abc import Callable

from cipherassay.embedded import lines as text_lines
from cipherassay.embedded import schedule
from cipherassay.embedded import slots as slots_of
from cipherassay.embedded.code import Code, Tables
from cipherassay.embedded.simulate import instructions
from cipherassay.embedded.tidy import tidied

KEPT = [*range(2, 18), 28, 29]
"""Registers that a called function leaves as they were (avr-gcc's calling convention)."""


def words(line: str) -> int:
    """Return how many words of flash a line takes; labels none."""
    if line.endswith(":"):
        return 0
    return int(instructions()[line.split()[0]].get("words", 1))


def reaching(lines: list[str]) -> list[str]:
    """Replace branches that are too far."""

    def far(match: re.Match[str], distance: int) -> list[str]:
        jump = "rjmp" if distance < 2040 else "jmp"
        return ["breq 8f", f"{jump} {match[1]}", "8:"] if distance > 62 else []

    return text_lines.reaching(lines, r"brne (\.L\w+)", words, far)


def function(
    code: Code, place: str, *, inner: bool = False, most: int | None = None
) -> tuple[list[str], int]:
    """Return a function's text from its label to ``ret``, and the bytes it needs for values.

    ``place`` is the object of the block: between the labels ``_begin`` and ``_end`` it is in registers. An
    inner function is called by one that keeps the registers for it. ``most`` bytes for values are aimed at.
    """
    done = schedule.best(code, place, most)
    used = done.used
    packed, slots = slots_of.packed(_marked(done.lines, code, place), done.spill, place, code.dialect)
    lines = reaching(tidied(packed))
    saved = [] if inner else [r for r in KEPT if r in used | code.reserved]
    text = [f"\t.global {code.name}", f"\t.type {code.name}, @function", f"{code.name}:"]
    text += [f"\tpush r{r}" for r in saved]
    text += [line if line.endswith(":") else f"\t{line}" for line in lines]
    text += [f"\tpop r{r}" for r in reversed(saved)]
    text += [*([] if inner else ["\tclr r1"]), "\tret", f"\t.size {code.name}, . - {code.name}"]
    return text, slots


def _marked(lines: list[str], code: Code, place: str) -> list[str]:
    """Put labels where the block has been loaded and where it is stored."""
    loads = [n for n, line in enumerate(lines) if re.match(rf"lds r\d+, {place} \+", line)]
    stores = [n for n, line in enumerate(lines) if line.startswith(f"sts {place} +")]
    begin = loads[-1] + 1 if loads else 0
    end = stores[0] if stores else len(lines)
    begin = begin if begin <= end else 0
    return [*lines[:begin], f"{code.name}_begin:", *lines[begin:end], f"{code.name}_end:", *lines[end:]]


def tables(tables: Tables, prefix: str, *, ram: bool = False) -> list[str]:
    """Return the text of tables, each at an address whose low byte is zero.

    Those in ``ram`` are copied there from flash before `main`, by what avr-gcc links in for it.
    """
    text = [f'\t.section .progmem.data.{prefix},"a",@progbits']
    if ram and tables:
        text = ["\t.global __do_copy_data", f'\t.section .data.{prefix},"aw",@progbits']
        tables = dict(sorted(tables.items(), key=lambda one: -len(one[1])))
    for name, data in tables.items():
        text += ["\t.balign 256", f"table_{name}:", *text_lines.bytes_of(data)]
    return text


def objects(sizes: dict[str, int], labels: Callable[[str], list[str]] = lambda name: [name]) -> list[str]:
    """Return the text of objects in RAM; ``labels`` gives the names of each."""
    text = ['\t.section .bss,"aw",@nobits']
    for name, size in sizes.items():
        text += [line for label in labels(name) for line in (f"\t.global {label}", f"{label}:")]
        text.append(f"\t.space {size}")
    return text
