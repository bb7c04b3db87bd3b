"""Synthesized designs as rows of results."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cipherassay.hardware.bottom_up import DesignPoint
from cipherassay.hardware.netlist import Size
from cipherassay.hardware.synthesis import Synthesis
from cipherassay.results import Row


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
    yield Row(**common, metric="area_um2", value=size.area_um2)
    yield Row(**common, metric="area_ge", value=size.area_um2 / made.technology.gate_equivalent_um2)
    yield Row(**common, metric="transistors", value=size.transistors)
