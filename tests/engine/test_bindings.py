"""The bindings of the engine: programs from text, evaluation, traces, errors as the package's classes."""

from __future__ import annotations

import re

import pytest

from cipherassay import _engine
from cipherassay._engine import Program
from cipherassay.errors import DescriptionError, Place, UsageError
from support.places import ROOT

TEXT = """program "p" {
  meta "key_bits" = "8"
  file 0 "a.py"
}

func @encrypt(%k: u8, %x: u8[2]) -> (u8[2]) {
  %a: u8 = load %x[0]
  %b: u8 = load %x[1]
  %c: u8 = add %a, %k                                           @3:5
  %1: u8 = xor %b, %c
  %y: u8[2] = array %1, %c
  return %y
}

func @rows(%r: u8[2][2]) -> (u8, u64) {
  %a: u8, %b: u8 = load %r[1]
  return %b, 0xffffffffffffffff
}
"""


@pytest.fixture
def program() -> Program:
    return Program.parse(TEXT)


def test_a_program_tells_what_it_is(program: Program) -> None:
    assert program.text() == TEXT
    assert program.name == "p"
    assert program.meta == {"key_bits": "8"}
    assert program.functions() == [
        {"name": "encrypt", "params": [("k", "u8"), ("x", "u8[2]")], "results": ["u8[2]"]},
        {"name": "rows", "params": [("r", "u8[2][2]")], "results": ["u8", "u64"]},
    ]
    assert repr(program) == '<Program "p" with 2 functions>'


def test_arguments_are_numbers_bytes_lists_and_rows(program: Program) -> None:
    assert program.evaluate("encrypt", [10, b"\x01\x02"]) == [[2 ^ 11, 11]]
    assert program.evaluate("encrypt", [10, [1, 2]]) == [[2 ^ 11, 11]]
    assert program.evaluate("rows", [[[1, 2], [3, 4]]]) == [4, 2**64 - 1]
    assert program.evaluate("rows", [[1, 2, 3, 4]]) == [4, 2**64 - 1]


def test_blocks_follow_the_keys(program: Program) -> None:
    assert program.run_blocks("encrypt", [10], bytes([1, 2, 3, 4])) == bytes([2 ^ 11, 11, 4 ^ 13, 13])


def test_chains_feed_outputs_back(program: Program) -> None:
    one = program.run_blocks("encrypt", [10], b"\x01\x02")
    two = program.run_blocks("encrypt", [10], one)
    assert program.run_chain("encrypt", [10], "ecb", b"", b"\x01\x02", 2) == (two, one)
    assert program.run_chain("encrypt", [10], "cbc_encrypt", b"\x01\x02", b"\0\0", 1) == (one, b"\0\0")
    with pytest.raises(UsageError) as caught:
        program.run_chain("encrypt", [10], "cfb", b"", b"\0\0", 1)  # type: ignore[arg-type]
    assert str(caught.value) == (
        "error[P211]: there is no chain `cfb`\n   = help: known: cbc_decrypt, cbc_encrypt, ecb"
    )


def test_a_trace_gives_named_values(program: Program) -> None:
    events = program.trace("encrypt", [10, b"\x01\x02"])
    assert [(e["name"], e["value"]) for e in events] == [("a", 1), ("b", 2), ("c", 11), ("y", [2 ^ 11, 11])]
    assert events[2]["places"] == (Place("a.py", 3, 5),)
    assert events[2]["function"] == "encrypt"
    assert events[2]["iterations"] == ()


def test_operations_are_counted(program: Program) -> None:
    assert program.statistics("encrypt")["load"] == {"static": 2, "dynamic": 2}


def test_a_text_that_is_wrong_is_a_description_error() -> None:
    with pytest.raises(DescriptionError) as caught:
        Program.parse(TEXT.replace("add %a", "ad %a"))
    assert str(caught.value) == (
        "error[P001]: the text does not follow the grammar of programs\n"
        "  --> program text:9:12\n"
        "   = expected an operation\n"
        "   = found `ad`"
    )


def test_a_program_that_is_wrong_is_a_description_error() -> None:
    with pytest.raises(DescriptionError) as caught:
        Program.parse(TEXT.replace("add %a, %k", "add %a, 256"))
    assert str(caught.value) == (
        "error[P110]: the number 256 does not fit u8\n"
        "  --> a.py:3:5\n"
        "   = expected 0 to 255\n"
        "   = in function `encrypt`: %c: u8 = add %a, 0x100"
    )


@pytest.mark.parametrize(
    ("function", "args", "message"),
    [
        ("encode", [], "error[P203]: the program has no function `encode`\n   = help: known: encrypt, rows"),
        ("encrypt", [1], "error[P209]: `encrypt` takes 2 arguments, not 1"),
        (
            "encrypt",
            [1, -1],
            "error[P210]: an argument of type int is no value of a program\n"
            "   = help: give an int from 0 to 2^64 - 1, bytes, or a list of such ints",
        ),
        (
            "encrypt",
            [1, b"abc"],
            "error[P204]: argument `x` of `encrypt` has a wrong value\n"
            "   = expected u8[2]\n"
            "   = found 3 numbers",
        ),
    ],
)
def test_a_wrong_call_is_a_usage_error(
    program: Program, function: str, args: list[int], message: str
) -> None:
    with pytest.raises(UsageError) as caught:
        program.evaluate(function, args)
    assert str(caught.value) == message


def test_counting_an_unknown_function_is_a_usage_error(program: Program) -> None:
    with pytest.raises(UsageError, match="P203"):
        program.statistics("none")


def test_generated_programs_are_sound_and_repeatable() -> None:
    for seed in range(20):
        text = _engine.generate(seed, 40)
        assert Program.parse(text).text() == text == _engine.generate(seed, 40)


def test_every_crate_of_the_engine_has_a_digest() -> None:
    digests = _engine.crate_digests()
    folders = {path.parent.name for path in (ROOT / "crates").glob("*/Cargo.toml")}
    assert set(digests) == folders - {"digest"}  # that one computes them
    assert all(re.fullmatch("[0-9a-f]{32}", digest) for digest in digests.values())
    assert len(set(digests.values())) == len(digests)
