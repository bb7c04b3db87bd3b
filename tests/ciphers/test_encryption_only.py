"""A cipher that only encrypts: checked, shown and built without decryption, refused where a driver needs it."""

from __future__ import annotations

from pathlib import Path

import pytest

from cipherassay.ciphers import load
from cipherassay.hardware.rtl.build import build
from cipherassay.java import emitting as java
from cipherassay.precomputation import precomputation
from cipherassay.vectors.generating import sets_of
from support import emitted_folders
from support.command import assay
from support.other_shapes import FILES

Capture = pytest.CaptureFixture[str]
FILE = str(FILES["oneway96"])


def test_its_check_is_of_encryption_alone(capfd: Capture) -> None:
    ran = assay(capfd, "check", FILE)
    assert (ran.code, ran.out.splitlines()[-3:]) == (
        0,
        [
            "note     decrypt∘encrypt: the file has no `decrypt`: `encrypt` alone is checked",
            "pass     known answers: oneway96.kat.txt: 5 of 5 single blocks",
            "pass     repeats: the same when called again and when the file is loaded anew",
        ],
    )


def test_a_wrong_ciphertext_is_found(tmp_path: Path, capsys: Capture) -> None:
    for file in (FILES["oneway96"], FILES["oneway96"].with_suffix(".kat.txt")):
        (tmp_path / file.name).write_text(file.read_text().replace("CT=0224F27B", "CT=0224F27C"))
    ran = assay(capsys, "kat", "check", str(tmp_path / "oneway96.kat.txt"))
    assert ran.code == 4
    assert "   = computed by evaluator: encrypt\n" in ran.err
    assert ran.err.endswith(
        "   = no intermediate values are known to compare with: the cipher is wrong, or the record is\n"
    )


def test_a_device_for_both_directions_is_one_that_encrypts() -> None:
    device = build(load(FILE))
    assert (device.direction, sorted(device.clocks)) == ("encrypt", [(96, False)])


def test_no_test_of_decryption_is_generated() -> None:
    assert sets_of(load(FILE)) == ("ecb_vk", "ecb_vt", "ecb_e_m", "cbc_e_m")


def test_what_is_computed_beforehand() -> None:
    assert {one.function for one in precomputation(load(FILE))} == {"key_schedule", "encrypt"}


@pytest.mark.parametrize("processor", ["avr", "mcs51", "h8-300", "pentium-ii", "cortex-m3"])
def test_a_folder_of_assembly_runs_as_its_page_says(processor: str, capsys: Capture, tmp_path: Path) -> None:
    assert assay(capsys, "emit", "asm", FILE, "-p", processor, "-o", str(tmp_path)).code == 0
    assert "decrypt" not in "".join(file.read_text() for file in tmp_path.iterdir())
    if missing := emitted_folders.run(tmp_path):
        pytest.skip(f"not on this machine: {', '.join(missing)}")


def test_decryption_is_refused_by_name(capsys: Capture) -> None:
    ran = assay(capsys, "measure", FILE, "--operation", "decrypt", "-p", "mckinley-paper")
    assert (ran.code, ran.err) == (
        3,
        "error[M200]: the program has no function `decrypt`\n   = help: known: key_schedule, encrypt\n",
    )


def test_a_folder_of_c_without_decryption(capsys: Capture, tmp_path: Path) -> None:
    assert assay(capsys, "emit", "c", FILE, "-o", str(tmp_path)).code == 0
    for file in tmp_path.iterdir():
        assert "decrypt" not in file.read_text().replace("encryption and decryption: yes", "")
    missing = emitted_folders.run(tmp_path)
    if missing:
        pytest.skip(f"not on this machine, so these steps were left out: {', '.join(missing)}")


def test_a_project_of_java_without_decryption() -> None:
    files = dict(java.project(load(FILE)))
    assert not [name for name, text in files.items() if "decryptKey" in text or ".decrypt(" in text]
