"""What is counted of a circuit, and in which order two circuits are compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

METRICS: dict[str, str] = {
    "gates": "gates of the circuit",
    "ops": "operations by the HP paper's rule: a complement that only ANDs read is part of them",
    "instructions": "instructions of the machine, moves among them",
    "cycles": "cycles on the target",
    "depth": "gates on the longest path",
    "width": "most operations of one level",
    "temps": "most results alive at once in the order written, outputs until the end",
    "and_count": "nonlinear gates",
    "area_um2": "area of the cells in square micrometres",
}
"""Every metric that can be an objective, and what it means. Smaller is better for all of them."""

FIGURES: dict[str, str] = {
    **METRICS,
    "moves": "moves between registers, among the instructions",
    "cycles_rebuilt": "cycles with the chains of one operator made into trees",
    "cycles_paper": "cycles by the HP paper's rule",
    "width_paper": "width by the HP paper's rule",
    "least_width": "least width of a schedule of least depth",
    "temps_least": "fewest values alive at once in any order",
    "registers": "registers needed in the order written",
    "registers_least": "registers needed in the best order",
    "ternary_count": "operations of three inputs that cover the circuit as written",
    "gate_equivalents": "area in two-input NAND gates",
}
"""Every figure of a circuit, in the order in which they are shown."""

COUNTS_OF_GATES = ("gates", "ops", "instructions")
"""Metrics that are no less than the gates of the circuit, a complement that only ANDs read not counted."""


def key(metrics: Mapping[str, float], objective: Sequence[str]) -> tuple[float, ...]:
    """Return what orders circuits by an objective: smaller is better; an unknown metric is the worst."""
    return tuple(float(metrics.get(metric, float("inf"))) for metric in objective)
