"""A layout as C."""

from __future__ import annotations

import re

from cipherassay.layouts.layers import Layer
from cipherassay.layouts.layout import Layout, Step, Table

_ORDER_CHECK = """\
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "this layout reads words inside entries of two words, laid down for little-endian processors"
#endif
"""


def function_name(name: str) -> str:
    """Return a name as C has it."""
    return re.sub(r"\W", "_", name)


def source(layer: Layer, layout: Layout, name: str) -> str:
    """Return C11 without dependencies: the tables, and ``void NAME(const uint8_t *x, uint8_t *y)``.

    `x` has the layer's input bytes, `y` gets the result bytes, both in the order of the matrix.
    """
    word, bits = f"uint{layout.word_bits}_t", layout.word_bits
    wide = any(len(table.factors) > bits // 8 for table in layout.tables)
    lines = [
        f"/* {layer.name} after {', '.join(dict.fromkeys(layer.boxes))}, words of {bits} bits.",
        f" * {layout.name} */",
        "#include <stdint.h>",
        *(["#include <string.h>", "", _ORDER_CHECK] if wide else [""]),
    ]
    lines += [line for n, one in enumerate(layout.tables) for line in _table(layer, layout, one, n)]
    lines += [f"void {function_name(name)}(const uint8_t *x, uint8_t *y);", ""]
    lines += [f"void {function_name(name)}(const uint8_t *x, uint8_t *y)", "{"]
    lines += [f"    {line}" for n, step in enumerate(layout.steps) for line in _step(layout, step, n, word)]
    for place, row in enumerate(layout.order):
        if row is not None:
            value, shift = layout.outputs[place // (bits // 8)], 8 * (place % (bits // 8))
            lines.append(f"    y[{row}] = (uint8_t)(v{value}{f' >> {shift}' if shift else ''});")
    return "\n".join([*lines, "}", ""])


def _table(layer: Layer, layout: Layout, table: Table, number: int) -> list[str]:
    contents = table.contents(layer)
    size = len(table.factors)
    if size > layout.word_bits // 8:
        entries = [str(byte) for entry in contents for byte in entry]
        head = f"static const uint8_t T{number}[{len(entries)}] = {{"
    else:
        entries = [f"0x{int.from_bytes(entry.tobytes(), 'little'):0{2 * size}x}" for entry in contents]
        head = f"static const uint{8 * size}_t T{number}[{len(entries)}] = {{"
    width = 8
    rows = [", ".join(entries[n : n + width]) for n in range(0, len(entries), width)]
    return [head, *(f"    {row}," for row in rows), "};", ""]


def _step(layout: Layout, step: Step, number: int, word: str) -> list[str]:
    a, b, *rest = step.operands
    bits, result = layout.word_bits, f"const {word} v{number} = "
    match step.kind:
        case "load":
            parts = [f"x[{c}]" if n == 0 else f"(uint32_t)x[{c}] << {8 * n}"
                     for n, c in enumerate(layout.units[b])]  # fmt: skip
            index = " | ".join(parts)
            size = len(layout.tables[a].factors)
            if size <= bits // 8:
                return [f"{result}T{a}[{index}];"]
            return [
                f"{word} v{number};",
                f"memcpy(&v{number}, T{a} + {size} * ({index}) + {rest[0]}, {bits // 8});",
            ]
        case "xor":
            return [f"{result}v{a} ^ v{b};"]
        case "mask":
            kept = sum(0xFF << (8 * n) for n in range(bits // 8) if b >> n & 1)
            return [f"{result}v{a} & UINT{bits}_C(0x{kept:0{bits // 4}x});"]
        case "up":
            return [f"{result}({word})(v{a} << {8 * b});"]
        case "down":
            return [f"{result}({word})(v{a} >> {8 * b});"]
        case "rotate":
            return [f"{result}({word})(v{a} << {8 * b} | v{a} >> {bits - 8 * b});"]
    raise AssertionError(step.kind)
