"""A function with loops as regions: straight-line code and counted loops, what lies in memory between them.

Words that several regions use lie in cells, four bytes each; a loop's carried word has one cell for what it
begins with, what each iteration leaves and what comes out. Versions of an array are one object.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from cipherassay.errors import DescriptionError
from cipherassay.ir import ADDRESSED, INDEX, Function, Loop, Operand, Operation, Type

LOOPS = ("rounds", "steps")
_STAYS = ("store", "load", "array", "word", *LOOPS)


@dataclass(eq=False)
class Straight:
    """Straight-line code: operations, and words that it leaves in cells (cell, operand)."""

    ops: list[Operation]
    leaves: list[tuple[int, Operand]] = field(default_factory=list)


@dataclass(eq=False)
class Counted:
    """A loop: iterations, the name of its index, its regions, its number in the function."""

    trips: int
    index: str
    body: list[Region]
    number: int

    @property
    def innermost(self) -> bool:
        """Whether it is one region of straight-line code: its index is in a register then."""
        return len(self.body) == 1 and isinstance(self.body[0], Straight)


Region = Straight | Counted


@dataclass
class Regions:
    """A function's regions; cells of words by name, roots of arrays by name, types of arrays by root."""

    regions: list[Region]
    cells: dict[str, int]
    roots: dict[str, str]
    types: dict[str, Type]
    count: int = 0


def has_loops(function: Function) -> bool:
    """Return whether a function has loops."""
    return any(op.kind in LOOPS for op in function.ops)


def regions(function: Function) -> Regions:
    """Return the regions of a function.

    Raises
    ------
    DescriptionError
        X105: a loop has several bodies, or an array is read after it was changed.
    """
    return _Splitter(function).split()


def straights(
    found: list[Region], loops: tuple[Counted, ...] = ()
) -> Iterator[tuple[Straight, tuple[Counted, ...]]]:
    """Yield straight regions in the order of the text, each with the loops around it."""
    for one in found:
        if isinstance(one, Straight):
            yield one, loops
        else:
            yield from straights(one.body, (*loops, one))


def names_of(op: Operation) -> Iterator[str]:
    """Yield the names that an operation uses, of arrays too, without those in its bodies."""
    yield from op.reads()
    if op.kind in ADDRESSED:
        yield op.name


