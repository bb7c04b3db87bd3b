"""The encodings of H8/300's instructions, from ``instructions.toml``: nibbles, states with on-chip memory."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

FILE = Path(__file__).with_name("instructions.toml")
_FIXED = "0123456789abcdef"
_MODES = {
    "p": "indirect", "pd": "displaced", "p+": "increment", "-p": "decrement", "m8": "absolute8",
    "m16": "absolute16",
}  # fmt: skip

Fields = dict[str, int]


@dataclass(frozen=True)
class Encoding:
    """One encoding: name, addressing mode, nibbles, states with on-chip memory."""

    name: str
    mode: str
    code: str
    states: int

    @property
    def length(self) -> int:
        """Return the bytes."""
        return len(self.code) // 2

    def fields(self, nibbles: str) -> Fields | None:
        """Return the fields of an instruction of this encoding, or None."""
        found: dict[str, str] = {}
        for letter, nibble in zip(self.code, nibbles, strict=False):
            if letter not in _FIXED:
                found[letter] = found.get(letter, "") + nibble
            elif letter != nibble:
                return None
        values = {letter: int(digits, 16) for letter, digits in found.items()}
        if any(values.get(letter, 0) > 7 for letter in "pSRk") or values.get("P", 8) < 8:
            return None
        return values | {"p": values["P"] & 7} if "P" in values else values


@cache
def encodings() -> tuple[Encoding, ...]:
    """Return the encodings of all instructions."""
    data = tomllib.loads(FILE.read_text(encoding="utf-8"))
    return tuple(
        Encoding(
            *_moved(record["name"], record["operands"]),
            record["code"],
            sum(states * record.get(count, 0) for count, states in data["counts"].items()),
        )
        for record in data["instruction"]
        if "code" in record
    )


def _moved(name: str, operands: str) -> tuple[str, str]:
    """Return a name, of moves whether they load or store, and the addressing mode."""
    modes = [_MODES.get(one.lstrip("="), "") for one in operands.split(", ")]
    if not any(modes):
        return name, ""
    return name.replace("mov", "load" if modes[0] else "store"), "".join(modes)
