"""Kernels: an operation of a cipher as scheduled machine code of a modelled processor, and its choice."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from cipherassay._engine import Processor, Program
from cipherassay.errors import UsageError, nearest
from cipherassay.ir import walk
from cipherassay.lang.shapes import BLOCK_OPERATIONS, direction_of, function_for, schedule_for
from cipherassay.processors.harness import Interface

OPERATIONS = (
    "key_setup_encrypt", "key_setup_decrypt", "key_setup_both", "key_setup_evaluate", *BLOCK_OPERATIONS,
)  # fmt: skip
FORMS = ("unrolled", "loop")
SMALL = "small"
"""The form of loops in the fewest bytes; `loop` is that of the fewest cycles."""
FILL_AND_DRAIN = 2
"""Cycles beyond those of a schedule that no order of the text avoids: an instruction launches one cycle after
its insertion at the earliest, and retires one after its launch at the earliest."""


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
    spilled (`making.SPILL_ORDERS`); empty: the best."""
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
    """When two words are loaded as one: `exploring.WIDE`."""
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

    iterations: int
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
        return sum(part.iterations * part.operations for part in self.parts)

    @cached_property
    def stores_by_data(self) -> bool:
        """Whether data choose where it stores: loads of other places wait for that in the schedule alone."""
        function = self.program.mirror().functions[self.function]
        types = function.types()
        return any(
            types[name].is_word
            for op in walk(function.ops) if op.kind == "store"
            for address in op.addresses
            for _, name in address.terms
        )  # fmt: skip

    @property
    def bound(self) -> int | None:
        """Cycles that no schedule of this code goes below.

        None where loops have none for the whole, and where data decide what waits for stores.
        """
        if self.stores_by_data:
            return None
        if any(part.interval is not None or part.iterations != 1 for part in self.parts):
            return None
        beyond = FILL_AND_DRAIN if self.processor.issues_out_of_order else 0
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
    functions = [one["name"] for one in program.functions()]
    if operation not in OPERATIONS:
        made = [one for one in OPERATIONS if direction_of(one) in functions]
        offered = [one for one in made if function_for(one, functions) in functions]
        raise UsageError("M710", f"unknown operation `{operation}`", help=nearest(operation, offered))
    return function_for(operation, functions)


def keys_function(kernel: Kernel) -> str:
    """Return the function that makes the round keys of an operation on blocks; empty: there is none."""
    return schedule_for(kernel.operation, [one["name"] for one in kernel.program.functions()])
