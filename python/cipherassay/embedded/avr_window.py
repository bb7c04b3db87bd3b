"""AVR: stores to an array of which only some rows are kept."""

from __future__ import annotations

from cipherassay.embedded import avr
from cipherassay.embedded.code import Source
from cipherassay.embedded.window import Window


def window_store(
    select: avr.Select, window: Window, size: int, row: Source, column: Source, values: list[Source]
) -> None:
    """Store bytes of a row of ``size`` bytes if the row is among those kept."""
    ins: list[Source] = []
    lines: list[str] = []
    if isinstance(row, int):
        lines.append(f"ldi r30, {window.order[row]}")
    else:
        lines.append("mov r30, {0}")
        ins.append(row)
    lines += [f"lds r31, {window.first}", "sub r30, r31", f"cpi r30, {window.rows}", "brcc 1f"]
    constant = column if isinstance(column, int) else 0
    if window.rows == 1 and isinstance(column, int):
        place = [f"sts {window.name} + {constant + n}, {{{len(ins) + n}}}" for n in range(len(values))]
        select.emit([*lines, *place, "1:"], ins=[*ins, *values], memory=("store", window.name))
        return
    lines.append("ldi r31, 0")
    while size > 1 and window.rows > 1:
        lines += ["lsl r30", "rol r31"]
        size //= 2
    if not isinstance(column, int):
        lines += [f"add r30, {{{len(ins)}}}", "brcc 2f", "inc r31", "2:"]
        ins.append(column)
    lines += [
        f"subi r30, lo8(-({window.name} + {constant}))",
        f"sbci r31, hi8(-({window.name} + {constant}))",
    ]
    lines += [f"std Z+{n}, {{{len(ins) + n}}}" if n else f"st Z, {{{len(ins)}}}" for n in range(len(values))]
    select.emit([*lines, "1:"], ins=[*ins, *values], memory=("store", window.name))
