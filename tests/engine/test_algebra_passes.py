"""Passes by algebraic identities: every cipher computes the same before and after, in both directions."""

from __future__ import annotations

import random

import pytest

from cipherassay import strategies
from cipherassay._engine import Program
from cipherassay.ciphers import load, of_papers

UNROLLED = ["inline-calls", "unroll:most=3000", "fold"]
SCALARS = ["scalars", "fold", "cse", "dce"]
PASSES = {
    "narrow-extracts": ["narrow-extracts"],
    "narrow-extracts, inlined": ["inline-calls", "narrow-extracts"],
    "square-forms": ["square-forms"],
    "square-forms, doublings": ["square-forms:double=shift"],
    "reassociate": ["reassociate"],
    "reassociate, duplicating": ["inline-calls", "reassociate:duplicate=yes,load=4"],
    "hoist-key-only": ["inline-calls", "hoist-key-only"],
    "hoist-key-only, costly only": ["inline-calls", "hoist-key-only:cost=4,split=no"],
    "unrolled": [*UNROLLED, "narrow-extracts", "square-forms", "hoist-key-only", *SCALARS, "reassociate"],
}


def results(program: Program, seed: int) -> list[object]:
    """What encryption and decryption make of random blocks under random keys."""
    source = random.Random(seed)
    known = {f["name"] for f in program.functions()}
    found: list[object] = []
    for _ in range(3):
        key = source.randbytes(int(program.meta["key_bits"]) // 8)
        for direction in ("encrypt", "decrypt"):
            own = direction == "decrypt" and "key_schedule_decrypt" in known
            keys = program.evaluate("key_schedule_decrypt" if own else "key_schedule", [key])
            found += [program.evaluate(direction, [*keys, source.randbytes(16)]) for _ in range(4)]
    return found


@pytest.mark.parametrize("cipher", of_papers())
@pytest.mark.parametrize("passes", PASSES)
def test_a_cipher_computes_the_same_after_a_pass(cipher: str, passes: str) -> None:
    for key_bits in (128, 256):
        program = load(cipher).compile(key_bits)
        changed = program.passes(PASSES[passes], strategies.circuits())
        assert results(changed, key_bits) == results(program, key_bits)
        assert Program.parse(changed.text()).text() == changed.text()


@pytest.mark.parametrize("form", ["full-keying", "minimal-keying", "partial-keying"])
def test_keying_options_compute_the_same_after_the_passes(form: str) -> None:
    program = load("twofish").compile(192, form=form)
    changed = program.passes(["inline-calls", "narrow-extracts", "hoist-key-only", "reassociate"])
    assert results(changed, 1) == results(program, 1)


def test_the_inverses_of_e2_move_into_the_key_schedule() -> None:
    program = load("e2").compile(128)
    changed = program.passes(["inline-calls", "hoist-key-only", "dce"])
    inlined = program.passes(["inline-calls"])
    products = [p.statistics("decrypt")["mul"]["dynamic"] for p in (inlined, changed)]
    assert products == [40, 8]
    assert "from the key schedule" in changed.meta["hoisted_encrypt"]


def test_rc6_takes_odd_keys_from_the_key_schedule() -> None:
    changed = load("rc6").compile(128).passes([*UNROLLED, "hoist-key-only"])
    assert changed.meta["hoisted_encrypt"].startswith("u32[40] from the key schedule")


def test_rc6_squares_in_decryption() -> None:
    program = load("rc6").compile(128).passes(["square-forms:function=decrypt"])
    body = program.text().split("func @decrypt")[1]
    assert "mul %C.2, %C.2" in body


def test_twofish_needs_no_rotation_by_eight() -> None:
    program = load("twofish").compile(128, form="full-keying").passes(["narrow-extracts"])
    assert "rotl %R.5, 8" not in program.text().split("func @encrypt")[1]


def test_a_function_that_no_cipher_has_is_refused() -> None:
    from cipherassay.errors import AssayError

    with pytest.raises(AssayError) as raised:
        load("rc6").compile(128).passes(["reassociate:function=encypt"])
    assert raised.value.code == "S015"
    assert raised.value.message == "the option `function` of a pass names no function: `encypt`"
