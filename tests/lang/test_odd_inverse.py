"""The inverse modulo 2^w: every strategy is right, in the language, in programs and in C."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from cipherassay import ciphers
from cipherassay.errors import AssayError, VerificationError
from cipherassay.lang import Cipher, le_bytes, le_words, odd_inverse, vec
from cipherassay.lang.odd_inverse import STRATEGIES, inverse_strategy
from cipherassay.lang.word import Word
from cipherassay.studies.aoki1999 import inverses
from support.command import assay

Capture = pytest.CaptureFixture[str]
IN_PROGRAMS = [name for name in STRATEGIES if name != "euclid"]


@pytest.mark.parametrize("name", STRATEGIES)
@pytest.mark.parametrize("width", [1, 2, 3, 5, 8, 16, 31, 32, 64])
def test_every_strategy_inverts(name: str, width: int) -> None:
    chance = random.Random(width)
    some = [chance.getrandbits(width) | 1 for _ in range(200)]
    with inverse_strategy(name):
        for x in range(1, 1 << width, 2) if width <= 8 else some:
            assert odd_inverse(Word(width, x)).value == pow(x, -1, 1 << width)


@pytest.mark.parametrize("name", STRATEGIES)
def test_every_strategy_inverts_as_c(name: str) -> None:
    inverses.check([name])


def test_a_wrong_strategy_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(STRATEGIES, "newton", lambda x: x * (2 - x * x))
    with pytest.raises(VerificationError, match=r"N071.*`newton` does not invert 0x[0-9a-f]+ modulo 2\^"):
        inverses.check(["newton"])


def toy() -> Cipher:
    cipher = Cipher("Toy", key_bits=(128,), structure="other", source="test")

    @cipher.key_schedule
    def key_schedule(key: vec) -> vec:
        return vec(*[odd_inverse(word) for word in le_words(key) | 1])

    @cipher.encrypt
    def encrypt(keys: vec, block: vec) -> vec:
        return le_bytes(le_words(block) * keys)

    @cipher.decrypt
    def decrypt(keys: vec, block: vec) -> vec:
        return le_bytes(le_words(block) * vec(*[odd_inverse(word) for word in keys]))

    return cipher


@pytest.mark.parametrize("name", IN_PROGRAMS)
def test_programs_of_every_strategy_agree(name: str) -> None:
    """Compiling compares the program with the plain function on random words."""
    with inverse_strategy(name):
        text = toy().compile(128).text()
    assert (" mul " in text.split("@encrypt")[0]) == (name in ("newton", "zassenhaus"))


def test_e2_with_every_strategy(tmp_path: Path) -> None:
    """The cipher's file with the operation in place of the steps written out."""
    text = (Path(ciphers.__file__).parent / "e2.py").read_text(encoding="utf-8")
    file = tmp_path / "e2.py"
    file.write_text(text.replace("inverse_mod(b)", "odd_inverse(b)"), encoding="utf-8")
    written, meant = ciphers.load("e2").compile(128), ciphers.load(file)
    key, block = bytes(range(16)), bytes(range(16, 32))
    expected = written.evaluate("encrypt", [*written.evaluate("key_schedule", [key]), block])
    texts = set()
    for name in IN_PROGRAMS:
        with inverse_strategy(name):
            program = meant.compile(128)
        assert program.evaluate("encrypt", [*program.evaluate("key_schedule", [key]), block]) == expected
        texts.add(program.text())
    assert len(texts) == len(IN_PROGRAMS)


def test_errors() -> None:
    with pytest.raises(AssayError) as caught, inverse_strategy("euklid"):
        pass
    assert str(caught.value).startswith("error[D038]: there is no way to invert called `euklid`\n")
    assert "known: newton, zassenhaus, hensel, binary, euclid" in str(caught.value)
    with inverse_strategy("euclid"), pytest.raises(AssayError, match="D037.*divides, which a program cannot"):
        toy().compile(128)


def test_a_width_that_is_not_served(capsys: Capture) -> None:
    ran = assay(capsys, "study", "inverse", "--word-size", "24")
    assert (ran.err, ran.code) == (
        "error[N070]: words of 24 bits are not inverted\n   = help: 8, 16, 32 or 64\n",
        2,
    )


def test_the_command_measures(capsys: Capture) -> None:
    ran = assay(capsys, "study", "inverse", "--word-size", "32", "--accept-unstable", "--json")
    assert ran.code == 0, ran.err
    cycles = {row["strategy"]: row["value"] for row in ran.json["rows"]}
    assert list(cycles) == list(STRATEGIES)
    assert cycles["newton"] < cycles["hensel"]
