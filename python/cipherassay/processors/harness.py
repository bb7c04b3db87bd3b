"""From the objects of a kernel and the arguments of its program to memory, and back.

Blocks and keys of the program are bytes or words; a kernel wants words in the byte order of its processor,
tables at fixed distances. The outside oracles and the simulators here use the same memory.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from cipherassay.errors import UsageError

Argument = int | bytes | Sequence[int]
Packing = Literal["none", "little", "big"]
Role = Literal["parameter", "result", "table", "scratch"]


@dataclass(frozen=True)
class Object:
    """A piece of memory that a kernel reads or writes; sizes in bytes."""

    name: str
    size: int
    alignment: int
    element: int
    stride: int
    packing: Packing
    role: Role
    number: int = 0
    """Which parameter or result of the program's function it is."""
    elements: tuple[int, ...] = ()
    """Of a table its contents."""
    base: tuple[int, int] | None = None
    """The object that it lies at a known distance from, and the distance of their starts; None: anywhere."""

    @property
    def length(self) -> int:
        """Elements that fit."""
        return (self.size - self.element) // self.stride + 1 if self.size >= self.element else 0

    def write(self, memory: bytearray, at: int, argument: Argument, *, big_endian: bool) -> None:
        """Write an argument of the program into memory, where the object begins at ``at``.

        Raises
        ------
        UsageError
            ``M620``: the argument has more elements than the object; ``M621``: one that is too large.
        """
        order: Literal["big", "little"] = "big" if big_endian else "little"
        elements = self._elements(argument)
        if len(elements) > self.length:
            raise UsageError(
                "M620", f"`{self.name}` holds {self.length} elements, {len(elements)} were given"
            )
        small = not any(element >> 8 * self.element for element in elements)
        if self.stride == self.element and small:
            text = b"".join([element.to_bytes(self.element, order) for element in elements])
            memory[at : at + len(text)] = text
            return
        for k, element in enumerate(elements):
            if element >> 8 * self.element:
                raise UsageError(
                    "M621", f"element {k} of `{self.name}`, {element:#x}, does not fit {self.element} bytes"
                )
            place = at + k * self.stride
            memory[place : place + self.element] = element.to_bytes(self.element, order)

    def _elements(self, argument: Argument) -> list[int]:
        if isinstance(argument, int):
            return [argument]
        if self.packing == "none":
            return list(argument)
        text = bytes(argument)
        size = self.element
        return [int.from_bytes(text[k : k + size], self.packing) for k in range(0, len(text), size)]

    def unpack(self, memory: bytes, *, big_endian: bool) -> list[int]:
        """Return what the program sees: its elements, flat."""
        order: Literal["big", "little"] = "big" if big_endian else "little"
        parts = (memory[k * self.stride : k * self.stride + self.element] for k in range(self.length))
        elements = [int.from_bytes(part, order) for part in parts]
        if self.packing == "none":
            return elements
        return [byte for element in elements for byte in element.to_bytes(self.element, self.packing)]


@dataclass(frozen=True)
class Pointer:
    """An argument of a kernel: the address of a byte of an object."""

    object: int
    offset: int = 0


@dataclass(frozen=True)
class Interface:
    """How a kernel is called: its memory, and the pointers in its argument registers."""

    objects: tuple[Object, ...]
    pointers: tuple[Pointer, ...]
    registers: tuple[str, ...]
    """The argument registers, in order; at least as many as pointers."""
    big_endian: bool

    def shared(self) -> tuple[dict[int, int], bytes]:
        """Return the tables, which every call uses: offset by object, and the memory."""
        return self._tables

    @cached_property
    def _tables(self) -> tuple[dict[int, int], bytes]:
        return self._lay({k: one.elements for k, one in enumerate(self.objects) if one.role == "table"})

    def record(self, arguments: Sequence[Argument]) -> tuple[dict[int, int], bytes]:
        """Return the memory of one call without the tables: offset by object, and the memory."""
        contents: dict[int, Argument] = {}
        for k, one in enumerate(self.objects):
            if one.role != "table":
                contents[k] = arguments[one.number] if one.role == "parameter" else ()
        return self._lay(contents)

    def _lay(self, contents: Mapping[int, Argument]) -> tuple[dict[int, int], bytes]:
        offsets: dict[int, int] = {}
        end = 0
        for group in self._groups(contents):
            lowest = min(group.values())
            # Where distance 0 lies, so that nothing of the group lies before `end`.
            start = end - lowest
            start += -start % max(self.objects[k].alignment for k in group)
            offsets.update({k: start + distance for k, distance in group.items()})
            end = max(offsets[k] + self.objects[k].size for k in group)
        memory = bytearray(end + -end % self.alignment)
        for k, argument in contents.items():
            self.objects[k].write(memory, offsets[k], argument, big_endian=self.big_endian)
        return offsets, bytes(memory)

    def _groups(self, contents: Mapping[int, Argument]) -> list[dict[int, int]]:
        """Return the objects that lie at known distances from each other: distance by object."""
        groups: dict[int, dict[int, int]] = {}
        for k in contents:
            at, distance = k, 0
            while (base := self.objects[at].base) is not None:
                at, distance = base[0], distance + base[1]
            groups.setdefault(at, {})[k] = distance
        return list(groups.values())

    @cached_property
    def alignment(self) -> int:
        """Bytes that every piece of memory is aligned to."""
        return max([16, *(one.alignment for one in self.objects)])

    def results(self, memory: bytes) -> list[list[int]]:
        """Return the results of one call, in their order, from its memory after the call."""
        offsets, _ = self.record([()] * (1 + max((o.number for o in self.objects), default=0)))
        found: dict[int, list[int]] = {}
        for k, one in enumerate(self.objects):
            if one.role == "result":
                part = memory[offsets[k] : offsets[k] + one.size]
                found[one.number] = one.unpack(part, big_endian=self.big_endian)
        return [found[number] for number in sorted(found)]


def interface(text: str) -> Interface:
    """Return memory and pointers from the engine's JSON."""
    document = json.loads(text)
    return Interface(
        objects=tuple(_object(one) for one in document["objects"]),
        pointers=tuple(Pointer(*one) for one in document["pointers"]),
        registers=tuple(document["registers"]),
        big_endian=document["big_endian"],
    )


def _object(document: dict[str, Any]) -> Object:
    base = document.pop("base")
    elements = tuple(document.pop("elements"))
    return Object(**document, elements=elements, base=tuple(base) if base else None)
