"""Simulated runs of assembly text: cycles, stalls, and their distribution over random inputs.

The simulators (engine, `processor::simulate`) read the text alone. Stated of them: caches warm, queues empty
at the start, branches predicted perfectly. A data cache that is modelled holds what the memory left that went
through it before, of several runs what the run before left.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from cipherassay._engine import Machine, Processor

if TYPE_CHECKING:
    from cipherassay.native.statistics import Distribution
    from cipherassay.processors.harness import Argument, Interface

BASE = 0x10000
"""Address of the first byte of a simulated memory."""
START_STATE = "caches warm, queues empty, branches predicted perfectly"
"""The state in which every simulated run begins, and what it assumes."""


@dataclass(frozen=True)
class Event:
    """What happened to one operation; cycles from 0."""

    operation: int
    """Its number in the text."""
    line: int
    text: str
    active: bool
    """Its predicate held."""
    insert: int
    """In order: when all before it had issued; out of order: when it entered its queue."""
    issue: int
    finish: int
    retire: int
    blocker: str
    """What kept it last: ``operand``, ``store``, ``port``, ``width``, ``window``, ``bank``, ``miss``, or
    nothing."""
    blocker_line: int | None
    """Line of the operation that it waited for."""
    detail: str
    """The register, or the ports that were taken."""

    @property
    def reason(self) -> str:
        """What kept it, in words; nothing if it issued at once."""
        return _reason(self) if self.blocker and self.issue > self.insert else ""


def _reason(event: Event) -> str:
    line = event.blocker_line
    match event.blocker:
        case "operand":
            return f"waits for {event.detail} of line {line}" if event.detail else f"waits for line {line}"
        case "store":
            return f"waits for the store of line {line}"
        case "port":
            return f"port {event.detail} taken"
        case "width":
            return "all issue slots taken"
        case "window":
            return "outside of the window of bundles"
        case "miss":
            return f"waits for the load of line {event.blocker_line}, which missed the cache"
        case "bank":
            return f"bank of the cache taken by line {line}"
        case _:
            return event.blocker


@dataclass(frozen=True)
class Simulation:
    """One run: `operations` is all that ran, `useful` what had an effect (no `nop`, predicate true)."""

    cycles: int
    operations: int
    useful: int
    stalls: Mapping[str, int]
    """Lost cycles by what kept operations; out of order, of all waiting operations added up."""
    memory: bytes
    events: tuple[Event, ...]
    misses: int = 0
    """Loads that missed the data cache."""


def simulate(
    machine: Machine,
    arguments: Sequence[int],
    memory: bytes,
    *,
    mode: str = "cycles",
    timeline: bool = False,
    base: int = BASE,
) -> Simulation:
    """Run a text once.

    Raises
    ------
    DescriptionError
        ``M510`` an access outside of the memory, ``M511`` a conflict in a group, ``M512`` an endless text.
    UsageError
        ``M513`` too many arguments, ``M515`` no such mode.
    """
    found = machine.run(list(arguments), memory, base=base, mode=mode, timeline=timeline)
    lines = machine.operations()
    return Simulation(
        cycles=found["cycles"],
        operations=found["operations"],
        useful=found["useful"],
        stalls={kind: cycles for kind, cycles in found["stalls"].items() if cycles},
        memory=found["memory"],
        events=tuple(_event(one, lines) for one in found["events"]),
        misses=found["misses"],
    )


def _event(one: tuple[Any, ...], lines: Sequence[tuple[int, str]]) -> Event:
    op, active, insert, issue, finish, retire, kind, blocker, detail = one
    line, text = lines[op]
    other = None if blocker is None else lines[blocker][0]
    return Event(op, line, text, active, insert, issue, finish, retire, kind, other, detail)


@dataclass(frozen=True)
class Image:
    """Memory and arguments of a call of a kernel."""

    memory: bytes
    arguments: tuple[int, ...]
    varying: int
    """Where the bytes begin that differ from call to call; before them lie the tables."""


def image(interface: Interface, arguments: Sequence[Argument], *, base: int = BASE) -> Image:
    """Lay out tables and the data of one call as the kernel wants them."""
    table_offsets, tables = interface.shared()
    offsets, record = interface.record(arguments)
    start = len(tables)
    start += -start % interface.alignment
    places = table_offsets | {k: start + offset for k, offset in offsets.items()}
    pointers = tuple(base + places[p.object] + p.offset for p in interface.pointers)
    return Image(tables + bytes(start - len(tables)) + record, pointers, start)


def call(
    machine: Machine, interface: Interface, arguments: Sequence[Argument], *, mode: str = "functional"
) -> tuple[list[list[int]], Simulation]:
    """Run a kernel on the arguments of its program; return the program's results and the run."""
    laid = image(interface, arguments)
    run = simulate(machine, laid.arguments, laid.memory, mode=mode)
    return interface.results(run.memory[laid.varying :]), run


def cycles_of(
    machine: Machine, interface: Interface, inputs: Sequence[Sequence[Argument]], *, base: int = BASE
) -> list[int]:
    """Return the cycles of a kernel for each of several inputs; Ctrl-C ends it between two of them."""
    if not inputs:
        return []
    laid = image(interface, inputs[0], base=base)
    records = [interface.record(arguments)[1] for arguments in inputs]
    variation = (laid.varying, len(records[0]), b"".join(records))
    return machine.distribution(list(laid.arguments), laid.memory, [variation], len(inputs), base=base)


def distribution(cycles: Sequence[int]) -> Distribution:
    """Describe cycles as `native.statistics` does; the mode is the most frequent number, else the least."""
    import numpy as np

    from cipherassay.native.statistics import describe

    values = np.asarray(cycles, dtype=np.float64)
    numbers, counts = np.unique(values, return_counts=True)
    return replace(describe(values), mode=float(numbers[int(np.argmax(counts))]))


def load(
    text: str, processor: Processor, *, file: str = "assembly text", cache: bool = True
) -> Machine:
    """Read a text for a processor; raises DescriptionError ``M500`` to ``M507`` with the line.

    Without ``cache``, every access hits the data cache.
    """
    return Machine.load(text, processor, file, cache=cache)


def footprint(interface: Interface) -> int:
    """Return the bytes of memory that a kernel is given."""
    _, tables = interface.shared()
    numbers = [one.number for one in interface.objects]
    _, record = interface.record([()] * (1 + max(numbers, default=0)))
    return len(tables) + -len(tables) % interface.alignment + len(record)
