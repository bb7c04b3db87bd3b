"""Loops on x86-32: regions, counted indices, branches, the instruction cache, code for one key."""

from __future__ import annotations

import json
import struct
import subprocess
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from cipherassay._engine import Program, X86Code, X86Function
from cipherassay.ciphers import load
from cipherassay.errors import DescriptionError, UsageError
from cipherassay.x86 import checking, kept, kernel, oracle
from cipherassay.x86.model import forms
from support.command import assay
from support.pentium_kernels import PRO, SECOND, average, checked, made

KEY = bytes(range(16)).hex()


LINES = {
    "movb %al, words": 5,
    "movb %dl, words+3": 6,
    "movb %cl, words(%ebp)": 6,
    "addl $4, words": 7,
    "addl $-4, %ebp": 3,
    "movl words+64(,%ebp,4), %eax": 7,
    "leal -7(%ebp), %ecx": 3,
    "leal 12(,%ebp,2), %ecx": 7,
}


def test_lengths_with_branches_are_those_of_the_assembler(tmp_path: Path) -> None:
    near = [".Lnear:", *LINES, "jne .Lnear"]
    far = [".Lfar:", *list(LINES) * 3, "jne .Lfar"]
    code = X86Code.parse([*near, *far], forms())
    assert code.labels() == {".Lnear": 0, ".Lfar": len(LINES) + 1}
    sizes = code.lengths()
    assert sizes == [*LINES.values(), 2, *list(LINES.values()) * 3, 6]
    if why := oracle.available():
        pytest.skip(f"missing: {why}")
    source = "\n".join([*near, *far, ".bss", "words: .zero 1024", ""])
    (tmp_path / "a.s").write_text(source, encoding="utf-8")
    subprocess.run(["as", "--32", "-o", "a.o", "a.s"], cwd=tmp_path, check=True)
    shown = subprocess.run(
        ["objdump", "-d", "--insn-width=16", "a.o"], cwd=tmp_path, check=True, capture_output=True, text=True
    )
    lines = [line for line in shown.stdout.splitlines() if line.count("\t") == 2]
    assert [len(line.split("\t")[1].split()) for line in lines] == sizes


def test_a_loop_runs_until_its_counter_is_zero() -> None:
    lines = [
        "movl $-12, %ebp",
        ".L1:",
        "movb %al, bytes+12(%ebp)",
        "addl $3, %eax",
        "addl $4, %ebp",
        "jne .L1",
    ]
    order, (addresses,), (left,) = X86Code.parse(lines, forms()).execute([bytes(16)], {"bytes": 0x100}, 0x100)
    assert order == [0, *[1, 2, 3, 4] * 3]
    assert [at for at in addresses if at] == [0x100, 0x104, 0x108]
    assert left == bytes([0, 0, 0, 0, 3, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0])


def test_a_branch_forward_is_refused() -> None:
    with pytest.raises(DescriptionError) as caught:
        X86Code.parse(["jne .L1", ".L1:"], forms())
    assert (caught.value.code, caught.value.message) == ("X203", "`jne .L1` branches to no label before it")


FUNCTION = """program "t" {
}

func @key_schedule(%key: u8[4]) -> (u32[8]) {
  %a: u8 = load %key[0]
  %b: u8 = load %key[1]
  %c: u8 = load %key[2]
  %d: u8 = load %key[3]
  %x: u32 = concat %a, %b, %c, %d
  %K: u32[8] = array
  %K.2: u32[8], %y.2: u32 = rounds 8 "i" from 0 step 1 (%K, %x) {
    body 0..7 (%i: index, %K.1: u32[8], %y: u32) {
      %n: u32 = word %i
      %e: u8 = extract %x, 8
      %f: u32 = zext %e
      %g: u32 = add %y, %f
      %h: u32 = xor %g, %n
      %K.3: u32[8] = store %K.1[%i], %h
      yield %K.3, %h
    }
  }
  return %K.2
}
"""


def _selected(text: str, result: str = "r") -> X86Function:
    program = Program.parse(text)
    places = {"parameters": [("k", 0)], "results": [(result, 0)], "tables": []}
    return X86Function.select(program, "key_schedule", work="w", words=0, **places)


def _lines(text: str) -> list[str]:
    function = _selected(text)
    placed = [kept.placed(part, SECOND, kept.NONE, "n") for part in function.parts()]
    return function.text(placed, "s", ".L")[0]


