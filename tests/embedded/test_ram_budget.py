"""Budgets of RAM: round keys on the fly or made again, chosen and measured; the E2 paper's Table 3."""

from __future__ import annotations

import random
import tomllib
from pathlib import Path

import pytest

from cipherassay import published, tools
from cipherassay._engine import BudgetText, EventOrder, Program
from cipherassay.ciphers import load
from cipherassay.embedded import measuring, processors, target
from cipherassay.embedded.budget import counting
from cipherassay.embedded.budget.choose import BudgetResult
from cipherassay.embedded.budget.measure import measure
from cipherassay.embedded.budget.round_keys import candidates, round_keys
from cipherassay.embedded.processors.avr.budget import AvrBudgets
from cipherassay.embedded.processors.avr.machine import Machine
from cipherassay.embedded.ram_budget import budgeted
from cipherassay.errors import UsageError, VerificationError
from support.command import assay

needs_simulator = pytest.mark.skipif(
    any(not tools.find(name).place for name in ("avr-gcc", "libsimavr", "cc")),
    reason="simavr runs this: apt-get install gcc-avr binutils-avr avr-libc libsimavr-dev",
)
AVR = AvrBudgets()
MARS = load("mars").compile(128)
PAPER = Path(published.__file__).parent / "aoki1999.toml"


def _on_the_fly(name: str, key_bits: int, operation: str) -> tuple[Program, Program, set[str]]:
    """Return a cipher's program, the operation from the key, and the types of its arrays."""
    program = load(name).compile(key_bits)
    order = round_keys(program).on_the_fly(operation)
    assert order is not None
    made = order.function()
    assert made is not None
    return program, made, {str(ty) for op in made.mirror().operations() for _, ty in op.results}