class _Splitter:
    def __init__(self, function: Function) -> None:
        self.function = function
        self.found = Regions([], {}, {}, {})
        self.at: dict[str, Straight | None] = {name: None for name, _ in function.params}
        self.typed: dict[str, Type] = dict(function.params)
        self.loops = 0
        self.defined: dict[str, Operation] = {}

    def split(self) -> Regions:
        """Return the regions."""
        self.found.regions = self._block(self.function.ops, ())
        last = self._last(self.found.regions)
        self._cross()
        for output in self.function.outputs:
            if isinstance(output, str) and not self.typed[output].extents:
                self._use(output, last)
        self.found.types = {
            root: self.typed[root] for root in {self._root(n) for n in self.typed} if self.typed[root].extents
        }
        self.found.roots = {name: self._root(name) for name in self.typed if self.typed[name].extents}
        return self.found

    # Regions.

    def _block(self, ops: Sequence[Operation], outer: tuple[str, ...]) -> list[Region]:
        found: list[Region] = []
        ops = self._hoisted(ops)
        for op in ops:
            for name, ty in op.results:
                self.typed[name] = ty
                self.defined[name] = op
            if op.loop is None:
                last = self._last(found)
                last.ops.append(op)
                self.at |= {name: last for name, _ in op.results}
                self._join(op)
            else:
                found += self._loop(op, self._last(found), outer)
        self._once(ops)
        return found

    @staticmethod
    def _last(found: list[Region]) -> Straight:
        if not found or not isinstance(found[-1], Straight):
            found.append(Straight([]))
        last = found[-1]
        assert isinstance(last, Straight)
        return last

    def _loop(self, op: Operation, before: Straight, outer: tuple[str, ...]) -> list[Region]:
        assert op.loop is not None
        if len(op.loop.bodies) != 1:
            raise DescriptionError(
                "X105", f"a loop of {op.loop.trip_count} iterations has {len(op.loop.bodies)} bodies",
                help="the passes `split-loops` and `unroll:factor=period` leave one",
            )  # fmt: skip
        (of_loop,) = op.loop.bodies
        (index, _), *params = of_loop.params
        self.loops += 1
        number = self.loops
        for (name, ty), start, (result, _) in zip(params, op.operands, op.results, strict=True):
            self.typed[name] = ty
            if ty.extents:
                self._same(name, str(start))
                self._same(result, name)
            else:
                cell = self._cell(name)
                self.found.cells[result] = cell
                before.leaves.append((cell, start))
                self.at[name] = self.at[result] = None
        self.typed[index] = INDEX
        self.at[index] = None
        body = self._block(of_loop.ops, (*outer, index))
        end = self._last(body)
        for (name, ty), output in zip(params, of_loop.outputs, strict=True):
            if ty.extents:
                self._same(str(output), name)
            elif output != name:
                end.leaves.append((self.found.cells[name], output))
        return [Counted(op.loop.trip_count, index, body, number)]

    # Operations that do not depend on the iteration come before the loop.

    def _hoisted(self, ops: Iterable[Operation]) -> list[Operation]:
        """Return operations; loop-invariant ones come before their loop, inner loops first."""
        out: list[Operation] = []
        for op in ops:
            out.append(op if op.loop is None else self._taken_out(op, op.loop, out))
        return out

    def _taken_out(self, op: Operation, loop: Loop, out: list[Operation]) -> Operation:
        """Return a loop without what does not depend on the iteration, which is added to `out`."""
        bodies = []
        for body in loop.bodies:
            ops = self._hoisted(body.ops)
            inside = {name for name, _ in body.params} | {n for one in ops for n, _ in one.results}
            stay = []
            for one in ops:
                free = one.kind not in _STAYS and not any(name in inside for name in names_of(one))
                if free:
                    inside -= {name for name, _ in one.results}
                    out.append(one)
                else:
                    stay.append(one)
            bodies.append(replace(body, ops=tuple(stay)))
        return replace(op, loop=replace(loop, bodies=tuple(bodies)))

    # Arrays.

    def _root(self, name: str) -> str:
        while self.found.roots.get(name, name) != name:
            name = self.found.roots[name]
        return name

    def _same(self, name: str, other: str) -> None:
        self.found.roots[self._root(name)] = self._root(other)

    def _join(self, op: Operation) -> None:
        if op.kind == "store":
            self._same(op.results[0].name, op.name)

    def _once(self, ops: Iterable[Operation]) -> None:
        """Refuse what reads an array after another version took its place."""
        gone: set[str] = set()
        for op in ops:
            changed: set[str] = set()
            if op.kind == "store":
                changed = {op.name}
            elif op.loop is not None:
                given = zip(op.operands, op.loop.bodies[0].params[1:], strict=True)
                changed = {str(start) for start, (_, ty) in given if ty.extents}
            inside = changed if op.loop is not None else set()
            if wrong := sorted(set(names_of(op)) & gone | set(_inside(op)) & (gone | inside)):
                raise DescriptionError("X105", f"`{wrong[0]}` is read after it was changed")
            gone |= changed

    # Words that several regions use.

    def _cell(self, name: str) -> int:
        if name not in self.found.cells:
            self.found.cells[name] = self.found.count
            self.found.count += 4
        return self.found.cells[name]

    def _cross(self) -> None:
        for region, loops in list(straights(self.found.regions)):
            for op in list(region.ops):
                for name in names_of(op):
                    self._use(name, region, looped=bool(loops))
            for _, operand in list(region.leaves):
                if isinstance(operand, str):
                    self._use(operand, region, looped=bool(loops))

    def _use(self, name: str, region: Straight, *, looped: bool = False) -> None:
        origin = self.at.get(name)
        ty = self.typed[name]
        if origin is None or origin is region or ty.extents or name in self.found.cells:
            return
        op = self.defined[name]
        if self._again(op, looped=looped):
            if op not in region.ops:
                region.ops.insert(0, op)
            return
        origin.leaves.append((self._cell(name), name))

    def _again(self, op: Operation, *, looped: bool) -> bool:
        """Whether an operation is done again where it is used: a load of what the caller gave."""
        given = op.name in dict(self.function.params) and not any(a.terms for a in op.addresses)
        return op.kind == "load" and given and (op.results[0].type.word_bits == 32 or not looped)


def _inside(op: Operation) -> Iterator[str]:
    """Yield the names that the bodies of a loop use."""
    for body in op.loop.bodies if op.loop else ():
        for one in body.ops:
            yield from names_of(one)
            yield from _inside(one)
        yield from (o for o in body.outputs if isinstance(o, str))
