"""Runs of the key schedule against RAM, counted as in the appendix of Aoki and Ueda (1999).

There, RAM is a block, the key, and the state of the key schedule, which serves the rounds as well; what is
left holds subkeys, and each run of the key schedule gives as many as fit. Stack and constants are not in it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

from cipherassay.ciphers import argument
from cipherassay.embedded.budget.round_keys import round_keys
from cipherassay.embedded.budget.suitable import check_suitable

if TYPE_CHECKING:
    from cipherassay._engine import Program
    from cipherassay.ciphers import Cipher
    from cipherassay.results import Row

_STRAIGHT = ("inline-calls", "unroll", "fold", "scalars", "dead-stores", "fold", "precompute", "fold", "dce")
_NEAR = 2
"""Operations between the makers of two bytes of a round key that belong together."""


@dataclass(frozen=True)
class Counts:
    """Bytes of block, key, state of the key schedule; the least bytes of RAM for each number of runs.

    The state includes round keys that do not lie in the windowed array.
    """

    block: int
    key: int
    state: int
    runs: tuple[tuple[int, int], ...]

    @property
    def base(self) -> int:
        """Return the bytes without subkeys."""
        return self.block + self.key + self.state


def counted(cipher: Cipher, key_bits: int) -> Counts | None:
    """Return the counts of a cipher, or nothing if its key schedule reads its own round keys again.

    Raises
    ------
    UsageError
        ``E155``: the cipher does not suit budgets (`check_suitable`).
    """
    program = cipher.compile(key_bits)
    check_suitable(cipher.name, program)
    keys = round_keys(program)
    fill = keys.fill()
    if fill is None:
        return None
    state = key_state(fill[0]) + keys.bytes - keys.rows * keys.row
    block, key = cipher.input_bits // 8, key_bits // 8
    base = block + key + state
    least: dict[int, int] = {}
    for rows in range(1, keys.rows + 1):
        calls = keys.window_calls("encrypt", rows)
        assert calls is not None
        least.setdefault(calls, base + rows * keys.row)
    return Counts(block, key, state, tuple((ram, calls) for calls, ram in least.items()))


def key_state(program: Program) -> int:
    """Return the bytes that a key schedule keeps from one piece of its round keys to the next.

    ``program`` has the function ``fill``. It is taken straight, with constants folded; round keys count as
    stored when they are made, and the key has its own bytes. Between two pieces the fewest bytes that are
    alive count, and of all these the most.
    """
    (function,) = program.passes([*_STRAIGHT]).mirror().function_list
    ops = function.ops
    made = {r: n for n, op in enumerate(ops) for r, _ in op.results}
    types = {r: ty for op in ops for r, ty in op.results}
    last: dict[str, int] = {}
    for n, op in enumerate(ops):
        if op.kind not in ("store", "array"):
            last |= dict.fromkeys((v for v in op.reads() if v in made), n)
    change = [0] * (len(ops) + 1)
    for value, end in last.items():
        if ops[made[value]].kind not in ("load", "concat"):
            change[made[value] + 1] += types[value].word_bits // 8
            change[end + 1] -= types[value].word_bits // 8
    alive = list(accumulate(change))
    places = sorted({made[v] for op in ops if op.kind in ("store", "array") for v in op.reads() if v in made})
    gaps = [(a, b) for a, b in zip(places, places[1:], strict=False) if b - a > _NEAR]
    return max((min(alive[a + 1 : b + 1]) for a, b in gaps), default=0)


def rows(cipher: Cipher, key_bits: int) -> Iterator[Row]:
    """Yield the rows of a cipher: bytes of RAM and runs of the key schedule."""
    from cipherassay.results import Row

    counts = counted(cipher, key_bits)
    if counts is None:
        return
    for ram, calls in counts.runs:
        for metric, value in (("ram_bytes", ram), ("calls", calls)):
            yield Row(
                cipher=cipher.name, operation="encrypt", key_bits=key_bits, level="embedded",
                configuration=f"{calls} call{'s' if calls > 1 else ''}", metric=metric, value=value,
                basis="simulated",
                certificate=f"counted: block {counts.block}, key {counts.key}, key schedule {counts.state}",
                command=f"assay measure {argument(cipher)} --processor avr --ram-calls --key-bits {key_bits}",
            )  # fmt: skip
