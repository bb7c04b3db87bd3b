"""Words of many that data choose: one choice in both languages, the same in every simulator as in the own one."""

from __future__ import annotations

from pathlib import Path

import pytest

from cipherassay.ciphers import load
from cipherassay.hardware.rtl.build import Device, build
from cipherassay.hardware.simulation.checking import check
from cipherassay.hardware.simulation.simulators import SIMULATORS
from cipherassay.hardware.simulation.vectors import vectors

CHOOSING = '''"""Round keys that data choose: no cipher for use."""

from cipherassay.lang import *

chooser = Cipher("Chooser", block_bits=16, key_bits=(16,), structure="other", source="tests")

@chooser.key_schedule
def key_schedule(key):
    K = array(word(8), COUNT)
    a, b = key
    for i in rounds(COUNT):
        a, b = b ^ rotl(a, 3) ^ i, a + b
        K[i] = a
    return K

@chooser.encrypt
def encrypt(K, plaintext):
    L, R = plaintext
    for i in rounds(3):
        L, R = R ^ K[bits(L, 1, WIDTH)], rotl(L, 1)
    return vec(L, R)

@chooser.decrypt
def decrypt(K, ciphertext):
    L, R = ciphertext
    for i in rounds(3):
        R = rotr(R, 1)
        L, R = R, L ^ K[bits(R, 1, WIDTH)]
    return vec(L, R)
'''


@pytest.fixture
def device(tmp_path: Path, request: pytest.FixtureRequest) -> Device:
    count = request.param
    text = CHOOSING.replace("COUNT", str(count)).replace("WIDTH", str(count.bit_length() - 1))
    (tmp_path / "chooser.py").write_text(text)
    return build(load(str(tmp_path / "chooser.py")), "iterative")


def text(device: Device, language: str) -> str:
    return "\n".join(content for _, content in device.design.files(language))


@pytest.mark.parametrize("device", [64, 128], indirect=True)
@pytest.mark.parametrize("name", SIMULATORS)
def test_every_simulator_chooses_the_same(device: Device, name: str) -> None:
    simulator = SIMULATORS[name]
    if missing := simulator.tool and simulator.available():
        pytest.skip(missing)
    check(device, vectors(device, 4), simulator).demand()


@pytest.mark.parametrize(("device", "choices"), [(64, 0), (128, 1)], indirect=["device"])
def test_a_tree_of_many_words_is_one_choice(device: Device, choices: int) -> None:
    verilog, vhdl = text(device, "verilog"), text(device, "vhdl")
    assert bool(verilog.count("        case (")) == bool(vhdl.count(" select\n")) == bool(choices)
    if choices:
        assert verilog.count("            7'd1: ") == vhdl.count(' when 7x"1",') == verilog.count("        case (")
        assert "        default: " in verilog
        assert " when others;" in vhdl
