"""The key sizes of a cipher that reports show: the shortest, and what studies ask for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, cast

from cipherassay import scanning

if TYPE_CHECKING:
    from cipherassay.lang.cipher import Cipher


class KeySizesModule(Protocol):
    """A study's module ``key_sizes``."""

    def key_sizes(self, cipher: Cipher) -> Sequence[int]:
        """Return the key sizes whose key setup the study shows on every processor; none of other ciphers."""


def shown(cipher: Cipher) -> list[int]:
    """Return the key sizes of a cipher's key setup that reports show on each processor, in its order."""
    studies = cast(list[KeySizesModule], scanning.brought("key_sizes"))
    asked = {cipher.key_bits[0], *(bits for study in studies for bits in study.key_sizes(cipher))}
    return [bits for bits in cipher.key_bits if bits in asked]
