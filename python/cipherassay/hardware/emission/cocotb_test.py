"""A test of a device's pins in Python, for cocotb, from what its README says of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from cipherassay.hardware.rtl.build import Device
from cipherassay.hardware.simulation import benches
from cipherassay.hardware.simulation.own import PATIENCE
from cipherassay.hardware.simulation.vectors import Vector

_TEMPLATE = Path(__file__).parent / "templates" / "test_device.py.jinja"


def cocotb_test(device: Device, tests: Sequence[Vector]) -> tuple[str, str]:
    """Return name and text of the test; `tests` are those of the file of vectors."""
    first = device.clocks[min(device.programs), tests[0].decrypt]
    text = benches.template(_TEMPLATE).render(
        name=device.name,
        key_bits=device.key_width,
        block_bits=sum(device.words["data_in"]),
        tweak_bits=8 * device.tweak_bytes,
        result_bits=8 * device.result_bytes,
        latency=first.latency,
        settled=max(clocks.key_setup for clocks in device.clocks.values()) + 1,
        patience=PATIENCE,
        inputs=", ".join(f'"{pin}"' for pin in ("reset", *device.inputs)),
        loads_key=device.loads_key,
        keyed=device.keyed,
        size_digits=benches.size_digits(device),
        take="take" in device.inputs,
        backward=device.backward_pin,
    )
    return f"test_{device.name}.py", text
