"""Twofish: 49 encryptions, each text the ciphertext before, each key led by the plaintext before.

The rule is read off the submitters' file: from zero key and text on, the next key is the plaintext followed
by the key, cut to the key's length.
"""

from __future__ import annotations

from collections.abc import Iterator

from cipherassay.ciphers import Cipher

COUNT = 49


def inputs(cipher: Cipher, variant: str, key_bits: int) -> Iterator[tuple[bytes, bytes]]:
    """Yield key and plaintext."""
    key, text = bytes(key_bits // 8), bytes(16)
    for _ in range(COUNT):
        yield key, text
        output = cipher.run(
            "encrypt", cipher.run("key_schedule", key, variant=variant), text, variant=variant
        )
        key, text = (text + key)[: len(key)], output
