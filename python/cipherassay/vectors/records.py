"""A known answer: its parts, and the file that it came from."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from cipherassay.errors import Place
from cipherassay.lang.shapes import BACKWARDS
from cipherassay.vectors.backend import BLOCK, MODES

Kind = Literal["KAT", "MCT", "ECB", "CBC"]
KINDS: tuple[Kind, ...] = ("KAT", "MCT", "ECB", "CBC")
CONVENTIONS = ("nist", "nessie")
KIND_TEXT = {
    "KAT": "single blocks",
    "MCT": "Monte Carlo (10,000 steps)",
    "ECB": "ECB messages",
    "CBC": "CBC messages",
    "IV": "listings of intermediate values",
}

MCT_STEPS = 10_000
"""Chained operations in one Monte Carlo record."""


class Block(NamedTuple):
    """Key, plaintext, ciphertext, and tweak if there is one, of a single block."""

    key: bytes
    plaintext: bytes
    ciphertext: bytes
    tweak: bytes = b""

    def sides(self, direction: str) -> tuple[bytes, bytes]:
        """Return what the function on blocks takes in a direction, a tweak behind the block, and what must
        come out."""
        given, made = self.plaintext, self.ciphertext
        if direction in BACKWARDS:
            given, made = made, given
        return given + self.tweak, made


@dataclass(frozen=True, slots=True)
class Record:
    """One known answer. Bytes stand as in the file; `convention` says how to read them.

    Parameters
    ----------
    kind : str
        ``KAT``: one block, both directions. ``MCT``: 10,000 chained operations by the loop that `set` names.
        ``ECB``, ``CBC``: a message of whole blocks, both directions.
    set : str
        The collection: for MCT one of ``ecb_e_m``, ``ecb_d_m``, ``cbc_e_m``, ``cbc_d_m``.
    key_bits : int
        Size of `key` in bits; 0: a record of a permutation, whose two states stand for the texts.
    index : int
        Number of the record within (set, key_bits).
    iv : bytes
        Initial vector; empty for ECB.
    convention : str
        ``nist``: bytes in the order of the cipher's NIST submission files, which may be the reverse of the
        order that libraries use; ``nessie``: the libraries' order; empty: the cipher has only one.
    after : tuple of (int, bytes)
        Results of encrypting the plaintext that many times in a row under the key.
    place : Place
        File and line on which the record begins.
    """

    kind: Kind
    set: str
    key_bits: int
    index: int
    key: bytes
    plaintext: bytes
    ciphertext: bytes
    place: Place
    iv: bytes = b""
    convention: str = ""
    after: tuple[tuple[int, bytes], ...] = ()
    tweak: bytes = b""
    """The tweak of a cipher that has one."""
    block: int = BLOCK
    """Bytes in a block of the cipher."""
    fields: tuple[str, str] = ("PT", "CT")
    """How the file calls plaintext and ciphertext."""

    def __str__(self) -> str:
        of_key = f" {self.key_bits}-bit key" if self.key_bits else ""
        return f"{self.set}{of_key} I={self.index}"

    @property
    def single(self) -> Block:
        """The single block of a record that has one."""
        return Block(self.key, self.plaintext, self.ciphertext, self.tweak)

    @property
    def chained(self) -> bool:
        """Whether the record is of a Monte Carlo set, so that record I follows from record I - 1."""
        return self.kind == "MCT" and self.set in MODES


@dataclass(frozen=True, slots=True)
class VectorFile:
    """The records of one file, in its order, with what the file says of itself."""

    path: str
    layout: Literal["records", "nist"]
    records: tuple[Record, ...]
    algorithm: str = ""
    """The cipher's name as the header gives it; empty where there is none."""

    counts: Counter[str] = field(init=False, compare=False)
    """Records per kind."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "counts", Counter(record.kind for record in self.records))
