"""H8/300 assembly text in GNU syntax: functions, tables, objects in RAM, the linker's script."""

from __future__ import annotations

import re
from pathlib import Path

from cipherassay._engine import Code, MachineFunction
from cipherassay.embedded import lines as text_lines
from cipherassay.embedded.instruction_sets import instruction_set
from cipherassay.embedded.lines import Tables

H8 = instruction_set(Path(__file__).with_name("instructions.toml"))
_BLOCK = "_block"
SHORT = (_BLOCK, "_key")
"""Objects in the memory that 8-bit addresses reach, by the ends of their names."""
SLOTS = 80
"""Bytes for values without a register where 8-bit addresses reach; block and key are there as well."""

MOST = 48
"""Bytes that a block has there at most beside those values; a longer one lies with the round keys."""

ROM, RAM, SHORT_RAM, RAM_END = 0x0100, 0xF780, 0xFF00, 0xFF80
"""Where code may begin, and the on-chip RAM of an H8/3337; 8-bit addresses reach its last 128 bytes."""
ROM_END = RAM

SCRIPT = """\
/* Where code, tables and RAM lie: an H8/3337 alone. Tables begin at multiples of 256. */
SECTIONS
{{
  .text {rom:#x} : {{ *(.text) }}
  .tables ALIGN(256) : {{ *(.tables) }}
  .bss {ram:#x} : {{ *(.bss) }}
  .short {short:#x} : {{ *(.short) }}
{pages}
}}
"""


def near(sizes: dict[str, int]) -> tuple[str, ...]:
    """Return the ends of the names of the objects that lie there, of objects with their sizes in bytes."""
    long = any(size > MOST for name, size in sizes.items() if name.endswith(_BLOCK))
    return tuple(end for end in SHORT if not (long and end == _BLOCK))


def script(text: str) -> str:
    """Return the linker's script for a program: places, and the page of every table."""
    tables = re.findall(r"^\t\.global (table_[\w.]+)$", text, re.M)
    pages = "\n".join(f"  page_{name} = {name} >> 8;" for name in tables)
    return SCRIPT.format(rom=ROM, ram=RAM, short=SHORT_RAM, pages=pages)


def function(code: Code) -> tuple[MachineFunction, int]:
    """Return a function from its label to ``rts``, and the bytes it needs for values."""
    return H8.allocate(code).function()


def tables(tables: Tables) -> list[str]:
    """Return the text of tables, each at an address whose low byte is zero."""
    text = ["\t.section .tables"]
    for name, data in tables.items():
        text += ["\t.balign 256", f"\t.global table_{name}", f"table_{name}:", *text_lines.bytes_of(data)]
    return text


def objects(sizes: dict[str, int]) -> list[str]:
    """Return the text of objects in RAM; the functions share the memory of values without a register."""
    spills = {name: size for name, size in sizes.items() if name.endswith("_spill")}
    short = {name: size for name, size in sizes.items() if name.endswith(near(sizes))}
    most = max(spills.values(), default=0)
    text = ["\t.section .short", *_labels(list(spills)), *_space(min(most, SLOTS))]
    for name, size in short.items():
        text += ["\t.balign 2", *_labels([name]), f"\t.space {size}"]
    text += [*_labels(["short_end"]), "", "\t.section .bss", *_labels([f"{name}_far" for name in spills])]
    text += _space(max(most - SLOTS, 0))
    for name, size in sizes.items():
        if name not in spills and name not in short:
            text += ["\t.balign 2", *_labels([name]), f"\t.space {size}"]
    return [*text, *_labels(["ram_end"])]


def _space(size: int) -> list[str]:
    """Return the line that reserves bytes; of none the assembler warns."""
    return [f"\t.space {size}"] if size else []


def _labels(names: list[str]) -> list[str]:
    return [line for name in names for line in (f"\t.global {name}", f"{name}:")]