@pytest.mark.parametrize(
    ("old", "new", "code", "message"),
    [
        (
            "yield %K.3, %h\n    }",
            "yield %K.3, %h\n    }\n    body 7 (%j: index, %K.4: u32[8], %z: u32) {\n      yield %K.4, %z\n    }",
            "X105",
            "a loop of 8 iterations has 2 bodies",
        ),
        ("return %K.2", "%o: u32 = load %K[0]\n  return %K.2", "X107", "`K` is read after it was changed"),
    ],
)
def test_what_there_are_no_regions_for(old: str, new: str, code: str, message: str) -> None:
    with pytest.raises(DescriptionError) as caught:
        _selected(
            FUNCTION.replace(old, new).replace("body 0..7", "body 0..6" if "body 7" in new else "body 0..7")
        )
    assert (caught.value.code, caught.value.message) == (code, message)


def test_a_counter_is_the_register_of_addresses() -> None:
    # From -8 to 0, so that the branch tests it for zero.
    assert any(line.endswith(", r+32(,%ebp,4)") for line in _lines(FUNCTION))
    downwards = FUNCTION.replace("store %K.1[%i]", "store %K.1[-1*%i + 7]").replace(
        "word %i", "word -1*%i + 7"
    )
    assert any(line.endswith(", r-4(,%ebp,4)") for line in _lines(downwards))


def _words(text: str, key: bytes) -> list[int]:
    """Return what the code of a key schedule makes of a key."""
    code = X86Code.parse(_lines(text), forms())
    symbols = {name: 64 * k for k, name in enumerate(("k", "r", "w", "s"))}
    _, _, (left,) = code.execute([key.ljust(256, bytes(1))], symbols, 0)
    return list(struct.unpack("<8I", left[64:96]))


@pytest.mark.parametrize("by", [2, 3, 7])
def test_quotients_and_rests_of_an_index(by: int) -> None:
    text = FUNCTION.replace(
        "%n: u32 = word %i",
        f"%q: index = index_div 3*%i + 1, {by}\n      %p: index = index_mod %i, {by}\n"
        "      %m: index = index_mod %i, 4\n      %o: u8 = load %key[%m]\n      %u: u32 = zext %o\n"
        "      %v: u32 = word 5*%q + %p\n      %n: u32 = add %u, %v",
    )
    key = bytes([7, 11, 200, 3])
    wanted = Program.parse(text).evaluate("key_schedule", [key])[0]
    assert _words(text, key) == wanted


def test_an_index_that_no_product_divides() -> None:
    text = FUNCTION.replace(
        "%n: u32 = word %i", "%m: index = index_div 1000000*%i, 7\n      %n: u32 = word %m"
    )
    with pytest.raises(DescriptionError) as caught:
        _selected(text)
    assert (caught.value.code, caught.value.message) == ("X102", "an index of up to 7000000 is divided by 7")


def test_steps_of_a_counter() -> None:
    """Addresses of words and bytes, eight elements apart: steps of 4 leave scales of 8 and 2."""
    lines = _lines(
        FUNCTION.replace("%K.1[%i]", "%K.1[8*%i]")
        .replace("u32[8]", "u32[64]")
        .replace("word %i", "word 8*%i")
    )
    assert {"movl $-32, %ebp", "addl $4, %ebp"} <= set(lines)


@pytest.mark.parametrize(
    ("old", "new", "code", "message"),
    [
        (
            "%g: u32 = add",
            "%q: u1 = eq",
            "X101",
            "code for x86-32 has no way yet for `eq` of 1 bits",
        ),
        ("%K.1[%i]", "%K.1[ring %i + 1]", "X103", "`K.1` is reached round its end by an index"),
        ("return %K.2", "return %key", "X104", "`key_schedule` returns what it is given, or an array twice"),
    ],
)
def test_what_there_is_no_code_for(old: str, new: str, code: str, message: str) -> None:
    text = FUNCTION.replace(old, new).replace("%h: u32 = xor %g", "%h: u32 = xor %f")
    text = text.replace("-> (u32[8])", "-> (u8[4])") if "return %key" in text else text
    with pytest.raises(DescriptionError) as caught:
        _selected(text)
    assert (caught.value.code, caught.value.message) == (code, message)


def test_a_result_in_the_place_of_a_parameter_that_a_loop_reads() -> None:
    text = FUNCTION.replace("%e: u8 = extract %x, 8", "%e: u8 = load %key[0]")
    with pytest.raises(DescriptionError) as caught:
        _selected(text, result="k")
    message = "`key_schedule` writes a result where `key` lies and reads it afterwards"
    assert (caught.value.code, caught.value.message) == ("X106", message)


KERNELS = [
    ("twofish", "key_setup_encrypt", "two-operands-looped"),
    ("rijndael", "decrypt", "two-operands-looped"),
    ("mars", "key_setup_encrypt", "two-operands-looped"),
    ("e2", "key_setup_encrypt", "two-operand-tables-looped"),
]


