"""Straight-line code of a function with loops as a graph: arrays and words of other regions lie in memory."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod

from cipherassay.errors import DescriptionError
from cipherassay.ir import ADDRESSED, Affine, Function, Operand, Operation, Program, Type
from cipherassay.x86.graph import CELLS, WIDTHS, Builder, Graph, Node, Stored
from cipherassay.x86.regions import Counted, Regions, Straight

SCALES = (1, 2, 4, 8)
_BYTE = Type(8)
Address = tuple[str, int, int, Node | None, int]
"""Object, byte, scale of the loop's index, entry, bits: two that differ in the middle two may be the same."""


@dataclass(frozen=True)
class Index:
    """How a loop's index is counted: the counter ends at 0 and changes by `step` with each iteration.

    The index is ``counter / step + trips`` where it counts up, else ``trips - counter / -step``; both are
    ``counter / step + iterations`` with a negative step.
    """

    name: str
    trips: int
    step: int
    register: bool
    cell: int = 0

    @property
    def start(self) -> int:
        """Return what the counter begins with."""
        return -self.trips * self.step


def counted(loop: Counted, shapes: Mapping[str, Type], cell: int) -> Index:
    """Return how a loop's index is counted so that addresses need no more than a scale, most of them."""
    weights = [(f, f * size) for f, size in _weights(loop, shapes) if f]
    if not loop.innermost or not weights:
        return Index(loop.index, loop.trips, 1, loop.innermost, cell)
    sign = 1 if sum(f > 0 for f, _ in weights) * 2 >= len(weights) else -1
    steps = [m for m in range(1, min(abs(f) for f, _ in weights) + 1) if all(f % m == 0 for f, _ in weights)]
    fits = {m: sum(sign * w % m == 0 and sign * w // m in SCALES for _, w in weights) for m in steps}
    step = max(steps, key=lambda m: (fits[m], -m))
    return Index(loop.index, loop.trips, sign * step, register=True)


def _weights(loop: Counted, shapes: Mapping[str, Type]) -> list[tuple[int, int]]:
    """Return by how many elements each address, or word, changes with the index, and their bytes."""
    found = []
    for region in loop.body:
        for op in region.ops if isinstance(region, Straight) else ():
            ty = shapes[op.name] if op.kind in ADDRESSED else _BYTE
            total = 0
            for k, address in enumerate(op.addresses):
                rest = prod(ty.extents[k + 1 :])
                total += rest * sum(c for c, name in address.terms if name == loop.index)
            found.append((total, ty.bits // 8))
    return found


@dataclass
class Place:
    """What regions share: where arrays lie, cells of words, addresses of objects, indices of loops."""

    found: Regions
    objects: Mapping[str, str]
    """Objects by arrays' roots."""
    addresses: Mapping[str, tuple[str, int]]
    shapes: Mapping[str, Type]
    """Types by arrays' names."""
    indices: Mapping[str, Index]
    most: dict[str, int] = field(default_factory=dict)
    """What quotients and rests of indices are at most."""


class RegionBuilder(Builder):
    """Reads one region of straight-line code."""

    def __init__(
        self, program: Program, function: Function, place: Place, fixed: Collection[int] = ()
    ) -> None:
        super().__init__(program, function)
        self.place, self.fixed = place, fixed
        self.stores: list[Stored] = []
        self.loads: list[Node] = []
        self.held: dict[tuple[object, ...], Node] = {}

    def region(self, region: Straight, outputs: list[tuple[str, Operand, int]]) -> Graph:
        """Return the graph of a region; outputs are words to be stored: object, operand, bits."""
        for name, ty in self.function.params:
            if not ty.extents:
                self.values[name] = self.node("leaf", name=name, bits=ty.word_bits)
        for op in region.ops:
            self._op(op)
        leaving = [(CELLS, cell, self._value(operand), 32) for cell, operand in region.leaves]
        leaving += [(name, 0, self._value(operand), bits) for name, operand, bits in outputs]
        for name, number, value, bits in leaving:
            self._stored(Stored(name, number, value, bits))
        return Graph(self.nodes, self.stores, {}, [], self._order())

    def _value(self, operand: Operand) -> Node:
        if isinstance(operand, str) and operand not in self.values:
            cell = self.place.found.cells[operand]
            self.values[operand] = self._loaded(CELLS, cell, 32)
        return super()._value(operand)

    def _field(self, x: Node, position: int, bits: int) -> Node:
        if x.kind == "leaf" and x.name == CELLS and x.number in self.fixed:
            return self.node("field", [x], number=position, bits=bits) if bits < 32 else x
        return super()._field(x, position, bits)

    # Addresses.

    def _index(self, name: str, weight: int, size: int) -> tuple[Node | None, int, int]:
        """Return an index times a weight: a value, or the register's scale in bytes, and the number."""
        one = self.place.indices[name]
        number = weight * one.trips
        scale, rest = divmod(weight * size, one.step)
        if one.register and rest == 0 and scale in SCALES:
            return None, scale, number
        counter = self.node("index", scale=1) if one.register else self._loaded(CELLS, one.cell, 32)
        return self._times(counter, weight // one.step), 0, number

    def _times(self, x: Node, factor: int) -> Node:
        factor &= 0xFFFFFFFF
        if factor == 1:
            return x
        if factor & (factor - 1) == 0:
            return self._shifted("shl", x, factor.bit_length() - 1)
        return self.node("mul", [x, self.node("number", number=factor)])

    def _affine(
        self, terms: list[tuple[int, str]], number: int, size: int = 1
    ) -> tuple[Node | None, int, int]:
        """Return a sum as a value, a scale of the loop's register in bytes of elements, and a number."""
        values: list[Node] = []
        scale = 0
        for factor, name in terms:
            if name in self.place.indices:
                value, more, constant = self._index(name, factor, size)
                scale, number = scale + more, number + constant
                values += [value] if value is not None else []
            else:
                values.append(self._times(self._value(name), factor))
        total = values[0] if values else None
        for value in values[1:]:
            assert total is not None
            total = self._sum("add", [total, value])
        return total, scale, number

    def _word(self, op: Operation) -> None:
        (address,) = op.addresses
        value, size = self._whole(address), op.results[0].type.word_bits
        if size < 32 and self._most(address) >> size:
            value = self._field(value, 0, size)
        self._is(op, value)

    def _whole(self, address: Affine) -> Node:
        """Return a sum of indices as a value."""
        total, scale, number = self._affine(list(address.terms), address.constant)
        value = self.node("index", scale=scale, number=number) if scale else None
        if total is not None:
            rest = [value] if value else [self.node("number", number=number & 0xFFFFFFFF)]
            value = self._sum("add", [total, *rest])
        return value or self.node("number", number=number & 0xFFFFFFFF)

    def _most(self, address: Affine) -> int:
        """Return the most that a sum of indices can be, -1 if it can be below zero."""
        most, least = address.constant, address.constant
        for factor, name in address.terms:
            known = self.place.indices.get(name)
            top = factor * (known.trips - 1 if known else self.place.most[name])
            most, least = most + max(top, 0), least + min(top, 0)
        return -1 if least < 0 else most

    def _index_div(self, op: Operation) -> None:
        self._divided(op, rest=False)

    def _index_mod(self, op: Operation) -> None:
        self._divided(op, rest=True)

    def _divided(self, op: Operation, *, rest: bool) -> None:
        """Divide an index by a number: bits of it for a power of 2, else a product's upper bits."""
        (address,), by = op.addresses, op.number
        most = self._most(address)
        if most < 0:
            raise DescriptionError("X102", f"`{op.kind}` of what can be below zero")
        x = self._whole(address)
        if by & (by - 1) == 0:
            ones = self.node("number", number=by - 1)
            node = self._sum("and", [x, ones]) if rest else self._shifted("shr", x, by.bit_length() - 1)
        else:
            factor, shift = _reciprocal(by, most)
            node = self._shifted("shr", self._times(x, factor), shift)
            node = self.node("sub", [x, self._times(node, by)]) if rest else node
        self.place.most[op.results[0].name] = min(most, by - 1) if rest else most // by
        self.values[op.results[0].name] = node

    def _at(
        self, name: str, addresses: Sequence[Affine], size: int, shape: Sequence[int]
    ) -> tuple[int, int, Node | None]:
        """Return the byte of an address, the scale of the loop's register, and the entry."""
        terms: dict[str, int] = {}
        number = 0
        for k, address in enumerate(addresses):
            rest = prod(shape[k + 1 :])
            if address.ring and address.terms:
                raise DescriptionError(
                    "X103", f"`{name}` is reached round its end by an index",
                    help="the passes `unroll:factor=ring` and `split-loops` leave none such",
                )  # fmt: skip
            number += (address.constant % shape[k] if address.ring else address.constant) * rest
            for factor, term in address.terms:
                terms[term] = terms.get(term, 0) + factor * rest
        size //= 8
        elements = [(f, t) for t, f in terms.items()]
        if all(t in self.place.indices for t in terms):
            total, scale, number = self._affine(elements, number, size)
            if scale and total is not None:
                raise DescriptionError("X103", f"`{name}` is reached by the indices of two loops at once")
            return number * size, scale, total
        total, scale, number = self._affine(elements, number)
        if scale and total is not None:
            total = self._sum("add", [total, self.node("index", scale=scale)])
        return number * size, 0, total

    # Loads and stores.

    def _lookup(self, op: Operation) -> None:
        table = self.program.tables[op.name]
        size = table.bits
        offset, scale, index = self._at(op.name, op.addresses, size, [len(table.entries)])
        if index is not None and index.kind == "index" and index.scale * size // 8 in SCALES:
            offset, scale, index = offset + index.number * size // 8, index.scale * size // 8, None
        if index is None:
            self._is(op, self.node("leaf", name=f"@{op.name}", number=offset, bits=size, scale=scale))
        else:
            self._is(op, self.node("lookup", [index], name=f"@{op.name}", number=offset, bits=size))

    def _object(self, name: str) -> str:
        return self.place.objects[self.place.found.roots[name]]

    def _load(self, op: Operation) -> None:
        ty = self.place.shapes[op.name]
        size = ty.bits
        offset, scale, index = self._at(op.name, op.addresses, size, ty.extents)
        for k in range(len(op.results)):
            self._is(op, self._loaded(self._object(op.name), offset + k * size // 8, size, scale, index), k)

    def _loaded(self, name: str, offset: int, bits: int, scale: int = 0, index: Node | None = None) -> Node:
        place: Address = (name, offset, scale, index, bits)
        if place in self.held:
            return self.held[place]
        last = [k for k, one in enumerate(self.stores, 1) if self._meet(place, _place_of(one))]
        epoch = max(last, default=0)
        if index is None:
            return self.node("leaf", name=name, number=offset, bits=bits, scale=scale, epoch=epoch)
        return self.node("lookup", [index], name=name, number=offset, bits=bits, epoch=epoch)

    def node(self, kind: str, args: list[Node] | None = None, **fields: object) -> Node:
        """Return a node, the same for the same; loads from where the code may store are remembered."""
        count = len(self.nodes)
        made = super().node(kind, args, **fields)
        if len(self.nodes) > count and made.epoch >= 0:
            self.loads.append(made)
        return made

    def _array(self, op: Operation) -> None:
        name, ty = op.results[0]
        if op.operands:
            self._put(name, 0, 0, None, [self._value(o) for o in op.operands], ty.bits)

    def _store(self, op: Operation) -> None:
        ty = self.place.shapes[op.name]
        size = ty.bits
        offset, scale, index = self._at(op.name, op.addresses, size, ty.extents)
        self._put(op.name, offset, scale, index, [self._value(o) for o in op.operands], size)

    def _put(
        self, array: str, offset: int, scale: int, index: Node | None, parts: list[Node], size: int
    ) -> None:
        """Store values one behind the other, four bytes as a word where they lie at one."""
        name = self._object(array)
        if size not in (8, 32):
            raise DescriptionError(
                "X101", f"code for x86-32 has no way yet for arrays of {size} bits", help=WIDTHS
            )
        whole = size == 8 and len(parts) % 4 == 0 and offset % 4 == 0
        if whole:
            parts, size = [self._joined(parts[k : k + 4]) for k in range(0, len(parts), 4)], 32
            if index is not None:
                raise DescriptionError("X102", f"`{array}` is stored to by an index that is no single word")
        for k, part in enumerate(parts):
            self._stored(Stored(name, offset + k * size // 8, part, size, scale, index))

    def _stored(self, one: Stored) -> None:
        place = _place_of(one)
        self.held = {p: node for p, node in self.held.items() if not self._meet(p, place)}  # type: ignore[arg-type]
        self.held[place] = one.value
        self.stores.append(one)

    def _meet(self, a: Address, b: Address) -> bool:
        """Whether two accesses may be of the same byte."""
        (one, at), (other, there) = (self._physical(x[0], x[1]) for x in (a, b))
        if one != other:
            return False
        if a[2:4] != b[2:4]:
            return True
        return at < there + b[4] // 8 and there < at + a[4] // 8

    def _physical(self, name: str, offset: int) -> tuple[str, int]:
        known, start = self.place.addresses[name]
        return known, start + offset

    def _order(self) -> list[tuple[Node | Stored, Node | Stored]]:
        """Return the accesses that keep their order: of two that may meet, one of them a store."""
        pairs: list[tuple[Node | Stored, Node | Stored]] = []
        for k, one in enumerate(self.stores):
            place = _place_of(one)
            pairs += [(other, one) for other in self.stores[:k] if self._meet(_place_of(other), place)]
            for load in self.loads:
                index = load.args[0] if load.kind == "lookup" else None
                if self._meet((load.name, load.number, load.scale, index, load.bits), place):
                    pairs.append((one, load) if k < load.epoch else (load, one))
        return pairs


def _place_of(one: Stored) -> Address:
    return one.object, one.offset, one.scale, one.address, one.bits


def _reciprocal(by: int, most: int) -> tuple[int, int]:
    """Return a factor and a shift that divide all numbers up to `most` without a product above 32 bits."""
    for shift in range(by.bit_length(), 32):
        factor = (1 << shift) // by + 1
        if factor * most >> 32:
            break
        if all(x * factor >> shift == x // by for x in range(most + 1)):
            return factor, shift
    raise DescriptionError("X102", f"an index of up to {most} is divided by {by}")
