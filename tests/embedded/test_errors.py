"""Programs for which small processors have no code yet, and tools that refuse: in which words."""

from __future__ import annotations

from pathlib import Path

import pytest

from cipherassay import tools
from cipherassay._engine import Microcontroller, Program, RoundKeys
from cipherassay.ciphers import load
from cipherassay.embedded import processors
from cipherassay.embedded.budget.round_keys import candidates, round_keys
from cipherassay.embedded.build import assembly
from cipherassay.embedded.processors.avr import machine as simavr
from cipherassay.embedded.processors.avr.text import AVR
from cipherassay.errors import DescriptionError, ToolError
from support import byte_programs
from support.byte_programs import listed
from support.refusals import refusal

SMALL = ("avr", "h8-300", "mcs51")
FORM = """program "t" {{
}}

table @S: u8[256] = [
  {table}
]

func @key_schedule(%key: u8[16]) -> (u8[16]) {{
  %k: u8 = load %key[0]
  %A: u8[16] = array {copies}
  return %A
}}

func @encrypt(%K: u8[16], %B: u8[16]) -> (u8[16]) {{
  %x: u8 = load %B[0]
  {body}
}}

func @decrypt(%K: u8[16], %B: u8[16]) -> (u8[16]) {{
  %x: u8 = load %B[0]
  %R: u8[16] = store %B[1], %x
  return %R
}}
"""
STRAIGHT = "   = help: `--unrolled` makes code without loops, whose "


def loop(index: str, kind: str, start: str, *lines: str, count: int = 4, result: str = "%E") -> str:
    """Write a loop that carries one value, `%D` in it, and gives `%C`."""
    return "\n".join(
        (
            f'  %C: {kind} = rounds {count} "{index}" from 0 step 1 ({start}) {{',
            f"    body 0..{count - 1} (%{index}: index, %D: {kind}) {{",
            *lines,
            f"      yield {result}",
            "    }",
            "  }",
        )
    )


def made(body: str, name: str) -> str:
    """Return the error that a body of `encrypt` gets for a processor."""
    text = FORM.format(body=body, table=listed(range(256)), copies=listed(["%k"] * 16))
    program = Program.parse(text)
    return refusal(DescriptionError, assembly, program, "t", [], processors.load(name))


STORED = "\n  %R: u8[16] = store %B[1], %{}\n  return %R"
NESTED = (
    '      %E: u8[16] = rounds 4 "j" from 0 step 1 (%D) {\n'
    "        body 0..3 (%j: index, %F: u8[16]) {\n"
    "          %G: u8[16] = store %F[ring %i + %j], 2\n"
    "          yield %G\n        }\n      }"
)
IN_ROW = (
    "  %Z: u8[4][4] = array " + listed(range(16)) + "\n"
    + loop("i", "u8", "%x", "      %E: u8 = load %Z[%i][ring %i]") + STORED.format("C")
)  # fmt: skip
TWO_BODIES = """%C: u8[16] = rounds 4 "i" from 0 step 1 (%B) {
    body 0..1 (%i: index, %D: u8[16]) {
      %E: u8[16] = store %D[%i], 1
      yield %E
    }
    body 2..3 (%j: index, %F: u8[16]) {
      %G: u8[16] = store %F[%j], 2
      yield %G
    }
  }
  return %C"""
CASES = {
    "E104": (
        "return %K",
        "error[E104]: `encrypt` returns an array that it was given\n"
        "   = help: return an array of its own, with the elements copied",
    ),
    "E105": (
        loop("i", "u8[16]", "%B", NESTED) + "\n  return %C",
        "error[E105]: an address that wraps around depends on more than one loop\n"
        f"{STRAIGHT}addresses are numbers",
    ),
    "E110": (
        IN_ROW,
        "error[E110]: an address that wraps around in a row depends on a loop's index\n"
        f"{STRAIGHT}addresses are numbers",
    ),
    "E107": (
        "%n: u5 = extract %x, 0\n  %s: u5 = rotl %n, %n\n  %z: u8 = zext %s" + STORED.format("z"),
        "error[E107]: `rotl` of 5 bits by an amount that is not known is not made yet\n"
        "   = help: words of 8, 16, 32 or 64 bits are rotated by any amount",
    ),
    "E108": (
        "%n: u4 = extract %x, 0\n  %y: u8 = lookup @S[%n + 1]" + STORED.format("y"),
        "error[E108]: a look-up whose address is a sum is not made yet\n"
        "   = help: add in a word first, and look up at that",
    ),
    "E119": (
        loop("i", "u8[16]", "%B", "      %E: u8[16] = store %D[3], 1", count=257) + "\n  return %C",
        "error[E119]: a loop of 257 iterations, which no number up to 256 divides, is not made yet\n"
        "   = help: `--unrolled` makes code without loops",
    ),
    "E112": (
        TWO_BODIES,
        "error[E112]: the loop over `i` has 2 bodies, not one\n"
        "   = help: the pass `unroll:factor=period` makes them one, or `split-words` with unrolled loops",
    ),
}


@pytest.mark.parametrize("name", SMALL)
@pytest.mark.parametrize("case", CASES)
def test_programs_without_code(case: str, name: str) -> None:
    body, text = CASES[case]
    assert made(body, name) == text


