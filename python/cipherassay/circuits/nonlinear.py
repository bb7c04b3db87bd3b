"""What is not linear over GF(2) in a cipher: S-boxes of any size, additions, conjunctions, and the like."""

from __future__ import annotations

import importlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cipherassay.errors import UsageError

if TYPE_CHECKING:
    from cipherassay._engine import Program
    from cipherassay.lang.cipher import Cipher

_engine: Any = importlib.import_module("cipherassay._engine")

OPERATIONS = {
    "add": "addition", "sub": "subtraction", "mul": "multiplication",
    "and": "conjunction", "or": "disjunction",
    "rotl": "rotation by a variable", "rotr": "rotation by a variable", "shl": "shift by a variable",
    "shr": "shift by a variable", "load": "look-up in a table that depends on the key", "select": "choice",
    "eq": "comparison", "ne": "comparison", "ltu": "comparison", "lookup": "look-up in a large table",
    "call": "function",
}  # fmt: skip
"""Operations by their words in the text form of programs."""


@dataclass(frozen=True)
class Nonlinear:
    """Operations that are not linear over GF(2), of one kind.

    Attributes
    ----------
    kind, name : str
        ``box``, or the operation's word in the text form; an S-box's name.
    bits : int
        Bits that go into an S-box, or that one of the operations gives.
    count : int
        How often it stands in the function, loops once.
    """

    kind: str
    name: str
    bits: int
    count: int

    def __str__(self) -> str:
        what = f"S-box {self.name}" if self.kind == "box" else OPERATIONS.get(self.kind, self.kind)
        bits = f"{self.bits} bit{'s' * (self.bits > 1)}"
        return f"{self.count} times {what} of {bits}"


def listed(found: Sequence[Nonlinear]) -> str:
    """Return them in words."""
    return "; ".join(map(str, found)) or "nothing"


def of(program: Program, function: str) -> list[Nonlinear]:
    """Return what is not linear in a function and in what it calls."""
    document = json.loads(_engine.bit_layers(program, function))
    return [Nonlinear(**entry) for entry in document["nonlinear"]]


def no_box(cipher: Cipher, code: str) -> UsageError:
    """Return the error that a cipher has no S-box of 3 to 8 bits to at most 8, with what it has instead."""
    function = cipher.shape.forward
    return UsageError(
        code,
        f"{cipher.name} has 0 tables from 3 to 8 bits to at most 8: no S-box",
        notes=[f"not linear in its `{function}`: {listed(of(cipher.compile(), function))}"],
        help="circuits are of S-boxes; `assay study linear` finds what is linear between these operations",
    )
