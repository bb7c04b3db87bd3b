"""What the engine refuses: programs, keys, matrices, designs, instructions; each error to the letter."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from cipherassay import _engine, processors
from cipherassay._engine import Design, DesignSimulation, Kernel, Program, StepSequence, X86Function
from cipherassay.ciphers import load
from cipherassay.errors import DescriptionError, UsageError
from cipherassay.hardware.rtl import build
from support.refusals import refusal

SCHEDULE = """func @key_schedule(%key: u8[16]) -> (u8[16]) {
  %x: u8 = load %key[0]
  %K: u8[16] = store %key[1], %x
  return %K
}
"""
ENCRYPT = """func @encrypt(%K: u8[16], %B: u8[16]) -> (u8[16]) {
  %x: u8 = load %B[0]
  %C: u8 = rounds 4 "i" from 0 step 1 (%x) {
    body 0..3 (%i: index, %d: u8) {
      %k: u8 = load %K[%i]
      %e: u8 = xor %d, %k
      yield %e
    }
  }
  %R: u8[16] = store %B[0], %C
  return %R
}
"""
DECRYPT = ENCRYPT.replace("@encrypt", "@decrypt")
CIPHER = "\n".join((SCHEDULE, ENCRYPT, DECRYPT))


def program(text: str) -> Program:
    return Program.parse('program "t" {\n}\n\n' + text)


@pytest.mark.parametrize(("emit", "language"), [(_engine.emit_c, "C"), (_engine.emit_java, "Java")])
def test_programs_that_are_no_cipher(emit: Callable[..., object], language: str) -> None:
    assert refusal(UsageError, emit, [(128, program(ENCRYPT))], {}) == (
        "error[S001]: the program `t` has no function `key_schedule`\n"
        f"   = help: {language} is written for ciphers with key_schedule and encrypt"
    )
    other = CIPHER.replace("u8[16]) {\n  %x: u8 = load %key[0]\n", "u32[4]) {\n").replace(
        "%K: u8[16],", "%K: u32[4],"
    )
    other = other.replace("%K: u8[16] = store %key[1], %x", "%K: u32[4] = array 1, 2, 3, 4")
    other = other.replace("%k: u8 = load %K[%i]", "%w: u32 = load %K[%i]\n      %k: u8 = extract %w, 0")
    sizes = [(128, program(CIPHER)), (192, program(other))]
    assert refusal(UsageError, emit, sizes, {}) == (
        "error[S002]: the keys of `encrypt` have other types for 192 key bits\n"
        f"   = help: write {language} for these key sizes one by one"
    )
    assert refusal(UsageError, emit, [], {}) == (
        "error[S004]: there is no program to write\n   = help: give one for each key size"
    )


def test_the_time_of_a_function_that_is_not_there() -> None:
    assert refusal(UsageError, program(CIPHER).constant_time, "encode") == (
        "error[S003]: there is no function `encode`\n   = help: known: key_schedule, encrypt, decrypt"
    )


@pytest.mark.parametrize("key", ["", "xy", "abc", "+1", "ä"])
def test_keys_that_are_not_hexadecimal(key: str) -> None:
    assert refusal(UsageError, program(CIPHER).passes, [f"specialize:key={key}"]) == (
        f"error[S012]: the key `{key}` of the pass `specialize` is not hexadecimal\n"
        "   = help: two digits for each byte: key=000102…"
    )


def test_words_that_are_not_split() -> None:
    text = "func @g(%x: u32) -> (u32) {\n  return %x\n}\n\n"
    text += "func @f(%x: u32) -> (u32) {\n  %r: u32 = call @g(%x)\n  return %r\n}\n"
    assert refusal(UsageError, program(text).passes, ["split-words:width=16"]) == (
        "error[P301]: `split-words` cannot split a call of `g`; inline it first"
    )


def test_options_of_passes_that_cannot_be() -> None:
    assert refusal(UsageError, program(CIPHER).passes, ["split-words:width=12"]) == (
        "error[S016]: words are split into 8, 16 or 32 bits, not 12"
    )
    assert refusal(UsageError, program(CIPHER).passes, ["machine-words:width=12"]) == (
        "error[S043]: registers have 8, 16, 32 or 64 bits, not 12"
    )
    assert refusal(UsageError, program(CIPHER).passes, ["unroll:factor=0"]) == (
        "error[S017]: the option `factor` of a pass cannot be 0"
    )


def test_an_array_that_is_too_large() -> None:
    assert refusal(DescriptionError, program, "func @f(%x: u8[2048][1024]) -> (u8) {\n  return 0\n}\n") == (
        "error[P008]: an array type has too many elements\n  --> program text:4:15\n   = expected at most 1048576"
    )


def test_code_for_x86_of_other_objects_than_the_function_has() -> None:
    select = X86Function.select
    assert refusal(UsageError, select, program(CIPHER), "encode", [], [], [], "w", 0) == (
        "error[X005]: the program has no function `encode`"
    )
    assert refusal(UsageError, select, program(CIPHER), "encrypt", [], [], [], "w", 0) == (
        "error[X006]: places of (0, 0, 0) parameters, results and tables are given, not of (2, 1, 0)"
    )


@pytest.mark.parametrize("rows", [[], [b"\x01\x02", b"\x01"]])
def test_a_layer_that_is_no_matrix(rows: list[bytes]) -> None:
    boxes = [0] * len(rows)
    assert (
        refusal(DescriptionError, _engine.layout_search, rows, boxes, None, 32, [], 10, lambda _: False)
        == "error[L101]: the rows of a matrix have one length, and a matrix has rows"
    )


def test_an_unknown_family_of_layouts() -> None:
    text = refusal(UsageError, _engine.layout_search, [b"\1"], [0], None, 32, ["odd"], 10, lambda _: False)
    assert text.startswith("error[L104]: there is no family of layouts `odd`\n   = help: ")


def test_matrices_that_are_not_searched() -> None:
    assert refusal(UsageError, _engine.linear_fewest, 9, [511], 3, lambda _: False) == (
        "error[C124]: a matrix of 9 columns is not exhausted\n   = help: 8 columns at most are"
    )
    limits = (1, 2, 3, 4)
    words = _engine.linear_words
    assert refusal(UsageError, words, [b"\1"], 0, 1, True, False, "{", limits, lambda _: False).startswith(
        "error[C125]: the machine cannot be read: EOF while parsing"
    )


def test_circuits_that_cannot_be_read() -> None:
    assert refusal(DescriptionError, _engine.circuit_write, "{}", "{}") == (
        "error[C217]: the target cannot be read: missing field `name` at line 1 column 2"
    )


STEPS = {
    "H103": (
        "g",
        "func @f(%x: u8) -> (u8) {\n  return %x\n}\n",
        "error[H103]: the program has no function `g`\n   = help: known: f",
    ),
    "H104 read": (
        "f",
        "func @f(%x: u8) -> (u8[2]) {\n  %a: u8[2] = array\n  %b: u8 = load %a[1]\n"
        "  %c: u8[2] = store %a[0], %b\n  return %c\n}\n",
        "error[H104]: `a[1]` is read before it is written",
    ),
    "H104 returned": (
        "f",
        "func @f(%x: u8) -> (u8[2]) {\n  %a: u8[2] = array\n  %c: u8[2] = store %a[0], %x\n  return %c\n}\n",
        "error[H104]: `a[1]` is returned but never written",
    ),
    "H101": (
        "f",
        "func @f(%a: u8[4][4], %x: u2) -> (u8) {\n  %r: u8 = load %a[%x][0]\n  return %r\n}\n",
        "error[H101]: `a` is accessed at a place that depends on data\n"
        "   = help: data may choose one word of a row, by a word to which only numbers are added",
    ),
    "H318": (
        "f",
        "func @f(%a: u64[8192], %x: u13) -> (u64) {\n  %r: u64 = load %a[%x]\n  return %r\n}\n",
        "error[H318]: `a` is accessed too often in a clock at places that depend on data\n"
        "   = multiplexers of 1048448 gate equivalents and more, at most 1000000: 8192 words of 64 bits take 1048448 each "
        "time\n   = help: in an iterative device each iteration of `rounds` has a clock of its own",
    ),
}


@pytest.mark.parametrize("case", STEPS)
def test_functions_that_are_not_cut_into_steps(case: str) -> None:
    function, text, error = STEPS[case]
    assert refusal(DescriptionError, StepSequence.of, program(text), function) == error


def test_directions_of_different_steps() -> None:
    longer = DECRYPT.replace("rounds 4", "rounds 5").replace("0..3", "0..4")
    one = program("\n".join((SCHEDULE, ENCRYPT, longer)))
    design = Design.build("d", "pipelined", [(128, one)], True, True)
    assert {latency for _, _, _, latency, _ in design.timing()} == {8}


def test_a_design_without_its_pins_or_in_another_language() -> None:
    design = build.build(load("rc6"), "iterative").design
    assert refusal(UsageError, DesignSimulation(design).clock, {}) == (
        "error[H201]: the pin `load_key` needs 1 words"
    )
    assert refusal(UsageError, design.files, "pascal") == (
        "error[H404]: designs are not written in `pascal`\n   = help: known: verilog, vhdl"
    )


@pytest.mark.parametrize(
    ("instruction", "uses", "error"),
    [
        ("nothing", [], "error[M022]: `ia64` has no instruction `nothing`"),
        ("add", [1], "error[M024]: `add` reads 2 operands, here are 1"),
        ("ld4", [4096], "error[M025]: `ld4` reaches 0x1000, outside of the memory"),
    ],
)
def test_instructions_that_cannot_be_executed(instruction: str, uses: list[int], error: str) -> None:
    assert refusal(UsageError, processors.load("mckinley").execute, instruction, uses) == error


LOOP = """func @f(%x: u32[8]) -> (u32[8]) {
  %r: u32[8] = array 1, 2, 3, 4, 5, 6, 7, 8
  %C: u32[8] = rounds 4 "i" from 0 step 1 (%r) {
    body 0..3 (%i: index, %D: u32[8]) {
      %E: u32[8] = store %D[%i], 1
      yield %E
    }
  }
  return %C
}
"""
BODIES = LOOP.replace(
    "    body 0..3",
    """    body 0..1 (%j: index, %F: u32[8]) {
      %G: u32[8] = store %F[%j], 2
      yield %G
    }
    body 2..3""",
)
NESTED = LOOP.replace(
    "      %E: u32[8] = store %D[%i], 1\n",
    """      %E: u32[8] = rounds 2 "j" from 0 step 1 (%D) {
        body 0..1 (%j: index, %F: u32[8]) {
          %G: u32[8] = store %F[2*%i + %j], 1
          yield %G
        }
      }
