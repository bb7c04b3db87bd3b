"""Functions with loops as parts: straight-line code, each with its own steps, and what counts iterations."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

from cipherassay.errors import DescriptionError
from cipherassay.ir import Function, Program, Type
from cipherassay.x86 import kept, select
from cipherassay.x86.fitting import Effort, Fitted, Trips
from cipherassay.x86.graph import CELLS, Graph
from cipherassay.x86.memory import Index, Place, RegionBuilder, counted
from cipherassay.x86.model import Model
from cipherassay.x86.reader import NAMES
from cipherassay.x86.regions import Counted, Region, Regions, Straight, regions, straights
from cipherassay.x86.select import ANY, Steps

COUNTER = "ebp"
"""The register that counts the iterations of innermost loops: it has no bytes, so that it is missed least."""
KEEPERS = ("esi", "edi", "ebx")
"""Registers that hold words from iteration to iteration, those without bytes first; three are left."""


@dataclass
class Part:
    """Straight-line code: its steps, how often it runs, how the loop around counts if in a register."""

    steps: Steps
    runs: int = 1
    index: Index | None = None
    fixed: Mapping[int, str] = field(default_factory=dict)
    """Registers that hold words between regions, by the words' bytes."""

    @property
    def trips(self) -> Trips | None:
        """Return what ends each run if it is a loop's only part, else None."""
        if self.index is None:
            return None
        others = ANY
        for register in (f"%{COUNTER}", *self.fixed.values()):
            others &= ~(1 << NAMES.index(register[1:]))
        return Trips(others, (f"addl ${self.index.step}, %{COUNTER}", "jne loop"))


@dataclass
class Loop:
    """A loop of parts; `place` is what counts its iterations, as an operand.

    `before` and `after` move words between memory and the registers that hold them during the loop.
    """

    number: int
    index: Index
    place: str
    body: list[Part | Loop] = field(default_factory=list)
    before: list[str] = field(default_factory=list)
    after: list[str] = field(default_factory=list)


@dataclass
class Parts:
    """A function: parts and loops in order, bytes of arrays and words between them, tables looked up."""

    items: list[Part | Loop]
    work: int
    tables: set[str]

    @property
    def straight(self) -> Steps | None:
        """Return the steps of a function without loops, else None."""
        (one, *more) = self.items
        return one.steps if isinstance(one, Part) and not more else None

    def parts(self) -> list[Part]:
        """Return all parts in the order of the text."""
        return list(_parts(self.items))

    def digest(self, model: Model) -> str:
        """Return the hash of all parts' steps and of how often they run."""
        parts = [f"{one.runs} {kept.digest(one.steps, model, one.trips)}" for one in self.parts()]
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:12]

    def fitted(self, model: Model, effort: Effort | None, spill: str, name: str, label: str) -> Fitted:
        """Return the text; labels are `label` and the loops' numbers. Cycles are the sum of the parts'."""
        done = {
            id(one): kept.fitted(one.steps, model, effort, spill, f"{name}-{k}", one.trips)
            for k, one in enumerate(self.parts(), 1)
        }
        lines = tuple(_lines(self.items, {key: one.lines for key, one in done.items()}, label))
        cycles = sum(one.runs * done[id(one)].cycles for one in self.parts())
        return Fitted(lines, max(one.spilled for one in done.values()), round(cycles), 0)


def _parts(items: list[Part | Loop]) -> Iterator[Part]:
    for one in items:
        if isinstance(one, Part):
            yield one
        else:
            yield from _parts(one.body)


def _lines(items: list[Part | Loop], lines: dict[int, tuple[str, ...]], label: str) -> Iterator[str]:
    for one in items:
        if isinstance(one, Part):
            yield from lines[id(one)]
        else:
            yield from one.before
            yield f"movl ${one.index.start}, {one.place}"
            yield f"{label}_{one.number}:"
            yield from _lines(one.body, lines, label)
            yield f"addl ${one.index.step}, {one.place}"
            yield f"jne {label}_{one.number}"
            yield from one.after


def prepare(
    program: Program,
    function: Function,
    addresses: dict[str, tuple[str, int]],
    work: str,
    words: int = 0,
) -> Parts:
    """Return a function's parts; `addresses` are those of parameters, results and tables, `work` an object.

    So many ``words`` of an innermost loop stay in registers between iterations, the rest lies in memory.

    Raises
    ------
    DescriptionError
        X101 to X105: something of the program has no way yet.
    """
    found = regions(function)
    objects, sizes = _objects(function, found)
    at = 0
    for name, size in sizes.items():
        addresses[name] = (work, at)
        at += size + -size % 32
    addresses[CELLS] = (work, at)
    place = Place(found, objects, addresses, _shapes(found), {})
    _clear_of_parameters(function, found, place)
    _Builder(program, function, place).count(found.regions)
    builder = _Builder(program, function, place, words)
    items = builder.items(found.regions, 1, None)
    return Parts(items, at + found.count, builder.tables)


