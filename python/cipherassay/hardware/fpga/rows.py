"""Designs on field-programmable gate arrays as rows of results."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from cipherassay.hardware.fpga.place_and_route import PlacedDesign
from cipherassay.hardware.results.rows import clock_rows
from cipherassay.hardware.rtl.key_modes import key_mode
from cipherassay.results import Row

if TYPE_CHECKING:
    from cipherassay.hardware.rtl.build import Device


def rows(made: PlacedDesign, device: Device | None, **fields: Any) -> Iterator[Row]:
    """Yield what a core takes, its median clock, and of a cipher's device what its clock counts make of it.

    A design that does not fit has counts alone, with the reason in `certificate`.

    Parameters
    ----------
    fields
        Fields of every row, `command` and so on.
    """
    common: dict[str, Any] = {
        "level": "hardware", "target": made.technology.name, "basis": "synthesized", "tools": made.tools,
        "configuration": made.top, **fields,
    }  # fmt: skip
    if device is not None:
        common |= {
            "cipher": device.title, "variant": device.key, "strategy": device.strategy.name,
            "configuration": device.architecture, "architecture": device.architecture,
            "key_mode": key_mode(device.key),
        }  # fmt: skip
    said = made.reason or f"without shift registers of {made.around.logic_cells} logic cells around it"
    for metric, value in (
        ("luts", made.core.luts),
        ("flip_flops", made.core.flip_flops),
        ("logic_cells", made.core.logic_cells),
    ):
        yield Row(**common, metric=metric, value=value, certificate=said)
    if not made.fits:
        return
    clocks = ", ".join(f"{value:.2f}" for value in made.mhz.values())
    yield Row(
        **common, metric="period_ns", value=made.period_ns, certificate=f"median of {clocks} MHz by seed"
    )
    if device is not None:
        yield from clock_rows(device, made.period_ns, common)
