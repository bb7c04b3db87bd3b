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
    "temps": "most values alive beside the inputs' registers",
    "and_count": "nonlinear gates",
    "area_um2": "area of the cells in square micrometres",
}
"""Every metric that can be an objective, and what it means. Smaller is better for all of them."""


def key(metrics: Mapping[str, float], objective: Sequence[str]) -> tuple[float, ...]:
    """Return what orders circuits by an objective: smaller is better; an unknown metric is the worst."""
    return tuple(float(metrics.get(metric, float("inf"))) for metric in objective)
