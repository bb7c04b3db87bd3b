"""What need not be computed for every key: constants; and not for every block: what the key decides.

Operations are counted as executed, in two steps. A key set-up, all its loops unrolled, is counted before and
after the pass `precompute`; encryption and decryption before and after the pass `hoist-key-only`, which moves
work into the key set-up. Either program is evaluated against the one before on random keys and blocks.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cipherassay.errors import VerificationError

if TYPE_CHECKING:
    from cipherassay._engine import Program
    from cipherassay.ciphers import Cipher

UNROLLED = ("inline-calls", "unroll", "scalars", "dce")
FOLDED = (*UNROLLED[:-1], "precompute", "scalars", "precompute", "dce")
INLINED = ("inline-calls", "dce")
HOISTED = ("inline-calls", "hoist-key-only", "dce")
_INPUTS, _SEED = 4, 1


@dataclass(frozen=True)
class Saved:
    """Operations executed by a function before and after something was computed beforehand.

    ``reason`` says on what it depends: ``constants``, or ``the key``. Of the operations, ``tables`` are
    look-ups, ``matrices`` products with a matrix.
    """

    key_bits: int
    function: str
    reason: str
    before: dict[str, int]
    after: dict[str, int]

    @property
    def saved(self) -> int:
        """Return how many operations fewer are executed; negative where there are more."""
        return self.before["operations"] - self.after["operations"]

    def as_dict(self) -> dict[str, Any]:
        """Return it for JSON."""
        return {
            "key_bits": self.key_bits, "function": self.function, "depends_on": self.reason,
            "before": self.before, "after": self.after, "saved": self.saved,
        }  # fmt: skip


def precomputation(cipher: Cipher, variant: str = "") -> list[Saved]:
    """Return what is saved, for every key size.

    Raises
    ------
    VerificationError
        ``S060``: a program gives other results than the one it was made from.
    """
    found: list[Saved] = []
    for bits in cipher.key_bits:
        program = cipher.compile(bits, variant)
        written, folded = program.passes([*UNROLLED]), program.passes([*FOLDED])
        inlined, hoisted = program.passes([*INLINED]), program.passes([*HOISTED])
        for changed in (folded, hoisted):
            _check(cipher, bits, program, changed)
        found.append(_saved(bits, "key_schedule", "constants", written, folded))
        functions = ("encrypt", "decrypt", "key_schedule")
        found += [_saved(bits, function, "the key", inlined, hoisted) for function in functions]
    return found


def _saved(bits: int, function: str, reason: str, before: Program, after: Program) -> Saved:
    return Saved(bits, function, reason, _counts(before, function), _counts(after, function))


def _counts(program: Program, function: str) -> dict[str, int]:
    executed = {kind: n["dynamic"] for kind, n in program.statistics(function).items()}
    return {
        "operations": sum(executed.values()),
        "tables": executed.get("lookup", 0),
        "matrices": executed.get("linear", 0),
    }


def _check(cipher: Cipher, bits: int, program: Program, changed: Program) -> None:
    """Compare ciphertexts, and back, on random keys and blocks."""
    numbers = random.Random(_SEED)
    for _ in range(_INPUTS):
        key, block = numbers.randbytes(bits // 8), numbers.randbytes(cipher.block_bits // 8)
        results = []
        for one in (program, changed):
            keys = one.evaluate("key_schedule", [key])
            results.append([one.evaluate(f, [*keys, block])[0] for f in ("encrypt", "decrypt")])
        if results[0] != results[1]:
            raise VerificationError(
                "S060",
                f"{cipher.name}: what was computed beforehand changes the result",
                notes=[f"key {key.hex()}, block {block.hex()}"],
                help="this is a bug: please report it",
            )
