"""Budgets of RAM on MCS-51: windows, what internal RAM has room for, ciphers in ucsim, emitted drivers."""

from __future__ import annotations

from pathlib import Path

import pytest

from cipherassay import tools
from cipherassay._engine import BudgetText
from cipherassay.ciphers import load
from cipherassay.embedded import processors
from cipherassay.embedded.budget.choose import BudgetResult
from cipherassay.embedded.budget.measure import measure
from cipherassay.embedded.processors.mcs51.budget import Mcs51Budgets
from cipherassay.embedded.processors.mcs51.text import DATA, MCS51
from cipherassay.embedded.ram_budget import budgeted
from cipherassay.errors import ToolError, UsageError, VerificationError
from support import emitted_folders
from support.byte_programs import ROWS, kept_rows, parsed

OFFER = Mcs51Budgets()
assembled = pytest.mark.skipif(
    not (tools.find("sdas8051").place and tools.find("s51").place),
    reason="SDCC assembles this, ucsim runs it: apt-get install sdcc sdcc-ucsim",
)


@assembled
@pytest.mark.parametrize("first", [0, 3, 5])
def test_a_window_takes_its_rows_alone(first: int, tmp_path: Path) -> None:
    code = MCS51.lower(
        parsed(ROWS), "f", {"%B": "x_block", "#0": "x_values + 0"}, name="x_f", near=DATA, internal=[""],
        small=True, window=("x_values + 0", "x_values + 8", 2, (1, 0, 2, 3, 4, 5)),
    )  # fmt: skip
    function = MCS51.allocate(code, block="x_block", room=(128, 0)).function()[0]
    text = BudgetText(MCS51, [function], {"x_values": 9, "x_block": 16})
    machine = OFFER.runner(OFFER.written(text, "x", []), tmp_path)
    machine.write("x_values", bytes([*[9] * 8, first]))
    machine.call("x_f")
    assert list(machine.read("x_values", 8)) == kept_rows(first)


@pytest.mark.parametrize(
    ("objects", "fits"),
    [
        ({"x_key": 16, "x_block": 16, "x_work": 88, "x_values": 124}, True),
        ({"x_key": 16, "x_block": 16, "x_work": 89}, False),  # 129 bytes where direct addresses reach 128
        (
            {"x_key": 16, "x_block": 16, "x_keys": 213},
            False,
        ),  # 257 with the registers and two return addresses
    ],
)
def test_what_internal_ram_has_no_room_for_is_too_long(objects: dict[str, int], fits: bool) -> None:
    program = parsed("func @f(%B: u8[1]) -> (u8[1]) {\n  return %B\n}")
    code = MCS51.lower(program, "f", {"%B": "x_block", "#0": "x_block"}, name="x_f")
    text = BudgetText(MCS51, [MCS51.allocate(code).function()[0]], objects, tables={"t": bytes(256)})
    assert text.size == (257 if fits else None)
    assert text.fits == fits


def test_objects_are_where_direct_addresses_reach_first() -> None:
    objects = {"x_keys": 60, "x_values": 40, "x_key": 16, "x_work": 20}
    text = BudgetText(MCS51, [], objects, inside={"x_block": "x_key"})
    found = OFFER.written(text, "x", ["a comment"]).splitlines()
    assert found[0] == "; a comment"
    areas = [n for n, line in enumerate(found) if ".area" in line]
    assert found[areas[2] :] == [
        "\t.area DSEG (DATA)", "_x_key::", "x_key::", "_x_block::", "x_block::", "\t.ds 16",
        "_x_work::", "x_work::", "\t.ds 20", "data_end::",
        "\t.area ISEG (DATA)", "_x_values::", "x_values::", "\t.ds 40", "_x_keys::", "x_keys::", "\t.ds 60",
        "idata_end::",
    ]  # fmt: skip


@assembled
def test_round_keys_kept_inside() -> None:
    made = budgeted(load("rijndael"), 128, 240, processor="mcs51")
    assert {c.candidate.name for c in made.chosen.values()} == {"round keys kept, rounds unrolled"}
    assert made.functions == ("key_schedule", "encrypt", "decrypt")
    used = [row.value for row in measure(made) if row.metric == "ram_bytes"]
    assert len(used) == 2
    assert all(value <= made.ram <= 240 for value in used)
    with pytest.raises(VerificationError) as refused:
        measure(BudgetResult(**{**vars(made), "budget": int(min(used)) - 1}))
    assert f"more than {int(min(used)) - 1}" in str(refused.value)


WAYS = [
    ("rijndael", 128, 80, "round keys on the fly, rounds unrolled"),
    ("rijndael", 256, 120, "round keys on the fly, rounds unrolled"),
    ("twofish", 128, 110, "round keys on the fly, rounds in loops"),
    ("e2", 128, 160, "48 bytes of round keys at a time"),
    ("rc6", 128, 237, "round keys kept, rounds in loops, block in the key's bytes"),
]


@assembled
@pytest.mark.slow
@pytest.mark.parametrize(("name", "bits", "budget", "way"), WAYS)
def test_ciphers_within_budgets(name: str, bits: int, budget: int, way: str, tmp_path: Path) -> None:
    made = budgeted(load(name), bits, budget, processor="mcs51")
    assert {c.candidate.name for c in made.chosen.values()} == {way}
    assert all(row.value <= made.ram <= budget for row in measure(made) if row.metric == "ram_bytes")
    for file, text in processors.firmware_within_budget(made, "assay …"):
        (tmp_path / file).write_text(text)
    assert f"RAM: {made.ram} bytes, all internal: key" in (tmp_path / "README.md").read_text()
    assert set(emitted_folders.run(tmp_path)) <= {"sdcc", "sdas8051", "s51"}


@assembled
@pytest.mark.slow
def test_too_little_ram_says_the_minimum() -> None:
    with pytest.raises(UsageError) as refused:
        budgeted(load("rijndael"), 128, 30, processor="mcs51")
    assert str(refused.value) == (
        "error[E150]: 30 bytes of RAM are too few for Rijndael with keys of 128 bits on MCS-51\n"
        "   = the minimum is 69 bytes: key 16, block 16, values without registers 27, "
        "register bank 0 and stack 10\n"
        "   = help: --ram 69"
    )


def test_budgets_need_the_assembler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(ToolError) as refused:
        budgeted(load("rijndael"), 128, 80, processor="mcs51")
    assert "error[T002]: `sdas8051` is not on this machine" in str(refused.value)
