"""Kernels checked by our simulators, which read their text: results, known answers, cycles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cipherassay._engine import Machine
from cipherassay.errors import VerificationError
from cipherassay.lang.cipher import Cipher
from cipherassay.lang.shapes import BLOCK_OPERATIONS
from cipherassay.processors import caching
from cipherassay.processors.kernel import Kernel, function_of, keys_function
from cipherassay.processors.out_of_order import random_inputs
from cipherassay.processors.simulating import call, cycles_of, load
from cipherassay.vectors.single_blocks import known_blocks

INPUTS = 8
"""Random inputs that a kernel is run on."""
ANSWERS = 4
"""Known answers of each set that a kernel is run on."""
SEED = 1


@dataclass(frozen=True)
class KernelCheck:
    """What the simulator found: least and most cycles over the inputs, how many inputs and known answers."""

    cycles: int
    most: int
    inputs: int
    answers: int
    operations: int
    """Operations executed that had an effect, of the first input."""

    def __str__(self) -> str:
        s = "" if self.answers == 1 else "s"
        return f"simulated on {self.inputs} random inputs and {self.answers} known answer{s}"


def check(
    kernel: Kernel, cipher: Cipher, *, inputs: int = INPUTS, answers: int = ANSWERS, seed: int = SEED
) -> KernelCheck:
    """Run the kernel's text on random inputs and known answers.

    The cycles must be those of the schedule where the processor issues in order, or fewer while pipelined
    loops fill and drain; out of order they are the simulator's alone.

    Raises
    ------
    VerificationError
        ``M730``: a result differs from the program's, ``M731`` from a known answer, ``M732``: other cycles.
    DescriptionError
        ``M5xx``: the simulator refuses the text.
    """
    machine = load(kernel.text, kernel.processor, file=f"{kernel.cipher} {kernel.operation}")
    runs = []
    for arguments in random_inputs(kernel, inputs, seed):
        results, run = call(machine, kernel.interface, arguments, mode="cycles")
        _same(kernel, results, kernel.program.evaluate(kernel.function, list(arguments)))
        runs.append(run)
    count = _known_answers(kernel, cipher, machine, answers)
    cycles = [run.cycles for run in runs]
    planned = cycles if not caching.may_miss(kernel) else _without_misses(kernel, inputs, seed)
    if not kernel.processor.issues_out_of_order and not _as_planned(kernel, planned):
        raise VerificationError(
            "M732",
            f"{_name(kernel)} takes {', '.join(map(str, sorted(set(planned))))} cycles in the simulator",
            notes=[f"its schedule has {kernel.planned}"],
        )
    return KernelCheck(min(cycles), max(cycles), len(runs), count, runs[0].useful)


def _as_planned(kernel: Kernel, cycles: Sequence[int]) -> bool:
    if any(part.interval is not None and part.cycles > part.interval for part in kernel.parts):
        # Stages that are switched off while a pipeline fills and drains wait for nothing.
        return max(cycles) <= kernel.planned
    if caching.may_miss(kernel):
        most = max(cycles)
        return most <= kernel.planned if caching.without_stops(kernel) else most == kernel.planned
    if caching.may_wait_less(kernel):
        # What the processor waits for may depend on addresses, and these on data.
        return min(cycles) <= kernel.cycles <= max(cycles) <= kernel.planned
    return set(cycles) == {kernel.cycles} and kernel.cycles <= kernel.planned


def _without_misses(kernel: Kernel, inputs: int, seed: int) -> list[int]:
    """Return the cycles where every access hits the data cache, as the schedule supposes."""
    machine = load(kernel.text, kernel.processor, cache=False)
    return cycles_of(machine, kernel.interface, list(random_inputs(kernel, inputs, seed)))


def _same(kernel: Kernel, found: Sequence[Sequence[int]], expected: Sequence[object]) -> None:
    for number, (ours, one) in enumerate(zip(found, expected, strict=True)):
        wanted = [one] if isinstance(one, int) else list(one)  # type: ignore[call-overload]
        if list(ours) != wanted:
            place = next(k for k, pair in enumerate(zip(ours, wanted, strict=True)) if pair[0] != pair[1])
            raise VerificationError(
                "M730",
                f"{_name(kernel)} computes another result {number} than its program",
                notes=[f"element {place}: {ours[place]:#x} instead of {wanted[place]:#x}"],
            )


def _known_answers(kernel: Kernel, cipher: Cipher, machine: Machine, count: int) -> int:
    if kernel.operation not in BLOCK_OPERATIONS:
        return 0
    if kernel.choice.key:
        _as_for_all_keys(kernel, cipher, machine, count)
        return 0
    keys = keys_function(kernel)
    found = 0
    for block in known_blocks(cipher, kernel.key_bits, kernel.variant, of_each_set=count):
        given, expected = block.sides(kernel.operation)
        made = kernel.program.evaluate(keys, [block.key]) if keys else ()
        arguments = [*made, given]
        results, _ = call(machine, kernel.interface, arguments)
        if bytes(results[0]) != expected:
            of_key = f"key {block.key.hex()}, " if keys else ""
            raise VerificationError(
                "M731",
                f"{_name(kernel)} does not give a known answer",
                notes=[f"{of_key}{bytes(results[0]).hex()} instead of {expected.hex()}"],
            )
        found += 1
    return found


def _as_for_all_keys(kernel: Kernel, cipher: Cipher, machine: Machine, count: int) -> None:
    """Compare code for one key with the cipher's description, given that key; raises ``M730``."""
    literal = cipher.compile(kernel.key_bits, kernel.variant)
    schedule = function_of(literal, f"key_setup_{kernel.operation}")
    keys = literal.evaluate(schedule, [bytes.fromhex(kernel.choice.key)])
    for arguments in random_inputs(kernel, count, SEED):
        results, _ = call(machine, kernel.interface, arguments)
        _same(kernel, results, literal.evaluate(kernel.operation, [*keys, *arguments]))


def _name(kernel: Kernel) -> str:
    return f"{kernel.cipher} {kernel.operation} for {kernel.processor.name}"
