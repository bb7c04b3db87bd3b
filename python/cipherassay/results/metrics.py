"""The metrics that a row can carry: what each means, its unit, and which direction is better."""

from __future__ import annotations

from dataclasses import dataclass

from cipherassay.published import METRICS as PUBLISHED_UNITS

STATISTICS = ("min", "average", "mode", "max", "sigma")
"""A metric's name with one of these after it (``cycles_average``) is that statistic over the inputs."""


@dataclass(frozen=True)
class Metric:
    """One metric: `better` is ``lower``, ``higher`` or empty where neither direction is."""

    unit: str
    better: str
    meaning: str


METRICS: dict[str, Metric] = {
    "cycles": Metric("cycles", "lower", "time of one call, of several the least"),
    "normality_p": Metric("", "", "probability of such data if the times were Gaussian"),
    "inputs": Metric("inputs", "", "random inputs tried"),
    "repeats": Metric("calls", "", "calls timed per input, of which the least counts"),
    "ticks": Metric("ticks", "lower", "the same as cycles, as the counter counted it"),
    "cycles_per_tick": Metric("cycles/tick", "", "conversion found by the calibration"),
    "cycles_per_byte": Metric("cycles/byte", "lower", "cycles of one block by the block's bytes"),
    "ops": Metric("operations", "lower", "operations executed"),
    "ipc": Metric("operations/cycle", "higher", "operations executed per cycle"),
    "text_misses": Metric("lines", "lower", "lines of text that the instruction cache missed"),
    "registers": Metric("registers", "lower", "registers used"),
    "code_bytes": Metric("bytes", "lower", "size of the machine code"),
    "table_bytes": Metric("bytes", "lower", "size of the tables"),
    "references": Metric("operations", "lower", "look-ups in tables"),
    "masks": Metric("operations", "lower", "ands with a constant"),
    "shifts": Metric("operations", "lower", "shifts by a constant"),
    "rotations": Metric("operations", "lower", "rotations by a constant"),
    "doublings": Metric("operations", "lower", "products of every byte of a word with x or its inverse"),
    "narrow_references": Metric("operations", "lower", "look-ups of less than a word"),
    "misaligned_references": Metric("operations", "lower", "look-ups not at a multiple of a word"),
    "context_bytes": Metric("bytes", "lower", "size of the key context"),
    "parallelism": Metric("operations/cycle", "higher", "operations that could execute at once"),
    "time_ns": Metric("ns", "lower", "time of one block or one key"),
    "period_ns": Metric("ns", "lower", "least clock period"),
    "latency_cycles": Metric("cycles", "lower", "clock cycles from input to output"),
    "throughput_mbps": Metric("Mbit/s", "higher", "data per second"),
    "blocks_in_flight": Metric("blocks", "", "blocks inside a device at once"),
    "throughput_kbps": Metric("kbit/s", "higher", "data per second"),
    "area_um2": Metric("µm²", "lower", "cell area"),
    "area_ge": Metric("GE", "lower", "area in two-input NAND gates"),
    "area_ge_without_interface": Metric(
        "GE", "lower", "area in two-input NAND gates, less the registers that hold what the pins bring"
    ),
    "transistors": Metric("transistors", "lower", "transistors"),
    "io_pads": Metric("pads", "lower", "input and output pads"),
    "energy_pj_per_bit": Metric("pJ/bit", "lower", "energy per bit of data"),
    "luts": Metric("look-up tables", "lower", "look-up tables of a field-programmable gate array"),
    "flip_flops": Metric("flip-flops", "lower", "flip-flops"),
    "logic_cells": Metric("logic cells", "lower", "logic cells of a field-programmable gate array"),
    "gates": Metric("gates", "lower", "gates of the circuit"),
    "depth": Metric("gates", "lower", "gates on the longest path"),
    "and_count": Metric("gates", "lower", "nonlinear gates of the circuit"),
    "width": Metric("operations/cycle", "", "most operations of one level or cycle"),
    "temps": Metric("values", "lower", "most results alive at once in the order written"),
    "xors": Metric("gates", "lower", "exclusive-or gates"),
    "instructions": Metric("instructions", "lower", "instructions of the code"),
    "refused": Metric("", "lower", "a kernel that could not be made, or failed its check"),
    "calls": Metric("calls", "lower", "calls needed"),
    "ratio": Metric("", "", "a ratio that a source prints"),
    "ram_bytes": Metric("bytes", "lower", "working memory"),
    "known_answers_passed": Metric("records", "higher", "known answers that were right"),
    "known_answers_failed": Metric("records", "lower", "known answers that were wrong"),
    "rms_error": Metric("", "lower", "root mean square of the differences from printed numbers"),
    "look_up_share": Metric("", "", "part of the cycles that table look-ups take"),
    "rom_bytes": Metric("bytes", "lower", "code and tables"),
}
"""Every metric by its name. A producer of a new metric adds it here, with what it means."""

METRICS |= {
    name: Metric(unit, "", "as the paper defines it")
    for name, unit in PUBLISHED_UNITS.items()
    if name not in METRICS
}


def find_metric(name: str) -> Metric | None:
    """Return what `name` means, with or without a statistic after it; None if there is no such metric."""
    if name in METRICS:
        return METRICS[name]
    base, _, statistic = name.rpartition("_")
    if statistic not in STATISTICS or base not in METRICS:
        return None
    metric = METRICS[base]
    better = "" if statistic == "sigma" else metric.better
    return Metric(metric.unit, better, f"{_STATISTIC_MEANINGS[statistic]}: {metric.meaning}")


_STATISTIC_MEANINGS = {
    "min": "least over the inputs",
    "average": "average over the inputs",
    "mode": "commonest over the inputs",
    "max": "greatest over the inputs",
    "sigma": "standard deviation over the inputs",
}
