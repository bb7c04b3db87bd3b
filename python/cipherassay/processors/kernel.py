"""Kernels: an operation of a cipher as scheduled machine code of a modelled processor, checked.

The way: a strategy's passes, selection of instructions, lower bound and schedule, registers, assembly text,
all in the engine; of several strategies, circuits and pointers the fewest cycles win.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import product
from typing import Any

from cipherassay import _engine, strategies
from cipherassay._engine import Processor, Program
from cipherassay.errors import DescriptionError, UsageError, nearest
from cipherassay.lang.cipher import Cipher
from cipherassay.processors import caching, narrowing, out_of_order, searching, stored
from cipherassay.processors.compacting import compacted, smallest
from cipherassay.processors.harness import Interface, interface

OPERATIONS = ("key_setup_encrypt", "key_setup_decrypt", "key_setup_both", "encrypt", "decrypt")
FORMS = ("unrolled", "loop")
SMALL = "small"
"""The form of loops in the fewest bytes; `loop` is that of the fewest cycles."""
CIRCUITS = ("infinite", "two-alu", "and-complement")
"""Targets whose stored S-box circuits are tried."""
WIDE = ("never", "cheaper", "keys")
"""Two words are loaded as one never, where that costs less, of the keys in any case."""
RESTARTS = 200
ATTEMPTS = 400
SPILL_RESTARTS = 8
"""Restarts of the schedules that decide what is spilled."""
PIPELINED_RESTARTS = 1
"""The same where loops overlap their trips: every value that leaves makes all schedules anew."""
SPILL_ORDERS = {"scheduled": 0, "between": 50, "program": 100}
"""Orders of the text in which values leave their registers, as `out_of_order.ORDERS`."""
SPILL_FREE = (0, 4, 8)
"""Registers that spilling leaves free for schedules, as they are tried."""
SPILL_AHEAD = (8, 16, 32, 64, 128, 256, 512)
"""Operations that schedules of spilled code look ahead, as they are tried."""


@dataclass(frozen=True)
class Choice:
    """What a kernel is made from: everything that was tried and chosen."""

    strategy: str
    circuits: str = "infinite"
    pointers: int = 2
    avoid: tuple[str, ...] = ()
    """Passes, instructions and recipes that were not used."""
    spread: bool = True
    """Operations with alternatives are spread over the ports."""
    depth: int | None = 0
    """Per cent that the longest way may exceed the shortest; None: operations are chosen by their ports."""
    layout: str = "contiguous"
    """How tables lie in memory: one of `cipherassay.processors.layouts.LAYOUTS`."""
    order: str = ""
    """Order of the text where the processor issues out of order (`out_of_order.ORDERS`) or where values are
    spilled (`SPILL_ORDERS`); empty: the best."""
    spill: bool = False
    """Schedules leave registers free, or values their registers, until all fit; always so out of order."""
    free: int = 0
    """Registers that spilling leaves free for schedules."""
    carried: bool = False
    """What loops carry leaves its register as other values do, not only where nothing else can."""
    key: str = ""
    """The one key that the code is for, hexadecimal; empty: it serves all."""
    plain: str = ""
    """Numbers of the regions, loops whose iterations do not overlap though registers rotate."""
    compact: int = 0
    """Moves of operations within their room that were tried for a smaller text."""
    even: bool = False
    """Operations choose among alternatives in an order that strides through the code."""
    window: int = 0
    """Operations of the program that a schedule looks ahead (`narrowing`); 0: all."""
    wide: str = "cheaper"
    """When two words are loaded as one: `WIDE`."""
    bytes: bool = False
    """Bytes of blocks and keys lie as C's arrays do; otherwise as words that the caller has put in order."""

    def __str__(self) -> str:
        depth = "ports alone" if self.depth is None else f"depth {self.depth} %"
        spread = "" if self.spread else ", not spread"
        parts = [self.strategy, f"circuits {self.circuits}", f"{self.pointers} pointers", depth + spread]
        parts += [f"tables {self.layout}"] if self.layout != "contiguous" else []
        parts += [f"order {self.order}"] if self.order else []
        parts += ["fitted to the registers"] if self.spill else []
        parts += [f"{self.free} registers left free"] if self.free else []
        parts += ["what loops carry spilled alike"] if self.carried else []
        parts += [f"key {self.key}"] if self.key else []
        parts += [f"no pipeline in regions {self.plain}"] if self.plain else []
        parts += [f"compacted by {self.compact} moves"] if self.compact else []
        parts += ["evenly"] if self.even else []
        parts += [f"{self.window} operations ahead"] if self.window else []
        parts += [f"two words at once: {self.wide}"] if self.wide != "cheaper" else []
        parts += ["bytes as in C"] if self.bytes else []
        return ", ".join(parts + [f"without {name}" for name in self.avoid])


