"""Kernels of processors that issue in order, whose cycles may be others than their schedule's.

A schedule is made for accesses that hit the data cache. Where the kernel's memory exceeds it, which ones
miss depends on the data, so that cycles are an average over random inputs, one run after the other. And where
a text has no stops, the processor may wait less than the schedule does.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from cipherassay.processors.out_of_order import random_inputs
from cipherassay.processors.simulating import cycles_of, footprint, load

if TYPE_CHECKING:
    from cipherassay.processors.kernel import Kernel

INPUTS = 512
"""Random inputs whose cycles are averaged."""
SEED = 1


def may_miss(kernel: Kernel) -> bool:
    """Whether the memory that a kernel is given exceeds the data cache."""
    return 0 < kernel.processor.cache_bytes < footprint(kernel.interface)


def without_stops(kernel: Kernel) -> bool:
    """Whether the processor finds for itself what issues together: it may wait less than its schedule."""
    return not kernel.processor.issues_out_of_order and ";;" not in kernel.text


def may_wait_less(kernel: Kernel) -> bool:
    """Whether a run may wait less than the schedule: there are no stops, or data choose where stores go."""
    return without_stops(kernel) or kernel.stores_by_data


def with_misses(kernel: Kernel) -> Kernel:
    """Return the kernel with its simulated cycles, where they may be others than the schedule's.

    Raises
    ------
    DescriptionError
        ``M5xx``: the simulator refuses the text.
    """
    if kernel.processor.issues_out_of_order:
        return kernel
    if may_miss(kernel):
        return replace(kernel, simulated=cycles(kernel))
    found = cycles(kernel, 1) if may_wait_less(kernel) else kernel.planned
    return kernel if found == kernel.planned else replace(kernel, simulated=found)


def cycles(kernel: Kernel, inputs: int = INPUTS, seed: int = SEED) -> int:
    """Return the average cycles of a kernel over random inputs, rounded."""
    machine = load(kernel.text, kernel.processor, file=f"{kernel.cipher} {kernel.operation}")
    found = cycles_of(machine, kernel.interface, list(random_inputs(kernel, inputs, seed)))
    return round(sum(found) / len(found))
