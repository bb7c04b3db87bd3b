"""The semantics of every record against an emulator in user mode, on random operands: Alpha, RISC-V, ARMv7-M."""

from __future__ import annotations

import pytest

from cipherassay.processors.oracles import Qemu
from support import instruction_records
from support.instruction_records import Records

ALPHA = Records(
    "alpha-21164a",
    (("a", "$1"), ("b", "$2"), ("d", "$3")),
    "ldq {register},{offset}({base})",
    "stq {register},{offset}({base})",
    "lda {register},{number}({base})",
)
RISCV = Records(
    "sifive-e31-zbb",
    (("a", "t0"), ("b", "t1"), ("d", "t2")),
    "lw {register},{offset}({base})",
    "sw {register},{offset}({base})",
    "addi {register},{base},{number}",
)
ARM = Records(
    "cortex-m4",
    (("a", "r2"), ("b", "r3"), ("d", "r4"), ("c", "r5"), ("e", "r6"), ("x", "r8")),
    "ldr {register},[{base},#{offset}]",
    "str {register},[{base},#{offset}]",
    "add {register},{base},#{number}",
)
CASES = [(records, one["name"]) for records in (ALPHA, RISCV, ARM) for one in records.instructions()]


@pytest.mark.parametrize(
    ("records", "name"), CASES, ids=lambda one: one if isinstance(one, str) else one.processor
)
def test_the_emulator_computes_the_same(records: Records, name: str) -> None:
    if why := Qemu.of(records.isa()["name"]).available():
        pytest.skip(why)
    assert instruction_records.differing(records, name) == []


def test_every_instruction_is_here() -> None:
    assert [len(records.instructions()) for records in (ALPHA, RISCV, ARM)] >= [56, 40, 75]
