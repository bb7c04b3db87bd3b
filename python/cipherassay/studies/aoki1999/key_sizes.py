"""The key sizes of the paper's tables: it prints the key setup of all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cipherassay.lang.cipher import Cipher

CIPHER = "e2"


def key_sizes(cipher: Cipher) -> Sequence[int]:
    """Return all key sizes of the paper's cipher."""
    return cipher.key_bits if cipher.slug == CIPHER else ()
