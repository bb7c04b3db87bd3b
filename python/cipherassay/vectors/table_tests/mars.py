"""MARS: 40 chained encryptions under the zero key, from a start text per key size.

The rule is read off the files of IBM's reference program; both key schedules use it. The S-box has 512 words,
of which an encryption reads 80.
"""

from __future__ import annotations

from collections.abc import Iterator

from cipherassay.ciphers import Cipher

COUNT = 40
START = {
    128: bytes(16),
    192: b"\xaa" * 16,
    256: bytes.fromhex("62E45B4CF3477F1DD65063729D9ABA8F"),
}


def inputs(cipher: Cipher, variant: str, key_bits: int) -> Iterator[tuple[bytes, bytes]]:
    """Yield key and plaintext; each plaintext is the ciphertext before."""
    key, text = bytes(key_bits // 8), START[key_bits]
    keys = cipher.run("key_schedule", key, variant=variant)
    for _ in range(COUNT):
        yield key, text
        text = cipher.run("encrypt", keys, text, variant=variant)
