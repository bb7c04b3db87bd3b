"""What need not be computed for every key: constants; and not for every block: what the key decides.

Operations are counted as executed, in two steps. A key setup, all its loops unrolled, is counted before and
after the pass `precompute`; encryption and decryption before and after the pass `hoist-key-only`, which moves
work into the key setup. Either program is evaluated against the one before on random keys and blocks.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from cipherassay.operation_changes import Change, check, counts

if TYPE_CHECKING:
    from cipherassay._engine import Program
    from cipherassay.ciphers import Cipher

UNROLLED = ("inline-calls", "unroll", "scalars", "dce")
FOLDED = (*UNROLLED[:-1], "precompute", "scalars", "precompute", "dce")
INLINED = ("inline-calls", "dce")
HOISTED = ("inline-calls", "hoist-key-only", "dce")
KINDS = {"tables": ("lookup",), "matrices": ("linear",)}
"""What is counted besides all operations: look-ups, and products with a matrix."""


@dataclass(frozen=True, kw_only=True)
class PrecomputationChange(Change):
    """Operations executed by a function before and after something was computed beforehand.

    ``depends_on`` is ``constants`` or ``the key``.
    """

    key_bits: int
    depends_on: str


def precomputation(cipher: Cipher, variant: str = "") -> list[PrecomputationChange]:
    """Return what is saved, for every key size.

    Raises
    ------
    VerificationError
        ``S060``: a program gives other results than the one it was made from.
    """
    found: list[PrecomputationChange] = []
    for bits in cipher.key_bits:
        program = cipher.compile(bits, variant)
        written, folded = program.passes([*UNROLLED]), program.passes([*FOLDED])
        inlined, hoisted = program.passes([*INLINED]), program.passes([*HOISTED])
        for changed in (folded, hoisted):
            check(cipher, bits, program, changed, "S060", "what was computed beforehand changes")
        first = cipher.shape.required[0]
        found.append(_saved(bits, first, "constants", written, folded))
        functions = (*cipher.directions, first) if cipher.keyed else ()
        found += [_saved(bits, function, "the key", inlined, hoisted) for function in functions]
    return found


def _saved(
    bits: int, function: str, depends_on: str, before: Program, after: Program
) -> PrecomputationChange:
    return PrecomputationChange(
        key_bits=bits, function=function, depends_on=depends_on,
        before=counts(before, function, KINDS), after=counts(after, function, KINDS),
    )  # fmt: skip
