"""Kernels checked: known answers and random inputs, by the own execution of the text and by this machine."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import TYPE_CHECKING

from cipherassay.errors import VerificationError
from cipherassay.lang.shapes import BLOCK_OPERATIONS, schedule_for
from cipherassay.vectors.records import Block
from cipherassay.vectors.single_blocks import known_blocks
from cipherassay.x86.kernel import Argument, Kernel, executed, function_of, run, simulate
from cipherassay.x86.oracle import available, native

if TYPE_CHECKING:
    from cipherassay._engine import MicroOpsRun

INPUTS = 512
"""Random inputs whose cycles are averaged, one run after the other."""
LONG, FEW = 4096, 64
"""Of code that runs more instructions than this, so many random inputs are taken."""
ANSWERS = 8
"""Known answers of each set that a kernel is run on."""


def inputs(kernel: Kernel, count: int = INPUTS, seed: int = 1) -> list[list[Argument]]:
    """Return arguments of the kernel's function: known answers' first, then random ones."""
    return [*(values for values, _ in answers(kernel)), *_random(kernel, count, seed)]


def known_answers(kernel: Kernel) -> list[Block]:
    """Return known answers of single blocks: the first of each set."""
    return known_blocks(kernel.cipher, kernel.key_bits, kernel.variant, of_each_set=ANSWERS)


def answers(kernel: Kernel) -> list[tuple[list[Argument], bytes | None]]:
    """Return arguments from the kept known answers, with the block that must come out of blocks.

    Code for one key is asked the known answers' blocks; what must come out the program for all keys says.
    """
    if kernel.key:
        blocks = [one.sides(kernel.operation)[0] for one in known_answers(kernel)]
        return [([block], _general(kernel, block)) for block in blocks]
    if kernel.operation not in BLOCK_OPERATIONS:
        return [([one.key], None) for one in known_answers(kernel)]
    found: list[tuple[list[Argument], bytes | None]] = []
    for one in known_answers(kernel):
        given, made = one.sides(kernel.operation)
        found.append(([*_keys(kernel, one.key), given], made))
    return found


def _general(kernel: Kernel, block: bytes) -> bytes:
    program = kernel.cipher.compile(kernel.key_bits, kernel.variant)
    schedule = function_of(program, f"key_setup_{kernel.operation}")
    keys = program.evaluate(schedule, [bytes.fromhex(kernel.key)])
    return bytes(program.evaluate(kernel.operation, [*keys, block])[0])


def _keys(kernel: Kernel, key: bytes) -> list[Argument]:
    schedule = schedule_for(kernel.operation, [one["name"] for one in kernel.program.functions()])
    return list(kernel.program.evaluate(schedule, [key])) if schedule else []


def _random(kernel: Kernel, count: int, seed: int) -> Iterator[list[Argument]]:
    numbers = random.Random(seed)
    block_bytes = kernel.cipher.input_bits // 8
    keys: list[Argument] = []
    for k in range(count):
        key = numbers.randbytes(kernel.key_bits // 8)
        if kernel.operation not in BLOCK_OPERATIONS:
            yield [key]
            continue
        if kernel.key:
            yield [numbers.randbytes(block_bytes)]
            continue
        if k % 64 == 0:
            keys = _keys(kernel, key)
        yield [*keys, numbers.randbytes(block_bytes)]


def checked(kernel: Kernel, count: int = INPUTS) -> tuple[list[MicroOpsRun], str]:
    """Check a kernel and return the simulator's runs of the random inputs, and who checked.

    Caches, of data and of text, are as the runs before left them.

    Raises
    ------
    VerificationError
        X310: the text computes something else than the program, or than a known answer.
    """
    known = answers(kernel)
    given = inputs(kernel, min(count, FEW) if executed(kernel) > LONG else count)
    count = len(given) - len(known)
    found, addresses = run(kernel, given)
    _compare(kernel, given, found, "the own execution of the text")
    checked_by = f"own execution of the text: {len(known)} known answers, {count} random inputs"
    if not available():
        _compare(kernel, given, native(kernel, given), "this machine")
        checked_by += "; GNU as and this machine: the same"
    for (_, wanted), results in zip(known, found, strict=False):
        if wanted is not None and bytes(results[0]) != wanted:
            raise _wrong(kernel, "a known answer", wanted.hex(), bytes(results[0]).hex())
    # The known answers come first and fill the cache: they are not counted.
    return simulate(kernel, addresses)[len(known) :], checked_by


def _compare(kernel: Kernel, given: list[list[Argument]], found: list[list[list[int]]], checker: str) -> None:
    for values, results in zip(given, found, strict=True):
        wanted = [w if isinstance(w, list) else [w] for w in kernel.program.evaluate(kernel.function, values)]
        if results != wanted:
            raise _wrong(kernel, checker, str(wanted)[:80], str(results)[:80])


def _wrong(kernel: Kernel, checker: str, wanted: str, found: str) -> VerificationError:
    return VerificationError(
        "X310",
        f"{kernel.cipher.name} {kernel.operation} for {kernel.model.name} is wrong by {checker}",
        notes=[f"expected {wanted}", f"found {found}"],
        help="this is a bug: please report it",
    )
