"""The pass pack-bytes: every cipher, form, key size and option computes the same, and the ciphers take the shapes wanted."""

from __future__ import annotations

import random

import pytest

from cipherassay._engine import Program
from cipherassay.ciphers import Cipher, load, of_papers
from support.usual import usual

OPTIONS = [
    f"pack-bytes:width={width},layer={layer},tables={tables}"
    for width in (32, 64)
    for layer in ("shifts", "words", "words-in-key-schedule", "double-words")
    for tables in ("full", "rotated", "masked")
] + ["pack-bytes:width=64,function=key_schedule", "pack-bytes:function=encrypt+decrypt"]

USUAL = (("e2", "word-tables"), ("rijndael", "word-serial"), ("twofish", "full-keying"))
"""The forms that run every time, beside that of the papers."""


def all_forms() -> list[tuple[str, str]]:
    """Return every cipher's forms."""
    return [(name, form) for name in of_papers() for form in ["", *load(name).forms]]


def outputs(program: Program, key: bytes, block: bytes) -> list[object]:
    """Return both directions of a block under a key, by the evaluator."""
    known = {function["name"] for function in program.functions()}
    found: list[object] = []
    for direction in sorted(known & {"encrypt", "decrypt"}):
        own = direction == "decrypt" and "key_schedule_decrypt" in known
        keys = program.evaluate("key_schedule_decrypt" if own else "key_schedule", [key])
        found.append(program.evaluate(direction, [*keys, block]))
    return found


def same(program: Program, changed: Program, key_bits: int, seed: int) -> None:
    source = random.Random(seed)
    key, block = source.randbytes(key_bits // 8), source.randbytes(16)
    assert outputs(program, key, block) == outputs(changed, key, block)
    assert Program.parse(changed.text()).text() == changed.text()


@pytest.mark.parametrize(("name", "form"), usual(all_forms(), [*((name, "") for name in of_papers()), *USUAL]))
def test_packed_ciphers_compute_the_same(name: str, form: str) -> None:
    cipher = load(name)
    for key_bits in cipher.key_bits:
        program = cipher.compile(key_bits, form=form)
        for seed, option in enumerate(OPTIONS):
            same(program, program.passes(["inline-calls", option]), key_bits, seed)
            same(
                program,
                program.passes(["inline-calls", "fold", option, "fold", "cse", "dce"]),
                key_bits,
                seed,
            )


def packed(cipher: Cipher, form: str, option: str) -> Program:
    return cipher.compile(128, form=form).passes(
        ["inline-calls", "unroll:tag=steps", "fold", option, "fold", "cse", "dce"]
    )


def function_text(program: Program, name: str) -> str:
    text = program.text()
    start = text.index(f"func @{name}(")
    return text[start : text.index("\n}\n", start)]


def test_rijndael_becomes_four_words_and_sixteen_lookups() -> None:
    program = packed(load("rijndael"), "equivalent-inverse", "pack-bytes")
    for name in ("encrypt", "decrypt"):
        text = function_text(program, name)
        body = text[text.index("body ") : text.index("yield ")]
        assert text.startswith(f"func @{name}(%{'W' if name == 'encrypt' else 'D'}: u32[44], ")
        assert body.count(": u32 = lookup @") == 16
        assert body.count(": u8 = extract ") == 16
        assert body.count(" = xor ") == 16
        assert body.count("\n") == 4 + 16 + 16 + 16 + 1
    assert function_text(program, "key_schedule_decrypt").count("lookup @INV_MIX_COLUMN_") == 4 * 36


def test_tables_that_are_rotations_are_made_once() -> None:
    full = packed(load("rijndael"), "equivalent-inverse", "pack-bytes").text()
    rotated = packed(load("rijndael"), "equivalent-inverse", "pack-bytes:tables=rotated").text()
    assert full.count("table @S_MIX_COLUMN_") == 4
    assert rotated.count("table @S_MIX_COLUMN_") == 1
    assert rotated.count(" = rotl ") == 12 + 12 + 3 * 36


def test_e2_has_one_lookup_for_each_byte_of_both_layers() -> None:
    program = packed(load("e2"), "stored-inverses", "pack-bytes:width=64,layer=words")
    text = function_text(program, "encrypt")
    body = text[text.index("body ") : text.index("yield ")]
    assert body.count(": u64 = lookup @s_P_MATRIX_") == 8
    assert body.count(": u32 = lookup @s_") == 8
    assert body.count(": u8 = extract ") == 16
    assert "linear" not in program.text()


def test_one_table_of_double_words_and_masks_serve_both_layers_of_e2() -> None:
    """NTT's 2 KiB with eight masks: the S-box everywhere in a double word, of which masks keep bytes."""
    program = packed(
        load("e2"), "stored-inverses", "pack-bytes:width=64,layer=double-words,tables=masked"
    )
    assert [line for line in program.text().splitlines() if line.startswith("table @s_")] == [
        "table @s_everywhere: u64[256] = ["
    ]
    text = function_text(program, "encrypt")
    body = text[text.index("body ") : text.index("yield ")]
    assert body.count(": u64 = lookup @s_everywhere[") == 16
    assert body.count(": u64 = and ") == 16
    # The masks of the first layer are columns of P, those of the second one byte each.
    assert ", 0xff00ffffffffff00 " in body
    assert all(f", {0xFF << 8 * k:#x} " in body for k in range(8))


def test_twofish_merges_its_last_permutation_with_the_matrix() -> None:
    program = packed(load("twofish"), "full-keying", "pack-bytes")
    text = function_text(program, "key_schedule")
    assert "linear" not in program.text()
    assert {f"@q{n}_MDS_{j}[" in text for j, n in enumerate((1, 0, 1, 0))} == {True}
    assert {f"@RS_{n}[" in text for n in range(8)} == {True}


def test_ciphers_without_bytes_stay_as_they_are() -> None:
    for name in ("rc6", "serpent"):
        program = load(name).compile(128)
        assert program.passes(["pack-bytes"]).text() == program.text()
