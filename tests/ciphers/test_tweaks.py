"""Tweaks: a parameter of its own beside key and block, on every level and in every folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from cipherassay import processors, tools
from cipherassay.ciphers import load
from cipherassay.embedded import processors as processors_of_bytes
from cipherassay.embedded.target import make, measure
from cipherassay.errors import AssayError
from cipherassay.hardware.rtl.build import build
from cipherassay.hardware.simulation import own
from cipherassay.hardware.simulation.events import verdict_of
from cipherassay.hardware.simulation.vectors import vectors
from cipherassay.native.backend import CBackend
from cipherassay.native.checking import check_implementation
from cipherassay.processors.checking import check
from cipherassay.processors.exploring import best
from support import emitted_folders
from support.command import assay

Capture = pytest.CaptureFixture[str]
HEAD = '"""T [none]."""\nfrom cipherassay.lang import *\n'
TWEAKED = '''\
t = Cipher("T", block_bits=32, key_bits=(32,), tweak_bits=16, structure="ARX", source="[none]")

@t.key_schedule
def key_schedule(key):                               # [none]
    return le_words(key, 16)

def tweaks(k, tweak):                                # [none]
    x, = le_words(tweak, 16)
    w = array(u16, 4)
    for i in rounds(4):
        w[i] = x ^ k[1]
        x = rotl(x, 3) + 1
    return w

@t.encrypt
def encrypt(k, tweak, plaintext):                    # [none]
    w = tweaks(k, tweak)
    a, b = le_words(plaintext, 16)
    for i in rounds(4):
        a, b = b + k[0], rotl(a, 5) ^ w[i]
    return le_bytes(a, b)

@t.decrypt
def decrypt(k, tweak, ciphertext):                   # [none]
    w = tweaks(k, tweak)
    a, b = le_words(ciphertext, 16)
    for i in rounds(3, -1, -1):
        a, b = rotr(b ^ w[i], 5), a - k[0]
    return le_bytes(a, b)
'''


def known(key: bytes, tweak: bytes, block: bytes) -> bytes:
    """Return what plain numbers encrypt."""
    k = [int.from_bytes(key[n : n + 2], "little") for n in (0, 2)]
    x, mask = int.from_bytes(tweak, "little"), 0xFFFF
    a, b = (int.from_bytes(block[n : n + 2], "little") for n in (0, 2))
    for _ in range(4):
        a, b = b + k[0] & mask, (a << 5 | a >> 11) & mask ^ x ^ k[1]
        x = ((x << 3 | x >> 13) + 1) & mask
    return a.to_bytes(2, "little") + b.to_bytes(2, "little")


@pytest.fixture
def path(tmp_path: Path) -> str:
    """A description with known answers of plain numbers beside it."""
    file = tmp_path / "t.py"
    file.write_text(HEAD + TWEAKED)
    lines = []
    for n in range(1, 5):
        key, tweak, block = (bytes((7 * n * (m + s)) % 256 for m in range(size)) for s, size in ((1, 4), (5, 2), (9, 4)))
        out = known(key, tweak, block)
        given = f"KEY={key.hex()} TWEAK={tweak.hex()} PT={block.hex()} CT={out.hex()}"
        lines.append(f"T=KAT SET=plain KS=32 I={n} {given}\n")
    file.with_suffix(".kat.txt").write_text("".join(lines))
    return str(file)


def test_sizes_and_plain_run(path: str) -> None:
    t = load(path)
    assert (t.block_bits, t.tweak_bits, t.tweak_bytes, t.input_bits, t.sizes) == (32, 16, 2, 48, (6, 4))
    keys, tweak, block = t.run("key_schedule", bytes(range(4))), b"\x01\x02", b"abcd"
    made = t.run("encrypt", keys, block + tweak)
    assert made == known(bytes(range(4)), tweak, block)
    assert t.run("decrypt", keys, made + tweak) == block


def test_check_and_known_answers(path: str, capfd: Capture) -> None:
    ran = assay(capfd, "check", path)
    assert ran.code == 0, ran.out
    assert "decrypt∘encrypt: the identity on 64 random blocks" in ran.out
    assert "known answers: t.kat.txt: 4 of 4 single blocks" in ran.out
    answers = path.replace(".py", ".kat.txt")
    for backend in ("c", "evaluator", "python"):
        assert assay(capfd, "kat", "check", answers, "--backend", backend).code == 0
    ran = assay(capfd, "kat", "generate", path, "-o", str(Path(path).parent / "new"))
    assert "error[K034]: NIST's rules of 1998 and its listings know no tweak, and T takes one\n" in ran.err
    ran = assay(capfd, "show", path)
    assert "tweak bits   16" in ran.out


REFUSED = {
    "a tweak too many": (" TWEAK=0000", "K035", "TWEAK does not belong to a record of a cipher without a tweak"),
    "a short one": (" TWEAK=00", "K007", "TWEAK has the wrong length"),
    "none": ("", "K005", "the record lacks TWEAK"),
    "iterated": (" TWEAK=0000 IT100=00000000", "K009", "IT100 does not belong to a record with TWEAK"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused_records(case: str, path: str, capfd: Capture) -> None:
    fields, code, message = REFUSED[case]
    name = "speck" if case.startswith("a tweak") else "t"
    answers = Path(path).with_name("t.kat.txt")
    sizes = "KS=128 I=1 KEY=" + 32 * "0" if name == "speck" else "KS=32 I=1 KEY=00000000"
    block = 32 * "0" if name == "speck" else 8 * "0"
    answers.write_text(f"T=KAT SET=a {sizes}{fields} PT={block} CT={block}\n")
    of = "rijndael" if name == "speck" else path
    ran = assay(capfd, "kat", "check", str(answers), "--cipher", of)
    assert f"error[{code}]: {message}\n" in ran.err


def test_refused_sizes(tmp_path: Path) -> None:
    for bits, code in (("7", "D080"), ("-8", "D080"), ("4096", "D081"), ("'x'", "D079")):
        file = tmp_path / "t.py"
        file.write_text(HEAD + TWEAKED.replace("tweak_bits=16", f"tweak_bits={bits}"))
        with pytest.raises(AssayError) as caught:
            load(str(file))
        assert caught.value.code == code


def test_c_computes_it(path: str) -> None:
    check_implementation(load(path), CBackend(load(path)), 32)


def test_a_wrong_tweak_is_found(path: str, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    other = tmp_path / "other/t.py"
    other.write_text(HEAD + TWEAKED.replace("rotl(x, 3)", "rotl(x, 4)"))
    with pytest.raises(AssayError) as caught:
        check_implementation(load(path), CBackend(load(str(other))), 32)
    assert caught.value.code == "N030"


@pytest.mark.parametrize("target", ["c", "java"])
def test_folders_of_source_run_as_their_pages_say(target: str, path: str, tmp_path: Path, capsys: Capture) -> None:
    folder = tmp_path / "made"
    assert assay(capsys, "emit", target, path, "-o", str(folder)).code == 0
    readme = (folder / "README.md").read_text()
    assert "encrypt(&ctx, tweak, in, out)" in readme or "encrypt(tweak, tweakOffset, in" in readme
    missing = emitted_folders.run(folder)
    assert not missing or target == "java"


@pytest.mark.parametrize("processor", ["pentium-ii", "cortex-m3", "sifive-e31", "avr", "mcs51", "h8-300"])
def test_folders_of_assembly_run_as_their_pages_say(
    processor: str, path: str, tmp_path: Path, capsys: Capture
) -> None:
    folder = tmp_path / "made"
    ran = assay(capsys, "emit", "asm", path, "-p", processor, "-o", str(folder))
    assert ran.code == 0, ran.err
    emitted_folders.run(folder)


@pytest.mark.parametrize("processor", ["mckinley", "pa8500", "alpha-21164a"])
@pytest.mark.parametrize("operation", ["encrypt", "decrypt"])
def test_kernels_give_known_answers(operation: str, processor: str, path: str) -> None:
    found = best(load(path), operation, processors.load(processor))
    assert check(found, load(path)).answers >= 2


@pytest.mark.parametrize("processor", ["avr", "h8-300", "mcs51"])
def test_small_processors(processor: str, path: str) -> None:
    if missing := [tool for tool in processors_of_bytes.load(processor).needs if not tools.find(tool).place]:
        pytest.skip(f"{missing[0]} is needed to run this")
    rows = measure(make(load(path), 32, processor=processor))
    assert {row.operation for row in rows} >= {"encrypt", "decrypt"}


@pytest.mark.parametrize("architecture", ["iterative", "pipelined"])
def test_devices_have_a_port_for_it(architecture: str, path: str) -> None:
    device = build(load(path), architecture)
    assert (device.inputs["data_in"], device.inputs["tweak"], device.input_bytes) == (32, 16, 6)
    tests = vectors(device, 8)
    verdict_of(device, tests, own.simulate(device, tests), "own").demand()
    wrong = [type(one)(**{**vars(one), "expected": bytes(4)}) for one in tests]
    assert verdict_of(device, wrong, own.simulate(device, wrong), "own").failures


def test_a_folder_of_rtl(path: str, tmp_path: Path, capsys: Capture) -> None:
    ran = assay(capsys, "emit", "rtl", path, "-o", str(tmp_path / "made"))
    assert ran.code == 0, ran.err
    assert "tweak" in (tmp_path / "made/README.md").read_text()
    emitted_folders.run(tmp_path / "made")
