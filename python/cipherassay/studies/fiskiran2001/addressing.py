"""How tables are addressed: cycles of encryption on the generic EPIC processor, by addressing mode.

The study of Fiskiran and Lee (2001) for any cipher. What they do not say is an assumption here; all of them
stand in `Assumptions` and hold for every cipher and every processor alike.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from functools import cache
from typing import Any

from cipherassay import _engine, ir, processors, strategies
from cipherassay._engine import Processor, Program
from cipherassay.errors import UsageError, nearest
from cipherassay.lang.cipher import Cipher
from cipherassay.processors.layouts import JOIN_BY_XOR
from cipherassay.studies.fiskiran2001 import single_pass

PROCESSOR = "epic"
MODES = {
    "indexed": "indexed",
    "scaled-indexed": "scaled-indexed",
    "scaled-indexed-extract": "scaled-indexed + extract",
    "load-extract-scale": "load.ex.sc",
}
"""The addressing modes of the processor, and what the paper's tables call them; each has the instructions of
those before it."""
FIRST = next(iter(MODES))
MACHINES = tuple((width, ports) for width in (1, 2, 4, 8) for ports in (1, 2, 4, 8) if ports <= width)
"""Issue width, which includes the memory ports, and memory ports."""
BLOCKS = 100
COMPILED, ROUNDS = "as-compiled", "as-compiled-rounds"
_PLAIN = ("load.x", "load.4")
_LOWEST = ("look-up by mask and scale", "scaled look-up by mask")
_LARGE = ("look-up among 512 by mask and scale", "scaled look-up among 512 by mask")
_AVOIDED = {
    "bytes alike": (*_PLAIN, *_LOWEST),
    "all alike": (*_PLAIN, *_LOWEST, *_LARGE),
    "lowest unshifted": _PLAIN,
    "cheapest": (),
}
"""By reading of the index: instructions and recipes that are not used."""
_TABLES = {
    "aligned": ("aligned", (JOIN_BY_XOR,)),
    "aligned, joined": ("aligned", ()),
    "contiguous": ("contiguous", ()),
}
"""By reading of the tables' places: layout, and what is not used."""


@dataclass(frozen=True)
class Assumptions:
    """What the paper leaves open, the same for all ciphers and processors."""

    strategy: str = "as-compiled"
    scheduling: str = "single pass"
    ties: str = "last first"
    index: str = "bytes alike"
    keys: str = "address added"
    rotate: str = "absent"
    load_latency: int = 1
    load_extract_scale_latency: int = 2
    multiply_latency: int = 3
    overhead: int = 20
    tables: str = "aligned"
    depth: int = 0

    def changed(self, name: str, value: str | int) -> Assumptions:
        """Return the same with another value of one.

        Raises
        ------
        UsageError
            M720: no such assumption; M721: a value it cannot have.
        """
        if name not in CHOICES:
            raise UsageError("M720", f"unknown assumption `{name}`", help=nearest(name, list(CHOICES)))
        known = {str(choice): choice for choice in CHOICES[name][1]}
        if str(value) not in known:
            listed = ", ".join(known)
            raise UsageError("M721", f"`{name}` cannot be `{value}`", help=f"possible: {listed}")
        changed: dict[str, Any] = {name: known[str(value)]}
        return replace(self, **changed)

    def lines(self) -> list[tuple[str, str, str]]:
        """Return name, value and meaning of each."""
        return [(name, str(value), CHOICES[name][0]) for name, value in asdict(self).items()]


CHOICES: Mapping[str, tuple[str, Sequence[str | int]]] = {
    "strategy": (
        "the code: as-compiled (sums in the order of the description), as-compiled-rounds (the same, rounds "
        "as loops), straight (what arrives late combined last)",
        ("straight", COMPILED, ROUNDS),
    ),
    "scheduling": (
        "single pass: list scheduling once, by the longest way to the end, as compilers do; improved: the "
        "best that the project's own scheduler finds",
        ("single pass", "improved"),
    ),
    "ties": (
        "of operations with equally long ways to the end the last of the code goes first, or the first",
        ("last first", "first first"),
    ),
    "index": (
        "the look-up of a byte: bytes alike, 4, 3, 2 and 1 instructions even at the ends; all alike, also "
        "MARS's 9 bits; the lowest bits without a shift; each at its cheapest, which is scaled by the mask "
        "(the shorter form of section 3.1)",
        tuple(_AVOIDED),
    ),
    "keys": (
        "round keys are loaded every round, their addresses added first or displacements of the load",
        ("address added", "displacement"),
    ),
    "rotate": ("rotations are instructions, or two shifts and an or", ("absent", "present")),
    "load_latency": ("cycles of a load", (1, 2, 3, 4)),
    "load_extract_scale_latency": ("cycles of load.ex.sc", (1, 2, 3, 4, 5)),
    "multiply_latency": ("cycles of a multiplication", (1, 2, 3, 4)),
    "overhead": ("operations of the loop over blocks, each block, in all slots", (0, 10, 20, 40)),
    "tables": (
        "tables begin at multiples of their size, as the paper says (1 KB), and indices are added to their "
        "addresses; the same, joined by exclusive or where that is sooner; or one table behind the other",
        tuple(_TABLES),
    ),
    "depth": (
        "instructions are chosen so that the longest way through the code is at most so many per cent longer "
        "than the shortest possible one",
        (0, 20, 100),
    ),
}
"""Of each assumption its meaning and its values."""