@pytest.mark.parametrize(
    ("name", "key_bits", "operation", "kept"),
    [
        ("rijndael", 128, "encrypt", "u8[4][4]"),
        ("rijndael", 192, "decrypt", "u8[6][4]"),
        ("rijndael", 256, "decrypt", "u8[8][4]"),
        ("serpent", 128, "encrypt", "u32[8]"),
        ("serpent", 256, "decrypt", "u32[8]"),
        ("twofish", 128, "encrypt", "u32[2]"),
        ("twofish", 192, "decrypt", "u32[2]"),
        ("mars", 128, "encrypt", "u32[10]"),
    ],
)
def test_keys_on_the_fly_compute_the_same(name: str, key_bits: int, operation: str, kept: str) -> None:
    program, streamed, arrays = _on_the_fly(name, key_bits, operation)
    assert kept in arrays
    numbers = random.Random(name)
    for _ in range(3):
        key, block = numbers.randbytes(key_bits // 8), numbers.randbytes(16)
        keys = program.evaluate("key_schedule", [key])
        assert streamed.evaluate(operation, [key, block]) == program.evaluate(operation, [*keys, block])  # type: ignore[arg-type]


def test_rc6_needs_all_round_keys_at_once() -> None:
    assert round_keys(load("rc6").compile(128)).on_the_fly("encrypt") is None


def _mars_again(rows: int) -> EventOrder:
    """Return MARS's decryption with so many round keys kept."""
    keys = round_keys(MARS)
    assert keys.portions("decrypt") == [10, 20, 30]
    order = keys.again("decrypt", rows)
    assert order is not None
    return order


@pytest.mark.parametrize(("rows", "runs"), [(10, 4), (20, 2), (30, 2)])
def test_mars_decrypts_with_keys_made_again(rows: int, runs: int) -> None:
    order = _mars_again(rows)
    assert order.runs == runs
    anew = order.function()
    assert anew is not None
    numbers = random.Random(rows)
    for _ in range(3):
        key, block = numbers.randbytes(16), numbers.randbytes(16)
        keys = MARS.evaluate("key_schedule", [key])
        assert anew.evaluate("decrypt", [key, block]) == MARS.evaluate("decrypt", [*keys, block])


def test_iterations_of_one_kind_are_one_function() -> None:
    order = _mars_again(10)
    shared, apart = order.steps(single=True), order.steps(fine=True)
    assert shared is not None
    assert apart is not None
    assert len(shared.places()) < len(shared.calls())
    assert len(apart.calls()) < len(shared.calls())
    rows = [row for _, _, numbers in shared.calls() for name, row in numbers if name.startswith("row")]
    assert rows == [4, 2, 0, 8, 6, 4, 2, 0, 8, 6, 4, 2, 0, 8, 6, 4]  # round keys 34, 32 … 4 modulo ten


def test_rc6_cannot_make_round_keys_again() -> None:
    program = load("rc6").compile(128)
    assert candidates(program, round_keys(program), AVR.isa, "rc6", 0).again("decrypt") == []


@needs_simulator
@pytest.mark.slow
def test_mars_within_201_bytes(tmp_path: Path) -> None:
    every = candidates(MARS, round_keys(MARS), AVR.isa, "mars", 201).again("decrypt", always=True)
    one = next(one for one in every if one.name.endswith("in steps of one iteration"))
    assert (one.name.partition(" ")[0], one.runs) == ("40", 4)
    assert one.text.size is not None
    assert one.text.size < 17000  # both operations have room in the flash
    key, plaintext, ciphertext, _ = measuring.known_answers(target.make(load("mars"), 128))[0]
    with Machine(AVR.written(one.text, "mars", []), tmp_path) as machine:
        machine.paint(0x5A)
        machine.write("mars_key", key)
        machine.write("mars_block", ciphertext)
        machine.call("mars_decrypt")
        assert machine.read("mars_block", 16) == plaintext
        assert machine.touched(0x5A) <= 201


def test_table_3_is_the_papers() -> None:
    tables = tomllib.loads(PAPER.read_text(encoding="utf-8"))["table"]
    (table,) = (t for t in tables if t["id"] == "table-3")
    (parts,) = (t for t in tables if t["id"] == "ram")
    counts = counting.counted(load("e2"), 128)
    assert counts is not None
    assert [list(run) for run in counts.runs] == [row["values"] for row in table["rows"]]
    printed = {row["part"]: row["value"] for row in parts["rows"]}
    assert (counts.base, counts.block, counts.key, counts.state) == (
        printed["all"], printed["PC area"], printed["M area"], printed["SG area"],
    )  # fmt: skip


@pytest.mark.parametrize(("key_bits", "base"), [(192, 72), (256, 88)])
def test_table_3_for_longer_keys(key_bits: int, base: int) -> None:
    counts = counting.counted(load("e2"), key_bits)
    assert counts is not None
    assert counts.base == base
    assert [calls for _, calls in counts.runs] == [16, 8, 6, 4, 3, 2, 1]
    assert all(calls == -(-16 // ((ram - base) // 16)) for ram, calls in counts.runs)


def test_copies_of_round_keys_go() -> None:
    program = load("e2").compile(128)
    copied = {str(ty) for op in program.mirror().operations() for _, ty in op.results}
    fill = round_keys(program).fill()
    assert fill is not None
    direct, _ = fill
    assert "u8[32][8]" in copied
    assert "u8[32][8]" not in {str(ty) for op in direct.mirror().operations() for _, ty in op.results}
    key = bytes(range(16))
    assert direct.evaluate("fill", [key]) == program.evaluate("key_schedule", [key])


@needs_simulator
def test_rijndael_within_60_bytes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = budgeted(load("rijndael"), 128, 60)
    assert {c.candidate.name for c in made.chosen.values()} == {"round keys on the fly, rounds unrolled"}
    rows = measure(made)
    used = [row.value for row in rows if row.metric == "ram_bytes"]
    assert used == [made.ram, made.ram]
    assert made.ram <= 60
    cycles = {row.operation: row.value for row in rows if row.metric == "cycles"}
    assert cycles["encrypt"] < 2949  # AVR-AES-faster with round keys on the fly
    with pytest.raises(VerificationError) as refused:
        measure(BudgetResult(**{**vars(made), "budget": made.ram - 1}))
    assert str(refused.value).startswith(
        "error[E151]: Rijndael: `encrypt` for AVR uses 52 bytes of RAM in simavr, more than 51"
    )


def test_the_block_may_lie_in_the_keys_bytes() -> None:
    text = BudgetText(AVR.isa, [], {"x_key": 24, "x_block": 16}, inside={"x_block": "x_key"})
    assert text.objects == {"x_key": 24}
    lines = AVR.written(text, "x", []).split('"aw",@nobits\n')[1].split()
    assert lines == [".global", "x_key", "x_key:", ".global", "x_block", "x_block:", ".space", "24"]


@needs_simulator
@pytest.mark.slow
def test_rc6_within_216_bytes() -> None:
    made = budgeted(load("rc6"), 128, 216)
    assert {c.candidate.name for c in made.chosen.values()} == {
        "round keys kept, rounds in loops, block in the key's bytes"
    }
    assert [row.value for row in measure(made) if row.metric == "ram_bytes"] == [216, 216]
    readme = dict(processors.firmware_within_budget(made, "assay …"))["README.md"]
    assert "a block that is put there overwrites the key" in readme
    assert "216 bytes: key, then block 16, round keys 176, " in readme


@needs_simulator
def test_e2_runs_its_key_schedule_again_for_each_window() -> None:
    made = budgeted(load("e2"), 128, 200)
    assert all(c.candidate.window > 1 and 1 < c.candidate.runs < 16 for c in made.chosen.values())
    rows = measure(made)
    assert all(row.value <= 200 for row in rows if row.metric == "ram_bytes")
    assert [row.value for row in rows if row.metric == "calls"] == [c.candidate.runs for c in made.chosen.values()]


@needs_simulator
@pytest.mark.slow
def test_serpent_within_128_bytes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    done = assay(
        capsys, "emit", "asm", "serpent", "--processor", "avr", "--ram", "128", "-o", str(tmp_path), "--json"
    )
    assert done.code == 0
    assert done.json["ram_bytes"] <= 128
    assert [Path(f).name for f in done.json["files"]] == ["serpent.S", "main.c", "README.md"]
    readme = (tmp_path / "README.md").read_text(encoding="utf-8")
    assert f"RAM: {done.json['ram_bytes']} bytes: key 16, block 16, " in readme
    assert "serpent_key_schedule" not in (tmp_path / "main.c").read_text(encoding="utf-8")


def test_too_little_ram_says_the_minimum() -> None:
    with pytest.raises(UsageError) as refused:
        budgeted(load("rijndael"), 128, 40)
    assert str(refused.value) == (
        "error[E150]: 40 bytes of RAM are too few for Rijndael with keys of 128 bits on AVR\n"
        "   = the minimum is 52 bytes: key 16, block 16, stack 20\n"
        "   = help: --ram 52"
    )


def test_kept_round_keys_where_they_fit() -> None:
    made = budgeted(load("rijndael"), 128, 250)
    assert {c.candidate.name for c in made.chosen.values()} == {"round keys kept, rounds unrolled"}
    assert made.functions == ("key_schedule", "encrypt", "decrypt")


def test_wrong_uses_of_the_budget_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    done = assay(capsys, "emit", "asm", "rijndael", "encrypt", "--processor", "merced", "--ram", "100")
    assert done.err == ("error[E152]: `--ram` is not for `merced`\n   = it is for `avr`, `h8-300`, `mcs51`\n")
    done = assay(capsys, "emit", "asm", "rijndael", "encrypt", "--processor", "avr", "--ram", "100")
    assert done.err.startswith("error[E142]: `avr` takes no operation, not `encrypt`")
    done = assay(capsys, "measure", "rijndael", "--ram", "100")
    assert done.err == ("error[E152]: `--ram` is not for `native`\n   = it is for `avr`, `h8-300`, `mcs51`\n")
