"""Rijndael: 128 records that use every table entry in the last round, then every one in the first.

The rule is read off the submitters' file. Records 1 to 64: before the last key addition, the four bytes of
column j are all S[4 n + j], n counting the records from 0. Records 65 to 128: after the first key addition,
the four bytes of column j are all S^-1[4 n + j].

The keys are our own: successive bytes in which every fifth is left out, from 00 on. Those of the submitters'
file go the same way, but leave some keys out and change single bits where the bytes pass from FF to 00, by a
rule that is not known; each of its records follows the rule above for its own key.
"""

from __future__ import annotations

from collections.abc import Iterator

from cipherassay.ciphers import Cipher
from cipherassay.lang.cipher import numbers
from cipherassay.vectors.backend import exclusive_or

HALF = 64


def inputs(cipher: Cipher, variant: str, key_bits: int) -> Iterator[tuple[bytes, bytes]]:
    """Yield key and plaintext."""
    words = key_bits // 32
    for record in range(2 * HALF):
        first = 5 * words * record
        key = bytes((first + 5 * (n // 4) + n % 4) % 256 for n in range(4 * words))
        yield key, plaintext(cipher, key, record + 1)


def plaintext(cipher: Cipher, key: bytes, index: int) -> bytes:
    """Return the plaintext of a record (1 to 128) under any key."""
    box = _substitution(cipher)
    keys = cipher.run("key_schedule", key)
    n = (index - 1) % HALF
    if index > HALF:
        columns = bytes(box.index(4 * n + j) for j in range(4) for _ in range(4))
        return exclusive_or(columns, key[:16])
    columns = bytes(box[4 * n + j] for j in range(4) for _ in range(4))
    last = bytes(numbers(keys)[0][-16:])
    text: bytes = cipher.run("decrypt", keys, exclusive_or(columns, last))
    return text


def _substitution(cipher: Cipher) -> list[int]:
    """Return the S-box, from the plain run: the table `S` of the cipher's file."""
    author = cipher.author_function("encrypt")
    return list(author.__globals__["S"].data) if author is not None else []