@dataclass(frozen=True)
class Part:
    """A region of a kernel: `cycles` of straight-line code or of an iteration of a loop, with an interval."""

    trips: int
    operations: int
    cycles: int
    interval: int | None
    bound: int
    bound_kind: str
    bound_why: str
    stop: str
    """Why the search for shorter schedules ended."""
    origin: str = "scheduled now"
    """Where the schedule, or what is known of it, comes from."""

    @property
    def value(self) -> int:
        """What is made small: the interval of a pipeline, otherwise the cycles."""
        return self.cycles if self.interval is None else self.interval

    @property
    def proved(self) -> bool:
        """The schedule is as short as its bound."""
        return self.bound == self.value


@dataclass(frozen=True)
class Kernel:
    """A scheduled kernel."""

    cipher: str
    operation: str
    key_bits: int
    variant: str
    processor: Processor
    choice: Choice
    program: Program = field(repr=False)
    function: str
    parts: tuple[Part, ...]
    schedules: str = field(repr=False)
    """JSON: of each region its schedule."""
    assembly: Mapping[str, Any] = field(repr=False)
    interface: Interface = field(repr=False)
    counts: Mapping[str, int] = field(repr=False)
    """How often each instruction stands in the code."""
    simulated: int | None = None
    """Cycles of a simulation where they are others than the schedule's: out of order the least over random
    inputs; in order see `caching`."""

    @property
    def text(self) -> str:
        """The assembly text."""
        return str(self.assembly["text"])

    @property
    def cycles(self) -> int:
        """Cycles, every iteration of a loop counted: simulated, or else from first to last issue."""
        return self.planned if self.simulated is None else self.simulated

    @property
    def planned(self) -> int:
        """Cycles of the schedule, whose accesses hit the data cache: from first to last issue."""
        return int(self.assembly["cycles"])

    @property
    def size(self) -> int:
        """Bundles of the text, or instructions where there are none."""
        return int(self.assembly["bundles"] or self.assembly["operations"])

    @property
    def operations(self) -> int:
        """Operations executed, every iteration counted; without those that do nothing."""
        return sum(part.trips * part.operations for part in self.parts)

    @property
    def bound(self) -> int | None:
        """Cycles that no schedule of this code goes below; None where loops have none for the whole."""
        if any(part.interval is not None or part.trips != 1 for part in self.parts):
            return None
        beyond = out_of_order.FILL_AND_DRAIN if self.processor.issues_out_of_order else 0
        return sum(part.bound for part in self.parts) + beyond

    @property
    def proved(self) -> bool:
        """No code of these instructions takes fewer cycles; False where the whole has no bound."""
        return self.cycles == self.bound

    @property
    def registers(self) -> dict[str, str]:
        """Registers by class, in the notation statics/stacked/rotating."""
        return {one["class"]: one["notation"] for one in self.assembly["registers"]}


def function_of(program: Program, operation: str) -> str:
    """Return the function of a program that does an operation.

    Raises
    ------
    UsageError
        M710: no such operation.
    """
    if operation not in OPERATIONS:
        raise UsageError("M710", f"unknown operation `{operation}`", help=nearest(operation, OPERATIONS))
    if operation in ("encrypt", "decrypt"):
        return operation
    known = {one["name"] for one in program.functions()}
    separate = operation == "key_setup_decrypt" and "key_schedule_decrypt" in known
    return "key_schedule_decrypt" if separate else "key_schedule"


