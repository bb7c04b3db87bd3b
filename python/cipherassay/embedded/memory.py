"""Where arrays lie: which values are one object, and which addresses a loop steps through."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from cipherassay.embedded.code import Byte
from cipherassay.errors import DescriptionError
from cipherassay.ir import Affine, Function, Type, walk

Key = tuple[str, tuple[tuple[int, str], ...]]
"""An object and the terms of an address: coefficients and loop indices."""


@dataclass
class Pointer:
    """An address that a loop steps through: object, terms, the constant it stands for, where it is kept."""

    key: Key
    base: int
    pin: str = ""
    ring: int = 0  # bytes after which it wraps around
    low: Byte = field(default_factory=Byte)
    high: Byte = field(default_factory=Byte)


@dataclass
class Nest:
    """A loop while it is lowered."""

    index: str
    outer: Nest | None
    pointers: list[Pointer] = field(default_factory=list)
    counters: dict[tuple[tuple[tuple[int, str], ...], int], tuple[Byte, int]] = field(default_factory=dict)

    def indices(self) -> list[str]:
        """Return the indices of this loop and those around it, innermost first."""
        return [self.index, *(self.outer.indices() if self.outer else [])]


def objects(function: Function, places: dict[str, str]) -> tuple[dict[str, str], dict[str, int]]:
    """Return the object of every array value, and the sizes of those that need scratch memory.

    ``places`` says where parameters and results lie (``%name`` of a value, or ``#0`` … of results).
    """
    parent: dict[str, str] = {}

    def find(x: str) -> str:
        while parent.setdefault(x, x) != x:
            x = parent[x]
        return x

    sizes: dict[str, int] = {}
    for op in walk(function.ops):
        for name, ty in op.results:
            if ty.is_array:
                find(name)
                sizes[name] = ty.cells
        if op.kind == "store":
            parent[find(op.results[0].name)] = find(op.name)
        for body in op.loop.bodies if op.loop else ():
            for r, init, p, out in zip(op.results, op.operands, body.params[1:], body.outputs, strict=True):
                if r.type.is_array:
                    for other in (init, p.name, out):
                        parent[find(str(other))] = find(r.name)
    named: dict[str, str] = {}
    for name, ty in function.params:
        if ty.is_array:
            named[find(name)] = places[f"%{name}"]
    for n, output in enumerate(function.outputs):
        root = find(str(output))
        if root in named and named[root] != places[f"#{n}"]:
            raise DescriptionError(
                "E104",
                f"`{function.name}` returns an array that it was given",
                help="return an array of its own, with the elements copied",
            )
        named[root] = places[f"#{n}"]
    scratch: dict[str, int] = {}
    for name in list(parent):
        if find(name) not in named:
            named[find(name)] = f"scratch_{len(scratch)}"
            scratch[named[find(name)]] = sizes[name]
    return {name: named[find(name)] for name in parent}, scratch


def address(ty: Type, addresses: Sequence[Affine]) -> tuple[dict[str, int], int]:
    """Return coefficients by value and the constant of an element's or row's address in bytes."""
    terms: dict[str, int] = {}
    constant = 0
    dims = ty.extents
    for n, affine in enumerate(addresses):
        stride = 1
        for extent in dims[n + 1 :]:
            stride *= extent
        if affine.ring and affine.terms:
            raise DescriptionError(
                "E110",
                "an address that wraps around in a row depends on a loop's index",
                help="`--straight` makes code without loops, whose addresses are numbers",
            )
        at = affine.constant % dims[n] if affine.ring else affine.constant
        constant += at * stride
        for c, v in affine.terms:
            terms[v] = terms.get(v, 0) + c * stride
    return terms, constant


def ring(ty: Type, addresses: Sequence[Affine]) -> tuple[tuple[tuple[int, str], ...], int, int, int] | None:
    """Return terms, start, distance and size in bytes of an address that wraps around, or None.

    The start is where the element at index zero begins, the distance that of a part in its element.
    """
    first = addresses[0]
    if not first.ring or not first.terms or any(a.terms for a in addresses[1:]):
        return None
    dims = ty.extents
    stride = ty.cells // dims[0]
    terms = tuple(sorted((c * stride, v) for c, v in first.terms))
    distance = addresses[1].constant if len(addresses) > 1 else 0
    return terms, first.constant % dims[0] * stride, distance, ty.cells
