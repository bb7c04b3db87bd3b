"""Generating known answers by NIST's rules of 1998.

``ecb_vk``: text 0 under each key with a single 1 bit, from the leftmost bit on; ``ecb_vt``: each text with a
single 1 bit under key 0; ``ecb_tbl``: what the submitter chose (:mod:`~cipherassay.vectors.table_tests`); the
four Monte Carlo tests (:mod:`~cipherassay.vectors.monte_carlo`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from cipherassay.ciphers import Cipher
from cipherassay.errors import Place
from cipherassay.vectors.answers import turned, turned_key
from cipherassay.vectors.backend import BLOCK, MODES, Backend, Mode, direction_of
from cipherassay.vectors.monte_carlo import RECORDS, first_start, run_chain
from cipherassay.vectors.records import Record
from cipherassay.vectors.table_tests import table_test

KNOWN_ANSWER_SETS = ("ecb_vk", "ecb_vt", "ecb_tbl")
SETS = (*KNOWN_ANSWER_SETS, *MODES)


def sets_of(cipher: Cipher) -> tuple[str, ...]:
    """Return the sets that can be generated for a cipher: all, without ``ecb_tbl`` where none is defined, and
    without those of a direction that it lacks."""
    lacking: list[str] = [mode for mode in MODES if direction_of(mode) not in cipher.directions]
    lacking += ["ecb_tbl"] if table_test(cipher) is None else []
    return tuple(name for name in SETS if name not in lacking)


def generate(
    name: str,
    cipher: Cipher,
    variant: str,
    key_bits: int,
    backend: Backend,
    *,
    count: int = RECORDS,
    advance: Callable[[int], None] = lambda records: None,
) -> Iterator[Record]:
    """Yield the records of one set for one key size, in the byte order of the submission's files.

    Parameters
    ----------
    name : str
        One of :func:`sets_of`.
    backend : Backend
        What computes the answers.
    count : int
        Monte Carlo records, from record 0 on.
    advance : function
        Called with 1 after each record.
    """
    order = _turn if cipher.nist_byte_order == "reversed" else _keep
    if name in MODES:
        made = _monte_carlo(name, key_bits, backend, count)
    elif name == "ecb_tbl":
        made = _tables(cipher, variant, key_bits, backend)
    else:
        made = _one_bit(name, key_bits, backend, reverse=cipher.nist_byte_order == "reversed")
    for record in made:
        yield order(record)
        advance(1)


def expected_records(name: str, cipher: Cipher, key_bits: int, count: int = RECORDS) -> int:
    """Return how many records a set has for one key size (the table test: roughly)."""
    if name in MODES:
        return count
    return {"ecb_vk": key_bits, "ecb_vt": 8 * BLOCK}.get(name, 128)


def _one_bit(name: str, key_bits: int, backend: Backend, *, reverse: bool) -> Iterator[Record]:
    """Move a single bit through the key or the text, from the left end of the string that the file shows."""
    size = key_bits if name == "ecb_vk" else 8 * BLOCK
    for index in range(1, size + 1):
        one = (1 << (size - index)).to_bytes(size // 8, "little" if reverse else "big")
        key = one if name == "ecb_vk" else bytes(key_bits // 8)
        text = one if name == "ecb_vt" else bytes(BLOCK)
        yield _block(name, key_bits, index, key, text, backend)


def _tables(cipher: Cipher, variant: str, key_bits: int, backend: Backend) -> Iterator[Record]:
    inputs = table_test(cipher)
    if inputs is not None:
        for index, (key, text) in enumerate(inputs(cipher, variant, key_bits), start=1):
            yield _block("ecb_tbl", key_bits, index, key, text, backend)


def _block(name: str, key_bits: int, index: int, key: bytes, text: bytes, backend: Backend) -> Record:
    output = backend.run("encrypt", backend.keys(key, "encrypt"), text)
    return Record("KAT", name, key_bits, index, key, text, output, Place(name), convention="nist")


def _monte_carlo(mode: Mode, key_bits: int, backend: Backend, count: int) -> Iterator[Record]:
    for index, (start, last) in enumerate(run_chain(backend, mode, first_start(mode, key_bits), count)):
        texts = (start.text, last) if mode in ("ecb_e_m", "cbc_e_m") else (last, start.text)
        yield Record(
            "MCT", mode, key_bits, index, start.key, *texts, Place(mode), iv=start.iv, convention="nist"
        )


def _keep(record: Record) -> Record:
    return record


def _turn(record: Record) -> Record:
    return replace(
        record,
        key=turned_key(record.key),
        plaintext=turned(record.plaintext),
        ciphertext=turned(record.ciphertext),
        iv=turned(record.iv),
    )