def keys_function(kernel: Kernel) -> str:
    """Return the function that makes the round keys of an encryption or a decryption."""
    return function_of(kernel.program, f"key_setup_{kernel.operation}")


def choices(
    cipher: Cipher,
    operation: str,
    form: str = "unrolled",
    key: str = "",
    word_bits: int = 32,
    windows: Sequence[int] = (0,),
) -> list[Choice]:
    """Return what is tried for a kernel: strategies, circuits, pointers; of loops also by ports alone.

    With a key those strategies are tried that make code for one key only; with registers of ``word_bits``
    bits, those for them, too.
    """
    names = strategies_for(cipher, operation, form, one_key=bool(key), word_bits=word_bits)
    return [
        Choice(name, target, pointers, depth=depth, key=key, window=window)
        for name in names
        for target in strategies.circuits_worth_trying(cipher, CIRCUITS)
        for pointers in (2, 1)
        for depth in ((0, None) if form != FORMS[0] else (0,))
        for window in windows
    ]


def strategies_for(
    cipher: Cipher, operation: str, form: str = "unrolled", *, one_key: bool = False, word_bits: int = 32
) -> list[str]:
    """Return the strategies that are tried for a kernel; with ``one_key`` those for code for one key."""
    names = [name for name in _applicable(cipher) if strategies.load(name).for_each_key == one_key]
    names = [name for name in names if _fits(cipher, name, operation, form)]
    return [name for name in names if strategies.load(name).word_bits in (0, word_bits)]


def _fits(cipher: Cipher, strategy: str, operation: str, form: str) -> bool:
    chosen = strategies.load(strategy)
    wants_both = operation == "key_setup_both" and "combined" in cipher.forms
    return chosen.loops == (form != FORMS[0]) and bool(chosen.form) == wants_both


def _makes(cipher: Cipher, strategy: str, operation: str) -> None:
    """Refuse a strategy whose key setup is for one direction where one for both is a form of its own."""
    separate = operation == "key_setup_both" and "combined" in cipher.forms
    if separate and strategies.load(strategy).form != "combined":
        raise UsageError(
            "M718",
            f"strategy `{strategy}` does not make the keys of both directions of {cipher.name} at once",
            help="`--strategy straight-both-keys`, or the operation `key_setup_encrypt`",
        )


_strategies: dict[str, list[str]] = {}


def _applicable(cipher: Cipher) -> list[str]:
    """Return the strategies for processors that apply to a cipher, found once: each is tried for that."""
    file = str(cipher.file)
    if file not in _strategies:
        _strategies[file] = strategies.applicable(cipher, for_processors=True)
    return _strategies[file]


_programs: dict[tuple[str, ...], Program] = {}


def program_of(cipher: Cipher, key_bits: int, choice: Choice, variant: str) -> Program:
    """Return the program of a choice, made once: pointers and instructions are not its matter."""
    passes = {text.split(":")[0] for text in strategies.load(choice.strategy).passes}
    without = sorted(passes.intersection(choice.avoid))
    name = (str(cipher.file), str(key_bits), choice.strategy, choice.circuits, variant, choice.key, *without)
    if name not in _programs:
        key = bytes.fromhex(choice.key) if choice.key else None
        _programs[name] = strategies.program(
            cipher, key_bits, choice.strategy, variant, key, choice.circuits, without
        )
    return _programs[name]


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
        return _refitted(code, kernel.choice)[0]
    fits = code.relaxed(SPILL_RESTARTS, 1, ATTEMPTS) is not None
    return code if fits else code.spilled(SPILL_RESTARTS, 1, ATTEMPTS)[0]


def make(
    cipher: Cipher,
    operation: str,
    processor: Processor,
    choice: Choice,
    *,
    key_bits: int = 128,
    variant: str = "",
    schedules: str | None = None,
    restarts: int = RESTARTS,
) -> Kernel:
    """Return the kernel of one choice; `schedules` are JSON of solved ones, else listed now or stored.

    Raises
    ------
    UsageError
        M710: no such operation, M718: the strategy does not make it; what `strategies.program` raises.
    DescriptionError
        M2xx: the processor lacks an instruction; M4xx: registers or bundles do not suffice.
    """
    chosen = selection(cipher, operation, processor, choice, key_bits=key_bits, variant=variant)
    return chosen.made(schedules, restarts)


