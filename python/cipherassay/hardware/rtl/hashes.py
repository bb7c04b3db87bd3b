"""The hash of a device's Verilog, by which results say what they are of."""

from __future__ import annotations

from cipherassay.hardware.rtl.build import Device
from cipherassay.jobs.digests import text_digest


def verilog_hash(device: Device) -> str:
    """Return the hash of a device's Verilog."""
    return text_digest("".join(f"{name}\n{text}" for name, text in sorted(device.verilog.items())))
