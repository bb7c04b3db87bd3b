"""MCS-51: stores to an array of which only some rows are kept."""

from __future__ import annotations

from cipherassay.embedded.code import Source
from cipherassay.embedded.processors.mcs51.select import Select
from cipherassay.embedded.window import Window


def window_store(
    select: Select, window: Window, size: int, row: Source, column: Source, values: list[Source]
) -> None:
    """Store bytes of a row of ``size`` bytes if the row is among those kept; r0 is the address."""
    name, first = window.name.replace(" ", ""), window.first.replace(" ", "")
    ins: list[Source] = []
    lines = [f"mov r0,#({first})"]
    if isinstance(row, int):
        lines.append(f"mov a,#{window.order[row]}")
    else:
        lines.append("mov a,{0}")
        ins.append(row)
    lines += ["clr c", "subb a,@r0", f"cjne a,#{window.rows},1f", "1:", "jnc 2f"]
    lines += [f"mov b,#{size}", "mul ab"]
    if not isinstance(column, int):
        lines.append(f"add a,{{{len(ins)}}}")
        ins.append(column)
    lines += [f"add a,#({name}+{column if isinstance(column, int) else 0})", "mov r0,a"]
    for n in range(len(values)):
        lines += [*(["inc r0"] if n else []), f"mov a,{{{len(ins) + n}}}", "mov @r0,a"]
    select.emit([*lines, "2:"], ins=[*ins, *values], memory=("store", window.name))
