"""Kernels are made: a choice becomes a program, selected instructions, schedules, registers, text and cycles.

The way: a strategy's passes, selection of instructions, lower bound and schedule, registers, assembly text,
all in the engine; then simulated cycles, where they may be others than the schedule's.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from typing import Any

from cipherassay import _engine, strategies
from cipherassay._engine import Processor, Program
from cipherassay.errors import DescriptionError, UsageError
from cipherassay.lang.cipher import Cipher
from cipherassay.processors import caching, narrowing, out_of_order, stored
from cipherassay.processors.compacting import compacted
from cipherassay.processors.harness import interface
from cipherassay.processors.kernel import Choice, Kernel, Part, function_of
from cipherassay.processors.programs import program_of

RESTARTS = 200
ATTEMPTS = 400
SPILL_RESTARTS = 8
"""Restarts of the schedules that decide what is spilled."""
PIPELINED_RESTARTS = 1
"""The same where loops overlap their iterations: every value that leaves makes all schedules anew."""
SPILL_ORDERS = {"scheduled": 0, "between": 50, "program": 100}
"""Orders of the text in which values leave their registers, as `out_of_order.ORDERS`."""
SPILL_FREE = (0, 4, 8)
"""Registers that spilling leaves free for schedules, as they are tried."""
SPILL_AHEAD = (8, 16, 32, 64, 128, 256, 512)
"""Operations that schedules of spilled code look ahead, as they are tried."""


@dataclass(frozen=True)
class Effort:
    """How much is tried for the schedules of one choice.

    Parameters
    ----------
    restarts : int
        Of list scheduling.
    ahead : tuple of int
        Operations that schedules of fitted code look ahead, as they are tried.
    every_way : bool
        All ways to schedule and to spill values, and all orders of the text out of order, with the best lower
        bounds; else the first order in which all values have registers, with bounds that are quickly found.
    """

    restarts: int = RESTARTS
    ahead: tuple[int, ...] = SPILL_AHEAD
    every_way: bool = True


FULL, QUICK = Effort(), Effort(restarts=1, ahead=(64,), every_way=False)


def _makes(cipher: Cipher, strategy: str, operation: str) -> None:
    """Refuse a strategy whose key setup is for one direction where one for both is a form of its own."""
    separate = operation == "key_setup_both" and "combined" in cipher.forms
    if separate and strategies.load(strategy).form != "combined":
        raise UsageError(
            "M735",
            f"strategy `{strategy}` does not make the keys of both directions of {cipher.name} at once",
            help="`--strategy straight-both-keys`, or the operation `key_setup_encrypt`",
        )


def selected(program: Program, function: str, processor: Processor, choice: Choice) -> _engine.Kernel:
    """Return the code of a choice before it is scheduled."""
    avoid = list(choice.avoid)
    select = _engine.Kernel.select
    options = (avoid, choice.pointers, choice.spread, choice.depth, choice.wide, choice.even, choice.layout)
    return select(program, function, processor, *options, choice.bytes)


def scheduled(kernel: Kernel) -> _engine.Kernel:
    """Return the code whose operations a kernel's schedules place."""
    code = selected(kernel.program, kernel.function, kernel.processor, kernel.choice)
    if not kernel.choice.spill:
        return code
    if kernel.choice.order:
        return _refitted(code, kernel.choice, FULL)[0]
    fits = code.relaxed(SPILL_RESTARTS, 1, ATTEMPTS) is not None
    return code if fits else code.spilled(SPILL_RESTARTS, 1, ATTEMPTS)[0]


def make(
    cipher: Cipher,
    operation: str,
    processor: Processor,
    choice: Choice,
    *,
    key_bits: int = 0,
    variant: str = "",
    schedules: str | None = None,
    restarts: int | None = None,
    effort: Effort = FULL,
) -> Kernel:
    """Return the kernel of one choice; `schedules` are JSON of solved ones, else listed now or stored.

    Without a key size it is for the cipher's first; ``restarts`` stands for those of the effort.

    Raises
    ------
    UsageError
        M710: no such operation, M718: the strategy does not make it; what `strategies.program` raises.
    DescriptionError
        M2xx: the processor lacks an instruction; M4xx: registers or bundles do not suffice.
    """
    chosen = selection(cipher, operation, processor, choice, key_bits=key_bits, variant=variant)
    return chosen.made(schedules, effort if restarts is None else replace(effort, restarts=restarts))


