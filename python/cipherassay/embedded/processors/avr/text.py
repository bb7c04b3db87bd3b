"""Assembly text for AVR in GNU syntax: functions, tables, objects in RAM."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from cipherassay._engine import Code, MachineFunction
from cipherassay.embedded import lines as text_lines
from cipherassay.embedded.instruction_sets import instruction_set
from cipherassay.embedded.lines import Tables

AVR = instruction_set(Path(__file__).with_name("instructions.toml"))


def function(
    code: Code, place: str, *, inner: bool = False, most: int | None = None
) -> tuple[MachineFunction, int]:
    """Return a function from its label to ``ret``, and the bytes it needs for values.

    ``place`` is the object of the block: between the labels ``_begin`` and ``_end`` it is in registers. An
    inner function is called by one that keeps the registers for it. ``most`` bytes for values are aimed at.
    """
    return AVR.allocate(code, block=place, most=most).function(place, inner=inner)


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
