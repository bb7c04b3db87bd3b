"""The distribution of a kernel's cycles over random inputs (Worley et al. 2000), and what causes it.

Every run begins with warm caches and empty queues. Encryption and decryption run random blocks under the
round keys of some random keys, key setup runs random keys.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from cipherassay._engine import Machine
from cipherassay.lang.shapes import BLOCK_OPERATIONS
from cipherassay.processors.harness import Argument, Object
from cipherassay.processors.kernel import keys_function
from cipherassay.processors.simulating import BASE, distribution, image

if TYPE_CHECKING:
    from cipherassay.native.statistics import Distribution
    from cipherassay.processors.kernel import Kernel

KEYS = 64
"""Keys whose round keys an encryption uses in turn."""
INPUTS = 10_000
FULL_INPUTS = 100_000
CAUSE_INPUTS = 1000
"""Inputs on which the mechanisms are switched off, to find the cause."""
BANKS = "conflicts of banks of the data cache"
STORES = "loads that wait for stores"
FLOW = "flow of control"


@dataclass(frozen=True)
class CycleSample:
    """Cycles over inputs. `cause` says what makes them differ; nothing if they do not."""

    distribution: Distribution
    cycles: tuple[int, ...]
    cause: str
    seed: int


def sample(kernel: Kernel, *, inputs: int = INPUTS, seed: int = 1) -> CycleSample:
    """Run a kernel on random inputs; Ctrl-C ends it between two of them.

    Raises
    ------
    DescriptionError
        ``M5xx``: the simulator refuses the text, or its accesses.
    """
    cycles = _cycles(kernel, inputs, seed)
    cause = "" if len(set(cycles)) <= 1 else _cause(kernel, min(inputs, CAUSE_INPUTS), seed)
    return CycleSample(distribution(cycles), tuple(cycles), cause, seed)


def first(kernel: Kernel, seed: int = 1) -> list[Argument]:
    """Return the first random input."""
    source = random.Random(seed)
    fixed = list(_round_keys(kernel, source))
    return [*fixed, source.randbytes(_bytes(kernel, len(fixed)))]


def _cause(kernel: Kernel, inputs: int, seed: int) -> str:
    """Return what makes the cycles differ: mechanisms are switched off one after the other."""
    spread = partial(_cycles, kernel, inputs, seed)
    known, without = spread(), spread(banks=False)
    causes = [BANKS] if without != known else []
    if len(set(without)) > 1:
        at_once = spread(banks=False, store_to_load=1)
        causes += [STORES] if len(set(at_once)) < len(set(without)) else []
        causes += [FLOW] if len(set(at_once)) > 1 else []
    return " and ".join(causes)


def _cycles(
    kernel: Kernel, inputs: int, seed: int, *, banks: bool = True, store_to_load: int | None = None
) -> list[int]:
    source = random.Random(seed)
    file = f"{kernel.cipher} {kernel.operation}"
    machine = Machine.load(kernel.text, kernel.processor, file, banks=banks, store_to_load=store_to_load)
    batches = min(KEYS, inputs) if kernel.operation in BLOCK_OPERATIONS else 1
    found: list[int] = []
    for batch in range(batches):
        count = inputs // batches + (batch < inputs % batches)
        if count:
            found += _batch(kernel, machine, source, count)
    return found


def _batch(kernel: Kernel, machine: Machine, source: random.Random, count: int) -> list[int]:
    """Return the cycles of some inputs that share their round keys, if there are any."""
    fixed = list(_round_keys(kernel, source))
    data = [source.randbytes(_bytes(kernel, len(fixed))) for _ in range(count)]
    laid = image(kernel.interface, [*fixed, data[0]])
    offsets, _ = kernel.interface.record([*fixed, data[0]])
    varying = [
        (laid.varying + offsets[k], one.size, b"".join(_written(one, text, kernel) for text in data))
        for k, one in enumerate(kernel.interface.objects)
        if one.role == "parameter" and one.number == len(fixed)
    ]
    return machine.distribution(list(laid.arguments), laid.memory, varying, count, base=BASE)


def _written(one: Object, text: bytes, kernel: Kernel) -> bytes:
    memory = bytearray(one.size)
    one.write(memory, 0, text, big_endian=kernel.interface.big_endian)
    return bytes(memory)


def _round_keys(kernel: Kernel, source: random.Random) -> Iterator[Argument]:
    if kernel.operation not in BLOCK_OPERATIONS:
        return
    if not keys_function(kernel):
        return
    keys = kernel.program.evaluate(keys_function(kernel), [source.randbytes(kernel.key_bits // 8)])
    for one in keys:
        yield one if isinstance(one, int) else list(one)


def _bytes(kernel: Kernel, parameter: int) -> int:
    """Return the bytes of the parameter that varies: a block or a key."""
    return kernel.program.mirror().functions[kernel.function].params[parameter].type.cells
