"""The project's known answers as lines that a Java test reads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from cipherassay.vectors import Record
from cipherassay.vectors.records import Block
from cipherassay.vectors.single_blocks import computed, records

if TYPE_CHECKING:
    from cipherassay.ciphers import Cipher

CHAIN_RECORDS = (0, 399)
"""The Monte Carlo records that are written: the first and the last, of 10,000 operations each."""
COMPUTED = 16
"""Blocks of a test whose key no vectors have, computed by the reference evaluator."""
_HEAD = """\
# Known answers of {name} in the byte order of its description, one a line:
#   block SET KEYBITS NUMBER KEY PLAINTEXT CIPHERTEXT{tweak}
#   chain LOOP KEYBITS NUMBER KEY VECTOR BEGIN END: 10,000 steps of NIST's Monte Carlo tests (1998)
"""
_HEAD_WITHOUT_KEY = """\
# Known answers of {name} in the byte order of its description, one a line:
#   block SET 0 NUMBER - INPUT OUTPUT
"""
_NONE = "-"
"""Stands where a line has no key or vector."""


def known_answers(
    cipher: Cipher, key_bits: Sequence[int], variant: str = "", key: bytes | None = None
) -> str:
    """Return the known answers of a cipher for the key sizes, or for the one key: those of its vectors.

    Where the vectors have none (a cipher without vectors, a key that is not in them) the reference
    evaluator computes some, which the set's name ``computed`` says.
    """
    lines = [
        line
        for record in records(cipher, variant)
        if record.key_bits in key_bits and key in (None, record.key)
        for line in _line(record)
    ]
    without = [bits for bits in key_bits if not any(line.split()[2] == str(bits) for line in lines)]
    lines += [
        f"block computed {bits} {n} {_words(block)}"
        for bits in without
        for n, block in enumerate(computed(cipher, bits, variant, key, count=COMPUTED))
    ]
    head = _HEAD if cipher.keyed else _HEAD_WITHOUT_KEY
    tweak = " TWEAK" if cipher.tweak_bytes else ""
    return head.format(name=cipher.name, tweak=tweak) + "\n".join(lines) + "\n"


def _words(block: Block) -> str:
    return " ".join([block.key.hex() or _NONE, *(part.hex() for part in block[1:] if part)])


def _line(record: Record) -> Iterator[str]:
    head = f"{record.set} {record.key_bits} {record.index}"
    if record.kind == "KAT":
        yield f"block {head} {_words(record.single)}"
    elif record.kind == "MCT" and record.index in CHAIN_RECORDS:
        ends = [record.plaintext.hex(), record.ciphertext.hex()]
        begin, end = ends if record.set.endswith("_e_m") else ends[::-1]
        yield f"chain {head} {record.key.hex()} {record.iv.hex() or _NONE} {begin} {end}"