@pytest.mark.parametrize(("cipher", "operation", "strategy"), KERNELS)
def test_loops_are_checked(cipher: str, operation: str, strategy: str) -> None:
    one = made(cipher, operation, strategy)
    assert one.labels
    checked(one, 8)


def test_an_index_of_a_cipher_is_divided() -> None:
    strategy = "two-operands-looped"
    checked(kernel.make(load("e2"), "key_setup_encrypt", SECOND, strategy, effort=kept.NONE), 4)


def test_words_stay_in_registers_from_iteration_to_iteration() -> None:
    one = partial(kernel.make, load("rc6"), "encrypt", SECOND, "two-operands-looped", effort=kept.NONE)
    kernels = {words: one(words=words) for words in (0, 2)}
    assert {words: checked(kernel, 4)[0]["cycles"] < 390 for words, kernel in kernels.items()} == {
        0: False,
        2: True,
    }
    lines = kernels[2].fitted.lines
    begin, end = lines.index(".Lencrypt_1:"), lines.index("jne .Lencrypt_1")
    assert {"movl rc6_work+4, %esi", "movl rc6_work+12, %edi"} <= set(lines[:begin])
    assert not any("rc6_work+4" in line for line in lines[begin:end])
    assert lines[end + 1] == "movl %esi, rc6_work+4"


def test_a_key_set_up_that_fills_tables() -> None:
    """Twofish's authors: full keying for 8414 cycles on the Pentium, as Worley et al. quote them."""
    one = made("twofish", "key_setup_encrypt", "two-operands-looped")
    assert checked(one, 4)[-1]["cycles"] < 8414
    assert one.code_bytes < 2048


def test_the_instruction_cache_decides() -> None:
    straight = made("e2", "key_setup_encrypt", "two-operand-tables")
    assert 8192 < straight.code_bytes < 16384
    on = {}
    for machine in (PRO, SECOND):
        _, addresses = kernel.run(straight, checking.inputs(straight, 2))
        on[machine.name] = kernel.simulate(replace(straight, model=machine), addresses)[-1]
    assert on["pentium-ii"]["text_misses"] == 0
    assert on["pentium-pro"]["text_misses"] > 200
    assert on["pentium-pro"]["cycles"] > on["pentium-ii"]["cycles"] + 1000
    in_loops = replace(made("e2", "key_setup_encrypt", "two-operand-tables-looped"), model=PRO)
    assert in_loops.code_bytes < 8192
    assert kernel.cost(in_loops) < kernel.cost(replace(straight, model=PRO))


def test_branches_cost_what_the_file_says() -> None:
    code = X86Code.parse(
        [".L1:", *["addl $1, %eax"] * 9, "addl $1, %ebp", "jne .L1", "addl $1, %eax"], forms()
    )
    order = [*list(range(11)) * 20, 11]
    costs = json.loads(PRO.looping)
    found = {}
    for late in (0, 30):
        costs["branches"]["mispredicted"] = late
        found[late] = code.simulate(forms(), json.dumps(costs), 3, order, [])[0]["cycles"]
    assert found[30] - found[0] == 30


def test_code_for_one_key() -> None:
    """Twofish's authors: 258 cycles with the key compiled into the code, on the Pentium Pro."""
    one = kernel.best(load("twofish"), "encrypt", PRO, key=KEY)
    assert one.strategy == "two-operands-for-one-key"
    assert average(checked(one, 16)) <= 258
    with pytest.raises(UsageError) as caught:
        kernel.best(load("twofish"), "key_setup_encrypt", PRO, key=KEY)
    assert (caught.value.code, caught.value.message) == (
        "X004",
        "there is no `key_setup_encrypt` in code for one key",
    )


def test_key_set_ups_go_with_the_fastest_blocks() -> None:
    """Zero keying is set up sooner, but its blocks take longer than those of full keying."""
    assert list(kernel.for_blocks(load("twofish"), SECOND)) == ["two-operands", "two-operands-looped"]


def test_loops_at_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    ran = assay(capsys, "measure", "rc6", "--operation", "decrypt", "-p", "pentium-ii", "--loop", "--json")
    (known,) = ran.json["kernels"]
    assert (known["strategy"], known["loops"]) == ("two-operands-looped", 1)
    assert known["code_bytes"] < 512
    ran = assay(capsys, "measure", "rc6", "--operation", "key_setup_encrypt", "-p", "pentium-ii", "--key", KEY)
    assert (ran.code, ran.err.splitlines()[0]) == (2, "error[M718]: code for one key has no key setup")


def test_twofish_is_emitted_with_full_keying(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    ran = assay(capsys, "emit", "asm", "twofish", "--processor", "pentium-pro", "-o", str(tmp_path))
    assert ran.code == 0
    assert "jne .Lkey_setup_encrypt_1" in (tmp_path / "twofish.s").read_text()