@dataclass(frozen=True)
class Selection:
    """The code of a choice before it is scheduled, and what makes a kernel of it."""

    choice: Choice
    code: _engine.Kernel
    made_of: partial[Kernel]

    def made(self, schedules: str | None = None, effort: Effort = FULL) -> Kernel:
        """Return the kernel, as `make`."""
        if self.made_of.keywords["processor"].issues_out_of_order:
            return _fitted(self.made_of, self.choice, self.code, schedules, effort)
        return caching.with_misses(_in_order(self.made_of, self.choice, self.code, schedules, effort))


def selection(
    cipher: Cipher, operation: str, processor: Processor, choice: Choice, *, key_bits: int, variant: str
) -> Selection:
    """Return the code of a choice and what makes its kernel; raises what `make` does of that."""
    _makes(cipher, choice.strategy, operation)
    key_bits = cipher.key_size(key_bits)
    program = program_of(cipher, key_bits, choice, variant, processor.word_bits)
    function = function_of(program, operation)
    code = selected(program, function, processor, choice)
    kernel = partial(
        Kernel,
        cipher=cipher.slug,
        operation=operation,
        key_bits=key_bits,
        variant=variant,
        processor=processor,
        program=program,
        function=function,
    )
    return Selection(choice, code, kernel)


def _in_order(
    kernel: partial[Kernel],
    choice: Choice,
    code: _engine.Kernel,
    schedules: str | None,
    effort: Effort,
) -> Kernel:
    if not effort.every_way:
        return _best_spilled(kernel, choice, code, (True,), effort)
    if choice.spill:
        return _spilled(kernel, choice, code, schedules, effort)
    if choice.window:
        processor = kernel.keywords["processor"]
        parts = narrowing.narrowed(code, processor, choice.window, effort.restarts)
        return kernel(choice=choice, **_emitted(code, parts, schedules))
    parts = _scheduled(code, choice, effort.restarts)
    if choice.compact and schedules is None:
        listed = json.dumps([part["schedule"] for part in json.loads(parts)])
        return kernel(choice=choice, **_emitted(code, parts, compacted(code, listed, choice.compact)))
    try:
        made = kernel(choice=choice, **_emitted(code, parts, schedules))
    except DescriptionError as error:
        if error.code != "M401" or schedules is not None:
            raise
        return _spilled(kernel, replace(choice, spill=True), code, schedules, effort)
    return made if schedules else stored.with_stored(made, code, partial(_emitted, code, parts))


def _spilled(
    kernel: Callable[..., Kernel], choice: Choice, code: _engine.Kernel, schedules: str | None, effort: Effort
) -> Kernel:
    """Return the kernel with schedules that leave registers free, or else with values spilled until it fits.

    Of several ways to spill the one with the fewest cycles is taken, and told by the choice.
    """
    relaxed = None if choice.order else code.relaxed(SPILL_RESTARTS, 1, ATTEMPTS)
    if relaxed is not None:
        return _with_schedules(kernel, choice, code, relaxed, schedules)
    if choice.order:
        fitting, parts = _refitted(code, choice, effort)
        return _with_schedules(kernel, choice, fitting, parts, schedules)
    parts = json.loads(code.schedule(0, 1, 1))
    if any(part["schedule"]["interval"] is not None for part in parts):  # iterations overlap
        return _with_schedules(kernel, choice, *code.spilled(PIPELINED_RESTARTS, 1, ATTEMPTS), schedules)
    loops = any(part["iterations"] > 1 for part in parts)
    return _best_spilled(kernel, choice, code, (False, True) if loops else (False,), effort)


def _best_spilled(
    kernel: Callable[..., Kernel], choice: Choice, code: _engine.Kernel, carried: Sequence[bool],
    effort: Effort,
) -> Kernel:  # fmt: skip
    """Return the kernel of the fewest cycles, then operations, the first way of several."""
    best: tuple[int, int, int, Kernel, _engine.Kernel, str] | None = None
    refused: dict[int, DescriptionError] = {}
    ways = list(enumerate(product(SPILL_ORDERS, SPILL_FREE, carried)))
    # The program's own order is often the best, and what cannot be better is not made.
    for k, (order, free, loops) in reversed(ways):
        one = replace(choice, spill=True, order=order, free=free, carried=loops)
        if best is not None and not effort.every_way:
            break
        most = None if best is None else best[:2]
        how = SPILL_RESTARTS, 1, SPILL_ORDERS[order], free, effort.ahead, loops
        try:
            if (fitted := code.fitted(*how, most)) is None:
                continue
            fitting, parts, ahead = fitted
            made = kernel(choice=replace(one, window=ahead), **_emitted(fitting, parts, None))
        except DescriptionError as error:
            refused[k] = error
            continue
        mine = (made.cycles, made.operations, k, made, fitting, parts)
        best = mine if best is None else min(best, mine, key=lambda one: one[:3])
    if best is None:
        raise refused[min(refused)]
    *_, made, fitting, parts = best
    if not effort.every_way:
        return made
    found = json.loads(_with_best_bounds(fitting, parts))
    return replace(made, parts=tuple(_parts(found, json.loads(made.schedules))))


