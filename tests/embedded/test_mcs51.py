"""MCS-51: code for an 8052, checked by sdas8051 and by ucsim's s51."""

from __future__ import annotations

import dataclasses
import random
import re
import subprocess
from collections.abc import Callable
from functools import reduce
from pathlib import Path

import pytest

from cipherassay import tools
from cipherassay._engine import Allocation, Code, Program
from cipherassay.ciphers import load
from cipherassay.embedded import target
from cipherassay.embedded.lines import Tables
from cipherassay.embedded.processors.mcs51 import text
from cipherassay.embedded.processors.mcs51.machine import Machine
from cipherassay.embedded.processors.mcs51.text import MCS51
from cipherassay.errors import DescriptionError, ToolError, VerificationError
from support import byte_programs
from support.byte_programs import COMPARISONS, call, function, parsed, wide
from support.command import assay

CIPHERS = (
    "rc6", "rijndael", "twofish",
    *(pytest.param(name, marks=pytest.mark.slow) for name in ("e2", "mars", "serpent")),
)  # fmt: skip
needs_simulator = pytest.mark.skipif(
    any(not tools.find(name).place for name in ("sdas8051", "s51")),
    reason="sdcc assembles and ucsim runs this: apt-get install sdcc sdcc-ucsim",
)
LINES = """\
mul ab;div ab;mov dptr,#x;mov a,r3;mov a,@r1;mov r3,a;mov @r0,a;mov r3,#5;mov @r1,#5;mov a,#5;mov r3,x+1
mov @r1,x;mov x,r3;mov x+2,@r0;mov x,#5;mov a,x;mov x,a;mov x,x+1;mov b,r2;mov dph,a;mov p2,#>(x+0)
add a,r3;addc a,@r1;subb a,x;anl a,#5;orl a,r2;xrl a,x+3;xch a,r2;xch a,x;anl x,a;orl x,#5;xrl ar2,a
inc r0;dec r1;inc a;inc x;rl a;rlc a;rr a;rrc a;swap a;cpl a;clr a;clr c;setb c;inc dptr;movc a,@a+dptr
movx a,@r0;movx @dptr,a;ret;djnz r2,y;djnz x,y;jc y;jnc y;sjmp y;cjne a,#3,y;jnb acc.4,y;ljmp y"""


