"""What the functions of a cipher share in memory: the round keys as a structure of C, tables of constants."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from cipherassay.errors import DescriptionError
from cipherassay.processors.harness import Interface, Object
from cipherassay.processors.kernel import Kernel


@dataclass(frozen=True)
class Field:
    """An array of a structure.

    Parameters
    ----------
    number : int
        Which result of the key setup it is.
    name, type : str
        As C declares it; the type is that of an element.
    length, offset : int
        Elements; bytes from the structure's start.
    """

    number: int
    name: str
    type: str
    length: int
    offset: int

    def declared(self) -> str:
        """Return its declaration."""
        return f"{self.type} {self.name}[{self.length}];"


@dataclass(frozen=True)
class Structure:
    """The round keys that a key setup makes."""

    name: str
    fields: tuple[Field, ...]

    def offset(self, number: int) -> int:
        """Return where a result of the key setup lies, in bytes from the start."""
        return next(field.offset for field in self.fields if field.number == number)


def element_type(one: Object) -> str:
    """Return C's type of an element as C sees it: words that are made from bytes are bytes."""
    return "uint8_t" if one.packing != "none" else f"uint{8 * one.element}_t"


def length(one: Object) -> int:
    """Return the elements of `element_type`."""
    return one.size if one.packing != "none" else one.length


def structure(name: str, setup: Kernel) -> Structure:
    """Return the structure of a key setup's results, which lie as it writes them.

    Raises
    ------
    DescriptionError
        ``M741``: the results do not lie one behind the other as arrays of a structure do.
    """
    placed = offsets(setup.interface, "result", range(1 << 16))
    objects = {one.number: one for one in setup.interface.objects if one.role == "result"}
    fields: list[Field] = []
    end = 0
    for number, offset in sorted(placed.items(), key=lambda item: item[1]):
        one = objects[number]
        alignment = 1 if one.packing != "none" else one.element
        if one.stride != one.element or offset != end + -end % alignment:
            raise _placed(setup, f"`{one.name}` does not lie where C would place it")
        fields.append(Field(number, _plain(one.name, fields), element_type(one), length(one), offset))
        end = offset + one.size
    return Structure(name, tuple(fields))


def offsets(interface: Interface, role: str, numbers: Sequence[int]) -> dict[int, int]:
    """Return the bytes from the first of some parameters or results to each, by its number."""
    chosen = {k for k, one in enumerate(interface.objects) if one.role == role and one.number in numbers}
    distances: dict[int, int] = {}
    for k in chosen:
        at, distance = k, 0
        while (base := interface.objects[at].base) is not None:
            at, distance = base[0], distance + base[1]
        distances[k] = distance
    lowest = min(distances.values(), default=0)
    return {interface.objects[k].number: distance - lowest for k, distance in distances.items()}


def check_keys(keys: Structure, setup: Kernel, user: Kernel, count: int) -> None:
    """Check that a kernel finds round keys where a key setup leaves them; raises ``M741`` otherwise."""
    made = offsets(setup.interface, "result", range(count))
    wanted = offsets(user.interface, "parameter", range(count))
    if any(made.get(number) != offset for number, offset in wanted.items()):
        raise _placed(user, f"it does not find the round keys as `{keys.name}` holds them")


def _placed(kernel: Kernel, message: str) -> DescriptionError:
    return DescriptionError("M741", f"{kernel.cipher} {kernel.operation}: {message}")


def _plain(name: str, before: Sequence[Field]) -> str:
    """Return a name as C takes it, another one than those before."""
    plain = re.sub(r"\W", "_", name).lstrip("_0123456789") or "words"
    taken = {one.name for one in before}
    return next(one for one in (plain, *(f"{plain}_{n}" for n in range(1, 1 << 16))) if one not in taken)
