"""The values of a program under construction, and their types."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ArrayType:
    """Width of an element in bits, and one or two extents."""

    width: int
    dims: tuple[int, ...]

    def __str__(self) -> str:
        return f"u{self.width}" + "".join(f"[{n}]" for n in self.dims)


Type = int | str | ArrayType
"""A word's width, ``"index"``, or an array type."""


@dataclass(eq=False)
class Value:
    """One SSA value; ``name`` is the author's word for it, made unique when printed."""

    type: Type
    name: str = ""
