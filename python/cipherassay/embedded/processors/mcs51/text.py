"""MCS-51 assembly text for sdas8051: functions, tables, objects in internal and external RAM."""

from __future__ import annotations

import re
from dataclasses import replace

from cipherassay.embedded import lines as text_lines
from cipherassay.embedded import schedule
from cipherassay.embedded.code import Code, Instruction, Tables
from cipherassay.embedded.processors.mcs51.dialect import Mcs51Dialect, cost
from cipherassay.embedded.processors.mcs51.spill import OUTSIDE
from cipherassay.errors import DescriptionError

AREAS = {"data": ".area DSEG (DATA)", "idata": ".area ISEG (DATA)", "xdata": ".area XSEG (XDATA)"}
SPACES = {"CSEG": "code", "DSEG": "data", "ISEG": "idata", "XSEG": "xdata", "REG_BANK_0": "data"}
"""The areas of SDCC, and the memories that they lie in."""
REGISTERS = (*(f"ar{r} = 0x0{r}" for r in range(8)), "", "\t.area REG_BANK_0 (REL,OVR,DATA)", "\t.ds 8")
"""The direct addresses of register bank 0."""
PAGE, DIRECT = 256, 128
"""Bytes of a page of external RAM; of internal RAM that direct addresses reach."""


def function(code: Code, block: str) -> tuple[list[str], int]:
    """Return a function's text through ``ret``, and the bytes that it needs for values besides r2 to r7."""
    assert isinstance(code.dialect, Mcs51Dialect)
    names = near(code, block)
    dialect = Mcs51Dialect(*names, code.dialect.room)
    done = schedule.best(replace(code, dialect=dialect), block)
    if dialect.over(done) and all(isinstance(i, Instruction) for i in code.items):
        dialect = Mcs51Dialect(*names, code.dialect.room, code.dialect.far)
        done = schedule.best(replace(code, dialect=dialect), block)
        if done.slots:
            code.objects[OUTSIDE] = done.slots
    if over := dialect.over(done):
        raise DescriptionError(
            "E113",
            f"`{code.name}` holds {over} bytes more at once in a loop than direct addresses reach",
            help="code without loops may hold more: --straight",
        )
    return framed(code.name, done.lines), dialect.taken(done)


def near(code: Code, block: str) -> tuple[str, str, str]:
    """Return the objects of a function that direct addresses reach: values, block, key."""
    return f"{code.name}_spill", block, re.sub("_block$", "_key", block)


def framed(name: str, lines: list[str]) -> list[str]:
    """Return the text of a function through ``ret``: labels, lines whose branches reach."""
    text = [*labels(name), f"{name}_begin::"]
    lines = _labelled(_reaching(_counted(lines)), name)
    text += [line if line.endswith(":") else f"\t{line}" for line in lines]
    return [*text, f"{name}_end::", "\tret", f"{name}_over::"]


def labels(name: str) -> list[str]:
    """Return the labels of a function or an object, for assembly and for C."""
    return [f"_{name}::", f"{name}::"]


def _counted(lines: list[str]) -> list[str]:
    """Return the lines with the ends of loops as instructions."""
    out: list[str] = []
    for line in lines:
        if line.startswith("again "):
            out[-1] = f"djnz {out[-1].removeprefix('count ')},{line.removeprefix('again ')}"
        else:
            out.append(line)
    return out


def _reaching(lines: list[str]) -> list[str]:
    def far(match: re.Match[str], distance: int) -> list[str]:
        if distance + 3 <= 128:
            return []
        return [f"djnz {match[1]},8f", "sjmp 9f", "8:", f"ljmp {match[2]}", "9:"]

    return text_lines.reaching(lines, r"djnz ([^,]+),(\.L\w+)", lambda line: cost(line)[1], far)


def _labelled(lines: list[str], name: str) -> list[str]:
    """Return the lines with names for labels that are numbers, and without points in others."""
    out: list[str] = []
    count: dict[str, int] = {}
    for line in lines:
        if match := re.fullmatch(r"(\d):", line):
            count[match[1]] = count.get(match[1], 0) + 1
            line = f"{name}_{match[1]}_{count[match[1]]}:"
        elif match := re.fullmatch(r"(.*[ ,])(\d)f", line):
            line = f"{match[1]}{name}_{match[2]}_{count.get(match[2], 0) + 1}"
        out.append(line.replace(".L", "L"))
    return out


def tables(tables: Tables) -> list[str]:
    """Return the text of tables, in program memory behind the code."""
    return [
        line
        for name, data in tables.items()
        for line in (f"table_{name}::", *text_lines.bytes_of(data, ".db"))
    ]


def objects(sizes: dict[str, int], space: dict[str, str], room: int = DIRECT) -> list[str]:
    """Return the text of objects in RAM; the functions share the memory of values without a register.

    Of that, ``room`` bytes are where direct addresses reach, the others elsewhere in internal RAM. Objects in
    external RAM begin at multiples of 256.
    """
    spills = {name: size for name, size in sizes.items() if name.endswith("_spill")}
    text = [*REGISTERS, f"\t{AREAS['data']}", *(f"{name}::" for name in spills)]
    most = max(spills.values(), default=0)
    text += [f"\t.ds {min(most, room)}"]
    for area, directive in AREAS.items():
        here = [name for name in sizes if name not in spills and space[name] == area]
        far = [f"{name}_far::" for name in spills] if area == "idata" and most > room else []
        if not here and not far and area != "data":
            continue
        text += [f"\t{directive}"] if area != "data" else []
        text += [*far, f"\t.ds {most - room}"] if far else []
        at = 0
        for name in here:
            gap = -at % PAGE if area == "xdata" else 0
            text += [*([f"\t.ds {gap}"] if gap else []), *labels(name), f"\t.ds {sizes[name]}"]
            at += gap + sizes[name]
        text.append(f"{area}_end::")
    return text


def spaces(assembly: str) -> dict[str, str]:
    """Return the memory that each symbol of a text lies in."""
    found: dict[str, str] = {}
    area = ""
    for line in assembly.splitlines():
        if match := re.match(r"\s*\.area (\w+)", line):
            area = SPACES[match[1]]
        elif match := re.match(r"(\w+)::", line):
            found[match[1]] = area
    return found
