"""NIST's Monte Carlo tests (1998): 400 records per key size, each of 10,000 chained operations.

Bytes here stand in the order of the cipher's description. Where a submission's files print every
string reversed, their key change is, turned round, the rule below, like that of the others.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from cipherassay.vectors.backend import BLOCK, Backend, Mode, direction_of, exclusive_or
from cipherassay.vectors.records import MCT_STEPS

RECORDS = 400
"""Records of a Monte Carlo file per key size."""


@dataclass(frozen=True, slots=True)
class Start:
    """What a record begins with: key, initial vector (empty for ECB), and the text that goes in."""

    key: bytes
    iv: bytes
    text: bytes


def first_start(mode: Mode, key_bits: int, block: int = BLOCK) -> Start:
    """Return the start of record 0: key, initial vector and text are zero."""
    return Start(bytes(key_bits // 8), bytes(block if mode.startswith("cbc") else 0), bytes(block))


def run_record(backend: Backend, mode: Mode, start: Start) -> tuple[bytes, bytes]:
    """Return the last and the last but one output of one record."""
    keys = backend.keys(start.key, direction_of(mode))
    return backend.chain(keys, mode, start.iv, start.text, MCT_STEPS)


def inputs(backend: Backend, mode: Mode, start: Start, count: int) -> Iterator[bytes]:
    """Yield the blocks that go into the cipher in the first `count` steps of a record."""
    direction = direction_of(mode)
    keys = backend.keys(start.key, direction)
    block, vector = start.text, start.iv
    for _ in range(count):
        if mode == "cbc_e_m":
            yield exclusive_or(block, vector)
            block, vector = vector, backend.run(direction, keys, exclusive_or(block, vector))
        elif mode == "cbc_d_m":
            yield block
            block, vector = exclusive_or(backend.run(direction, keys, block), vector), block
        else:
            yield block
            block = backend.run(direction, keys, block)


def next_start(mode: Mode, start: Start, last: bytes, before: bytes) -> Start:
    """Return the start of the next record.

    The key is changed by as many trailing bits of ``before || last`` as it has: by the last output for 128
    bits, by the last half of the one before and the last for 192, by both for 256.
    """
    key = exclusive_or(start.key, (before + last)[-len(start.key) :])
    if mode == "cbc_e_m":
        return Start(key, last, before)
    return Start(key, before if mode == "cbc_d_m" else b"", last)


def run_chain(backend: Backend, mode: Mode, start: Start, count: int) -> Iterator[tuple[Start, bytes]]:
    """Yield the start and the last output of `count` records, each following from the one before."""
    for _ in range(count):
        last, before = run_record(backend, mode, start)
        yield start, last
        start = next_start(mode, start, last, before)