def _listed(lines: list[str], folder: Path) -> list[tuple[int, int]]:
    """Return machine cycles and bytes of lines as the assembler's listing has them."""
    source = ["\t.area CSEG (CODE)", *(f"{'y:' if n == 0 else ''}\t{line}" for n, line in enumerate(lines))]
    source += ["ar2 = 0x02", "\t.area DSEG (DATA)", "x::", "\t.ds 8"]
    (folder / "t.asm").write_text("\n".join(source) + "\n", encoding="utf-8")
    subprocess.run(["sdas8051", "-plosgff", "t.asm"], cwd=folder, check=True)
    found = []
    for row in (folder / "t.lst").read_text(encoding="utf-8").splitlines():
        if match := re.match(r"\s+[0-9A-F]{6} ([0-9A-Fa-frst*]+(?: [0-9A-Fa-frst*]+)*)\s+\[(\d+)\]", row):
            code = re.sub(r"[^0-9A-F]", "", match[1].replace(" ", ""))
            found.append((int(match[2]) // 12, len(code) // 2))
    return found


@needs_simulator
def test_cycles_and_bytes_of_every_instruction_are_those_of_the_assembler(tmp_path: Path) -> None:
    lines = [line for row in LINES.splitlines() for line in row.split(";")]
    for line, listed in zip(lines, _listed(lines, tmp_path), strict=True):
        assert (line, *MCS51.cost(line)) == (line, *listed)


def test_an_unknown_instruction_is_refused() -> None:
    with pytest.raises(DescriptionError) as refused:
        MCS51.cost("mov r2,r3")
    assert str(refused.value) == "error[E131]: no instruction is known for `mov r2,r3`"


MASK = 0xFFFFFFFF


def _left(x: int, n: int) -> int:
    n %= 32
    return (x << n | x >> 32 - n) & MASK if n else x


WIDE: dict[str, Callable[[int, int], int]] = {
    "add_32": lambda x, y: x + y & MASK,
    "sub_32": lambda x, y: x - y & MASK,
    "mul_32": lambda x, y: x * y & MASK,
    "eq_32": lambda x, y: int(x == y),
    "ne_32": lambda x, y: int(x != y),
    "ltu_32": lambda x, y: int(x < y),
    "rotl_32_by_8": lambda x, y: _left(x, y & 31),
    "rotr_32_by_8": lambda x, y: _left(x, 32 - (y & 31)),
    **{f"rotl_32_{k}": lambda x, _, k=k: _left(x, k) for k in range(1, 32)},
    **{f"rotr_32_{k}": lambda x, _, k=k: _left(x, 32 - k) for k in (1, 7, 13, 22)},
    **{f"shl_32_{k}": lambda x, _, k=k: x << k & MASK for k in range(1, 32)},
    **{f"shr_32_{k}": lambda x, _, k=k: x >> k for k in range(1, 32)},
}


LOADS = [f"%{n}: u8 = load %B[{n}]" for n in range(16)]


def _code(program: Program, name: str, keys: str = "") -> Code:
    """Return the function `f` of a program, whose parameter and first result are the block."""
    places = {"%B": "t_block", "#0": "t_block", "#1": keys}
    return MCS51.lower(program, "f", places, name=name, near=text.DATA)


def _function(name: str, tables: Tables) -> list[str]:
    """Return a function that puts a wide operation on two words of the block into its first word.

    Other words stay, but that the third becomes the exclusive or of what was the first and the third.
    """
    v = [f"%{n}" for n in range(16)]
    both = not re.search(r"_\d+_\d+$", name)
    lines = LOADS + call(name, "%m", [*v[:4], *([v[4]] if "_by_" in name else v[4:8] if both else [])])
    lines += [f"%k{n}: u8 = xor %{n}, %{n + 8}" for n in range(4)]
    made = ["%m0", *(["0"] * 3 if name.startswith(COMPARISONS) else ["%m1", "%m2", "%m3"])]
    lines.append(
        f"%R: u8[16] = array {byte_programs.listed([*made, *v[4:8], '%k0', '%k1', '%k2', '%k3', *v[12:]])}"
    )
    code = _code(parsed(wide(name), function("f", "%B: u8[16]", "u8[16]", lines, "%R")), f"t_{name}")
    tables |= code.tables
    return text.function(code, "t_block", (70, 0))[0].text()


@needs_simulator
def test_operations_on_wide_words(tmp_path: Path) -> None:
    tables: Tables = {}
    body = [line for name in WIDE for line in _function(name, tables)]
    objects = text.objects({"x_spill": 60, "t_block": 16}, {"t_block": "data"})
    lines = ["\t.area CSEG (CODE)", *body, *text.tables(tables), *objects]
    source = re.sub(r"\bt_\w+_spill\b", "x_spill", "\n".join(lines)) + "\n"
    numbers = random.Random(0)
    with Machine(source, tmp_path) as machine:
        for name, function in WIDE.items():
            block = numbers.randbytes(16)
            for given in (block, block[:4] * 2 + block[8:]):
                machine.write("t_block", given)
                machine.call(f"t_{name}")
                x, y = (int.from_bytes(given[k : k + 4], "little") for k in (0, 4))
                wanted = function(x, given[4] if "_by_" in name else y).to_bytes(4, "little") + given[4:8]
                wanted += bytes(a ^ b for a, b in zip(given[:4], given[8:12], strict=True)) + given[12:]
                assert (name, machine.read("t_block", 16)) == (name, wanted)


def _many_values() -> Code:
    """Return a function that keeps 40 values until it stores them at addresses that depend on them."""
    lines = [
        *LOADS,
        *(f"%a{k}: u8 = add %{k % 16}, {7 * k + 1 & 255}" for k in range(40)),
        "%s1: u8 = xor %a0, %a1",
    ]
    lines += [f"%s{k}: u8 = xor %s{k - 1}, %a{k}" for k in range(2, 40)]
    lines += ["%p: u2 = extract %s39, 0", "%K0: u8[48] = array"]
    lines += [f"%K{k + 1}: u8[48] = store %K{k}[%p + {4 * k}], %a{39 - 3 * k}" for k in range(12)]
    lines += call("rotl_32_by_8", "%m", ["%a0", "%a1", "%a2", "%a3", "%s39"])
    lines += [f"%b{k}: u8 = and %a{k}, %s39" for k in range(40)]
    for k in range(12):
        chain = list(range(k, 40, 12))
        lines += [f"%e{k}.{n}: u8 = xor %{'b' if n == 1 else 'e'}{chain[0] if n == 1 else f'{k}.{n - 1}'}, "
                  f"%b{chain[n]}" for n in range(1, len(chain))]  # fmt: skip
    ends = [f"%e{k}.{len(range(k, 40, 12)) - 1}" for k in range(12)]
    lines.append(f"%R: u8[16] = array {byte_programs.listed(['%m0', '%m1', '%m2', '%m3', *ends])}")
    body = function("f", "%B: u8[16]", "u8[16], u8[48]", lines, "%R, %K12")
    return _code(parsed(wide("rotl_32_by_8"), body), "t_f", "t_keys")


class _PlainMachine:
    @staticmethod
    def allocate(code: Code, *, block: str, room: tuple[int, int]) -> Allocation:
        return MCS51.allocate(code, block=block, room=room, search=False)


@needs_simulator
@pytest.mark.parametrize("as_written", [False, True])
@pytest.mark.parametrize(("room", "far"), [(70, 0), (12, 60), (4, 9), (0, 8)])
def test_values_in_upper_and_in_external_ram(
    room: int, far: int, as_written: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if as_written:
        monkeypatch.setattr(text, "MCS51", _PlainMachine)
    code = _many_values()
    made, size, own = text.function(code, "t_block", (room, far))
    body, outside = made.text(), own.get("spilled", 0)
    assert (size > room, outside > 0) == (far > 0, 0 < far < 10)
    objects = {"t_f_spill": size, "t_block": 16, "t_f_spilled": outside, "t_keys": 48}
    spaces = {"t_block": "data", "t_f_spilled": "xdata", "t_keys": "xdata"}
    lines = ["\t.area CSEG (CODE)", *body, *text.tables(code.tables)]
    given = random.Random(1).randbytes(16)
    with Machine("\n".join([*lines, *text.objects(objects, spaces, room)]) + "\n", tmp_path) as machine:
        machine.write("t_block", given)
        machine.call("t_f")
        found, keys = machine.read("t_block", 16), machine.read("t_keys", 48)
    values = [given[k % 16] + 7 * k + 1 & 255 for k in range(40)]
    total = reduce(lambda x, y: x ^ y, values)
    first = _left(int.from_bytes(values[:4], "little"), total & 31).to_bytes(4, "little")
    rest = bytes(reduce(lambda x, y: x ^ y, [x & total for x in values[k::12]]) for k in range(12))
    assert found == first + rest
    assert list(keys[total & 3 :: 4]) == [values[39 - 3 * k] for k in range(12)]


@needs_simulator
@pytest.mark.parametrize("name", CIPHERS)
def test_known_answers_pass_in_s51(name: str) -> None:
    rows = target.measure(target.make(load(name), 128, processor="mcs51"))
    assert {row.operation for row in rows} == {"key_setup_both", "encrypt", "decrypt"}
    assert all(row.value > 0 and row.level == "embedded" and row.basis == "simulated" for row in rows)


@needs_simulator
def test_rijndael_straight_and_by_long_keys() -> None:
    found = {}
    for bits, unrolled in ((128, True), (256, False)):
        made = target.make(load("rijndael"), bits, unrolled=unrolled, processor="mcs51")
        for row in target.measure(made):
            if row.metric == "cycles" and row.configuration.endswith("call to return"):
                found[bits, row.operation] = row.value
        assert (".area XSEG" in made.assembly.text) == (bits == 256)
    # What hand-written code has to take at least with these tables: 16 look-ups and four columns a round.
    assert found[128, "key_setup_both"] <= 864
    assert found[128, "encrypt"] <= 2352
    assert found[128, "decrypt"] <= 3204


@needs_simulator
def test_cycles_before_registers_are_those_that_s51_counts(tmp_path: Path) -> None:
    made = target.make(load("rijndael"), 128, unrolled=True, processor="mcs51")
    lines = made.assembly.text.splitlines()
    with Machine(made.assembly.text, tmp_path) as machine:
        machine.paint(0)
        for name in ("rijndael_key_schedule", "rijndael_encrypt"):
            body = lines[lines.index(f"{name}::") : lines.index(f"{name}_over::")]
            text_ = [line.strip() for line in body if line.startswith("\t")]
            assert machine.call(name).cycles == sum(MCS51.cost(line)[0] for line in text_)
            assert machine.size(name) == sum(MCS51.cost(line)[1] for line in text_)


@needs_simulator
def test_wrong_mcs51_code_is_refused() -> None:
    made = target.make(load("rijndael"), 128, processor="mcs51")
    wrong_text = made.assembly.text.replace("\t.db 0x63,", "\t.db 0x62,", 1)
    wrong = dataclasses.replace(made, assembly=dataclasses.replace(made.assembly, text=wrong_text))
    with pytest.raises(VerificationError) as refused:
        target.measure(wrong)
    assert str(refused.value).startswith(
        "error[E130]: Rijndael: `key_schedule` for MCS-51 gives a wrong result in s51"
    )


def test_more_values_in_a_loop_than_direct_addresses_reach_are_refused() -> None:
    names = [f"%{n}" for n in range(20)]
    results, params = (byte_programs.listed(f"%{c}{n}: u8" for n in range(20)) for c in ("r", ""))
    lines = [f'{results} = rounds 3 "i" from 0 step 1 ({byte_programs.listed(range(20))}) {{']
    lines += [f"  body 0..2 (%i: index, {params}) {{", f"    yield {byte_programs.listed(names)}", "  }", "}"]
    code = _code(parsed(function("f", "%B: u8[16]", "u8[16]", lines, "%B")), "f")
    with pytest.raises(DescriptionError) as refused:
        text.function(code, "f_block", (4, 90))
    assert str(refused.value) == (
        "error[E113]: `f` holds 11 bytes more at once in a loop than direct addresses reach\n"
        "   = internal RAM for values: 15 of 4 bytes by direct addresses\n"
        "   = help: code without loops may hold more: --unrolled"
    )


@needs_simulator
@pytest.mark.slow
@pytest.mark.parametrize("name", ["e2", "rc6"])
def test_straight_code_passes_in_s51(name: str) -> None:
    rows = target.measure(target.make(load(name), 128, unrolled=True, processor="mcs51"))
    assert {row.operation for row in rows} == {"key_setup_both", "encrypt", "decrypt"}


@needs_simulator
def test_objects_larger_than_internal_ram_are_refused(tmp_path: Path) -> None:
    lines = [
        "\t.area CSEG (CODE)",
        "f::",
        "\tret",
        "f_over::",
        "\t.area DSEG (DATA)",
        "a::",
        "\t.ds 60",
        "data_end::",
    ]
    lines += ["\t.area ISEG (DATA)", "b::", "\t.ds 187", "idata_end::"]
    with pytest.raises(VerificationError) as refused:
        Machine("\n".join(lines) + "\n", tmp_path)
    assert "error[E124]: the code does not fit an 8052" in str(refused.value)
    assert "internal RAM: 255 of 252 bytes, 68 of 128 by direct addresses" in str(refused.value)


@needs_simulator
def test_text_that_sdas8051_refuses(tmp_path: Path) -> None:
    with pytest.raises(ToolError) as refused:
        Machine("\t.area CSEG (CODE)\n\tmov r2,r3\n", tmp_path)
    assert str(refused.value).startswith("error[E121]: `sdas8051` refuses the assembly text")


@needs_simulator
def test_a_function_that_does_not_return(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = ["\t.area CSEG (CODE)", "f::", "f_begin::", "\tsjmp f", "f_end::", "\tret", "f_over::"]
    lines += ["\t.area DSEG (DATA)", "a::", "\t.ds 1", "data_end::"]
    with Machine("\n".join(lines) + "\n", tmp_path) as machine:
        monkeypatch.setenv("ASSAY_TOOL_TIME", "0.003")
        with pytest.raises(ToolError) as refused:
            machine.call("f")
    assert str(refused.value) == (
        "error[E123]: `f` does not return in s51\n   = `s51` does not end within 0.9 s\n"
        "   = help: ASSAY_TOOL_TIME=4 in the environment waits four times as long"
    )


def test_missing_sdcc_says_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(ToolError) as refused:
        Machine("", tmp_path)
    assert str(refused.value) == (
        "error[T002]: `sdas8051` is not on this machine\n"
        "   = what it is for: assembles MCS-51 code; sdld of the same package links it\n"
        "   = without it: code for MCS-51 is written, but neither checked nor measured\n"
        "   = help: apt-get install sdcc"
    )


def test_files_are_the_same_each_time(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    texts = []
    for k in range(2):
        done = assay(
            capsys, "emit", "asm", "rijndael", "--processor", "mcs51", "-o", str(tmp_path / str(k)), "--json"
        )
        assert done.code == 0
        names = [Path(f).name for f in done.json["files"]]
        assert names == ["rijndael.asm", "main.c", "README.md"]
        texts.append([(tmp_path / str(k) / name).read_bytes() for name in names])
    assert texts[0] == texts[1]