@dataclass(frozen=True)
class Cell:
    """The code of one block on one processor in one addressing mode."""

    width: int
    ports: int
    mode: str
    cycles: int
    """Of a block, with the loop over blocks."""
    operations: int
    """Executed for a block."""


@dataclass(frozen=True)
class Study:
    """A cipher in every addressing mode on several processors."""

    cipher: str
    assumptions: Assumptions
    look_ups: int
    """Executed for a block."""
    others: int
    """Operations of a block that have no part in a look-up."""
    cells: Mapping[tuple[int, int, str], Cell]

    def with_overhead(self, operations: int) -> Study:
        """Return the same with another overhead of the loop over blocks."""
        before = self.assumptions.overhead

        def cycles(cell: Cell) -> int:
            return cell.cycles + math.ceil(operations / cell.width) - math.ceil(before / cell.width)

        cells = {key: replace(cell, cycles=cycles(cell)) for key, cell in self.cells.items()}
        return replace(self, assumptions=replace(self.assumptions, overhead=operations), cells=cells)

    @property
    def machines(self) -> list[tuple[int, int]]:
        """Width and memory ports of the processors."""
        return list(dict.fromkeys((width, ports) for width, ports, _ in self.cells))

    def speedup(self, width: int, ports: int, mode: str) -> float:
        """Return cycles with indexed addressing by cycles in a mode."""
        return self.cells[width, ports, FIRST].cycles / self.cells[width, ports, mode].cycles

    def share(self, width: int, ports: int) -> float:
        """Return the part of the cycles that look-ups take with indexed addressing.

        Operations of look-ups by all: in code that keeps the slots busy that is the part of the cycles.
        """
        operations = self.cells[width, ports, FIRST].operations
        return (operations - self.others) / operations


def target(width: int, ports: int) -> str:
    """Return the paper's name of a processor: ``epic-8g2m``."""
    return f"{PROCESSOR}-{width}g{ports}m"


@cache
def processor(assumptions: Assumptions, width: int, ports: int, mode: str) -> Processor:
    """Return the processor of a cell.

    Raises
    ------
    UsageError
        M722: more memory ports than issue slots; M007: a value that a parameter cannot have.
    """
    if ports > width:
        raise UsageError(
            "M722",
            f"a processor that issues {width} cannot have {ports} memory ports",
            help="the width includes the memory ports",
        )
    named = {f.name for f in fields(assumptions)} & {
        "rotate", "load_latency", "load_extract_scale_latency", "multiply_latency",
    }  # fmt: skip
    parameters = {name: getattr(assumptions, name) for name in sorted(named)}
    parameters |= {"width": width, "memory_ports": ports, "addressing": mode}
    return processors.load(PROCESSOR, parameters=parameters)


_programs: dict[tuple[str, int, str], Program] = {}


def program(cipher: Cipher, strategy: str, key_bits: int = 128) -> Program:
    """Return a cipher's program after a strategy's passes, made once."""
    key = (str(cipher.file), key_bits, strategy)
    if key not in _programs:
        _programs[key] = strategies.program(cipher, key_bits, strategy)
    return _programs[key]


