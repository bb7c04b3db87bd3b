"""Small processors: shifts and rotations by amounts that are data, in each processor's simulator."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from cipherassay import tools
from cipherassay._engine import Program
from cipherassay.embedded import processors
from cipherassay.embedded.build import assembly, split_into_bytes

TEXT = """program "t" {
}

func @key_schedule(%key: u8[1]) -> (u8[1]) {
  %k: u8 = load %key[0]
  %A: u8[1] = array %k
  return %A
}

func @encrypt(%K: u8[1], %B: u8[16]) -> (u8[16]) {
  %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15 = load
  %x: u32 = concat %0, %1, %2, %3
  %y: u32 = concat %4, %5, %6, %7
  %w: u16 = concat %8, %9
  %a: u32 = shl %x, %12
  %b: u32 = shr %y, %15
  %c: u16 = rotl %w, %13
  %d: u8 = shl %10, %14
  %e: u8 = rotr %11, %13
  %f: u8 = shr %10, %14
  out %a:4 %b:4 %c:2 %d %e %12 %f %14 %15
}

func @decrypt(%K: u8[1], %B: u8[16]) -> (u8[16]) {
  %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15 = load
  %x: u64 = concat %0, %1, %2, %3, %4, %5, %6, %7
  %y: u32 = concat %8, %9, %10, %11
  %n: u16 = concat %12, %13
  %a: u64 = rotr %x, %14
  %b: u32 = shl %y, %n
  out %a:8 %b:4 %12 %13 %14 %15
}
"""


def _program() -> Program:
    """Return the program above, with loads and the last store written out."""
    lines: list[str] = []
    for line in TEXT.splitlines():
        if line.endswith("= load"):
            lines += [f"  %{k}: u8 = load %B[{k}]" for k in range(16)]
        elif line.startswith("  out"):
            parts: list[str] = []
            for one in line.split()[1:]:
                name, _, count = one.partition(":")
                cut = [f"{name}.{k}" for k in range(int(count or 0))]
                lines += [f"  {part}: u8 = extract {name}, {8 * k}" for k, part in enumerate(cut)]
                parts += cut or [name]
            lines += [f"  %R: u8[16] = array {', '.join(parts)}", "  return %R"]
        else:
            lines.append(line)
    return Program.parse("\n".join(lines) + "\n")


@pytest.mark.parametrize("name", ["avr", "h8-300", "mcs51"])
def test_amounts_that_are_data(name: str, tmp_path: Path) -> None:
    processor = processors.load(name)
    missing = [tool for tool in processor.needs if not tools.find(tool).place]
    if missing:
        pytest.skip(f"{missing[0]} is needed to run this")
    program = _program()
    made = assembly(split_into_bytes(program, unrolled=True), "t", [], processor)
    numbers = random.Random(3)
    with processor.machine(made.text, tmp_path) as machine:
        for n in range(6):
            block = numbers.randbytes(12) + bytes(numbers.randrange(8 << n % 4) for _ in range(4))
            block = block[:13] + bytes([0 if n else 1]) + block[14:]  # the upper byte of decrypt's amount
            for operation in ("encrypt", "decrypt"):
                machine.write("t_block", block)
                machine.call(f"t_{operation}")
                wanted = bytes(program.evaluate(operation, [bytes(1), block])[0])
                assert (n, operation, machine.read("t_block", 16)) == (n, operation, wanted)