def test_what_the_8051_alone_has_no_code_for() -> None:
    body = loop("i", "u8[16]", "%B", "      %E: u8[16] = store %D[%i], 1") + "\n  return %C"
    assert made(body, "mcs51") == (
        "error[E116]: an access to the block in a loop is not made yet\n"
        "   = help: load the block before the loop, or make code without loops: --unrolled"
    )
    body = "%Z: u8[300] = array " + listed(k % 256 for k in range(300)) + "\n"
    body += loop("i", "u8", "%x", "      %E: u8 = load %Z[ring %i]") + STORED.format("C")
    assert made(body, "mcs51") == (
        "error[E115]: an address that wraps around after 300 bytes in steps of 1 is not made yet\n"
        "   = help: the two make 255 at most; `--unrolled` makes code without loops"
    )


WIDE = {
    "other_8": "error[E101]: no instructions are known for a call of `other_8`",
    "add_12": "error[E102]: `add_12` is on words that are no whole number of bytes\n"
    "   = help: words of 8, 16, 24, 32 … bits are",
    "rotl_24_by_8": "error[E103]: `rotl_24_by_8`: rotations by an amount that is not known are of 16, 32 or "
    "64 bits",
}


@pytest.mark.parametrize("name", WIDE)
def test_words_without_code(name: str) -> None:
    lines = [f"%{n}: u8 = load %B[{n}]" for n in range(4)]
    count = 2 if name == "other_8" else 4
    lines += byte_programs.call(name, "%m", [f"%{n}" for n in range(count)])
    body = byte_programs.function("f", "%B: u8[16]", "u8[16]", lines, "%B")
    program = byte_programs.parsed(byte_programs.wide(name), body)
    places = {"%B": "t_block", "#0": "t_block"}
    with pytest.raises(DescriptionError) as refused:
        AVR.lower(program, "f", places, name="f")
    assert str(refused.value) == WIDE[name]


@pytest.mark.skipif(
    any(not tools.find(name).place for name in ("avr-gcc", "libsimavr", "cc")),
    reason="simavr runs this: apt-get install gcc-avr binutils-avr avr-libc libsimavr-dev",
)
def test_a_driver_that_the_compiler_refuses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    driver = tmp_path / "driver.c"
    driver.write_text("#error no driver\n")
    monkeypatch.setattr(simavr, "_DRIVER", driver)
    lines = refusal(ToolError, simavr.Machine, "\t.section .text\nf:\n\tret\n", tmp_path).splitlines()
    assert lines[0] == "error[E122]: `cc` refuses the driver"
    assert lines[1] == f"   = {driver}:1:2: error: #error no driver"


def test_round_keys_that_are_uneven_copies() -> None:
    copied = "".join(
        f"  %w{n}: u8 = load %W.1[{n}]\n  %A.{n}: u8[4] = store %A{f'.{n - 1}' * bool(n)}[{place}], %w{n}\n"
        for n, place in enumerate((0, 1, 3, 2))
    )
    text = f"""program "t" {{
}}

func @key_schedule(%key: u8[4]) -> (u8[4]) {{
  %W: u8[4] = array
  %W.1: u8[4] = rounds 4 "i" from 0 step 1 (%W) {{
    body 0..3 (%i: index, %W.2: u8[4]) {{
      %x: u8 = load %key[%i]
      %W.3: u8[4] = store %W.2[%i], %x
      yield %W.3
    }}
  }}
  %A: u8[4] = array
{copied}  return %A.3
}}

func @encrypt(%K: u8[4], %B: u8[4]) -> (u8[4]) {{
  %k: u8 = load %K[0]
  %C: u8[4] = store %B[0], %k
  return %C
}}
"""
    keys = RoundKeys(Program.parse(text))
    assert refusal(DescriptionError, keys.on_the_fly, "encrypt") == (
        "error[E156]: code within a budget of RAM has no way yet for round keys that are uneven copies\n"
        "   = help: `assay emit asm` without --ram takes it"
    )


def test_an_instruction_set_without_budgets() -> None:
    text = (processors.folder("avr") / "instructions.toml").read_text(encoding="utf-8")
    isa = Microcontroller.parse(text[: text.index("[budget]")], "avr.toml")
    program = load("rijndael").compile(128)
    assert refusal(DescriptionError, candidates, program, round_keys(program), isa, "rijndael", 100) == (
        "error[E135]: the instruction set says nothing of budgets of RAM\n"
        "   = help: describe them in its table `[budget]`"
    )


@pytest.mark.parametrize("name", SMALL)
def test_round_keys_that_are_words_by_themselves(name: str) -> None:
    text = FORM.format(body="return %B", table=listed(range(256)), copies=listed(["%k"] * 16))
    program = Program.parse(text.replace("(u8[16]) {\n  %k", "(u8) {\n  %k").replace("return %A", "return %k"))
    assert refusal(DescriptionError, assembly, program, "t", [], processors.load(name)) == (
        "error[E117]: `key_schedule` has a round key that is a word by itself\n"
        "   = help: return round keys as a vector, `vec(a, b)`, or as an array"
    )
