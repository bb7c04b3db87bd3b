"""H8/300: stores to an array of which only some rows are kept."""

from __future__ import annotations

from cipherassay.embedded.code import Source
from cipherassay.embedded.processors.h8_300.select import Select
from cipherassay.embedded.window import Window


def window_store(
    select: Select, window: Window, size: int, row: Source, column: Source, values: list[Source]
) -> None:
    """Store bytes of a row of ``size`` bytes if the row is among those kept; r6 is the address."""
    ins: list[Source] = []
    lines: list[str] = []
    if isinstance(row, int):
        lines.append(f"mov.b #{window.order[row]},r6l")
    else:
        lines.append("mov.b {0},r6l")
        ins.append(row)
    lines += [f"mov.b @{window.first}+0:8,r6h", "sub.b r6h,r6l", f"cmp.b #{window.rows},r6l", "bcc 1f"]
    lines.append("mov.b #0,r6h")
    while size > 1 and window.rows > 1:
        lines += ["shll.b r6l", "rotxl.b r6h"]
        size //= 2
    constant = column if isinstance(column, int) else 0
    if not isinstance(column, int):
        lines += [f"add.b {{{len(ins)}}},r6l", "addx #0,r6h"]
        ins.append(column)
    lines += [f"mov.b {{{len(ins) + n}}},@({window.name}+{constant + n}:16,r6)" for n in range(len(values))]
    select.emit([*lines, "1:"], ins=[*ins, *values], memory=("store", window.name))
