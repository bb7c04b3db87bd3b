"""A device as a core of FuseSoC: its files, and targets for simulation and lint."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import cipherassay
from cipherassay.hardware.rtl.build import Device
from cipherassay.hardware.simulation.benches import ENDINGS, template

_TEMPLATE = Path(__file__).parent / "templates" / "device.core"
_TYPES = {"verilog": "verilogSource-2005", "vhdl": "vhdlSource-2008"}


def core(
    device: Device, designs: Mapping[str, Sequence[str]], wrappers: Sequence[str]
) -> tuple[str, str]:
    """Return name and text of the core's description.

    Parameters
    ----------
    designs : mapping
        The files of the device by language, modules before those that have instances of them.
    """
    text = template(_TEMPLATE).render(
        name=device.name,
        version=cipherassay.__version__.partition("+")[0],
        title=device.title,
        architecture=device.architecture,
        directions=" and ".join(map(device.noun, device.directions)),
        languages=[
            (language, _TYPES[language], files, f"{device.name}_bench{ENDINGS[language]}")
            for language, files in designs.items()
        ],
        wrappers=wrappers,
    )
    return f"{device.name}.core", text
