"""Functions: described, checked, emitted, measured, scheduled, built; outputs of another length than inputs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cipherassay import processors, tools
from cipherassay.ciphers import load
from cipherassay.embedded import processors as processors_of_bytes
from cipherassay.embedded.target import make, measure
from cipherassay.errors import AssayError, VerificationError
from cipherassay.hardware.rtl.build import build
from cipherassay.hardware.simulation import own, simulators
from cipherassay.hardware.simulation.checking import check as check_device
from cipherassay.hardware.simulation.events import verdict_of
from cipherassay.hardware.simulation.vectors import Vector, vectors
from cipherassay.native.backend import CBackend
from cipherassay.native.checking import check_implementation
from cipherassay.processors.checking import check
from cipherassay.processors.exploring import best
from cipherassay.vectors.single_blocks import known_blocks
from support import emitted_folders
from support.command import assay

Capture = pytest.CaptureFixture[str]
HEAD = "from cipherassay.lang import *\n"
SHAPE = 'f = Function("F", input_bits={}, output_bits={}, key_bits={}, structure="ARX", source="[none]")'
WITHOUT_KEY = (
    SHAPE.format(32, 64, "()")
    + "\n@f.evaluate\ndef evaluate(input):\n    a, = le_words(input)\n    return le_bytes(a + 1, rotl(a, 5))\n"
)

WITH_KEY = (
    SHAPE.format(32, 64, "(64,)")
    + "\n@f.key_schedule\ndef key_schedule(key):\n    return le_words(key)\n"
    + "\n@f.evaluate\ndef evaluate(k, input):\n    a, = le_words(input)\n    b = k[1]\n"
    + "    for i in rounds(4):\n        a, b = b + k[0], rotl(a, 5) ^ b\n    return le_bytes(a, b)\n"
)


def file(tmp_path: Path, text: str) -> str:
    """Write a description; return its path."""
    path = tmp_path / "f.py"
    path.write_text(HEAD + text)
    return str(path)


def refused(tmp_path: Path, text: str) -> str:
    """Return the message of a file that is refused when it is loaded or compiled."""
    with pytest.raises(AssayError) as caught:
        load(file(tmp_path, text)).compile()
    return str(caught.value).replace(str(tmp_path), "")


def test_numbers_of_rounds_and_sizes() -> None:
    chacha = load("chacha20")
    assert (chacha.variants, chacha.directions, chacha.sizes) == (("12-rounds", "8-rounds"), ("evaluate",), (16, 64))
    keys = chacha.run("key_schedule", bytes(32))
    found = {v: chacha.run("evaluate", keys, bytes(16), variant=v) for v in ("", *chacha.variants)}
    assert {len(one) for one in found.values()} == {64}
    assert len(set(found.values())) == 3
    assert found[""][:8].hex() == "76b8e0ada0f13d90"


def test_without_a_key(tmp_path: Path, capfd: Capture) -> None:
    path = file(tmp_path, WITHOUT_KEY)
    f = load(path)
    assert (f.keyed, f.key_bits, f.run("evaluate", bytes(4)).hex()) == (False, (0,), "0100000000000000")
    (tmp_path / "f.kat.txt").write_text("T=KAT SET=a I=1 IN=01000000 OUT=0200000020000000\n")
    assert assay(capfd, "kat", "check", str(tmp_path / "f.kat.txt"), "--backend", "c").code == 0
    ran = assay(capfd, "check", path, "--draft")
    assert ran.code == 0
    assert "pass     known answers: f.kat.txt: 1 of 1 single blocks" in ran.out
    assert "∘" not in ran.out
    (tmp_path / "f.kat.txt").write_text("T=KAT SET=a I=1 IN=01000000 OUT=0200000020000001\n")
    ran = assay(capfd, "kat", "check", str(tmp_path / "f.kat.txt"))
    assert ran.code == 4
    assert "   = computed by evaluator: evaluate\n   = expected OUT=0200000020000001" in ran.err


def test_refused_descriptions(tmp_path: Path) -> None:
    assert refused(tmp_path, WITHOUT_KEY.replace("64", "128")) == (
        "error[D026]: `evaluate` returns 8 bytes, and an output has 16\n  --> /f.py:3\n"
        "   = help: return the whole output, or give the function its `output_bits`"
    )
    assert refused(tmp_path, SHAPE.format(32, 60, "()")).startswith(
        "error[D080]: a size of 60 bits is no whole number of bytes\n"
    )
    assert refused(tmp_path, SHAPE.format(32, 64, "(7,)")).startswith(
        "error[D080]: a size of 7 bits is no whole number of bytes\n"
    )
    assert refused(tmp_path, WITHOUT_KEY.replace("()", "(64,)")) == (
        "error[D022]: F has no `key_schedule`\n   = help: decorate a function with `@f.key_schedule`"
    )
    assert refused(tmp_path, WITHOUT_KEY + "\n@f.key_schedule\ndef key_schedule(key):\n    return le_words(key)\n") == (
        "error[D103]: a function has no `key_schedule`\n  --> /f.py:8:2\n      @f.key_schedule\n"
        "   = help: its functions are `evaluate`"
    )


def test_refused_records(tmp_path: Path, capsys: Capture) -> None:
    file(tmp_path, WITHOUT_KEY)
    answers = tmp_path / "f.kat.txt"
    for text, code in (
        ("T=KAT SET=a I=1 KEY=00 IN=01000000 OUT=0200000020000000", "K033"),
        ("T=KAT SET=a I=1 IN=01000000 OUT=02000000", "K007"),
        ("T=KAT SET=a I=1 IN=0100000001 OUT=0200000020000000", "K007"),
    ):
        answers.write_text(text + "\n")
        ran = assay(capsys, "kat", "check", str(answers))
        assert (ran.code, ran.err[6:10]) == (3, code), ran.err


@pytest.mark.parametrize("processor", ["avr", "h8-300", "mcs51"])
@pytest.mark.parametrize("keyed", [False, True])
def test_small_processors(keyed: bool, processor: str, tmp_path: Path, capsys: Capture) -> None:
    if missing := [tool for tool in processors_of_bytes.load(processor).needs if not tools.find(tool).place]:
        pytest.skip(f"{missing[0]} is needed to run this")
    path = file(tmp_path, WITH_KEY if keyed else WITHOUT_KEY)
    rows = measure(make(load(path), 64 if keyed else 0, processor=processor))
    assert {row.operation for row in rows} == ({"evaluate", "key_setup_evaluate"} if keyed else {"evaluate"})
    folder = tmp_path / "made"
    assert assay(capsys, "emit", "asm", path, "-p", processor, "-o", str(folder)).code == 0
    assert "put an input into" in (folder / "README.md").read_text().lower()
    emitted_folders.run(folder)


@pytest.mark.parametrize("processor", ["avr", "h8-300"])
@pytest.mark.parametrize("name", ["chacha20", "salsa20"])
def test_block_functions_on_small_processors(name: str, processor: str) -> None:
    if missing := [tool for tool in processors_of_bytes.load(processor).needs if not tools.find(tool).place]:
        pytest.skip(f"{missing[0]} is needed to run this")
    made = make(load(name), 256, processor=processor)
    assert made.assembly.objects[f"{name}_block"] == 64
    cycles = {row.operation: row.value for row in measure(made) if row.metric == "cycles"}
    assert cycles["evaluate"] > 10_000


@pytest.mark.parametrize("processor", ["pentium-ii", "cortex-m3", "sifive-e31"])
def test_folders_of_assembly(processor: str, tmp_path: Path, capsys: Capture) -> None:
    words = ("emit", "asm", "chacha20", "-p", processor, "--variant", "8-rounds", "-o", str(tmp_path))
    ran = assay(capsys, *words)
    assert ran.code == 0, ran.err
    assert "#define OUTPUT 64" in (tmp_path / "main.c").read_text()
    emitted_folders.run(tmp_path)


@pytest.mark.parametrize("words", [("chacha20",), ("salsa20", "--variant", "8-rounds")])
def test_a_folder_of_c_runs_as_its_page_says(words: tuple[str, ...], tmp_path: Path, capsys: Capture) -> None:
    assert assay(capsys, "emit", "c", *words, "-o", str(tmp_path)).code == 0
    assert not emitted_folders.run(tmp_path)


def test_a_folder_of_c_without_a_key(tmp_path: Path, capsys: Capture) -> None:
    path = file(tmp_path, WITHOUT_KEY)
    assert assay(capsys, "emit", "c", path, "-o", str(tmp_path / "new")).code == 0
    assert "key" not in (tmp_path / "new/README.md").read_text()
    assert not emitted_folders.run(tmp_path / "new")


def test_wrong_code_is_found() -> None:
    backend = CBackend(load("chacha20"))
    check_implementation(load("chacha20"), backend, 256)
    with pytest.raises(VerificationError) as caught:
        check_implementation(load("salsa20"), backend, 256)
    assert str(caught.value).startswith(f"error[N030]: {backend.name} computes Salsa20 wrongly: evaluate, 256-bit key\n")


def test_measured_rows(capsys: Capture) -> None:
    ran = assay(capsys, "measure", "chacha20", "--inputs", "2", "--repeats", "1", "--accept-unstable", "--json")
    rows = json.loads(ran.out)["rows"]
    assert {(row["operation"], row["key_bits"]) for row in rows} == {("evaluate", 256), ("key_setup_evaluate", 256)}
    cycles = {row["operation"]: row["value"] for row in rows if row["metric"] == "cycles"}
    assert cycles["evaluate"] > 100


@pytest.mark.parametrize("processor", ["pa8500", "cortex-a53"])
@pytest.mark.parametrize("name", ["chacha20", "salsa20"])
def test_kernels_give_known_answers(name: str, processor: str) -> None:
    cipher = load(name)
    kernel = best(cipher, "evaluate", processors.load(processor), strategy="straight", variant="8-rounds")
    assert check(kernel, cipher, inputs=1, answers=2).answers >= 2


@pytest.mark.parametrize("architecture", ["iterative", "pipelined"])
@pytest.mark.parametrize("name", ["chacha20", "salsa20"])
def test_devices(name: str, architecture: str) -> None:
    device = build(load(name), architecture, variant="12-rounds")
    assert (device.input_bytes, device.result_bytes, device.direction) == (16, 64, "evaluate")
    tests = vectors(device, 32)
    verdict_of(device, tests, own.simulate(device, tests), "own").demand()
    known = [
        Vector("known", n, key, False, given, made, True, False, False)
        for n, (key, given, made, _) in enumerate(known_blocks(load(name), 256, "12-rounds", of_each_set=8), 1)
    ]
    assert len(known) == 8
    assert verdict_of(device, known, own.simulate(device, known), "own").failures == ()


@pytest.mark.parametrize("simulator", ["icarus", "ghdl"])
def test_a_device_in_other_simulators(simulator: str) -> None:
    device = build(load("salsa20"), variant="8-rounds")
    chosen = simulators.SIMULATORS[simulator]
    if missing := chosen.available():
        pytest.skip(missing)
    check_device(device, vectors(device, 64), chosen).demand()


def test_a_device_without_a_key(tmp_path: Path) -> None:
    text = WITHOUT_KEY.replace("    return", "    for i in rounds(4):\n        a = rotl(a + 1, 7)\n    return")
    device = build(load(file(tmp_path, text)))
    assert device.inputs == {"load_data": 1, "data_in": 32, "take": 1}
    tests = vectors(device)
    verdict_of(device, tests, own.simulate(device, tests), "own").demand()