class _Builder:
    def __init__(self, program: Program, function: Function, place: Place, words: int = 0) -> None:
        self.program, self.function, self.place, self.words = program, function, place, words
        self.tables: set[str] = set()
        *_, (self.last, _) = straights(place.found.regions)

    def count(self, items: list[Region]) -> None:
        """Decide how each loop's index is counted; an index in memory gets a cell."""
        indices = dict(self.place.indices)
        for one in items:
            if isinstance(one, Counted):
                indices[one.index] = counted(one, self.place.shapes, self.place.found.count)
                self.place.found.count += 0 if indices[one.index].register else 4
                self.place.indices = indices
                self.count(one.body)
                indices = dict(self.place.indices)

    def items(self, items: list[Region], runs: int, index: Index | None) -> list[Part | Loop]:
        """Return parts and loops."""
        found: list[Part | Loop] = []
        for one in items:
            if isinstance(one, Straight):
                part = self._part(one, runs, index)
                found += [part] if part.steps.steps else []
            else:
                own = self.place.indices[one.index]
                where = f"%{COUNTER}" if own.register else self._cell(own.cell)
                body = self.items(one.body, runs * one.trips, own if own.register else None)
                held = [item.fixed for item in body if isinstance(item, Part)]
                moves = [(self._cell(cell), register) for fixed in held for cell, register in fixed.items()]
                before = [f"movl {cell}, {register}" for cell, register in moves]
                after = [f"movl {register}, {cell}" for cell, register in moves]
                found.append(Loop(one.number, own, where, body, before, after))
        return found

    def _cell(self, cell: int) -> str:
        work, start = self.place.addresses[CELLS]
        return f"{work}+{start + cell}"

    def _part(self, region: Straight, runs: int, index: Index | None) -> Part:
        fixed: dict[int, str] = {}
        if self.words and index is not None:
            cells = _carried(self._graph(region, ()))
            fixed = {cell: f"%{name}" for cell, name in zip(cells[: self.words], KEEPERS, strict=False)}
        graph = self._graph(region, fixed)
        selection = select.Selection(graph, dict(self.place.addresses), {}, f"%{COUNTER}", fixed)
        steps = selection.run()
        self.tables |= selection.looked_up
        return Part(steps, runs, index, fixed)

    def _graph(self, region: Straight, fixed: Collection[int]) -> Graph:
        outputs = [
            (f"result {k}", output, ty.word_bits)
            for k, (output, ty) in enumerate(zip(self.function.outputs, self.function.results, strict=True))
            if region is self.last and not ty.extents
        ]
        return RegionBuilder(self.program, self.function, self.place, fixed).region(region, outputs)


def _carried(graph: Graph) -> list[int]:
    """Return the words between regions that a loop reads: those it changes first, the most used first."""
    changed = {one.offset for one in graph.stores if one.object == CELLS}
    uses: dict[int, int] = {}
    for node in graph.nodes:
        for one in (node, *node.args):
            if one.kind == "leaf" and one.name == CELLS and not one.scale:
                uses[one.number // 4 * 4] = uses.get(one.number // 4 * 4, 0) + 1
    return sorted(uses, key=lambda cell: (cell not in changed, -uses[cell], cell))


def _objects(function: Function, found: Regions) -> tuple[dict[str, str], dict[str, int]]:
    """Return objects by arrays' roots, and the sizes of those that are neither parameters nor results."""
    objects: dict[str, str] = {}
    for name, ty in function.params:
        if ty.extents:
            objects[found.roots[name]] = name
    for k, (output, ty) in enumerate(zip(function.outputs, function.results, strict=True)):
        if ty.extents:
            root = found.roots[str(output)]
            if root in objects:
                raise DescriptionError(
                    "X104", f"`{function.name}` returns what it is given, or an array twice"
                )
            objects[root] = f"result {k}"
    sizes: dict[str, int] = {}
    for root in sorted(set(found.roots.values())):
        if root not in objects:
            ty = found.types[root]
            objects[root] = f"array {len(sizes)}"
            sizes[objects[root]] = ty.cells * ty.bits // 8
    return objects, sizes


def _shapes(found: Regions) -> dict[str, Type]:
    return {name: found.types[root] for name, root in found.roots.items()}


def _clear_of_parameters(function: Function, found: Regions, place: Place) -> None:
    """Refuse a result that is written where a parameter lies which is read later, or in the same loop."""
    lies = {name: place.addresses[name][0] for name, ty in function.params if ty.extents}
    written: set[str] = set()
    for one in found.regions:
        ops = [op for region, _ in straights([one]) for op in region.ops]
        stores = [op for op in ops if op.kind == "store" or op.kind == "array" and op.operands]
        now = {place.addresses[place.objects[found.roots[op.results[0].name]]][0] for op in stores}
        before = written | now if isinstance(one, Counted) else written
        for op in ops:
            if op.kind == "load" and lies.get(op.name) in before:
                raise DescriptionError(
                    "X104",
                    f"`{function.name}` writes a result where `{op.name}` lies and reads it afterwards",
                )
        written |= now