def study(
    cipher: Cipher,
    assumptions: Assumptions | None = None,
    machines: Iterable[tuple[int, int]] = MACHINES,
    *,
    modes: Iterable[str] = tuple(MODES),
) -> Study:
    """Return the cycles of encryption of a block on the processors, in the addressing modes.

    Raises
    ------
    UsageError
        As `processor`; S032: the strategy does not apply to the cipher.
    DescriptionError
        M2xx: an operation that the processor lacks.
    """
    given = assumptions or Assumptions()
    compiled = program(cipher, given.strategy)
    cells: dict[tuple[int, int, str], Cell] = {}
    wanted = list(machines)
    least: dict[tuple[int, int], tuple[int, int]] = {}
    for mode in MODES:
        code = select(compiled, given, processor(given, *wanted[0], mode))
        prepared = _SelectedCode(code, given)
        for width, ports in wanted:
            found = prepared.cycles(processor(given, width, ports, mode), width)
            # Whoever has more instructions may leave them unused: the code of an earlier mode runs as well.
            least[width, ports] = min(found, least.get((width, ports), found), key=lambda one: one[0])
            cells[width, ports, mode] = Cell(width, ports, mode, *least[width, ports])
    ordered = {(w, p, m): cells[w, p, m] for w, p in wanted for m in modes}
    return Study(cipher.name, given, *_look_ups(cipher, given), ordered)


def _look_ups(cipher: Cipher, assumptions: Assumptions) -> tuple[int, int]:
    """Return how many look-ups a block takes, and how many other operations; counted in straight-line code.

    With load.ex.sc a look-up is one instruction, or two where it does not fit: an extraction and a load.
    """
    straight = assumptions if assumptions.strategy != ROUNDS else replace(assumptions, strategy=COMPILED)
    on = processor(straight, 1, 1, "load-extract-scale")
    counts = dict(select(program(cipher, straight.strategy), straight, on).counts())
    single = sum(counts.get(f"load.{byte}b.4", 0) for byte in range(4))
    double = sum(counts.get(name, 0) for name in ("load.4", "load.x", "load8.x", "load16.x"))
    return single + double, sum(counts.values()) - single - 2 * double


def select(program: Program, assumptions: Assumptions, on: Processor, function: str = "encrypt") -> Any:
    """Return the code of a function with the assumed forms of look-ups and of loads of round keys."""
    avoided = [*_AVOIDED[assumptions.index], "load" if assumptions.keys == "address added" else "load.r"]
    layout, unused = _TABLES[assumptions.tables]
    how = (1, True, assumptions.depth, "never", False, layout)
    return _engine.Kernel.select(program, function, on, [*avoided, *unused], *how)


class _SelectedCode:
    """Selected code, to be scheduled for processors that differ in width and ports alone."""

    def __init__(self, code: Any, assumptions: Assumptions) -> None:
        self.improved = assumptions.scheduling == "improved"
        self.last_first = assumptions.ties == "last first"
        self.overhead = assumptions.overhead
        self.graphs = code.graphs()
        self.regions = [single_pass.region(graph.json()) for graph in self.graphs]
        self.iterations = [part["iterations"] for part in json.loads(code.schedule(0, 1, 0))]

    def cycles(self, on: Processor, width: int) -> tuple[int, int]:
        """Return cycles and operations of a block, every iteration counted."""
        total, operations = math.ceil(self.overhead / width), 0
        resources = on.resources()
        limits = single_pass.Limits.parse(resources)
        for graph, region, iterations in zip(self.graphs, self.regions, self.iterations, strict=True):
            if self.improved:
                cycles = json.loads(graph.list_schedule(resources, 20, 1))["schedule"]["cycles"]
            else:
                cycles = single_pass.schedule(region, limits, last_first=self.last_first)
            graph.check(resources, json.dumps({"cycles": cycles, "interval": None}))
            total += iterations * single_pass.length(region, cycles)
            operations += iterations * len(region.classes)
        return total, operations


def instructions(mode: str, index: str = "all alike") -> dict[str, int]:
    """Return the instructions of one look-up in an addressing mode and how often each stands in it.

    A byte in the middle of a register selects one of 256 entries of 4 bytes, as in section 3 of the paper.
    """
    word, table = ir.Type(32), ir.Table("T", 32, tuple(range(256)))
    ops = (
        ir.Operation((ir.Value("i", ir.Type(8)),), "extract", ("x",), number=16),
        ir.Operation((ir.Value("y", word),), "lookup", name="T", addresses=(ir.Affine(((1, "i"),), 0),)),
    )
    look_up = ir.Function("look_up", (ir.Value("x", word),), (word,), ops, ("y",))
    alone = ir.engine_program(ir.Program("look-up", table_list=(table,), function_list=(look_up,)))
    assumptions = replace(Assumptions(), index=index, keys="displacement")
    on = processor(assumptions, 1, 1, mode)
    counts = dict(select(alone, assumptions, on, "look_up").counts())
    around = {"load": 1, "store": 1}  # the word comes from memory, the result goes there
    return {
        name: count - around.get(name, 0) for name, count in counts.items() if count > around.get(name, 0)
    }
