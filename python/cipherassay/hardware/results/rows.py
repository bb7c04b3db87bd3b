"""Synthesized designs as rows of results."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cipherassay.hardware.netlists.netlist import Size, registers
from cipherassay.hardware.results.documents import INTERFACE, Document
from cipherassay.hardware.results.figures import figures
from cipherassay.hardware.rtl.build import Device
from cipherassay.hardware.rtl.key_modes import key_mode
from cipherassay.hardware.simulation.counts import Counts, confirmed
from cipherassay.hardware.timing import hold
from cipherassay.published import platform
from cipherassay.results import Row

if TYPE_CHECKING:  # they need NumPy, and what is kept is read without
    from cipherassay.hardware.synthesis.bottom_up import DesignPoint
    from cipherassay.hardware.synthesis.flow import Synthesis

KEY_SWITCH, LATENCY, FEEDBACK = "key switch", "key setup and one block", "feedback modes"
"""Parts of figures that have no metric of their own, as in the stored tables of the paper."""
ALGORITHM_SETUP = "algorithm setup"
MICROMETRES = "µm²"
KEPT_BLOCK_BITS = 128
"""Bits of a block in kept documents that do not say them."""


@dataclass(frozen=True)
class _Area:
    """In what areas are given, and that of a gate equivalent."""

    unit: str
    gate_equivalent: float


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
            "platform": platform(made.technology.name),
            "configuration": f"{begin}, speed {number}",
            "speed_grade": number,
            **fields,
        }
        yield from _point(made, point, common)


def _point(made: Synthesis, point: DesignPoint, common: dict[str, Any]) -> Iterator[Row]:
    path = point.timing.paths[0]
    mixed = " ".join(f"{unit}:{recipe}" for unit, recipe in point.choice.items())
    certificate = f"{path.start} to {path.end}; {made.split(point)}: {mixed}"
    certificate += "; timing repaired" if point.repaired else ""
    unit = _Area(made.technology.area_unit, made.technology.gate_equivalent_um2)
    yield Row(**common, metric="period_ns", value=point.delay_ns, certificate=certificate)
    yield from _size(point.size, unit, common)
    interface = point.blocks.get(INTERFACE)
    if interface is not None:
        yield _without(point.size.area_um2, registers(interface, made.technology).area_um2, unit, common)
    for block, size in point.blocks.items():
        if len(point.blocks) > 1:
            yield from _size(size, unit, common | {"part": block or "Top"})


def _size(size: Size, made_in: _Area, common: dict[str, Any]) -> Iterator[Row]:
    if made_in.unit == MICROMETRES:
        yield Row(**common, metric="area_um2", value=size.area_um2)
    yield Row(**common, metric="area_ge", value=size.area_um2 / made_in.gate_equivalent)
    yield Row(**common, metric="transistors", value=size.transistors)


def _without(area: float, of_registers: float, made_in: _Area, common: dict[str, Any]) -> Row:
    """Return the row of an area without the registers of the Interface."""
    why = f"less {of_registers / made_in.gate_equivalent:.0f} GE of flip-flops that hold what the pins bring"
    value = (area - of_registers) / made_in.gate_equivalent
    return Row(**common, metric="area_ge_without_interface", value=value, certificate=why)


def device_rows(
    document: Document, *, stored: bool = False, command: str | None = None, note: str = ""
) -> Iterator[Row]:
    """Yield the rows of a cipher's device from its document.

    Whole device: `part` None; both directions: `operation` None; the speed grade, 1 the fastest, stands in
    `configuration` (``iterative, speed 1``; those of the literal form by itself ``iterative, literal, speed
    1``); of each key size and direction what its clock counts make of the period. Rows of a grade that
    violates hold say so in `certificate` (`hold`).

    Parameters
    ----------
    stored : bool
        The document was kept from another run: its rows say so.
    note : str
        What the configuration says besides.

    Raises
    ------
    VerificationError
        ``H720``: figures contradict each other.
    """
    begin = f"{_kind(document)}, {note}, " if note else f"{_kind(document)}, "
    for kind, grades in (("", document["grades"]), ("literal, ", document["literal"])):
        for number, grade in enumerate(grades, 1):
            common = _common(document, grade["strategy"], stored)
            common |= {"configuration": f"{begin}{kind}speed {number}", "command": command}
            common["speed_grade"] = number
            for row in _grade(document, grade, common):
                yield hold.marked(row, grade["latches"])


def _grade(document: Document, grade: Document, common: dict[str, Any]) -> Iterator[Row]:
    yield from _whole(document, grade, common)
    for clocks in document["strategies"][grade["strategy"]]["clocks"]:
        bits, period = clocks["key_bits"], grade["period_ns"][str(clocks["key_bits"])]
        yield from _figures(counts_of(clocks), bits, clocks["operation"], period, common)
        if document["area_unit"] == MICROMETRES:
            yield from _per_area(grade, clocks, common)


def function_rows(document: Document, command: str) -> Iterator[Row]:
    """Yield the sweeps of a document's functions: delay, area, transistors of each by each recipe.

    Parameters
    ----------
    command : str
        What makes the document anew.
    """
    made_in = _Area(document["area_unit"], document["gate_equivalent_um2"])
    for strategy, splits in document["functions"].items():
        for units in splits.values():
            for unit, points in units.items():
                for recipe, delay, area, transistors in points:
                    common = _common(document, strategy, True)
                    common |= {
                        "part": unit, "configuration": f"{_kind(document)}, function by {recipe}",
                        "command": command,
                    }  # fmt: skip
                    yield Row(**common, metric="time_ns", value=delay)
                    yield from _size(Size(area, transistors), made_in, common)


def _common(document: Document, strategy: str, stored: bool) -> dict[str, Any]:
    return {
        "cipher": document["title"], "variant": document["key"] or None, "strategy": strategy,
        "level": "hardware", "target": document["technology"], "basis": "synthesized",
        "platform": platform(document["technology"]), "architecture": document["architecture"],
        "key_mode": key_mode(document["key"]),
        "tools": document["tools"] + ("; stored" if stored else ""),
    }  # fmt: skip


def _kind(document: Document) -> str:
    """Return how configurations begin: ``iterative``, with the direction where it is one only."""
    direction = "" if document["direction"] == "both" else f", {document['direction']}"
    return f"{document['architecture']}{direction}"


def _whole(document: Document, grade: Document, common: dict[str, Any]) -> Iterator[Row]:
    mixed = " ".join(f"{unit}:{recipe}" for unit, recipe in grade["recipes"].items())
    certificate = f"{grade['path'][0]} to {grade['path'][1]}; {grade['split']}: {mixed}"
    certificate += "; timing repaired" if grade.get("repaired") else ""
    certificate += _checked(grade["gates"]) if "gates" in grade else ""
    for bits, period in grade["period_ns"].items():
        of = common | {"key_bits": int(bits) or None, "certificate": certificate}
        yield Row(**of, metric="period_ns", value=period)
    unit = _Area(document["area_unit"], document["gate_equivalent_um2"])
    parts = {None: [grade["area_um2"], grade["transistors"]], **grade["blocks"]}
    for part, (area, transistors) in parts.items():
        of = common | {"part": part}
        yield from _size(Size(area, transistors), unit, of)
    if held := grade.get("interface_registers"):
        yield _without(grade["area_um2"], held[0], unit, common)
    pads = document["strategies"][grade["strategy"]]["io_pads"]
    yield Row(**common, metric="io_pads", value=pads)
    nothing = "round keys apart, nothing is prepared: no table is made at run time"
    yield Row(**common, part=ALGORITHM_SETUP, metric="time_ns", value=0.0, certificate=nothing)


def _checked(gates: Document) -> str:
    """Return what the checks of a grade's gates say, for its certificate."""
    checks = gates["sign_off"].items()
    hold = [f"{name} {slack:+.3f} {unit}" for name, (_, slack, unit) in checks if name.startswith("hold")]
    done = gates["simulated"]
    periods = " and ".join(f"{longer:g}" for longer in done["periods"])
    simulated = f"{done['vectors']} vectors through its gates with delays, at {periods} periods"
    return f"; signed off, {', '.join(hold)}; {simulated}"


