"""Single blocks with known answers, for checks of generated code."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, zip_longest
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from cipherassay.vectors.answers import in_cipher_order
from cipherassay.vectors.backend import EvaluatorBackend
from cipherassay.vectors.kept import find_answers
from cipherassay.vectors.reading import read_again
from cipherassay.vectors.records import Block, Record

if TYPE_CHECKING:
    from cipherassay.ciphers import Cipher


def records(cipher: Cipher, variant: str = "") -> Iterator[Record]:
    """Yield the known answers of a cipher in the byte order of its description.

    They are the project's own vectors, or those in ``NAME*.kat.txt`` beside the cipher's file.

    Raises
    ------
    DescriptionError
        ``K0xx``: a file beside the cipher's cannot be read.
    """
    for record in _as_in_files(cipher, variant):
        yield in_cipher_order(record, cipher.nist_byte_order)


def _as_in_files(cipher: Cipher, variant: str) -> Iterator[Record]:
    for path, of in find_answers(Path(cipher.file), cipher):
        if of == variant:
            yield from read_again(path, *cipher.sizes).records


def single_blocks(
    cipher: Cipher, key_bits: int, variant: str = "", key: bytes | None = None, *, count: int = 8
) -> list[Block]:
    """Return at most so many known answers of single blocks for a key size, or for one key.

    They are taken from all sets in turn. Where there are none for the key size or the key, the reference
    evaluator computes as many as asked for.
    """
    sets = _sets(cipher, key_bits, variant, key)
    in_turn = (one for row in zip_longest(*sets.values()) for one in row if one is not None)
    known = list(islice(in_turn, count))
    return known or list(computed(cipher, key_bits, variant, key, count=count))


def known_blocks(cipher: Cipher, key_bits: int, variant: str = "", *, of_each_set: int) -> list[Block]:
    """Return the first known answers of single blocks of each set, for a key size; there may be none.

    Where there are NIST's Variable Key and Variable Text tests, they are the sets.
    """
    sets = _sets(cipher, key_bits, variant)
    chosen = [name for name in sets if name.startswith("ecb_v")] or list(sets)
    return [one for name in chosen for one in sets[name][:of_each_set]]


def _sets(cipher: Cipher, key_bits: int, variant: str, key: bytes | None = None) -> dict[str, list[Block]]:
    sets: dict[str, list[Block]] = {}
    for record in _as_in_files(cipher, variant):
        if record.kind == "KAT" and record.key_bits == key_bits:
            one = in_cipher_order(record, cipher.nist_byte_order)
            if key in (None, one.key):
                sets.setdefault(one.set, []).append(one.single)
    return sets


def computed(
    cipher: Cipher, key_bits: int, variant: str = "", key: bytes | None = None, *, count: int
) -> Iterator[Block]:
    """Yield random blocks under random keys, or under one key, with what the reference evaluator makes."""
    backend, random = EvaluatorBackend(cipher, variant), Random(key_bits)
    forward = cipher.shape.forward
    for _ in range(count):
        used = key if key is not None else random.randbytes(key_bits // 8)
        block = random.randbytes(cipher.input_bits // 8)
        size = len(block) - cipher.tweak_bytes
        made = backend.run(forward, backend.keys(used, forward), block)
        yield Block(used, block[:size], made, block[size:])
