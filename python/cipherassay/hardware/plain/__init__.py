"""Cores written by hand, a round a clock, that generated cores stand beside in the same flow.

A core is a Verilog file of this folder, named by cipher, key size if there is one, and direction:
``CIPHER-128-encrypt.v``. Its module is called ``plain`` and has the pins and clocks of the generated core.
"""

from __future__ import annotations

from pathlib import Path

from cipherassay.hardware.rtl.build import CORE, Device

_FOLDER = Path(__file__).parent


def names() -> list[str]:
    """Return the names of the cores written by hand, sorted."""
    return sorted(path.stem for path in _FOLDER.glob("*.v"))


def files(device: Device) -> dict[str, str]:
    """Return the Verilog for what a generated core of one round a clock does, its module called as that.

    Nothing where there is none.
    """
    name = "-".join(filter(None, (device.cipher, device.key, device.direction)))
    if device.architecture != CORE or device.strategy.iterations > 1 or name not in names():
        return {}
    text = (_FOLDER / f"{name}.v").read_text(encoding="utf-8")
    return {f"{device.name}.v": text.replace("module plain ", f"module {device.name} ")}