@dataclass(frozen=True)
class Selection:
    """A kernel whose instructions are selected: its code, and what makes the kernel of that."""

    choice: Choice
    code: _engine.Kernel
    made_of: partial[Kernel]

    def made(self, schedules: str | None = None, restarts: int = RESTARTS) -> Kernel:
        """Return the kernel, as `make`."""
        kernel, choice = self.made_of, self.choice
        if kernel.keywords["processor"].issues_out_of_order:
            return _fitted(kernel, choice, self.code, schedules)
        return caching.with_misses(_in_order(kernel, choice, self.code, schedules, restarts))


def selection(
    cipher: Cipher, operation: str, processor: Processor, choice: Choice, *, key_bits: int, variant: str
) -> Selection:
    """Return the code of a choice and what makes its kernel; raises what `make` does of that."""
    _makes(cipher, choice.strategy, operation)
    program = program_of(cipher, key_bits, choice, variant)
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
    restarts: int,
) -> Kernel:
    if choice.spill:
        return _spilled(kernel, choice, code, schedules)
    if choice.window:
        processor = kernel.keywords["processor"]
        parts = narrowing.narrowed(code, processor, choice.window, restarts)
        return kernel(choice=choice, **_emitted(code, parts, schedules))
    parts = _scheduled(code, choice, restarts)
    if choice.compact and schedules is None:
        listed = json.dumps([part["schedule"] for part in json.loads(parts)])
        return kernel(choice=choice, **_emitted(code, parts, compacted(code, listed, choice.compact)))
    try:
        made = kernel(choice=choice, **_emitted(code, parts, schedules))
    except DescriptionError as error:
        if error.code != "M401" or schedules is not None:
            raise
        return _spilled(kernel, replace(choice, spill=True), code, schedules)
    return made if schedules else stored.with_stored(made, code, partial(_emitted, code, parts))


def _spilled(
    kernel: Callable[..., Kernel], choice: Choice, code: _engine.Kernel, schedules: str | None
) -> Kernel:
    """Return the kernel with schedules that leave registers free, or else with values spilled until it fits.

    Of several ways to spill the one with the fewest cycles is taken, and told by the choice.
    """
    relaxed = None if choice.order else code.relaxed(SPILL_RESTARTS, 1, ATTEMPTS)
    if relaxed is not None:
        return _with_schedules(kernel, choice, code, relaxed, schedules)
    if choice.order:
        fitting, parts, _ = _refitted(code, choice)
        return _with_schedules(kernel, choice, fitting, parts, schedules)
    parts = json.loads(code.schedule(0, 1, 1))
    if any(part["schedule"]["interval"] is not None for part in parts):  # trips overlap
        return _with_schedules(kernel, choice, *code.spilled(PIPELINED_RESTARTS, 1, ATTEMPTS), schedules)
    loops = any(part["trips"] > 1 for part in parts)
    return _best_spilled(kernel, choice, code, (False, True) if loops else (False,))


def _best_spilled(
    kernel: Callable[..., Kernel], choice: Choice, code: _engine.Kernel, carried: Sequence[bool]
) -> Kernel:
    found: list[Kernel] = []
    refused: list[DescriptionError] = []
    for order, free, loops in product(SPILL_ORDERS, SPILL_FREE, carried):
        one = replace(choice, order=order, free=free, carried=loops)
        most = min((kernel.cycles for kernel in found), default=None)
        try:
            how = SPILL_RESTARTS, 1, SPILL_ORDERS[order], free, SPILL_AHEAD, loops
            if (fitted := code.fitted(*how, most)) is not None:
                fitting, parts, ahead = fitted
                found.append(kernel(choice=replace(one, window=ahead), **_emitted(fitting, parts, None)))
        except DescriptionError as error:
            refused.append(error)
    if not found:
        raise refused[0]
    return min(found, key=lambda kernel: (kernel.cycles, kernel.operations))


