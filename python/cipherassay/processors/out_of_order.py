"""Kernels of processors that issue out of order: their cycles are the simulator's, not the schedule's.

There the number of operations counts, and the order of the text where registers are short or loads wait for
stores: what does not fit the registers is stored and loaded again. Of several orders of the text the one with
the fewest simulated cycles is taken.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import TYPE_CHECKING

from cipherassay.processors.harness import Argument
from cipherassay.processors.simulating import cycles_of, load

if TYPE_CHECKING:
    from cipherassay._engine import Program
    from cipherassay.ir import Type
    from cipherassay.processors.kernel import Kernel

ORDERS = {"scheduled": 0, "between": 50, "near program": 80, "program": 100}
"""Orders of the text, from that of a list schedule to that of the program, with the weight of the latter in
per cent: values live the shorter, the nearer the order is to the program's."""
INPUTS = 64
"""Random inputs, of whose cycles the least are a kernel's."""
RESTARTS = 8
"""Restarts of list scheduling, which decides only the order of the text."""
SEED = 1


def cycles(kernel: Kernel, inputs: int = INPUTS, seed: int = SEED) -> int:
    """Return the least cycles of a kernel over random inputs.

    Raises
    ------
    DescriptionError
        ``M5xx``: the simulator refuses the text.
    """
    machine = load(kernel.text, kernel.processor, file=f"{kernel.cipher} {kernel.operation}")
    return min(cycles_of(machine, kernel.interface, list(random_inputs(kernel, inputs, seed))))


def random_inputs(kernel: Kernel, count: int, seed: int) -> Iterator[list[Argument]]:
    """Yield random arguments of a kernel's function."""
    return random_arguments(kernel.program, kernel.function, count, seed)


def random_arguments(program: Program, function: str, count: int, seed: int) -> Iterator[list[Argument]]:
    """Yield random arguments of a program's function."""
    source = random.Random(seed)
    params = program.mirror().functions[function].params
    for _ in range(count):
        yield [_random(source, ty) for _, ty in params]


def _random(source: random.Random, ty: Type) -> Argument:
    if not ty.is_array:
        return source.getrandbits(ty.bits)
    if ty.bits == 8:
        return source.randbytes(ty.cells)
    return [source.getrandbits(ty.bits) for _ in range(ty.cells)]
