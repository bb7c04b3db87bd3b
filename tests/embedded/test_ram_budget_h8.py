"""Budgets of RAM on H8/300: values that share bytes, windows, near and far objects, ciphers in the simulator."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from cipherassay import tools
from cipherassay._engine import BudgetText
from cipherassay.ciphers import load
from cipherassay.embedded import processors
from cipherassay.embedded.budget.choose import BudgetResult
from cipherassay.embedded.budget.measure import measure
from cipherassay.embedded.budget.round_keys import candidates, round_keys
from cipherassay.embedded.processors.h8_300.budget import H8Budgets
from cipherassay.embedded.processors.h8_300.text import H8
from cipherassay.embedded.ram_budget import budgeted
from cipherassay.errors import ToolError, UsageError, VerificationError
from support.byte_programs import ROWS, kept_rows, parsed

OFFER = H8Budgets()
assembled = pytest.mark.skipif(
    not tools.find("h8300-hms-as").place,
    reason="binutils assembles this: apt-get install binutils-h8300-hms",
)


def test_what_is_read_by_constants_lies_by_short_addresses() -> None:
    loads = [f"      %{n}: u8 = load {('%K[3]', '%B[1]')[n % 2]}\n" for n in range(44)]
    program = parsed(
        "func @f(%K: u8[20], %B: u8[16]) -> (u8[16]) {\n"
        '  %C: u8[16] = rounds 3 "i" from 0 step 1 (%B) {\n    body 0..2 (%i: index, %D: u8[16]) {\n'
        f"{''.join(loads)}      yield %D\n    }}\n  }}\n  return %C\n}}"
    )
    places = {"%K": "x_keys + 4", "%B": "x_block", "#0": "x_block"}
    code = H8.lower(program, "f", places, name="x_f", near=[""])
    made = H8.allocate(code, shared="x_block", short=1 << 16).function("x_block", inner=True)[0]
    objects = {"x_keys": 60, "x_values": 40, "x_key": 16, "x_work": 20}
    text = BudgetText(H8, [made], objects, inside={"x_block": "x_key"})
    lines = text.functions["x_f"]
    assert text.placement == (["x_work", "x_key", "x_values"], ["x_keys"])
    assert lines[:5] == ["\t.global x_f", "x_f:", "\t.global x_f_begin", "x_f_begin:", "\tmov.b #3,r0h"]
    assert lines[5:8] == [".Lx_f_0:", "\tmov.b @x_keys + 4+3:16,r0l", "\tmov.b @x_block+1:8,r0l"]
    assert lines[50:54] == ["\tdec.b r0h", "\tbeq 8f", "\tjmp @.Lx_f_0", "8:"]  # 134 bytes back
    assert text.size == 2 + 22 * (4 + 2) + 2 + 2 + 4 + 2 + 255  # there may be a gap before tables


@assembled
@pytest.mark.parametrize("first", [0, 3, 5])
def test_a_window_takes_its_rows_alone(first: int, tmp_path: Path) -> None:
    code = H8.lower(
        parsed(ROWS), "f", {"%B": "x_block", "#0": "x_values + 0"}, name="x_f", near=[""],
        window=("x_values + 0", "x_values + 8", 2, (1, 0, 2, 3, 4, 5)),
    )  # fmt: skip
    function = H8.allocate(code, shared="x_block", short=1 << 16).function("x_block")[0]
    text = BudgetText(H8, [function], {"x_values": 9, "x_block": 16})
    machine = OFFER.runner(OFFER.written(text, "x", []), tmp_path)
    machine.write("x_values", bytes([*[9] * 8, first]))
    machine.call("x_f")
    assert list(machine.read("x_values", 8)) == kept_rows(first)


@assembled
def test_rijndael_on_the_fly_in_loops(tmp_path: Path) -> None:
    program = load("rijndael").compile(128)
    made = candidates(program, round_keys(program), OFFER.isa, "rijndael", 64).on_the_fly("encrypt")
    (text,) = (one.text for one in made if one.name == "round keys on the fly, rounds in loops")
    machine = OFFER.runner(OFFER.written(text, "rijndael", []), tmp_path)
    numbers = random.Random(8)
    for paint in (0x5A, 0xA5):
        key, block = numbers.randbytes(16), numbers.randbytes(16)
        machine.paint(paint)
        machine.write("rijndael_key", key)
        machine.write("rijndael_block", block)
        machine.call("rijndael_encrypt")
        keys = program.evaluate("key_schedule", [key])
        wanted = bytes(program.evaluate("encrypt", [*keys, block])[0])
        assert machine.read("rijndael_block", 16) == wanted
        assert machine.read("rijndael_key", 16) == key
        assert machine.touched(paint) <= sum(text.objects.values()) + 8 <= 72  # with the stack


WAYS = [
    ("rijndael", 60, "round keys on the fly, rounds unrolled"),
    ("twofish", 120, "round keys on the fly, rounds in loops"),
    ("e2", 150, "64 bytes of round keys at a time"),
    ("rc6", 250, "round keys kept, rounds in loops"),
    ("rc6", 230, "round keys kept, rounds in loops, block in the key's bytes"),
]


@assembled
@pytest.mark.slow
@pytest.mark.parametrize(("name", "budget", "way"), WAYS)
def test_ciphers_within_budgets(name: str, budget: int, way: str) -> None:
    made = budgeted(load(name), 128, budget, processor="h8-300")
    assert {c.candidate.name for c in made.chosen.values()} == {way}
    used = [row.value for row in measure(made) if row.metric == "ram_bytes"]
    assert len(used) == 2
    assert all(value <= made.ram <= budget for value in used)
    assembly, script, readme = processors.firmware_within_budget(made, "assay …")
    assert (assembly[0], script[0]) == (f"{name}.s", f"{name}.ld")
    assert f"RAM: {made.ram} bytes: key" in readme[1]
    with pytest.raises(VerificationError) as refused:
        measure(BudgetResult(**{**vars(made), "budget": int(min(used)) - 1}))
    assert f"more than {int(min(used)) - 1}" in str(refused.value)


@assembled
@pytest.mark.slow
def test_too_little_ram_on_h8_says_the_minimum() -> None:
    with pytest.raises(UsageError) as refused:
        budgeted(load("rc6"), 128, 100, processor="h8-300")
    assert str(refused.value).startswith(
        "error[E150]: 100 bytes of RAM are too few for RC6 with keys of 128 bits on H8/300\n"
        "   = the minimum is 228 bytes: key, then block 16, round keys 176, values without registers 28, "
        "stack 8\n"
    )


def test_budgets_on_h8_need_binutils(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(ToolError) as refused:
        budgeted(load("rijndael"), 128, 60, processor="h8-300")
    assert "error[T002]: `h8300-hms-as` is not on this machine" in str(refused.value)