def _refitted(code: _engine.Kernel, choice: Choice) -> tuple[_engine.Kernel, str, int]:
    """Return spilled code, its schedules and how far they look ahead, as the choice says."""
    order, ahead = SPILL_ORDERS[choice.order], (choice.window,) if choice.window else ()
    return code.fitted(SPILL_RESTARTS, 1, order, choice.free, ahead, choice.carried)


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
    kernel: Callable[..., Kernel], choice: Choice, code: _engine.Kernel, schedules: str | None
) -> Kernel:
    """Return the kernel whose order of the text takes the fewest simulated cycles."""
    found: list[Kernel] = []
    refused: list[DescriptionError] = []
    for order in (choice.order,) if choice.order else out_of_order.ORDERS:
        try:
            fitting, parts, _ = code.fitted(out_of_order.RESTARTS, 1, out_of_order.ORDERS[order])
            made = kernel(choice=replace(choice, order=order), **_emitted(fitting, parts, schedules))
        except DescriptionError as error:
            refused.append(error)
            continue
        found.append(replace(made, simulated=out_of_order.clocks(made)))
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
            trips=part["trips"],
            operations=part["operations"],
            cycles=cycles,
            interval=schedule["interval"],
            bound=bound["cycles"],
            bound_kind=bound["kind"],
            bound_why=bound["why"],
            stop="bound reached" if reached else "restarts spent",
        )


def best(
    cipher: Cipher,
    operation: str,
    processor: Processor,
    *,
    key_bits: int = 128,
    variant: str = "",
    form: str = "unrolled",
    strategy: str = "",
    anew: bool = False,
    avoid: Sequence[str] = (),
    key: bytes = b"",
    among: Sequence[str] = (),
    bytes_as_in_c: bool = False,
) -> Kernel:
    """Return the kernel of fewest cycles, then of fewest operations, of all choices or one strategy's.

    Of the form `small`, that of fewest bytes, then of fewest cycles.

    ``avoid`` names passes, instructions and recipes that are not to be used; with ``key`` the code is for
    that key, with ``among`` of one of these strategies, with ``bytes_as_in_c`` blocks and keys lie as C's
    arrays of bytes do. Where a longer search kept its choice (`cipherassay.processors.library`), that is
    taken, unless ``anew``.

    Raises
    ------
    UsageError
        M711: no strategy for processors applies; else what `make` raises if no choice succeeds.
    """
    kept = None if strategy or avoid or anew or key else _kept(
        cipher, operation, processor, key_bits, variant, form
    )  # fmt: skip
    if kept is not None and (not among or kept.strategy in among):
        kept = replace(kept, bytes=bytes_as_in_c)
        return make(cipher, operation, processor, kept, key_bits=key_bits, variant=variant)
    windows = narrowing.windows(processor)
    every = choices(cipher, operation, form, key.hex(), processor.word_bits, windows)
    names = [strategy] if strategy else among
    tried = [one for one in every if not names or one.strategy in names]
    if strategy and not tried:
        tried = [Choice(strategy, key=key.hex())]
    tried = [replace(one, avoid=tuple(avoid), bytes=bytes_as_in_c) for one in tried]
    if not tried:
        raise UsageError(
            "M711",
            f"no strategy for processors makes {form} code of {cipher.name} {operation}",
            help="" if form == FORMS[0] else f"make {FORMS[0]} code: leave out what asks for loops",
        )
    select = partial(selection, cipher, operation, processor, key_bits=key_bits, variant=variant)
    if form != SMALL:
        return searching.least(tried, select, merit(form))
    kernels = searching.every(tried, select)
    if processor.issues_out_of_order:
        return min(kernels, key=merit(form))
    return smallest(kernels, partial(make, cipher, operation, processor, key_bits=key_bits, variant=variant))


def _kept(
    cipher: Cipher, operation: str, processor: Processor, key_bits: int, variant: str, form: str
) -> Choice | None:
    from cipherassay.processors import library

    return library.kept(cipher, operation, processor.name, key_bits, variant, form)


def merit(form: str) -> Callable[[Kernel], tuple[int, int]]:
    """Return what is made small: cycles, then operations; of the form `small` the text, then cycles."""
    if form == SMALL:
        return lambda kernel: (kernel.size, kernel.cycles)
    return lambda kernel: (kernel.cycles, kernel.operations)


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
