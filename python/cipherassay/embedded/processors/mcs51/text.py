"""MCS-51 assembly text for sdas8051: functions, tables, objects in internal and external RAM."""

from __future__ import annotations

import re
from pathlib import Path

from cipherassay._engine import Code, MachineFunction
from cipherassay.embedded import lines as text_lines
from cipherassay.embedded.instruction_sets import instruction_set
from cipherassay.embedded.lines import Tables
from cipherassay.errors import DescriptionError

MCS51 = instruction_set(Path(__file__).with_name("instructions.toml"))
OUTSIDE = "spilled"
"""The end of the name of the object in external RAM of values that find no room inside."""

DATA, KEYS = ("_block", "_key"), "_keys"
"""Ends of the names of objects that direct addresses reach, and a part of those of round keys."""
AREAS = {"data": ".area DSEG (DATA)", "idata": ".area ISEG (DATA)", "xdata": ".area XSEG (XDATA)"}
SPACES = {"CSEG": "code", "DSEG": "data", "ISEG": "idata", "XSEG": "xdata", "REG_BANK_0": "data"}
"""The areas of SDCC, and the memories that they lie in."""
REGISTERS = (*(f"ar{r} = 0x0{r}" for r in range(8)), "", "\t.area REG_BANK_0 (REL,OVR,DATA)", "\t.ds 8")
"""The direct addresses of register bank 0."""
PAGE, DIRECT = 256, 128
"""Bytes of a page of external RAM; of internal RAM that direct addresses reach."""


def space(where: str, *, internal: bool) -> str:
    """Return the memory that an object lies in; ``internal``: round keys are in internal RAM."""
    if where.endswith(DATA):
        return "data"
    return "idata" if internal and KEYS in where else "xdata"


def function(code: Code, block: str, room: tuple[int, int]) -> tuple[MachineFunction, int, dict[str, int]]:
    """Return a function through ``ret``, the bytes that it needs besides r2 to r7, and its objects.

    ``room`` is how many bytes of internal RAM values may have: those that direct addresses reach, and those
    behind pointers alone.
    """
    near, far = room
    objects = code.objects
    done = MCS51.allocate(code, block=block, room=(near, 0))
    if done.over and code.straight:
        done = MCS51.allocate(code, block=block, room=(near, far))
        if done.slots:
            objects[OUTSIDE] = done.slots
    if done.over:
        raise DescriptionError(
            "E113",
            f"`{code.name}` holds {done.over} bytes more at once in a loop than direct addresses reach",
            notes=[f"internal RAM for values: {near + done.over} of {near} bytes by direct addresses"],
            help="code without loops may hold more: --unrolled",
        )
    return done.function()[0], done.bytes, objects


def labels(name: str) -> list[str]:
    """Return the labels of a function or an object, for assembly and for C."""
    return [f"_{name}::", f"{name}::"]


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
