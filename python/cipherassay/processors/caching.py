"""Kernels whose memory exceeds the data cache of a processor that issues in order: what its misses cost.

Their schedule is made for accesses that hit. Which ones miss depends on the data, so that their clocks are an
average over random inputs, one run after the other.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from cipherassay.processors.out_of_order import random_inputs
from cipherassay.processors.simulating import cycles_of, footprint, load

if TYPE_CHECKING:
    from cipherassay.processors.kernel import Kernel

INPUTS = 512
"""Random inputs whose clocks are averaged."""
SEED = 1


def may_miss(kernel: Kernel) -> bool:
    """Whether the memory that a kernel is given exceeds the data cache."""
    return 0 < kernel.processor.cache_bytes < footprint(kernel.interface)


def with_misses(kernel: Kernel) -> Kernel:
    """Return the kernel with its simulated clocks, where accesses may miss the data cache.

    Raises
    ------
    DescriptionError
        ``M5xx``: the simulator refuses the text.
    """
    if kernel.processor.issues_out_of_order or not may_miss(kernel):
        return kernel
    return replace(kernel, simulated=clocks(kernel))


def clocks(kernel: Kernel, inputs: int = INPUTS, seed: int = SEED) -> int:
    """Return the average clocks of a kernel over random inputs, rounded."""
    machine = load(kernel.text, kernel.processor, file=f"{kernel.cipher} {kernel.operation}")
    found = cycles_of(machine, kernel.interface, list(random_inputs(kernel, inputs, seed)))
    return round(sum(found) / len(found))
