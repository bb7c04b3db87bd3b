"""Area and speed of a device for its data sheet, from what is kept of its synthesis."""

from __future__ import annotations

from typing import Any

from cipherassay.hardware.results import rows, stored
from cipherassay.hardware.results.documents import Document
from cipherassay.hardware.results.figures import figures
from cipherassay.hardware.rtl.build import Device


def command(device: Device) -> str:
    """Return the command that synthesizes a device and keeps the results."""
    key = f" --key-bits {device.key}" if device.key else ""
    return (
        f"assay synthesize {device.cipher} --architecture {device.architecture}{key} "
        f"--direction {device.direction} --strategy {device.strategy.name} --keep"
    )


def synthesized(device: Device) -> dict[str, Any]:
    """Return what the data sheet says of synthesis: the grades of the device's own strategy, the fastest
    first, and the command that makes them (anew)."""
    document = stored.of_device(device)
    own = [] if document is None else document["grades"]
    own = [grade for grade in own if grade["strategy"] == device.strategy.name]
    if document is None or not own:
        return {"grades": [], "command": command(device)}
    return {
        "grades": [_grade(document, grade) for grade in own], "technology": document["technology"],
        "unit": document["area_unit"], "tools": document["tools"], "command": stored.recompute(document),
    }  # fmt: skip


def _grade(document: Document, grade: Document) -> tuple[str, ...]:
    """Return periods, throughput forward with the shortest keys, area, gate equivalents, transistors."""
    clocks = document["strategies"][grade["strategy"]]["clocks"][0]
    period = grade["period_ns"][str(clocks["key_bits"])]
    found = figures(rows.counts_of(clocks), period)
    equivalents = grade["area_um2"] / document["gate_equivalent_um2"]
    return (
        " / ".join(f"{one:.2f}" for one in grade["period_ns"].values()), f"{found.throughput_mbps:,.0f}",
        f"{grade['area_um2']:,.0f}", f"{equivalents:,.0f}", f"{grade['transistors']:,}",
    )  # fmt: skip
