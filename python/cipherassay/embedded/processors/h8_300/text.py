"""H8/300 assembly text in GNU syntax: functions, tables, objects in RAM, the linker's script."""

from __future__ import annotations

import re

from cipherassay.embedded import lines as text_lines
from cipherassay.embedded import schedule
from cipherassay.embedded.code import Code, Tables
from cipherassay.embedded.processors.h8_300.dialect import H8, SLOTS, encoding
from cipherassay.embedded.processors.h8_300.lower import SHORT

ROM, RAM, SHORT_RAM, RAM_END = 0x0100, 0xF780, 0xFF00, 0xFF80
"""Where code may begin, and the on-chip RAM of an H8/3337; 8-bit addresses reach its last 128 bytes."""
ROM_END = RAM
KEPT = ("r4", "r5", "r6")
"""Registers that a called function leaves as they were (the calling convention of GCC)."""

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


def script(text: str) -> str:
    """Return the linker's script for a program: places, and the page of every table."""
    tables = re.findall(r"^\t\.global (table_[\w.]+)$", text, re.M)
    pages = "\n".join(f"  page_{name} = {name} >> 8;" for name in tables)
    return SCRIPT.format(rom=ROM, ram=RAM, short=SHORT_RAM, pages=pages)


def reaching(lines: list[str]) -> list[str]:
    """Replace the branches of loops that are too far for eight bits."""

    def size(line: str) -> int:
        return 4 if line.startswith("jmp") else encoding(line).length

    def far(match: re.Match[str], distance: int) -> list[str]:
        return ["beq 8f", f"jmp @{match[1]}", "8:"] if distance + 2 > 126 else []

    return text_lines.reaching(lines, r"bne (\.L\w+)", size, far)


def reached(text: list[str]) -> list[str]:
    """Return a function's text with its loops' branches as far as they have to reach."""
    first = next(n for n, line in enumerate(text) if line.endswith("_begin:")) + 1
    last = next(n for n, line in enumerate(text) if line.endswith("_end"))
    lines = reaching([line.strip() for line in text[first:last]])
    return [*text[:first], *_indented(lines), *text[last:]]


def _indented(lines: list[str]) -> list[str]:
    return [line if line.endswith(":") else f"\t{line}" for line in lines]


def function(code: Code) -> tuple[list[str], int]:
    """Return a function's text from its label to ``rts``, and the bytes it needs for values."""
    done = schedule.best(code, "")
    return framed(code.name, reaching(H8.tidied(done.lines))), done.slots


def framed(name: str, lines: list[str], *, inner: bool = False, used: set[str] | None = None) -> list[str]:
    """Return a function's text: labels, registers saved and restored, its lines.

    An inner function saves none; ``used`` are the registers that are changed (default: those in the lines).
    """
    used = set(re.findall(r"\br\d", "\n".join(lines))) if used is None else used
    saved = [r for r in KEPT if r in used and not inner]
    text = [f"\t.global {name}", f"{name}:"]
    text += [f"\tpush {r}" for r in saved]
    text += [f"\t.global {name}_begin", f"{name}_begin:"]
    text += _indented(lines)
    text += [f"\t.global {name}_end", f"{name}_end:"]
    text += [f"\tpop {r}" for r in reversed(saved)]
    return [*text, "\trts", f"\t.global {name}_over", f"{name}_over:"]


def tables(tables: Tables) -> list[str]:
    """Return the text of tables, each at an address whose low byte is zero."""
    text = ["\t.section .tables"]
    for name, data in tables.items():
        text += ["\t.balign 256", f"\t.global table_{name}", f"table_{name}:", *text_lines.bytes_of(data)]
    return text


def objects(sizes: dict[str, int]) -> list[str]:
    """Return the text of objects in RAM; the functions share the memory of values without a register."""
    spills = {name: size for name, size in sizes.items() if name.endswith("_spill")}
    short = {name: size for name, size in sizes.items() if name.endswith(SHORT)}
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
