"""Ciphers of other shapes: what is refused, to the letter; emitted folders, test benches, pictures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from cipherassay.ciphers import load
from cipherassay.cli.measure.small import known_operation
from cipherassay.embedded.budget.counting import counted
from cipherassay.embedded.processors.avr.text import AVR
from cipherassay.embedded.ram_budget import budgeted
from cipherassay.errors import AssayError, ToolError
from cipherassay.hardware.emission.emitting import pictures
from cipherassay.hardware.rtl.build import WITH_INTERFACE, build, key_version, key_versions
from cipherassay.hardware.simulation import simulators
from cipherassay.hardware.simulation.checking import check
from cipherassay.hardware.simulation.vectors import vectors
from support import byte_programs, emitted_folders
from support.command import assay
from support.other_shapes import FILES


@pytest.mark.parametrize(
    ("cipher", "words"),
    [
        pytest.param("aria", ("asm", "--processor", "avr"), marks=pytest.mark.slow),
        ("xtea", ("asm", "--processor", "mcs51")),
        ("des", ("c",)),
    ],
)
def test_a_folder_does_what_its_readme_says(
    cipher: str, words: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kind, *options = words
    ran = assay(capsys, "emit", kind, str(FILES[cipher]), *options, "-o", str(tmp_path))
    assert ran.code == 0, ran.err
    missing = emitted_folders.run(tmp_path)
    if missing:
        pytest.skip(f"not on this machine, so these steps were left out: {', '.join(missing)}")


@pytest.mark.parametrize("simulator", ["icarus", "ghdl"])
@pytest.mark.parametrize("cipher", ["xtea", "threefish256"])
def test_emitted_test_benches_of_other_block_sizes(cipher: str, simulator: str) -> None:
    device = build(load(FILES[cipher]), "pipelined")
    try:
        verdict = check(device, vectors(device, 128), simulators.simulator(simulator))
    except ToolError as missing:
        pytest.skip(str(missing))
    verdict.demand()


def refusal(call: Callable[[], object]) -> str:
    with pytest.raises(AssayError) as refused:
        call()
    return str(refused.value)


def test_key_versions_are_the_ciphers_own_sizes() -> None:
    assert key_version(load(FILES["loki97"]), "") == ("256", (256,))
    assert key_version(load("rc6"), "3in1") == ("3in1", (128, 192, 256))
    assert key_version(load("rc6"), "256+128") == ("128+256", (128, 256))
    assert key_version(load("rc6"), "192+256+128") == ("3in1", (128, 192, 256))
    assert key_version(load("cast256"), "5in1")[1] == (128, 160, 192, 224, 256)
    assert key_versions(load("tdes")) == ("192", "2in1")
    assert key_versions(load(FILES["loki97"])) == ("256",)
    assert refusal(lambda: key_version(load(FILES["present"]), "96")) == (
        "error[H306]: there is no key version `96`\n   = help: known: 80, 128, 2in1"
    )
    for word in ("80+96", "3in1", "80+", "+", "080"):
        assert refusal(lambda word=word: key_version(load(FILES["present"]), word)) == (
            f"error[H306]: there is no key version `{word}`\n   = help: known: 80, 128, 2in1"
        )


BLOCKS_OF_40_BITS = """\
from cipherassay.lang import *

odd = Cipher("Odd", block_bits=40, key_bits=(40,), structure="SPN", source="[s]")
odd.key_schedule(lambda key: key)
odd.encrypt(lambda key, plaintext: plaintext ^ key)
odd.decrypt(lambda key, ciphertext: ciphertext ^ key)
"""


@pytest.mark.parametrize("architecture", WITH_INTERFACE)
@pytest.mark.parametrize("simulator", ["own", "icarus", "ghdl"])
def test_devices_have_blocks_of_any_number_of_bytes(architecture: str, simulator: str, tmp_path: Path) -> None:
    file = tmp_path / "odd.py"
    file.write_text(BLOCKS_OF_40_BITS)
    device = build(load(file), architecture)
    chosen = simulators.simulator(simulator)
    if reason := chosen.available():
        pytest.skip(reason)
    tests = vectors(device, 8)
    check(device, tests, chosen).demand()
    wrong = replace(tests[3], expected=tests[3].expected[:-1] + bytes([tests[3].expected[-1] ^ 1]))
    with pytest.raises(AssayError) as refused:
        check(device, [*tests[:3], wrong, *tests[4:]], chosen).demand()
    found, right = tests[3].expected[-1], wrong.expected[-1]
    assert refused.value.notes[0] == (
        f"vector 3 ({tests[3].title}): word 4 is {found:02x}, expected {right:02x}"
    )


@pytest.mark.parametrize(
    ("cipher", "reason"),
    [
        ("aria", "ARIA: decryption has a key schedule of its own"),
        ("present", "PRESENT: its round keys are words of 1 bits, no whole bytes"),
        ("oneway96", "OneWay96: it has no `decrypt`, and the code within a budget is for both directions"),
    ],
)
def test_budgets_of_ram_that_a_cipher_does_not_suit(cipher: str, reason: str) -> None:
    described = load(FILES[cipher])
    for call in (
        lambda: budgeted(described, described.key_bits[0], 200),
        lambda: counted(described, described.key_bits[0]),
    ):
        assert refusal(call) == (
            f"error[E155]: there are no budgets of RAM for {reason}\n"
            "   = help: code without a budget keeps all round keys: leave out `--ram` and `--ram-calls`"
        )


SEARCHING = """\
from cipherassay.lang import *

