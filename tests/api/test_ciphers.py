"""The library: a cipher's methods do what the command's verbs do."""

from __future__ import annotations

import json
import subprocess
import sys
from html import escape
from pathlib import Path

import pytest

import cipherassay as ca
from cipherassay.errors import DescriptionError, UsageError, VerificationError
from support.places import EXAMPLES, SOURCE

TOY = """
    from cipherassay.lang import *

    toy = Cipher("Toy32", block_bits=32, key_bits=(64,), structure="ARX", source="here")

    @toy.key_schedule
    def key_schedule(key):
        return be_words(key, 16)

    @toy.encrypt
    def encrypt(k, plaintext):
        x, y = be_words(plaintext, 16)
        for r in range(4):
            x = (rotr(x, 7) + y) ^ k[r]
            y = rotl(y, 2) ^ x
        return be_bytes(x, y)
"""


@pytest.fixture(autouse=True)
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_STORE", str(tmp_path / "store"))


def toy32(key: bytes, block: bytes) -> bytes:
    """Return what the toy computes, written without the language."""
    k = [int.from_bytes(key[n : n + 2], "big") for n in range(0, 8, 2)]
    x, y = int.from_bytes(block[:2], "big"), int.from_bytes(block[2:], "big")
    for one in k:
        x = (((x >> 7 | x << 9) + y) & 0xFFFF) ^ one
        y = ((y << 2 | y >> 14) & 0xFFFF) ^ x
    return x.to_bytes(2, "big") + y.to_bytes(2, "big")


def test_importing_takes_nothing_with_it() -> None:
    said = "import sys, cipherassay; print(sorted(n for n in sys.modules if n.startswith('cipherassay')))"
    ran = subprocess.run(
        [sys.executable, "-c", said], capture_output=True, text=True, check=True,
        env={"PYTHONPATH": str(SOURCE)},
    )  # fmt: skip
    assert ran.stdout.strip() == "['cipherassay']"


def test_every_name_is_there() -> None:
    assert set(ca.__all__) <= set(dir(ca))
    for name in ca.__all__:
        assert getattr(ca, name), name
    with pytest.raises(AttributeError, match="module 'cipherassay' has no attribute 'nothing'"):
        _ = ca.nothing


def test_a_cipher_computes() -> None:
    aes = ca.load("aes")
    key, block = bytes(range(16)), bytes.fromhex("00112233445566778899aabbccddeeff")
    wanted = bytes.fromhex("69c4e0d86a7b0430d8cdb78070b4c55a")  # FIPS 197, appendix C.1
    assert aes.encrypt(key, block) == wanted
    assert aes.decrypt(key, wanted) == block
    assert (aes.name, aes.key_bits, aes.block_bits) == ("Rijndael", (128, 192, 256), 128)
    assert repr(aes) == "<Cipher: Rijndael, blocks of 128 bits, keys of 128, 192, 256 bits>"
    assert aes.name in aes._repr_html_()
    with pytest.raises(UsageError, match="U010"):
        aes.encrypt(bytes(3), block)


def test_a_program() -> None:
    rc6 = ca.load("rc6")
    program = rc6.program(192, "shortest-chains")
    assert program.functions == ["key_schedule", "encrypt", "decrypt"]
    keys = program.evaluate("key_schedule", bytes(24))
    assert bytes(program.evaluate("encrypt", *keys, bytes(16))[0]) == rc6.encrypt(bytes(24), bytes(16))  # type: ignore[arg-type]
    assert program.is_constant_time("encrypt")
    assert program.operations("encrypt")["rotl"] >= 80
    assert escape(program.text) in program._repr_html_()
    assert "shortest-chains" in rc6.strategies()


def test_a_description_in_a_cell() -> None:
    toy = ca.cipher(TOY)
    key, block = bytes(range(1, 9)), b"abcd"
    assert toy.encrypt(key, block) == toy32(key, block)
    assert ca.cipher(TOY).file == toy.file
    verdicts = toy.check(draft=True)
    assert verdicts
    assert not toy.check()
    assert "sources" not in verdicts.failed
    assert "Toy32" in verdicts._repr_html_()
    assert "pass" in repr(verdicts)


def test_known_answers_of_a_description() -> None:
    made = toy32(bytes(8), bytes(4)).hex()
    answers = f"T=KAT SET=cell KS=64 I=1 KEY={'00' * 8} PT=00000000 CT="
    assert ca.cipher(TOY, answers + made + "\n").name == "Toy32"
    with pytest.raises(VerificationError, match="K020"):
        ca.cipher(TOY, answers + "deadbeef\n")


