"""A program as C."""

from __future__ import annotations

import re

from cipherassay.linear.matrices import Matrix
from cipherassay.linear.program import Program, Step, mask_of


def function_name(name: str) -> str:
    """Return a name as C has it."""
    return re.sub(r"\W", "_", name)


def source(matrix: Matrix, program: Program, name: str) -> str:
    """Return C11 without dependencies: ``void NAME(const uint8_t *x, uint8_t *y)``, the matrix's bytes."""
    word, size = f"uint{program.word_bits}_t", program.bytes
    head = f"void {function_name(name)}(const uint8_t *x, uint8_t *y)"
    lines = [f"/* {matrix.name}: {len(program.steps)} operations on words of {program.word_bits} bits."]
    lines += [f" *   {line}" for line in program.text()] + [" */", "#include <stdint.h>", ""]
    lines += [f"{head};", "", head, "{"]
    for n in range(program.words):
        places = program.inputs[n * size : (n + 1) * size]
        parts = [f"({word})x[{c}]{f' << {8 * k}' if k else ''}" for k, c in enumerate(places)]
        lines.append(f"    const {word} w{n + 1} = ({word})({' | '.join(parts)});")
    for n, step in enumerate(program.steps):
        number = program.words + n + 1
        lines += [f"    {line}" for line in _step(program, step, number, word)]
    for place, row in enumerate(program.outputs):
        value, shift = program.results[place // size] + 1, 8 * (place % size)
        lines.append(f"    y[{row}] = (uint8_t)(w{value}{f' >> {shift}' if shift else ''});")
    return "\n".join([*lines, "}", ""])


def _step(program: Program, step: Step, number: int, word: str) -> list[str]:
    a, *rest = step.operands
    bits, first = program.word_bits, f"w{a + 1}"

    def result(expression: str) -> list[str]:
        return [f"const {word} w{number} = ({word})({expression});"]

    def turned(value: str, by: int) -> str:
        return f"{value} << {8 * by} | {value} >> {bits - 8 * by}"

    match step.kind:
        case "xor":
            return result(f"{first} ^ w{rest[0] + 1}")
        case "xor_rotated":
            return result(f"{first} ^ ({turned(f'w{rest[0] + 1}', rest[1])})")
        case "rotate":
            return result(turned(first, rest[0]))
        case "up":
            return result(f"{first} << {8 * rest[0]}")
        case "down":
            return result(f"{first} >> {8 * rest[0]}")
        case "mask":
            return result(f"{first} & UINT{bits}_C({mask_of(rest[0], program.bytes)})")
    # m has the bit that leaves each byte; a subtraction makes it ones (below it, where bits move up).
    all_bytes = f"UINT{bits}_C(0x{{}})"
    factor = program.polynomial & 0xFF if step.kind == "double" else program.polynomial >> 1
    constant = all_bytes.format(f"{factor:02x}" * program.bytes)
    if step.kind == "double":
        mask = all_bytes.format("80" * program.bytes)
        spread, moved = f"m{number} - (m{number} >> 7)", f"({first} ^ m{number}) << 1"
        carry = f"({spread}{f' | m{number}' if factor & 0x80 else ''}) & {constant}"
    else:
        mask = all_bytes.format("01" * program.bytes)
        carry = f"((m{number} << 8) - m{number}) & {constant}"
        moved = f"({first} ^ m{number}) >> 1"
    return [
        f"const {word} m{number} = ({word})({first} & {mask});",
        *result(f"({moved}) ^ ({carry})"),
    ]
