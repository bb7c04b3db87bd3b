"""The answers that one record holds, computed by a back end and set beside what the file says."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import cast

from cipherassay.vectors.backend import BLOCK, Backend, Mode, exclusive_or
from cipherassay.vectors.monte_carlo import Start, next_start, run_record
from cipherassay.vectors.records import Record

FOLLOWS = "what follows from the record before"
"""What was computed where a Monte Carlo record does not begin with what its predecessor ends with."""


@dataclass(frozen=True, slots=True)
class Answer:
    """One computed answer beside the expected one."""

    what: str
    """What was computed: ``encrypt``, ``decrypt``, ``encrypt 100 times``, ``Monte Carlo ecb_e_m`` …"""
    field: str
    """The field that holds the expected answer: ``CT``, ``PT``, ``OUT``, ``IN``, ``IT100``, ``KEY`` …"""
    expected: bytes
    got: bytes

    @property
    def right(self) -> bool:
        """Whether both are the same."""
        return self.expected == self.got

    def reversed(self, block: int) -> Answer:
        """Return the answer with its strings in the other byte order."""
        if self.field == "KEY":
            return replace(self, expected=turned_key(self.expected), got=turned_key(self.got))
        return replace(self, expected=turned(self.expected, block), got=turned(self.got, block))


def turned_key(key: bytes) -> bytes:
    """Reverse the bytes of a key."""
    return key[::-1]


def turned(data: bytes, block: int = BLOCK) -> bytes:
    """Reverse the bytes of each block of so many bytes."""
    return b"".join(data[n : n + block][::-1] for n in range(0, len(data), block))


def is_turned(record: Record, byte_order: str) -> bool:
    """Say whether a record's bytes stand the other way round than in the cipher's description.

    `byte_order` is the cipher's ``nist_byte_order``: ``as-is`` or ``reversed``.
    """
    return record.convention == "nist" and byte_order == "reversed"


def in_cipher_order(record: Record, byte_order: str) -> Record:
    """Return the record with its bytes in the order of the cipher's description."""
    if not is_turned(record, byte_order):
        return record
    return replace(
        record,
        key=turned_key(record.key),
        plaintext=turned(record.plaintext, record.block),
        ciphertext=turned(record.ciphertext, record.block),
        iv=turned(record.iv, record.block),
        convention="nessie",
        after=tuple((times, turned(data, record.block)) for times, data in record.after),
    )


def answers(record: Record, backend: Backend) -> Iterator[Answer]:
    """Yield each answer of a record; `record` is in the cipher's byte order.

    A single block and a message give the directions that the back end computes (and the iterated
    encryptions), a Monte Carlo record its one result. Whoever checks stops at the first that is wrong.
    """
    if record.kind == "KAT":
        yield from _block_answers(record, backend)
    elif record.kind == "MCT":
        last, _ = run_record(backend, cast(Mode, record.set), start_of(record))
        yield result_answer(record, last)
    else:
        yield from _message_answers(record, backend)


def start_of(record: Record) -> Start:
    """Return what a Monte Carlo record begins with."""
    text = record.plaintext if _encrypts(record) else record.ciphertext
    return Start(record.key, record.iv, text)


def result_answer(record: Record, last: bytes) -> Answer:
    """Set a Monte Carlo record's last output beside its result."""
    what = f"Monte Carlo {record.set}"
    if _encrypts(record):
        return Answer(what, "CT", record.ciphertext, last)
    return Answer(what, "PT", record.plaintext, last)


def link_answers(record: Record, computed: Start) -> Iterator[Answer]:
    """Set the start of a Monte Carlo record beside the start that follows from the record before it."""
    given = start_of(record)
    yield Answer(FOLLOWS, "KEY", given.key, computed.key)
    if given.iv:
        yield Answer(FOLLOWS, "IV", given.iv, computed.iv)
    yield Answer(FOLLOWS, "PT" if _encrypts(record) else "CT", given.text, computed.text)


def follow(backend: Backend, record: Record, count: int) -> tuple[bytes, Start]:
    """Return a Monte Carlo record's last output and the start of the record `count` later."""
    mode, start = cast(Mode, record.set), start_of(record)
    last, before = run_record(backend, mode, start)
    first, start = last, next_start(mode, start, last, before)
    for _ in range(count - 1):
        last, before = run_record(backend, mode, start)
        start = next_start(mode, start, last, before)
    return first, start


def _encrypts(record: Record) -> bool:
    return record.set in ("ecb_e_m", "cbc_e_m")


def _block_answers(record: Record, backend: Backend) -> Iterator[Answer]:
    forward, *backward = backend.directions
    given, made = record.fields
    keys = backend.keys(record.key, forward)
    block, expected = record.single.sides(forward)
    yield Answer(forward, made, expected, backend.run(forward, keys, block))
    for times, expected in record.after:
        got, _ = backend.chain(keys, "ecb_e_m", b"", record.plaintext, times)
        yield Answer(f"encrypt {times:,} times", f"IT{times}", expected, got)
    for direction in backward:
        keys = backend.keys(record.key, direction)
        block, expected = record.single.sides(direction)
        yield Answer(direction, given, expected, backend.run(direction, keys, block))


def _message_answers(record: Record, backend: Backend) -> Iterator[Answer]:
    """In ECB every block stands by itself; in CBC each ciphertext block is the vector of the next one."""
    yield Answer("encrypt", "CT", record.ciphertext, _encrypted(record, backend))
    if "decrypt" not in backend.directions:
        return
    text = backend.run("decrypt", backend.keys(record.key, "decrypt"), record.ciphertext)
    if record.kind != "ECB":
        text = exclusive_or(text, (record.iv + record.ciphertext)[: len(text)])
    yield Answer("decrypt", "PT", record.plaintext, text)


def _encrypted(record: Record, backend: Backend) -> bytes:
    keys = backend.keys(record.key, "encrypt")
    if record.kind == "ECB":
        return backend.run("encrypt", keys, record.plaintext)
    output = vector = record.iv
    for n in range(0, len(record.plaintext), record.block):
        vector = backend.run("encrypt", keys, exclusive_or(record.plaintext[n : n + record.block], vector))
        output += vector
    return output[record.block :]