def test_a_wrong_description_names_the_line() -> None:
    with pytest.raises(DescriptionError) as caught:
        ca.cipher(TOY.replace("be_words(key, 16)", "undefined(key)")).program()
    assert caught.value.places[0].line == 7
    with pytest.raises(UsageError) as refused:
        ca.cipher(TOY, name="../x")
    assert str(refused.value) == (
        "error[U052]: a description cannot be called `../x`\n   = help: letters, digits and `_`"
    )


def test_the_cell_magic() -> None:
    class Shell:
        def __init__(self) -> None:
            self.user_ns: dict[str, object] = {}
            self.magics: dict[str, object] = {}

        def register_magic_function(self, function: object, kind: str, name: str) -> None:
            assert kind == "cell"
            self.magics[name] = function

    shell = Shell()
    ca.load_ipython_extension(shell)
    made = shell.magics["cipher"]("toy", TOY)  # type: ignore[operator]
    assert shell.user_ns == {"toy": made}
    assert made.name == "Toy32"


def test_emitted_files_are_those_of_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from support.command import assay

    files = ca.load("rc6").emit_c(tmp_path / "mine")
    assert assay(capsys, "emit", "c", "rc6", "-o", str(tmp_path / "command")).code == 0
    for name, text in files.items():
        assert (tmp_path / "mine" / name).read_text() == (tmp_path / "command" / name).read_text() == text
    assert "README.md" in repr(files)
    assert "&lt;stdint.h&gt;" in files._repr_html_()


def test_measured_rows_are_kept() -> None:
    rc6 = ca.load("rc6")
    made = rc6.measure([128], inputs=5, repeats=3, accept_unstable=True)
    assert set(made["operation"]) == {"key_setup_encrypt", "key_setup_decrypt", "encrypt", "decrypt"}
    assert set(made["constant_time"]) == {True}
    again = rc6.rows(level="native")
    assert sorted(again["value"]) == sorted(made["value"])
    assert set(again["run"]) == {f"native/measure/rc6-shortest-chains-128-{name}" for name in set(made["operation"])}


def test_a_schedule_is_that_of_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    from support.command import assay

    found = ca.load("rc6").schedule("mckinley-paper", "encrypt")
    ran = assay(capsys, "measure", "rc6", "--operation", "encrypt", "-p", "mckinley-paper", "--json")
    (known,) = json.loads(ran.out)["kernels"]
    assert (found.cycles, found.bound, found.published) == (
        known["cycles"], known["bound"], known["published"]["cycles"],
    )  # fmt: skip
    assert found.command == "assay measure rc6 --processor mckinley-paper --operation encrypt"
    assert found.source == known["published"]["source"]
    assert f"{found.cycles:g}, bound" in repr(found)
    assert "mckinley-paper" in found._repr_html_()


def test_a_user_cipher_is_scheduled() -> None:
    found = ca.load(EXAMPLES / "present.py").schedule("pa8500", key_bits=80)
    assert found.cycles > 0
    assert found.published is None


def test_what_cannot_be_scheduled() -> None:
    rc6 = ca.load("rc6")
    with pytest.raises(UsageError, match="M002"):
        rc6.schedule("nothing")
    with pytest.raises(UsageError) as caught:
        rc6.schedule("pentium-ii", variant="other")
    assert str(caught.value) == (
        "error[U051]: variants are not scheduled here for `pentium-ii`\n"
        "   = help: assay measure … --processor pentium-ii --variant other"
    )
    assert {"pa8500", "pentium-ii", "avr"} <= set(ca.list_processors())
    assert "rc6" in ca.list_ciphers()


def test_what_no_strategy_is_for() -> None:
    with pytest.raises(UsageError, match="M711"):
        ca.cipher(TOY).schedule("pa8500")


def test_an_operation_that_a_small_processor_does_not_have(monkeypatch: pytest.MonkeyPatch) -> None:
    from cipherassay.api import schedules
    from cipherassay.jobs import Job, Rows
    from cipherassay.results import Row

    row = Row(cipher="RC6", operation="encrypt", metric="cycles", value=1.0, basis="simulated", command="x")
    monkeypatch.setattr(schedules, "_job", lambda *words, **more: Job("x", "x", lambda: Rows([row])))
    with pytest.raises(UsageError) as caught:
        ca.load("rc6").schedule("avr", "decrypt")
    assert str(caught.value) == (
        "error[U050]: RC6 has no `decrypt` on `avr`\n   = help: did you mean `encrypt`? (known: encrypt)"
    )
    refused = Row(metric="refused", value=1, basis="simulated", certificate="E101: why", command="x")
    monkeypatch.setattr(schedules, "_job", lambda *words, **more: Job("y", "y", lambda: Rows([refused])))
    with pytest.raises(DescriptionError) as said:
        ca.load("rc6").schedule("avr", "encrypt")
    assert str(said.value) == "error[E101]: why"