""",
)
SELECTIONS = {
    "M201 nested": (
        NESTED,
        "error[M201]: no instructions are selected for `rounds`\n   = help: the pass `unroll` replaces it",
    ),
    "M201 quotient": (
        LOOP.replace("%E: u32", "%q: index = index_div %i, 2\n      %E: u32").replace("%D[%i]", "%D[%q]"),
        "error[M201]: no instructions are selected for `index_div`\n   = help: the pass `unroll` replaces it",
    ),
    "M208": (
        LOOP.replace("%D[%i]", "%D[ring %i]"),
        "error[M208]: an address that wraps around remains\n"
        "   = help: the pass `unroll:factor=ring` makes such addresses known",
    ),
    "M201": (
        "matrix @M: gf(2) = [\n  [1, 1],\n  [0, 1]\n]\n\nfunc @f(%x: u32[1]) -> (u32[1]) {\n"
        "  %w: u32 = load %x[0]\n  %a: u1 = extract %w, 0\n  %b: u1, %c: u1 = linear @M %a, %a\n"
        "  %d: u32 = zext %b\n  %r: u32[1] = array %d\n  return %r\n}\n",
        "error[M201]: no instructions are selected for `linear`\n"
        "   = help: the pass `lower-linear` replaces it",
    ),
    "M202": (
        "func @f(%x: u64[2]) -> (u64[2]) {\n  %a: u64 = load %x[0]\n  %r: u64[2] = array %a, %a\n  return %r\n}\n",
        "error[M202]: a word of 64 bits does not fit a register of 32\n"
        "   = help: the pass `machine-words:width=32` makes it from words that do",
    ),
    "M203": (
        "func @f(%x: u32[2]) -> (u32[2]) {\n  %a: u32 = load %x[0]\n  %r: u32[2] = array %a, %a\n"
        "  %s: u32[2] = store %r[0], 1\n  %b: u32 = load %r[0]\n  %t: u32[2] = store %s[1], %b\n  return %t\n}\n",
        "error[M203]: the array `r` is needed as it was before a store\n"
        "   = a kernel changes its arrays in place\n"
        "   = help: load from the array that the store gave",
    ),
    "M205": (
        BODIES,
        "error[M205]: the iterations of a loop run different bodies\n"
        "   = help: the pass `unroll:factor=period` makes them one",
    ),
    "M206": (
        "func @f(%x: u32[2]) -> (u32[2]) {\n  %a: u32 = load %x[0]\n  %r: u32[2] = store %x[1], %a\n  return %r\n}\n",
        "error[M206]: the parameter `x` is changed\n"
        "   = help: a kernel does not write what it is given: store into an array of its own",
    ),
}


@pytest.mark.parametrize("case", SELECTIONS)
def test_programs_without_instructions(case: str) -> None:
    text, error = SELECTIONS[case]
    processor = processors.load("sifive-e31" if case == "M202" else "pa8500")
    options = ([], 2, True, 0, "cheaper", False)
    assert refusal(DescriptionError, Kernel.select, program(text), "f", processor, *options) == error
