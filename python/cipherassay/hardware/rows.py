"""Synthesized designs as rows of results."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from cipherassay.hardware.bottom_up import DesignPoint
from cipherassay.hardware.netlist import Size
from cipherassay.hardware.synthesis import Synthesis
from cipherassay.results import Row

if TYPE_CHECKING:
    from cipherassay.hardware.build import Device

BLOCK_BITS = 128


def rows(made: Synthesis, **fields: Any) -> Iterator[Row]:
    """Yield the rows of a design's speed grades: period, area, gate equivalents, transistors, of blocks too.

    Parameters
    ----------
    fields
        Fields of every row: cipher, variant, command and so on; `configuration` gets the grade after it.
    """
    begin = fields.pop("configuration", made.top)
    for number, point in enumerate(made.grades, 1):
        common = {
            "level": "hardware",
            "target": made.technology.name,
            "basis": "synthesized",
            "tools": made.tools,
            "configuration": f"{begin}, speed {number}",
            **fields,
        }
        yield from _point(made, point, common)


def device_rows(made: Synthesis, device: Device, **fields: Any) -> Iterator[Row]:
    """Yield the rows of a cipher's device: those of `rows`, and what its clock counts make of the period.

    These are, for each key size and direction, throughput with blocks following one another, the time of one
    block, and that of key set-up.
    """
    of = {"cipher": device.title, "variant": device.key, "strategy": device.strategy.name, **fields}
    yield from rows(made, configuration=device.architecture, **of)
    for number, point in enumerate(made.grades, 1):
        common = {
            "level": "hardware", "target": made.technology.name, "basis": "synthesized",
            "tools": made.tools, "configuration": f"{device.architecture}, speed {number}", **of,
        }  # fmt: skip
        yield from clock_rows(device, point.delay_ns, common)


def clock_rows(device: Device, period_ns: float, common: dict[str, Any]) -> Iterator[Row]:
    """Yield what a device's clock counts make of a period, for each key size and direction."""
    for (bits, decrypt), clocks in device.clocks.items():
        direction = "decrypt" if decrypt else "encrypt"
        of = {**common, "key_bits": bits}
        rate = 1000 * BLOCK_BITS / (clocks.per_block * period_ns)
        yield Row(**of, operation=direction, metric="throughput_mbps", value=rate)
        yield Row(
            **of, operation=direction, metric="time_ns", value=clocks.latency * period_ns,
            certificate=f"{clocks.latency} clocks",
        )  # fmt: skip
        yield Row(
            **of, operation=f"key_setup_{direction}", metric="time_ns",
            value=clocks.key_setup * period_ns, certificate=f"{clocks.key_setup} clocks",
        )  # fmt: skip


def _point(made: Synthesis, point: DesignPoint, common: dict[str, Any]) -> Iterator[Row]:
    path = point.timing.paths[0]
    mixed = " ".join(f"{unit}:{recipe}" for unit, recipe in point.choice.items())
    certificate = f"{path.start} to {path.end}; {made.split(point)}: {mixed}"
    yield Row(**common, metric="period_ns", value=point.delay_ns, certificate=certificate)
    yield from _size(made, point.size, common)
    for block, size in point.blocks.items():
        if len(point.blocks) > 1:
            yield from _size(made, size, common | {"part": block or "Top"})


def _size(made: Synthesis, size: Size, common: dict[str, Any]) -> Iterator[Row]:
    if made.technology.area_unit == "µm²":
        yield Row(**common, metric="area_um2", value=size.area_um2)
    yield Row(**common, metric="area_ge", value=size.area_um2 / made.technology.gate_equivalent_um2)
    yield Row(**common, metric="transistors", value=size.transistors)
