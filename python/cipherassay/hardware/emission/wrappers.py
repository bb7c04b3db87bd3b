"""A device behind the buses of systems on a chip: AXI4-Stream, and registers on an AMBA APB; in Verilog."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from cipherassay.hardware.protocol.assertions import most_inside
from cipherassay.hardware.rtl.build import Device
from cipherassay.hardware.simulation.benches import template

_TEMPLATES = Path(__file__).with_name("templates")
_WORD = 32
"""Bits of a register on the APB."""
_ADDRESSES = {"key": 0x100, "block": 0x200, "tweak": 0x300, "result": 0x400}


def wrappers(device: Device) -> list[tuple[str, str]]:
    """Return name and text of the files that put a device behind a bus."""
    shared = _shared(device)
    return [
        (f"{device.name}_axis.v", template(_TEMPLATES / "axi_stream.v").render(shared, **_stream(device))),
        (f"{device.name}_apb.v", template(_TEMPLATES / "apb.v").render(shared, **_registers(device))),
    ]


def _shared(device: Device) -> dict[str, Any]:
    return {
        "name": device.name,
        "loads_key": device.loads_key,
        "key_bits": device.key_width,
        "key_size": device.size_codes if device.size_width else "",
        "size_width": device.size_width,
        "block_bits": device.inputs["data_in"],
        "tweak_bits": device.inputs.get("tweak", 0),
        "result_bits": sum(device.words["data_out"]),
        "take": "take" in device.inputs,
        "backward": device.backward_pin,
    }


def behind_block(device: Device) -> str:
    """Return what stands behind a block in a beat of its stream, in words."""
    words = ["its tweak"] * ("tweak" in device.inputs) + ["its key"] * (device.keyed and not device.loads_key)
    return f", {' and '.join(words)} behind it" if words else ""


def _stream(device: Device) -> dict[str, Any]:
    beat = device.inputs["data_in"] + device.inputs.get("tweak", 0)
    depth = most_inside(device) + 1
    return {
        "beat": beat + (0 if device.loads_key else device.key_width),
        "behind": behind_block(device),
        "depth": depth,
        "place": (depth - 1).bit_length(),
        "count": depth.bit_length(),
    }


def _registers(device: Device) -> dict[str, Any]:
    widths = {
        "key": device.key_width, "block": device.inputs["data_in"], "tweak": device.inputs.get("tweak", 0),
    }  # fmt: skip
    swapped = {word: bits for word, bits in widths.items() if bits}
    result = {"result": sum(device.words["data_out"])}
    kept = swapped | ({} if "take" in device.inputs else result)
    return {
        "words": list(kept.items()),
        "swapped": list(swapped.items()),
        "written": list(_parts(swapped)),
        "read": [(at, "result_word", high, low) for at, _, high, low in _parts(result)],
    }


def _parts(widths: Mapping[str, int]) -> Iterator[tuple[str, str, int, int]]:
    """Yield the address, word, highest and lowest bit of every register."""
    for word, bits in widths.items():
        for low in range(0, bits, _WORD):
            yield f"{_ADDRESSES[word] + low // 8:03x}", word, min(low + _WORD, bits) - 1, low
