"""A kernel as a function: arguments from where C passes them, a frame, registers that are kept."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from cipherassay.errors import DescriptionError
from cipherassay.processors.functions.convention import Convention
from cipherassay.processors.harness import Interface
from cipherassay.processors.kernel import Kernel


@dataclass(frozen=True)
class Argument:
    """A pointer that C passes: which objects it leads to, each with its distance from there."""

    declared: str
    objects: Mapping[int, int]
    """By number of the object in the kernel's interface."""


@dataclass(frozen=True)
class Move:
    """A register is to hold what another one does, and a number of bytes."""

    register: str
    source: str
    bytes: int = 0


def function(
    symbol: str, kernel: Kernel, arguments: Sequence[Argument], tables: str, convention: Convention
) -> str:
    """Return the text of a function; ``tables`` is the label of its tables.

    Raises
    ------
    DescriptionError
        ``M742``: the text has no single return at its end, or C passes fewer pointers.
    """
    body = kernel.assembly["body"]
    if body is None or len(arguments) > len(convention.arguments):
        raise DescriptionError(
            "M742",
            f"`{symbol}` cannot be a function that C calls on `{convention.isa}`",
            help="its text needs `[text]` and one return, its arguments as many registers",
        )
    scratch, size = _scratch(kernel.interface, convention)
    moves, addresses = _pointers(kernel.interface, arguments, scratch, tables, convention)
    ordered = list(_ordered(moves, convention))
    used = {*kernel.assembly["used"], *(move.register for move in ordered), *addresses}
    saved = {
        name: n * convention.word_bytes for n, name in enumerate(n for n in convention.saved if n in used)
    }
    room = len(saved) * convention.word_bytes
    room += -room % convention.alignment
    before = list(convention.moved("open", room + size))
    before += [convention.line("save", register=name, offset=at) for name, at in saved.items()]
    for move in ordered:
        above = room if move.source == convention.stack else 0
        before += convention.added(move.register, move.source, move.bytes + above)
    for register, (label, distance) in addresses.items():
        at = f"{label}+{distance}" if distance else label
        before += convention.lines("address", register=register, symbol=at)
    after = [convention.line("restore", register=name, offset=at) for name, at in saved.items()]
    after += [*convention.moved("close", room + size), convention.line("return")]
    parts = (
        written(convention.lines("head", symbol=symbol)),
        written(before),
        re.sub(r"\.Lloop(\d+)", rf".L{symbol}_loop\1", body),
        written(after),
        written(convention.lines("foot", symbol=symbol)),
    )
    return "".join(parts)


def written(lines: Sequence[str]) -> str:
    """Return lines of a text: labels at the margin, all else behind it."""
    return "".join(f"{'' if line.endswith(':') else chr(9)}{line}\n" for line in lines)


def _scratch(interface: Interface, convention: Convention) -> tuple[dict[int, int], int]:
    """Return where working memory lies from its start, by object, and its bytes."""
    placed: dict[int, int] = {}
    end = 0
    for k, one in enumerate(interface.objects):
        if one.role == "scratch" and one.base is None:
            alignment = min(one.alignment, convention.alignment)
            placed[k] = end + -end % alignment
            end = placed[k] + one.size
    for k, one in enumerate(interface.objects):
        if one.role == "scratch" and one.base is not None:
            placed[k] = placed[one.base[0]] + one.base[1]
            end = max(end, placed[k] + one.size)
    return placed, end + -end % convention.alignment


def _pointers(
    interface: Interface,
    arguments: Sequence[Argument],
    scratch: Mapping[int, int],
    tables: str,
    convention: Convention,
) -> tuple[list[Move], dict[str, tuple[str, int]]]:
    """Return what the kernel's pointers are: moves of registers, and labels with distances."""
    constants, _ = interface.shared()
    moves: list[Move] = []
    addresses: dict[str, tuple[str, int]] = {}
    for register, pointer in zip(interface.registers, interface.pointers, strict=False):
        if pointer.object in constants:
            addresses[register] = (tables, constants[pointer.object] + pointer.offset)
        elif pointer.object in scratch:
            moves.append(Move(register, convention.stack, scratch[pointer.object] + pointer.offset))
        else:
            place, argument = next(
                (n, one) for n, one in enumerate(arguments) if pointer.object in one.objects
            )
            bytes = argument.objects[pointer.object] + pointer.offset
            moves.append(Move(register, convention.arguments[place], bytes))
    return moves, addresses


def _ordered(moves: Sequence[Move], convention: Convention) -> Iterator[Move]:
    """Yield moves one after the other, so that none overwrites what a later one needs."""
    pending = [move for move in moves if (move.register, 0) != (move.source, move.bytes)]
    while pending:
        free = [
            one
            for one in pending
            if not any(other.source == one.register for other in pending if other != one)
        ]
        if free:
            pending.remove(free[0])
            yield free[0]
            continue
        # All wait for each other: one register's content goes to a spare one.
        held = pending[0].register
        taken = {*convention.arguments, *(n for one in moves for n in (one.register, one.source))}
        taken |= {one.source for one in pending}
        spare = min((n for n in convention.general if n not in taken), key=lambda n: n in convention.saved)
        yield Move(spare, held)
        pending = [replace(one, source=spare) if one.source == held else one for one in pending]
