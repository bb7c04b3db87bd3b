"""The project's known answers as lines that a Java test reads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random
from typing import TYPE_CHECKING

from cipherassay.vectors import EvaluatorBackend, Record, read_vectors
from cipherassay.vectors.answers import in_cipher_order
from cipherassay.vectors.kept import FOLDER, folder_name

if TYPE_CHECKING:
    from cipherassay.ciphers import Cipher

CHAIN_RECORDS = (0, 399)
"""The Monte Carlo records that are written: the first and the last, of 10,000 operations each."""
COMPUTED = 16
"""Blocks of a test whose key no vectors have, computed by the reference evaluator."""
_HEAD = """\
# Known answers of {name} in the byte order of its description, one a line:
#   block SET KEYBITS NUMBER KEY PLAINTEXT CIPHERTEXT
#   chain LOOP KEYBITS NUMBER KEY VECTOR BEGIN END: 10,000 steps of NIST's Monte Carlo tests (1998)
"""


def known_answers(
    cipher: Cipher, key_bits: Sequence[int], variant: str = "", key: bytes | None = None
) -> str:
    """Return the known answers of a cipher for the key sizes, or for the one key: those of the kept vectors.

    Where the vectors have none (a cipher without vectors, a key that is not in them) the reference
    evaluator computes some, which the set's name ``computed`` says.
    """
    lines = [
        line
        for record in _records(cipher, variant)
        if record.key_bits in key_bits and key in (None, record.key)
        for line in _line(record)
    ]
    without = [bits for bits in key_bits if not any(line.split()[2] == str(bits) for line in lines)]
    lines += [line for bits in without for line in _computed(cipher, bits, variant, key)]
    return _HEAD.format(name=cipher.name) + "\n".join(lines) + "\n"


def _records(cipher: Cipher, variant: str) -> Iterator[Record]:
    for path in sorted((FOLDER / folder_name(cipher, variant)).glob("*.txt")):
        if path.name != "ecb_iv.txt":  # a listing of intermediate values
            for record in read_vectors(path, cipher.block_bits // 8).records:
                yield in_cipher_order(record, cipher.nist_byte_order)


def _line(record: Record) -> Iterator[str]:
    head = f"{record.set} {record.key_bits} {record.index} {record.key.hex()}"
    if record.kind == "KAT":
        yield f"block {head} {record.plaintext.hex()} {record.ciphertext.hex()}"
    elif record.kind == "MCT" and record.index in CHAIN_RECORDS:
        ends = [record.plaintext.hex(), record.ciphertext.hex()]
        begin, end = ends if record.set.endswith("_e_m") else ends[::-1]
        yield f"chain {head} {record.iv.hex() or '-'} {begin} {end}"


def _computed(cipher: Cipher, key_bits: int, variant: str, key: bytes | None) -> Iterator[str]:
    backend, random = EvaluatorBackend(cipher, variant), Random(key_bits)
    for n in range(COMPUTED):
        used = key or random.randbytes(key_bits // 8)
        block = random.randbytes(cipher.block_bits // 8)
        result = backend.encrypt(backend.keys(used, "encrypt"), block)
        yield f"block computed {key_bits} {n} {used.hex()} {block.hex()} {result.hex()}"
