"""Layouts as rows of results: one `configuration` each, a row for each thing that is counted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import Any

from cipherassay.layouts.cycles import Cycles
from cipherassay.layouts.layout import Cost, Layout
from cipherassay.layouts.searching import LayoutFront
from cipherassay.published import platform
from cipherassay.results import Row

METRICS = tuple(field.name for field in fields(Cost))


def rows(found: LayoutFront, cipher: str, command: str) -> list[Row]:
    """Return the rows of a front; `certificate` says whether the space was exhausted."""
    closed = "front of the whole space" if found.is_closed else "front of what was searched"
    return _counted(found, found.layouts, cipher, closed, command)


def width_rows(found: LayoutFront, widths: Sequence[Layout], cipher: str, command: str) -> list[Row]:
    """Return the rows of layouts by width of entries (`layouts.widths`)."""
    return _counted(found, widths, cipher, "constructed", f"{command} --entries")


def _counted(
    found: LayoutFront, layouts: Sequence[Layout], cipher: str, certificate: str, command: str
) -> list[Row]:
    return [
        Row(
            cipher=cipher,
            part=found.layer.name,
            target=f"words of {found.word_bits} bits",
            configuration=layout.name,
            metric=metric,
            value=getattr(layout.cost, metric),
            unit="operations" if metric == "xors" else None,
            basis="synthesized",
            certificate=certificate,
            command=command,
        )
        for layout in layouts
        for metric in METRICS
    ]


def cycle_rows(
    found: LayoutFront, cipher: str, command: str, processor: str, cycles: Sequence[Cycles | None]
) -> list[Row]:
    """Return the rows of a front's cycles on a processor; layouts without any are left out."""
    return [
        Row(
            cipher=cipher, part=found.layer.name, level="processor", target=processor,
            platform=platform(processor),
            configuration=f"words of {found.word_bits} bits, {layout.name}",
            metric="cycles", value=one.cycles, basis="simulated",
            bound=one.bound, certificate="optimal" if one.is_least else "best schedule found",
            command=f"{command} --processor {processor}",
        )
        for layout, one in zip(found.layouts, cycles, strict=True)
        if one is not None
    ]  # fmt: skip


def published(cipher: str, word_bits: int) -> list[tuple[str, Cost]]:
    """Return the layouts that papers print for a cipher and a word width: name and cost."""
    from cipherassay.published import load

    names = {"table_bytes": "table_bytes", "lookups": "references", "word_xors": "xors"}
    names |= {name: name for name in ("masks", "shifts", "rotations")}
    found: dict[str, dict[str, int]] = {}
    for paper in load():
        for table in paper.tables:
            for row in table.rows:
                values: dict[str, Any] = dict(row.as_result())
                configuration = values["configuration"] or ""
                counted = values["cipher"] == cipher and configuration.startswith(f"{word_bits}-bit,")
                if counted and values["metric"] in names and values["value"] is not None:
                    found.setdefault(configuration, {})[names[values["metric"]]] = int(values["value"])
    empty = dict.fromkeys(METRICS, 0)
    return [(name, Cost(**{**empty, **costs})) for name, costs in found.items() if "references" in costs]


def compared(found: LayoutFront, cost: Cost) -> tuple[str, Layout | None]:
    """Say where a cost stands: ``on the front``, ``beaten by`` some layout, or ``not reached``."""
    for layout in found.layouts:
        if layout.cost == cost:
            return "on the front", layout
    for layout in found.layouts:
        if layout.cost.is_within(cost):
            return "beaten by", layout
    return "not reached", None