odd = Cipher("Odd", block_bits=64, key_bits=(64,), structure="Feistel", source="[s]")

@odd.key_schedule
def key_schedule(key):
    k, K = array(u32, 2), array(u32, 8)
    k[:] = le_words(key)
    s = u32(0)
    for i in rounds(8):
        s = s + 0x9E3779B9
        K[i] = s + k[bits(s, 11, 1)]
    return K

@odd.encrypt
def encrypt(K, p):
    x, y = le_words(p)
    for i in rounds(8):
        x, y = y, x ^ rotl(y + K[i], 3)
    return le_bytes(x, y)

@odd.decrypt
def decrypt(K, c):
    x, y = le_words(c)
    for i in rounds(7, -1, -1):
        x, y = y ^ rotl(x + K[i], 3), x
    return le_bytes(x, y)
"""


def test_budgets_of_ram_where_the_key_schedule_searches(tmp_path: Path) -> None:
    file = tmp_path / "odd.py"
    file.write_text(SEARCHING)
    assert refusal(lambda: budgeted(load(file), 64, 40)) == (
        "error[E150]: 40 bytes of RAM are too few for Odd with keys of 64 bits on AVR\n"
        "   = the minimum is 58 bytes: key, then block 8, round keys 32, stack 18\n"
        "   = all round keys are kept: where the key schedule reads an array depends on the key\n"
        "   = help: --ram 58"
    )
    assert budgeted(load(file), 64, 66).ram == 66


WIDE = """\
from cipherassay.lang import *

wide = Cipher("Wide", block_bits=256, key_bits=(256,), structure="ARX", source="[s]")

@wide.key_schedule
def key_schedule(key):
    k, K = le_words(key), array(u32, 4, 8)
    for i in rounds(4):
        K[i] = k
        k = vec(*[rotl(k[(n + 1) % 8], 5) + k[n] for n in range(8)]) ^ i
    return K

@wide.encrypt
def encrypt(K, p):
    s = le_words(p)
    for i in rounds(4):
        s = (s + K[i]).rotate(1)
    return le_bytes(s)

@wide.decrypt
def decrypt(K, c):
    s = le_words(c)
    for i in rounds(3, -1, -1):
        s = s.rotate(-1) - K[i]
    return le_bytes(s)
"""


def test_budgets_of_ram_for_blocks_of_256_bits(tmp_path: Path) -> None:
    file = tmp_path / "wide.py"
    file.write_text(WIDE)
    made = budgeted(load(file), 256, 400)
    assert made.text.objects["wide_block"] == 32
    assert made.ram <= 400


DIVIDED = """func @f(%B: u8[16]) -> (u8[16]) {
  %C: u8[16] = steps 6 "i" from 0 step 1 (%B) {
    body 0..5 (%i: index, %D: u8[16]) {
      %d: index = index_div %i, 3
      %v: u8 = load %D[%d]
      %E: u8[16] = store %D[%i], %v
      yield %E
    }
  }
  return %C
}"""


def test_an_index_without_instructions_says_what_has_some() -> None:
    program = byte_programs.parsed(DIVIDED)
    assert refusal(lambda: AVR.lower(program, "f", {"%B": "b", "#0": "b"}, name="encrypt")) == (
        "error[E106]: no instructions are known for `index_div`\n"
        "   = help: `--unrolled` makes rounds without loops, whose indices are numbers"
    )


def test_an_instruction_with_more_operands_than_registers() -> None:
    lines = [f"%{n}: u8 = load %B[{n}]" for n in range(34)]
    lines += byte_programs.call("rotl_272_1", "%m", [f"%{n}" for n in range(34)])
    body = byte_programs.function("f", "%B: u8[34]", "u8[34]", lines, "%B")
    program = byte_programs.parsed(byte_programs.wide("rotl_272_1"), body)
    code = AVR.lower(program, "f", {"%B": "b", "#0": "b"}, name="encrypt")
    assert refusal(lambda: AVR.allocate(code)) == (
        "error[E114]: an instruction of `encrypt` needs more registers at once than there are\n"
        "   = help: operations on narrower words need fewer; `assay emit c` has no such limit"
    )


def test_a_key_set_up_for_both_directions_that_is_none() -> None:
    assert refusal(lambda: known_operation(load(FILES["aria"]), "key_setup_both", "")) == (
        "error[E144]: ARIA has no key setup that serves both directions\n"
        "   = help: key_setup_encrypt or key_setup_decrypt"
    )


def test_a_step_that_only_gives_constants_out_is_drawn() -> None:
    assert all(text.startswith("<svg") for _, _, text in pictures(build(load(FILES["sm4"]))))
