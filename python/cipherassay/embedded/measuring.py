"""What measurements in simulators share: what was seen of a function, its cycles, a wrong result."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from cipherassay.errors import VerificationError

if TYPE_CHECKING:
    from cipherassay.ciphers import Cipher
    from cipherassay.embedded.processor import Call, Processor
    from cipherassay.vectors.records import Block


_ANSWERS = 8
"""Known answers of each set that are run."""


class CipherCode(Protocol):
    """A cipher's code for one key size, with a budget of RAM or without: what checks and files ask of it."""

    @property
    def cipher(self) -> Cipher:
        """Return the cipher."""

    @property
    def key_bits(self) -> int:
        """Return the key size."""

    @property
    def variant(self) -> str:
        """Return the cipher's variant."""

    @property
    def prefix(self) -> str:
        """Return what the names of its functions begin with."""

    @property
    def functions(self) -> tuple[str, ...]:
        """Return the functions that are called from outside."""


def known_answers(made: CipherCode) -> list[Block]:
    """Return known answers of single blocks: the first of each set."""
    from cipherassay.vectors.single_blocks import known_blocks

    return known_blocks(made.cipher, made.key_bits, made.variant, of_each_set=_ANSWERS)


@dataclass
class Observation:
    """What was seen of one function."""

    calls: list[Call] = field(default_factory=list)
    ram: int = 0

    @property
    def paint(self) -> int:
        """Return the byte that the RAM is painted with before the next call: never twice the same."""
        return 0xA5 if len(self.calls) % 2 else 0x5A

    def cycles(self, form: str, inside: str) -> list[tuple[str, float, str]]:
        """Return metrics, values and configurations of cycles: least and average, inside and of the call."""
        both = {inside: [c.inside for c in self.calls], "call to return": [c.cycles for c in self.calls]}
        return [
            one
            for what, counts in both.items()
            for one in (
                ("cycles", float(min(counts)), f"{form}, {what}"),
                ("cycles_average", sum(counts) / len(counts), f"{form}, {what}"),
            )
        ]


def wrong(
    cipher: str, function: str, processor: Processor, key: bytes, found: bytes, wanted: bytes
) -> VerificationError:
    """Return the error ``E130`` for a wrong result."""
    return VerificationError(
        "E130",
        f"{cipher}: `{function}` for {processor.title} gives a wrong result in {processor.simulator}",
        notes=[f"key {key.hex() or 'none'}, {found.hex()} instead of {wanted.hex()}"],
        help="this is a bug: please report it",
    )


def of_keys(key_bits: int) -> str:
    """Return what titles say of the key size; nothing where there is no key."""
    return f", keys of {key_bits} bits" if key_bits else ""


def options(variant: str, *, unrolled: bool = False) -> str:
    """Return the options that repeat a cipher's form in a command."""
    return (" --unrolled" if unrolled else "") + (f" --variant {variant}" if variant else "")


def smaller(*, code_fits: bool, straight: bool) -> str:
    """Return what helps where a program does not fit a processor: by its code or by its RAM."""
    if code_fits:
        return "round keys lie in RAM: `--ram BYTES` keeps fewer of them"
    if straight:
        return "rounds in loops are smaller: leave out --unrolled"
    return "rounds are in loops already; what the description writes out, as loops: `for i in rounds(n)`"