def counts_of(clocks: Document) -> Counts:
    """Return the counts of a document's entry."""
    counted = {name: clocks[name] for name in ("key_setup", "latency", "per_block", "key_switch")}
    more = {name: clocks[name] for name in ("copies",) if name in clocks}
    return Counts(**counted, **more, block_bits=clocks.get("block_bits", KEPT_BLOCK_BITS))


def clock_rows(device: Device, period_ns: float, common: dict[str, Any]) -> Iterator[Row]:
    """Yield what a device's clock counts make of a period, for each key size and direction.

    Raises
    ------
    VerificationError
        As of `counts.confirmed`; ``H720``: figures contradict each other.
    """
    for (bits, decrypt), count in confirmed(device).items():
        yield from _figures(count, bits, device.operation(decrypt), period_ns, common)


def _figures(
    count: Counts, bits: int, operation: str, period_ns: float, common: dict[str, Any]
) -> Iterator[Row]:
    """Yield what the clocks of a key size and direction make of a period."""
    found = figures(count, period_ns)
    one = common | {"key_bits": bits or None, "operation": operation}
    setup = common | {"key_bits": bits, "operation": f"key_setup_{operation}"}

    def told(number: int, blocks: int = 1) -> str:
        of = f" for {blocks} blocks" if blocks > 1 else ""
        return f"{number} clock{'s' if number != 1 else ''}{of}, shown by simulation"

    rate, wait = told(count.per_block, count.copies), told(count.latency)
    yield Row(**one, metric="throughput_mbps", value=found.throughput_mbps, certificate=rate)
    yield Row(**one, part=FEEDBACK, metric="throughput_mbps", value=found.feedback_mbps, certificate=wait)
    yield Row(**one, metric="time_ns", value=found.block_ns, certificate=wait)
    yield Row(
        **one, part=LATENCY, metric="time_ns", value=found.latency_ns,
        certificate=told(count.key_setup + count.latency),
    )  # fmt: skip
    if bits:
        yield Row(**setup, metric="time_ns", value=found.key_setup_ns, certificate=told(count.key_setup))
        yield Row(
            **setup, part=KEY_SWITCH, metric="time_ns", value=found.key_switch_ns,
            certificate=told(count.key_switch),
        )  # fmt: skip
    yield Row(**one, metric="blocks_in_flight", value=found.blocks_in_flight)


def _per_area(grade: Document, clocks: Document, common: dict[str, Any]) -> Iterator[Row]:
    """Yield throughput by the area of the whole device, and by that of its Algorithm."""
    found = figures(counts_of(clocks), grade["period_ns"][str(clocks["key_bits"])])
    areas = {None: grade["area_um2"]}
    areas |= {part: area for part, (area, _) in grade["blocks"].items() if part == "Algorithm"}
    one = common | {"key_bits": clocks["key_bits"] or None, "operation": clocks["operation"]}
    for part, area in areas.items():
        ratio = 1e6 * found.throughput_mbps / area
        yield Row(**one, part=part, metric="throughput_per_area", value=ratio)
