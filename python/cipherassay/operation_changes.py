"""Operations of a function before and after passes changed its program, and whether it computes the same."""

from __future__ import annotations

import random
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from cipherassay.errors import VerificationError
from cipherassay.lang.shapes import schedule_for

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from cipherassay._engine import Program
    from cipherassay.ciphers import Cipher

_INPUTS, _SEED = 4, 1


@dataclass(frozen=True, kw_only=True)
class Change:
    """Operations executed by a function before and after: all of them, and some kinds by name."""

    function: str
    before: dict[str, int]
    after: dict[str, int]

    @property
    def saved(self) -> int:
        """Return how many operations fewer are executed; negative where there are more."""
        return self.before["operations"] - self.after["operations"]

    def as_dict(self) -> dict[str, Any]:
        """Return it for JSON."""
        return asdict(self) | {"saved": self.saved}


def counts(program: Program, function: str, kinds: Mapping[str, Sequence[str]]) -> dict[str, int]:
    """Return the operations that a function executes, all as ``operations``, and those of each kind."""
    executed = {kind: n["dynamic"] for kind, n in program.statistics(function).items()}
    named = {name: sum(executed.get(one, 0) for one in kind) for name, kind in kinds.items()}
    return {"operations": sum(executed.values()), **named}


def check(cipher: Cipher, key_bits: int, program: Program, changed: Program, code: str, what: str) -> None:
    """Compare ciphertexts, and back, on random keys and blocks.

    Raises
    ------
    VerificationError
        With the given code: ``what`` changes the result.
    """
    numbers = random.Random(_SEED)
    own = {function["name"] for function in program.functions()}
    directions = {one: schedule_for(one, own) for one in cipher.directions}
    for _ in range(_INPUTS):
        key, block = numbers.randbytes(key_bits // 8), numbers.randbytes(cipher.input_bits // 8)
        written, other = (
            [
                one.evaluate(function, [*(one.evaluate(keys, [key]) if keys else ()), block])[0]
                for function, keys in directions.items()
                if function in own
            ]
            for one in (program, changed)
        )
        if written != other:
            of_key = f"key {key.hex()}, " if key else ""
            raise VerificationError(
                code,
                f"{cipher.name}: {what} the result",
                notes=[f"{of_key}block {block.hex()}"],
                help="this is a bug: please report it",
            )
