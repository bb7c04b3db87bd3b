"""Which code of which ciphers is to be measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cipherassay.errors import UsageError

if TYPE_CHECKING:
    from cipherassay.ciphers import Cipher


@dataclass(frozen=True)
class Selection:
    """One cipher's code and the key sizes to measure."""

    cipher: Cipher
    strategy: str
    variant: str
    key_bits: tuple[int, ...]


def select(
    names: Sequence[str],
    key_bits: Sequence[int],
    strategy: str = "",
    variant: str = "",
    target: str = "native",
) -> list[Selection]:
    """Return what is to be measured, in order.

    Parameters
    ----------
    names : sequence of str
        Ciphers; those of the papers without any.
    key_bits : sequence of int
        Key sizes; each cipher's own without any.
    strategy : str
        Empty: the one that the target prefers for each cipher.

    Raises
    ------
    UsageError
        ``N051``: a cipher has none of the key sizes asked for; and those of `cipherassay.ciphers.load`.
    """
    from cipherassay import ciphers, strategies
    from cipherassay.review import load_right

    found = []
    for name in names or ciphers.of_papers():
        cipher = load_right(name)
        if key_bits:
            cipher.demand_key("key sizes are")
        wrong = sorted(set(key_bits) - set(cipher.key_bits))
        if wrong:
            known = ", ".join(map(str, cipher.key_bits))
            raise UsageError(
                "N051", f"{cipher.name} has no keys of {wrong[0]} bits", help=f"its key sizes: {known}"
            )
        sizes = tuple(bits for bits in cipher.key_bits if not key_bits or bits in key_bits)
        found.append(Selection(cipher, strategy or strategies.preferred(cipher, target), variant, sizes))
    return found
