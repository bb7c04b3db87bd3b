"""Hashes of devices' Verilog: those of the devices themselves, kept until what makes them changes."""

from __future__ import annotations

from pathlib import Path

import pytest

from cipherassay.ciphers import load
from cipherassay.errors import DescriptionError
from cipherassay.hardware.results.design_hashes import design_hash, distinct
from cipherassay.hardware.rtl import build
from cipherassay.hardware.rtl.hashes import verilog_hash
from cipherassay.hardware.synthesis import exploring
from cipherassay.jobs import producer
from support.small_cipher import TEXT

DEVICE = ("iterative", "128", "both")


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CIPHERASSAY_CACHE", str(tmp_path / "cache"))
    path = tmp_path / "small.py"
    path.write_text(TEXT)
    return path


@pytest.fixture
def built(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The strategies of the devices that are built."""
    names: list[str] = []
    real = build.build

    def noted(*words: object) -> build.Device:
        names.append(str(words[4]))
        return real(*words)  # type: ignore[arg-type]

    monkeypatch.setattr(build, "build", noted)
    return names


def test_a_hash_is_that_of_the_device(small: Path) -> None:
    device = build.build(load(str(small)), *DEVICE, "rounds")
    assert design_hash(load(str(small)), *DEVICE, "rounds") == verilog_hash(device)


def test_lines_that_move_make_no_other_device(small: Path) -> None:
    before = verilog_hash(build.build(load(str(small)), *DEVICE, "rounds"))
    small.write_text(f"{TEXT.splitlines()[0]}\n\n\n" + TEXT.partition("\n")[2])
    device = build.build(load(str(small)), *DEVICE, "rounds")
    assert verilog_hash(device) == before


def test_a_device_is_built_once(small: Path, built: list[str]) -> None:
    first = design_hash(load(str(small)), *DEVICE, "rounds")
    assert design_hash(load(str(small)), *DEVICE, "rounds") == first
    assert built == ["rounds"]
    assert design_hash(load(str(small)), *DEVICE, "rounds:iterations=2") != first
    assert built == ["rounds", "rounds:iterations=2"]


def test_another_program_or_engine_builds_anew(
    small: Path, built: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    first = design_hash(load(str(small)), *DEVICE, "rounds")
    small.write_text(TEXT.replace("rotl(D, 3)", "rotl(D, 5)").replace("rotr(D, 3)", "rotr(D, 5)"))
    other = design_hash(load(str(small)), *DEVICE, "rounds")
    assert other != first
    changed = producer.crate_digests() | {"rtl": "another"}
    monkeypatch.setattr(producer, "crate_digests", lambda: changed)
    assert design_hash(load(str(small)), *DEVICE, "rounds") == other
    assert len(built) == 3


@pytest.mark.usefixtures("small")
def test_a_refusal_is_remembered(built: list[str]) -> None:
    device = (load("rijndael"), "core", "", "both", "small")
    said = []
    for _ in range(2):
        with pytest.raises(DescriptionError) as refused:
            design_hash(*device)
        said.append((str(refused.value), refused.value.places))
    assert said[0] == said[1]
    assert refused.value.code == "H316"
    assert len(built) == 1


def test_equal_devices_count_once_as_in_exploring(small: Path) -> None:
    cipher = load(str(small))
    devices = exploring.distinct(cipher, *DEVICE, ["best"], "")
    found = distinct(cipher, *DEVICE, ["best"], "")
    assert found == {name: verilog_hash(device) for name, device in devices.items()}
