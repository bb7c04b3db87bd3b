"""Devices behind AXI4-Stream and an APB, by drivers that know these buses and nothing of the wrappers."""

from pathlib import Path
from typing import Any

import pytest

from cipherassay import tools
from cipherassay.ciphers import load
from cipherassay.hardware.emission.wrappers import wrappers
from cipherassay.hardware.rtl.build import Device, build
from cipherassay.hardware.simulation.own import size_code
from cipherassay.hardware.simulation.vectors import Vector, few
from support import bus_benches
from support.usual import usual

pytest.importorskip("cocotb", reason="cocotb is not here: pip install --group dev")
if not tools.find("iverilog").place:
    pytest.skip(tools.tools()["iverilog"].how_to_get(), allow_module_level=True)

DEVICES = [
    ("rijndael", "iterative", "", "both"), ("rijndael", "pipelined", "", "both"), ("rijndael", "iterative", "3in1", "both"),
    ("present", "core", "", "encrypt"), ("skinny64", "core", "", "both"), ("qarma64", "iterative", "", "both"),
    ("ascon-p", "pipelined", "", "both"), ("gimli", "core", "", "permute"), ("chacha20", "iterative", "", "both"),
]  # fmt: skip
USUAL = [("rijndael", "iterative", "", "both"), ("present", "core", "", "encrypt"), ("qarma64", "iterative", "", "both")]


def given(device: Device, one: Vector) -> dict[str, Any]:
    pins = device.data_pins(one.block)
    key = one.key.ljust(device.key_width // 8, b"\0")
    return {
        "key": key.hex(), "new_key": one.new_key, "size": size_code(device, one), "backward": int(one.decrypt),
        "block": pins["data_in"].hex(), "tweak": pins["tweak"].hex(), "expected": one.expected.hex(),
    }  # fmt: skip


@pytest.mark.parametrize(("cipher", "architecture", "key", "direction"), usual(DEVICES, USUAL))
@pytest.mark.parametrize("bus", ["axis", "apb"])
def test_known_answers_through_a_bus(
    cipher: str, architecture: str, key: str, direction: str, bus: str, tmp_path: Path
) -> None:
    device = build(load(cipher), architecture, key, direction)
    files = device.verilog | dict(wrappers(device))
    tests = [given(device, one) for one in few(device)]
    bus_benches.run(tmp_path, files, f"{device.name}_{bus}", bus, tests)


def test_a_wrong_order_of_bytes_is_found(tmp_path: Path) -> None:
    device = build(load("present"), "core", direction="encrypt")
    files = device.verilog | dict(wrappers(device))
    name = f"{device.name}_apb.v"
    files[name] = files[name].replace("assign result_word[8 * n +: 8] = result[56 - 8 * n +: 8];",
                                      "assign result_word[8 * n +: 8] = result[8 * n +: 8];")  # fmt: skip
    with pytest.raises(AssertionError, match="FAIL=1"):
        bus_benches.run(tmp_path, files, f"{device.name}_apb", "apb", [given(device, one) for one in few(device)])
