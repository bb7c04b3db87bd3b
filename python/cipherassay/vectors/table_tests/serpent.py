"""Serpent: under the zero key, record 16 i + x + 1 gives x to all 32 copies of the S-box of round i.

The rule is read off the submitters' files: 32 rounds of 16 inputs each make 512 records. The plaintexts come
from running the rounds backwards with the parts of the cipher's file.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

from cipherassay.ciphers import Cipher
from cipherassay.lang import bitsliced, inverse, le_bytes, u32, vec

ROUNDS, INPUTS = 32, 16


def inputs(cipher: Cipher, variant: str, key_bits: int) -> Iterator[tuple[bytes, bytes]]:
    """Yield key and plaintext."""
    author: Any = cipher.author_function("encrypt", variant)
    part = vars(sys.modules[author.__module__])
    key = bytes(key_bits // 8)
    round_keys = cipher.run("key_schedule", key, variant=variant)
    for i in range(ROUNDS):
        for x in range(INPUTS):
            state = vec(*[u32(0xFFFFFFFF * (x >> bit & 1)) for bit in range(4)]) ^ round_keys[i]
            for before in reversed(range(i)):
                box = part["S"][before % 8].inverse
                state = bitsliced(box, inverse(part["L"])(state)) ^ round_keys[before]
            yield key, bytes(word.value for word in le_bytes(state))
