"""Execution of IA-64 operations as GNU objdump prints them: an interpreter of the disassembly.

Registers rotate and stack frames move as the architecture manual says; within a group, what is read is what
was there before the group. A group that reads what it wrote, or writes a register twice, is an error.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from cipherassay.errors import VerificationError
from cipherassay.processors.oracles.ia64_operations import Action, compile_operation

_SLOT = re.compile(r"^\s*([0-9a-f]+):\t(?:[0-9a-f]{2} )+ *\t(?:\[(\w+)\])? *(\S.*)$")
_LIMIT = 50_000_000
MASK = (1 << 64) - 1
Place = tuple[str, int]
"""A physical register: kind and number."""


@dataclass
class Memory:
    """Bytes by address, in pieces; little-endian."""

    pieces: list[tuple[int, bytearray]] = field(default_factory=list)

    def load(self, address: int, data: bytes) -> None:
        """Put a piece at an address."""
        self.pieces.append((address, bytearray(data)))

    def _piece(self, address: int, size: int) -> tuple[bytearray, int]:
        for base, data in self.pieces:
            if base <= address and address + size <= base + len(data):
                return data, address - base
        raise VerificationError("M605", f"{size} bytes at {address:#x} lie outside of the kernel's memory")

    def read(self, address: int, size: int) -> int:
        """Return an unsigned number."""
        if address % size:
            raise VerificationError("M605", f"{size} bytes are read at {address:#x}, which is not aligned")
        data, at = self._piece(address, size)
        return int.from_bytes(data[at : at + size], "little")

    def write(self, address: int, size: int, value: int) -> None:
        """Write the low bytes of a number."""
        if address % size:
            raise VerificationError("M605", f"{size} bytes are written at {address:#x}, which is not aligned")
        data, at = self._piece(address, size)
        data[at : at + size] = (value & ((1 << 8 * size) - 1)).to_bytes(size, "little")


@dataclass
class Frame:
    """A stack frame: where r32 lies among the stacked registers, sizes, how far the registers rotated."""

    base: int = 0
    size: int = 0
    local: int = 0
    rotating: int = 0
    turned: int = 0
    turned_predicates: int = 0
    turned_floating: int = 0


@dataclass(frozen=True)
class Slot:
    """An operation of the disassembly."""

    address: int
    text: str
    guard: int
    action: Action
    stop: bool


class Machine:
    """Registers, memory and the operations of a program."""

    def __init__(self, listing: str) -> None:
        self.memory = Memory()
        self.slots = _slots(listing)
        self.at = {slot.address: k for k, slot in enumerate(self.slots)}
        self.general = [0] * 32
        self.stacked = [0] * 4096
        self.floating: list[int | float] = [0] * 128
        self.predicates = [True] + [False] * 63
        self.frame = Frame()
        self.calls: list[Frame] = []
        self.application = {"ar.lc": 0, "ar.ec": 0, "ar.pfs": 0}
        self.branches: dict[str, int] = {}
        self.written: list[tuple[Place, Callable[[], None]]] = []
        self.fresh: set[Place] = set()
        self.output = bytearray()
        self.target: int | None = None
        self.ended = False

    def run(self, start: int) -> bytes:
        """Execute from an address until the program exits; return what it wrote.

        Raises
        ------
        VerificationError
            ``M605``: an access that the program must not make. ``M610``: what is not known here. ``M611``:
            it does not end.
        """
        now, executed = self.at[start], 0
        while not self.ended:
            slot = self.slots[now]
            executed += 1
            if executed > _LIMIT:
                raise VerificationError("M611", f"the program does not end within {_LIMIT} operations")
            self.target = None
            if slot.guard == 0 or self.predicate(slot.guard):
                slot.action(self)
            if slot.stop or self.target is not None:
                self.commit()
            now = now + 1 if self.target is None else self.at[self.target]
        return bytes(self.output)

    def commit(self) -> None:
        """End a group: what it wrote becomes visible."""
        for _, write in self.written:
            write()
        self.written.clear()
        self.fresh.clear()

    def _write(self, what: Place, action: Callable[[], None]) -> None:
        if what in self.fresh:
            raise VerificationError("M605", f"a group writes {_name(what)} twice")
        self.fresh.add(what)
        self.written.append((what, action))

    def _check(self, what: Place) -> None:
        if what in self.fresh:
            raise VerificationError("M605", f"a group reads {_name(what)}, which it wrote")

    def _stacked(self, register: int) -> int:
        offset = register - 32
        if offset >= self.frame.size:
            raise VerificationError("M605", f"r{register} lies outside of the frame of {self.frame.size}")
        if offset < self.frame.rotating:
            offset = (offset + self.frame.turned) % self.frame.rotating
        return self.frame.base + offset

    def read(self, register: int) -> int:
        """Return a general register."""
        if register < 32:
            self._check(("r", register))
            return self.general[register]
        place = self._stacked(register)
        self._check(("stacked", place))
        return self.stacked[place]

    def write(self, register: int, value: int) -> None:
        """Set a general register at the end of the group."""
        value &= MASK
        if register == 0:
            raise VerificationError("M605", "r0 is written")
        if register < 32:
            self._write(("r", register), lambda: self.general.__setitem__(register, value))
        else:
            place = self._stacked(register)
            self._write(("stacked", place), lambda: self.stacked.__setitem__(place, value))

    def _predicate_place(self, register: int) -> int:
        return 16 + (register - 16 + self.frame.turned_predicates) % 48 if register >= 16 else register

    def predicate(self, register: int) -> bool:
        """Return a predicate; one that the group wrote is seen by branches only: the assembler checks it."""
        place = self._predicate_place(register)
        for what, action in self.written:
            if what == ("p", place):
                action()
        return self.predicates[place]

    def set_predicate(self, register: int, value: bool) -> None:
        """Set a predicate at the end of the group."""
        place = self._predicate_place(register)
        if place:
            self._write(("p", place), lambda: self.predicates.__setitem__(place, value))

    def _floating_place(self, register: int) -> int:
        return 32 + (register - 32 + self.frame.turned_floating) % 96 if register >= 32 else register

    def read_floating(self, register: int) -> int:
        """Return the significand of a floating-point register."""
        place = self._floating_place(register)
        self._check(("f", place))
        return int(self.floating[place])

    def write_floating(self, register: int, value: int) -> None:
        """Set the significand of a floating-point register at the end of the group."""
        place = self._floating_place(register)
        self._write(("f", place), lambda: self.floating.__setitem__(place, value & MASK))

    def rotate(self) -> None:
        """Turn all rotating registers by one: what was r32 is r33."""
        if self.frame.rotating:
            self.frame.turned = (self.frame.turned - 1) % self.frame.rotating
        self.frame.turned_predicates = (self.frame.turned_predicates - 1) % 48
        self.frame.turned_floating = (self.frame.turned_floating - 1) % 96

    def call(self, target: int, link: str, back: int) -> None:
        """Call a routine: its frame begins with the outputs of this one."""
        self.commit()
        self.branches[link] = back
        self.calls.append(self.frame)
        own = self.frame
        self.frame = Frame(base=own.base + own.local, size=own.size - own.local)
        self.target = target

    def back(self, link: str) -> None:
        """Return to the caller's frame."""
        self.commit()
        self.frame = self.calls.pop()
        self.target = self.branches[link]

    def system_call(self) -> None:
        """Write or exit, as Linux numbers them."""
        self.commit()
        number = self.read(15)
        if number == 1027:
            place, size = self.read(33), self.read(34)
            data, at = self.memory._piece(place, size)
            self.output.extend(data[at : at + size])
        elif number == 1025:
            self.ended = True
        else:
            raise VerificationError("M613", f"no system call {number} is known here")


def _name(what: Place) -> str:
    kind, number = what
    return f"stacked register {number}" if kind == "stacked" else f"{kind}{number}"


def _slots(listing: str) -> list[Slot]:
    slots = []
    base, number = 0, 0
    for line in listing.splitlines():
        match = _SLOT.match(line)
        if not match:
            continue
        address, text = int(match[1], 16), match[3].strip()
        if match[2]:
            base, number = address & ~15, 0
        stop = text.endswith(";;")
        text = text.removesuffix(";;").strip()
        guard = re.match(r"\(p(\d+)\)\s*(.*)", text)
        number_of = int(guard[1]) if guard else 0
        body = guard[2] if guard else text
        slots.append(Slot(base + number, body, number_of, compile_operation(body, base + 16), stop))
        number += 2 if body.startswith(("movl", "brl")) else 1
    return slots
