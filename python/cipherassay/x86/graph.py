"""A function of a program as a graph of 32-bit values: loads, fields, look-ups, sums, and what is stored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import prod

from cipherassay.errors import DescriptionError
from cipherassay.ir import Affine, Function, Operand, Operation, Program, Type

SUMS = ("xor", "and", "or", "add")
WIDTHS = "x86-32 code is made of bytes and words of 32 bits; `assay emit c` takes words of any width"
"""The remedy for words of other widths."""
CELLS = "cells"
"""The object of words between regions."""
_FIELDS: dict[str, object] = {"name": "", "number": 0, "bits": 32, "scale": 0, "epoch": -1}


@dataclass(eq=False)
class Node:
    """A value.

    `kind`: ``leaf`` (memory: `name`, `number` its byte, `bits` 8 or 32), ``number``, ``field`` (`bits` bits
    from `number` on), ``lookup`` (in `name`, entries of `bits` bits from byte `number` on), a sum, ``sub``,
    ``mul``, ``not``, ``shl``, ``shr``, ``rol``, ``ror`` (by `number`, or by the second argument), ``bswap``,
    ``index`` (a loop's index times `scale`, and `number`). A leaf with a `scale` lies so many times the
    loop's index further on; `epoch` counts the stores before a load from where the code stores, or is -1.
    """

    kind: str
    args: list[Node] = field(default_factory=list)
    name: str = ""
    number: int = 0
    bits: int = 32
    scale: int = 0
    epoch: int = -1
    users: list[Node] = field(default_factory=list)
    depth: int = 0

    def __repr__(self) -> str:
        return f"{self.kind}({self.name}{self.number}:{self.bits})"


@dataclass(eq=False)
class Stored:
    """A value that is stored: object, byte, bits, times of a loop's index and entry that come to the byte."""

    object: str
    offset: int
    value: Node
    bits: int = 32
    scale: int = 0
    address: Node | None = None


@dataclass
class Graph:
    """Nodes in the order of the program, what is stored, bytes of objects, objects that are written."""

    nodes: list[Node]
    stores: list[Stored]
    objects: dict[str, int]
    results: list[tuple[str, Type]]
    order: list[tuple[Node | Stored, Node | Stored]] = field(default_factory=list)
    """Accesses of memory that keep their order."""


class Builder:
    """Reads one function."""

    def __init__(self, program: Program, function: Function) -> None:
        self.program, self.function = program, function
        self.nodes: list[Node] = []
        self.known: dict[tuple[object, ...], Node] = {}
        self.values: dict[str, Node] = {}
        self.widths: dict[str, int] = {}
        self.arrays: dict[str, list[Node | None]] = {}
        self.parameters: dict[str, Type] = {}
        self.objects: dict[str, int] = {}
        self.shapes: dict[str, tuple[int, ...]] = {}

    def build(self, results: str) -> Graph:
        """Return the graph; results are stored to objects named ``results`` and a number."""
        for name, ty in self.function.params:
            self.objects[name] = ty.cells * ty.bits // 8
            if ty.is_array:
                self.parameters[name] = ty
            else:
                self.values[name] = self.node("leaf", name=name, bits=ty.bits)
        for op in self.function.ops:
            self._op(op)
        stores: list[Stored] = []
        names: list[tuple[str, Type]] = []
        for number, (output, ty) in enumerate(zip(self.function.outputs, self.function.results, strict=True)):
            name = f"{results}{number}"
            names.append((name, ty))
            stores += self._stores(name, output, ty)
        return Graph(self.nodes, stores, self.objects, names)

    def node(self, kind: str, args: list[Node] | None = None, **fields: object) -> Node:
        """Return a node, the same for the same."""
        args = args or []
        ids = sorted(map(id, args)) if kind in (*SUMS, "mul") else [id(a) for a in args]
        key = (kind, tuple(ids), *(fields.get(name, default) for name, default in _FIELDS.items()))
        if key not in self.known:
            made = Node(kind, args, **fields)  # type: ignore[arg-type]
            self.known[key] = made
            self.nodes.append(made)
        return self.known[key]

    def _value(self, operand: Operand) -> Node:
        if isinstance(operand, int):
            return self.node("number", number=operand & 0xFFFFFFFF)
        return self.values[operand]

    def _op(self, op: Operation) -> None:
        maker = getattr(self, f"_{op.kind}", None)
        one_word = len(op.results) == 1 and not op.results[0].type.is_array
        size = op.results[0].type.bits if op.results else 0
        if maker is not None:
            maker(op)
        elif op.kind in (*SUMS, "sub", "mul") and (size == 32 or op.kind in ("xor", "and", "or")):
            args = [self._value(o) for o in op.operands]
            self._is(op, self._sum(op.kind, args) if op.kind in SUMS else self.node(op.kind, args))
        elif op.kind in ("rotl", "rotr", "shl", "shr") and size == 32:
            kind = {"rotl": "rol", "rotr": "ror"}.get(op.kind, op.kind)
            x, amount = self._value(op.operands[0]), op.operands[1]
            if isinstance(amount, int):
                self._is(op, self._shifted(kind, x, amount))
            else:
                self._is(op, self.node(kind, [x, self._value(amount)]))
        else:
            raise DescriptionError(
                "X101",
                f"code for x86-32 has no way yet for `{op.kind}`"
                + (f" of {size} bits" if one_word and size else ""),
                help="another strategy (`--strategy`) may make a program without it",
            )

    def _is(self, op: Operation, node: Node, k: int = 0) -> None:
        name, ty = op.results[k]
        self.values[name], self.widths[name] = node, ty.word_bits

    def _shifted(self, kind: str, x: Node, n: int) -> Node:
        if kind == "ror":
            kind, n = "rol", -n % 32
        n &= 31
        if n == 0:
            return x
        return self.node(
            "ror" if kind == "rol" and n >= 16 else kind,
            [x],
            number=32 - n if kind == "rol" and n >= 16 else n,
        )

    def _sum(self, kind: str, args: list[Node]) -> Node:
        neutral = 0xFFFFFFFF if kind == "and" else 0
        args = [a for a in args if not (a.kind == "number" and a.number == neutral)]
        if kind == "add" and len(args) == 2 and args[0] is args[1]:
            return self._shifted("shl", args[0], 1)
        return args[0] if len(args) == 1 else self.node(kind, args)

    def _not(self, op: Operation) -> None:
        self._is(op, self.node("not", [self._value(op.operands[0])]))

    def _zext(self, op: Operation) -> None:
        self._is(op, self._value(op.operands[0]))

    def _extract(self, op: Operation) -> None:
        x = self._value(op.operands[0])
        self._is(op, self._field(x, op.number, op.results[0].type.word_bits))

    def _field(self, x: Node, position: int, bits: int) -> Node:
        if x.kind == "leaf" and x.bits == 32 and bits == 8 and position % 8 == 0:
            at = x.number + position // 8
            return self.node("leaf", name=x.name, number=at, bits=8, scale=x.scale, epoch=x.epoch)
        if x.kind == "bswap" and bits == 8 and position % 8 == 0:
            return self._field(x.args[0], 24 - position, 8)
        if position == 0 and bits == 32:
            return x
        return self.node("field", [x], number=position, bits=bits)

    def _lookup(self, op: Operation) -> None:
        size = self.program.tables[op.name].bits
        self._is(op, self._entry(f"@{op.name}", 0, size, op.addresses[0]))

    def _entry(self, name: str, offset: int, size: int, address: Affine) -> Node:
        if len(address.terms) != 1 or address.terms[0][0] != 1 or size not in (8, 32):
            raise DescriptionError(
                "X102",
                f"a look-up in `{name}` has an index that is no single word, or entries of {size} bits",
            )
        index = self.values[address.terms[0][1]]
        return self.node(
            "lookup", [index], name=name, number=offset + address.constant * size // 8, bits=size
        )

    def _load(self, op: Operation) -> None:
        if op.name in self.parameters:
            size = self.parameters[op.name].bits
            flat, dynamic = _place(op.addresses, self.parameters[op.name].extents)
            if dynamic is not None:
                self._is(op, self._entry(op.name, flat * size // 8, size, dynamic))
                return
            for k in range(len(op.results)):
                self._is(op, self.node("leaf", name=op.name, number=(flat + k) * size // 8, bits=size), k)
            return
        cells = self.arrays[op.name]
        flat, dynamic = _place(op.addresses, self.shapes[op.name])
        if dynamic is not None:
            raise DescriptionError("X103", f"`{op.name}` is made and read by an index that is not known")
        for k in range(len(op.results)):
            cell = cells[flat + k]
            assert cell is not None
            self._is(op, cell, k)

    def _array(self, op: Operation) -> None:
        name, ty = op.results[0]
        cells: list[Node | None] = [self._value(o) for o in op.operands]
        self.arrays[name] = cells or [None] * ty.cells
        self.shapes[name] = ty.extents

    def _store(self, op: Operation) -> None:
        name, _ = op.results[0]
        shape = self.shapes[op.name]
        flat, dynamic = _place(op.addresses, shape)
        if dynamic is not None:
            raise DescriptionError("X103", f"`{op.name}` is written by an index that is not known")
        cells = list(self.arrays[op.name])
        for k, operand in enumerate(op.operands):
            cells[flat + k] = self._value(operand)
        self.arrays[name] = cells
        self.shapes[name] = shape

    def _concat(self, op: Operation) -> None:
        parts = [self._value(o) for o in op.operands]
        size = op.results[0].type.word_bits
        if size != 32 or len(parts) != 4:
            raise DescriptionError(
                "X101", f"code for x86-32 has no way yet for `concat` to {size} bits", help=WIDTHS
            )
        self._is(op, self._joined(parts))

    def _joined(self, parts: list[Node]) -> Node:
        """Return the word of four bytes, the least first."""
        for order, turned in ((parts, False), (parts[::-1], True)):
            first = order[0]
            if (
                first.kind == "leaf"
                and first.number % 4 == 0
                and all(
                    p.kind == "leaf"
                    and (p.bits, p.name, p.number) == (8, first.name, first.number + k)
                    and (p.scale, p.epoch) == (first.scale, first.epoch)
                    for k, p in enumerate(order)
                )
            ):
                word = self.node(
                    "leaf", name=first.name, number=first.number, scale=first.scale, epoch=first.epoch
                )  # fmt: skip
                return self.node("bswap", [word]) if turned else word
        origin: list[tuple[Node | None, int]] = [
            (p.args[0], p.number) if p.kind == "field" and p.bits == 8 else (None, 0) for p in parts
        ]
        if len({id(o) for o, _ in origin}) == 1 and origin[0][0] is not None:
            positions = [n for _, n in origin]
            if positions == [0, 8, 16, 24]:
                return origin[0][0]
            if positions == [24, 16, 8, 0]:
                return self.node("bswap", [origin[0][0]])
        return self._mixed(parts, origin)

    def _mixed(self, parts: list[Node], origin: list[tuple[Node | None, int]]) -> Node:
        """Return the word of bytes of several words: of each and each distance one mask."""
        groups: dict[tuple[int, int], tuple[Node, int]] = {}
        terms: list[Node] = []
        for k, (word, position) in enumerate(origin):
            if word is None:
                part = parts[k]
                terms.append(self._shifted("shl", part, 8 * k))
                continue
            turn = (8 * k - position) % 32
            _, mask = groups.get((id(word), turn), (word, 0))
            groups[id(word), turn] = (word, mask | 255 << 8 * k)
        for (_, turn), (word, mask) in groups.items():
            if mask == 0xFF000000:
                terms.append(
                    self._shifted(
                        "shl", self._shifted("shr", word, (24 - turn) % 32) if turn != 24 else word, 24
                    )
                )
            elif mask == 255:
                terms.append(self._field(word, -turn % 32, 8))
            else:
                terms.append(
                    self._sum("and", [self._shifted("rol", word, turn), self.node("number", number=mask)])
                )
        total = terms[0]
        for term in terms[1:]:
            total = self._sum("or", [total, term])
        return total

    def _stores(self, name: str, output: Operand, ty: Type) -> list[Stored]:
        size = ty.bits
        self.objects[name] = ty.cells * size // 8
        if not ty.is_array:
            return [Stored(name, 0, self._value(output), size)]
        if output in self.parameters:
            raise DescriptionError("X104", f"`{self.function.name}` returns what it is given")
        cells = self.arrays[str(output)]
        assert all(cell is not None for cell in cells)
        if size == 32:
            return [Stored(name, 4 * k, cell) for k, cell in enumerate(cells) if cell]
        if size != 8 or len(cells) % 4:
            raise DescriptionError(
                "X101", f"code for x86-32 has no way yet for results of {size} bits", help=WIDTHS
            )
        words = [self._joined([c for c in cells[k : k + 4] if c]) for k in range(0, len(cells), 4)]
        return [Stored(name, 4 * k, word) for k, word in enumerate(words)]


def _place(addresses: Sequence[Affine], shape: Sequence[int]) -> tuple[int, Affine | None]:
    """Return the flat place of an address, and what is not known of it."""
    flat, dynamic = 0, None
    for k, address in enumerate(addresses):
        rest = prod(shape[k + 1 :])
        constant = address.constant % shape[k] if address.ring else address.constant
        if address.terms:
            if k + 1 < len(shape):
                raise DescriptionError("X103", "an array of rows is read by an index that is not known")
            dynamic = Affine(address.terms, 0, address.ring)
        flat += constant * rest
    return flat, dynamic
