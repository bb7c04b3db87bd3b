"""The metrics that a row can carry: what each means, its unit, and which direction is better."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Metric:
    """One metric: `better` is ``lower``, ``higher`` or empty where neither direction is."""

    unit: str
    better: str
    meaning: str


METRICS: dict[str, Metric] = {
    "cycles": Metric("cycles", "lower", "best time of one call: the least over the inputs tried"),
    "cycles_average": Metric("cycles", "lower", "average over the inputs of the least time of each"),
    "cycles_mode": Metric("cycles", "lower", "commonest time, to a whole cycle"),
    "cycles_max": Metric("cycles", "lower", "time of the input that takes longest"),
    "cycles_sigma": Metric("cycles", "", "standard deviation over the inputs"),
    "normality_p": Metric("", "", "probability of such data if the times were Gaussian"),
    "inputs": Metric("inputs", "", "random inputs tried"),
    "repeats": Metric("calls", "", "calls timed per input, of which the least counts"),
    "ticks": Metric("ticks", "lower", "the same as cycles, as the counter counted it"),
    "cycles_per_tick": Metric("cycles/tick", "", "conversion found by the calibration"),
    "cycles_per_byte": Metric("cycles/byte", "lower", "cycles of one block by the block's bytes"),
    "ops": Metric("operations", "lower", "operations executed"),
    "ipc": Metric("operations/cycle", "higher", "operations executed per cycle"),
    "registers": Metric("registers", "lower", "registers used"),
    "code_bytes": Metric("bytes", "lower", "size of the machine code"),
    "table_bytes": Metric("bytes", "lower", "size of the tables"),
    "context_bytes": Metric("bytes", "lower", "size of the key context"),
    "parallelism": Metric("operations/cycle", "higher", "operations that could execute at once"),
    "time_ns": Metric("ns", "lower", "time of one block or one key"),
    "period_ns": Metric("ns", "lower", "least clock period"),
    "latency_cycles": Metric("cycles", "lower", "clock cycles from input to output"),
    "throughput_mbps": Metric("Mbit/s", "higher", "data per second"),
    "throughput_kbps": Metric("kbit/s", "higher", "data per second"),
    "area_um2": Metric("µm²", "lower", "cell area"),
    "area_ge": Metric("GE", "lower", "area in two-input NAND gates"),
    "transistors": Metric("transistors", "lower", "transistors"),
    "io_pads": Metric("pads", "lower", "input and output pads"),
    "energy_pj_per_bit": Metric("pJ/bit", "lower", "energy per bit of data"),
    "gates": Metric("gates", "lower", "gates of the circuit"),
    "depth": Metric("gates", "lower", "gates on the longest path"),
    "xors": Metric("gates", "lower", "exclusive-or gates"),
    "instructions": Metric("instructions", "lower", "instructions of the code"),
    "calls": Metric("calls", "lower", "calls needed"),
    "ratio": Metric("", "", "a ratio that a source prints"),
    "ram_bytes": Metric("bytes", "lower", "working memory"),
    "rom_bytes": Metric("bytes", "lower", "code and tables"),
}
"""Every metric by its name. A producer of a new metric adds it here, with what it means."""