def _with_best_bounds(code: _engine.Kernel, parts: str) -> str:
    """Return the JSON of parts with their best bounds, which take long to find."""
    found = json.loads(parts)
    for part, bound in zip(found, json.loads(code.bounds()), strict=True):
        part["bound"] = bound
    return json.dumps(found)


def _refitted(code: _engine.Kernel, choice: Choice, effort: Effort) -> tuple[_engine.Kernel, str]:
    """Return spilled code and its schedules, as the choice says."""
    order, ahead = SPILL_ORDERS[choice.order], (choice.window,) if choice.window else ()
    fitting, parts, _ = code.fitted(SPILL_RESTARTS, 1, order, choice.free, ahead, choice.carried)
    return fitting, _with_best_bounds(fitting, parts) if effort.every_way else parts


def _with_schedules(
    kernel: Callable[..., Kernel], choice: Choice, code: _engine.Kernel, parts: str, schedules: str | None
) -> Kernel:
    made = kernel(choice=choice, **_emitted(code, parts, schedules))
    return made if schedules else stored.with_stored(made, code, partial(_emitted, code, parts))


def _scheduled(code: _engine.Kernel, choice: Choice, restarts: int) -> str:
    """Return the JSON of the regions' schedules, loops pipelined or not as the choice says."""
    parts = code.schedule(restarts, 1, ATTEMPTS)
    if not choice.plain:
        return parts
    chosen, plain = json.loads(parts), json.loads(code.schedule(restarts, 1, 0))
    for region in map(int, choice.plain.split()):
        chosen[region] = plain[region]
    return json.dumps(chosen)


def _fitted(
    kernel: Callable[..., Kernel], choice: Choice, code: _engine.Kernel, schedules: str | None, effort: Effort
) -> Kernel:
    """Return the kernel whose order of the text takes the fewest simulated cycles."""
    found: list[Kernel] = []
    refused: list[DescriptionError] = []
    for order in (choice.order,) if choice.order else out_of_order.ORDERS:
        if found and not effort.every_way:
            break
        try:
            fitting, parts, _ = code.fitted(out_of_order.RESTARTS, 1, out_of_order.ORDERS[order])
            parts = _with_best_bounds(fitting, parts) if effort.every_way else parts
            made = kernel(choice=replace(choice, order=order), **_emitted(fitting, parts, schedules))
        except DescriptionError as error:
            refused.append(error)
            continue
        found.append(replace(made, simulated=out_of_order.cycles(made)))
    if not found:
        raise refused[-1]
    return min(found, key=lambda kernel: (kernel.cycles, kernel.operations))


def _emitted(code: _engine.Kernel, found: str, schedules: str | None) -> dict[str, Any]:
    """Return the fields of a kernel that its code and schedules give."""
    parts = json.loads(found)
    if schedules is None:
        schedules = json.dumps([part["schedule"] for part in parts])
    return {
        "parts": tuple(_parts(parts, json.loads(schedules))),
        "schedules": schedules,
        "assembly": json.loads(code.emit(schedules)),
        "interface": interface(code.interface()),
        "counts": dict(code.counts()),
    }


def _parts(parts: Sequence[dict[str, Any]], schedules: Sequence[dict[str, Any]]) -> Iterator[Part]:
    for part, schedule in zip(parts, schedules, strict=True):
        cycles, bound = 1 + max(schedule["cycles"], default=-1), part["bound"]
        reached = bound["cycles"] == (schedule["interval"] or cycles)
        yield Part(
            iterations=part["iterations"],
            operations=part["operations"],
            cycles=cycles,
            interval=schedule["interval"],
            bound=bound["cycles"],
            bound_kind=bound["kind"],
            bound_why=bound["why"],
            stop="bound reached" if reached else "restarts spent",
        )


def again(kernel: Kernel, cipher: Cipher, schedules: str) -> Kernel:
    """Return the same kernel with other schedules."""
    return make(
        cipher,
        kernel.operation,
        kernel.processor,
        kernel.choice,
        key_bits=kernel.key_bits,
        variant=kernel.variant,
        schedules=schedules,
        restarts=0,
    )
