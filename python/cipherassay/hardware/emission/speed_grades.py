"""Area and speed of a device for its data sheet and its notebook, from what is kept of its synthesis."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cipherassay.hardware.results import rows, stored
from cipherassay.hardware.results.documents import Document
from cipherassay.hardware.results.figures import figures
from cipherassay.hardware.rtl.build import Device
from cipherassay.hardware.timing import hold


def command(device: Device) -> str:
    """Return the command that synthesizes a device and keeps the results."""
    key = f" --key-bits {device.key}" if device.key else ""
    return (
        f"assay synthesize {device.cipher} --architecture {device.architecture}{key} "
        f"--direction {device.direction} --strategy {device.strategy.name} --keep"
    )


def grade_rows(document: Document) -> tuple[Sequence[str], list[tuple[object, ...]]]:
    """Return the head and the lines of the table of a document's grades, the fastest first."""
    sizes = sorted({bits for grade in document["grades"] for bits in grade["period_ns"]}, key=int)
    head = ["grade", "strategy", *(f"period, ns ({bits})" for bits in sizes)]
    head += [f"area, {document['area_unit']}", "gate equivalents", "transistors", "withdrawn"]
    found: list[tuple[object, ...]] = []
    for n, grade in enumerate(document["grades"], 1):
        gates = grade["area_um2"] / document["gate_equivalent_um2"]
        periods = [f"{grade['period_ns'][bits]:.2f}" for bits in sizes]
        area, transistors = f"{grade['area_um2']:,.0f}", f"{grade['transistors']:,}"
        sizes_of = (area, f"{gates:,.0f}", transistors)
        found.append((n, f"`{grade['strategy']}`", *periods, *sizes_of, hold.told(grade["latches"])))
    return head, found


def synthesized(device: Device) -> dict[str, Any]:
    """Return what the data sheet says of synthesis: the grades of the device's own strategy, with their
    throughput forward with the shortest keys, and the command that makes them (anew)."""
    document = stored.of_device(device)
    grades = [] if document is None else document["grades"]
    if document is None or device.strategy.name not in {grade["strategy"] for grade in grades}:
        return {"lines": [], "command": command(device)}
    head, lines = grade_rows(document)
    both = zip(grades, lines, strict=True)
    own = [(*line, _mbps(document, one)) for one, line in both if one["strategy"] == device.strategy.name]
    return {
        "head": [*head, "Mbit/s"], "lines": own, "technology": document["technology"],
        "tools": document["tools"], "command": stored.recompute(document),
    }  # fmt: skip


def _mbps(document: Document, grade: Document) -> str:
    clocks = document["strategies"][grade["strategy"]]["clocks"][0]
    found = figures(rows.counts_of(clocks), grade["period_ns"][str(clocks["key_bits"])])
    return f"{found.throughput_mbps:,.0f}"
