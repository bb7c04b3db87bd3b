"""Saying what is wrong when an answer differs: the record, and the first round and variable that differ."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import cast

from cipherassay.ciphers import Cipher
from cipherassay.errors import AssayError, VerificationError
from cipherassay.lang.shapes import BACKWARDS, Direction
from cipherassay.vectors import listings
from cipherassay.vectors.answers import FOLLOWS, in_cipher_order, start_of
from cipherassay.vectors.backend import (
    Backend,
    EvaluatorBackend,
    Mode,
    PythonBackend,
    direction_of,
    exclusive_or,
)
from cipherassay.vectors.checking import Failure, Outcome
from cipherassay.vectors.first_difference import difference_from_listing
from cipherassay.vectors.kept import difference_from_kept, kept_sections
from cipherassay.vectors.monte_carlo import inputs
from cipherassay.vectors.records import MCT_STEPS, Record
from cipherassay.vectors.trace_difference import difference_from_plain


def failure_error(
    outcome: Outcome, cipher: Cipher, variant: str, backend: Backend, folders: Sequence[Path] = ()
) -> VerificationError:
    """Return the error for the first failing record of a file (``K020``).

    `folders` hold submitters' listings of intermediate values to compare with.
    """
    failure = outcome.failures[0]
    record, answer = failure.record, failure.answer
    name = f"{cipher.name} ({variant})" if variant else cipher.name
    count, total = len(outcome.failures), outcome.total.total()
    notes = [
        f"computed by {backend.name}: {answer.what}",
        f"expected {answer.field}={answer.expected.hex().upper()}",
        f"found    {answer.field}={answer.got.hex().upper()}",
        f"{count:,} of {total:,} records of this file fail",
        *_locate(failure, cipher, variant, backend, folders),
    ]
    return VerificationError(
        "K020", f"{name} gives another answer than the file: {record}", places=[record.place], notes=notes
    )


def _locate(
    failure: Failure, cipher: Cipher, variant: str, backend: Backend, folders: Sequence[Path]
) -> Iterator[str]:
    """Find out which of description, program and generated code is wrong, and where."""
    if failure.answer.what == FOLLOWS:
        yield "the record is wrong, or the one before it, or a record between them is missing"
    record = in_cipher_order(failure.record, cipher.nist_byte_order)
    evaluator, python = EvaluatorBackend(cipher, variant), PythonBackend(cipher, variant)
    wrong = _wrong_block(record, failure, backend, evaluator)
    if wrong is not None and not backend.name.startswith("python"):
        direction, key, block, step = wrong
        yield f"the evaluator gives another answer than {backend.name}{step}"
        yield from _code_difference(cipher, variant, backend, direction, key, block)
        return
    direction = _direction(failure)
    block = next(_blocks(record, direction, evaluator))
    if not _agree(evaluator, python, direction, record.key, block):
        yield "the compiled program gives another answer than the description run plainly"
        compiled = evaluator.program(record.key_bits)
        found = difference_from_plain(cipher, variant, compiled, direction, record.key, block)
        yield str(found) if found else "no variable that both name differs"
        return
    yield from _description_difference(cipher, variant, record.key_bits, folders)


WrongAnswer = tuple[Direction, bytes, bytes, str]
"""Direction, key and block that a back end gets wrong, and at which step of a chain."""


def _wrong_block(
    record: Record, failure: Failure, backend: Backend, evaluator: Backend
) -> WrongAnswer | None:
    """Return a block of the record on which the back end departs from the evaluator."""
    if backend.name.startswith("evaluator"):
        return None
    direction = _direction(failure)
    keys, others = backend.keys(record.key, direction), evaluator.keys(record.key, direction)
    for step, block in enumerate(_blocks(record, direction, evaluator), start=1):
        if _run(backend, direction, keys, block) != _run(evaluator, direction, others, block):
            at = f" at step {step:,}" if record.kind == "MCT" else ""
            return direction, record.key, block, at
    return None


def _blocks(record: Record, direction: Direction, evaluator: Backend) -> Iterator[bytes]:
    """Yield the blocks that go into the cipher for a record, as the evaluator computes them."""
    if record.kind == "MCT":
        yield from inputs(evaluator, cast(Mode, record.set), start_of(record), MCT_STEPS)
        return
    data = record.ciphertext if direction in BACKWARDS else record.plaintext
    before = record.iv
    size = record.block
    if record.kind == "KAT":
        yield record.single.sides(direction)[0]
        return
    for n in range(0, len(data), size):
        chained = record.kind == "CBC" and direction == "encrypt"
        yield exclusive_or(data[n : n + size], before) if chained else data[n : n + size]
        before = record.ciphertext[n : n + size]


def _direction(failure: Failure) -> Direction:
    if failure.record.kind == "MCT":
        return direction_of(cast(Mode, failure.record.set))
    return cast(Direction, failure.answer.what.split()[0])


def _run(backend: Backend, direction: Direction, keys: object, block: bytes) -> bytes:
    return backend.run(direction, keys, block)


def _agree(a: Backend, b: Backend, direction: Direction, key: bytes, block: bytes) -> bool:
    answers = [_run(backend, direction, backend.keys(key, direction), block) for backend in (a, b)]
    return answers[0] == answers[1]


def _code_difference(
    cipher: Cipher, variant: str, backend: Backend, direction: Direction, key: bytes, block: bytes
) -> Iterator[str]:
    """Say whether the passes of a strategy or what comes after them is wrong."""
    of_key = f" with KEY={key.hex().upper()}" if key else ""
    yield f"{direction}{of_key} of the block {block.hex().upper()}"
    strategy = backend.name.partition(", ")[2]
    if not strategy:
        return
    from cipherassay.strategies import program

    changed = program(cipher, 8 * len(key), strategy, variant)
    try:
        found = difference_from_plain(cipher, variant, changed, direction, key, block)
    except AssayError as error:
        yield f"the program of strategy {strategy} cannot be evaluated: {error.message}"
        return
    if found:
        yield f"the passes of strategy {strategy} make a wrong program"
        yield str(found)
        return
    expected = EvaluatorBackend(cipher, variant)
    transformed = EvaluatorBackend(
        cipher, variant, program=lambda bits: program(cipher, bits, strategy, variant)
    )
    if _agree(expected, transformed, direction, key, block):
        yield f"strategy {strategy}'s program is right in the evaluator: the C text or its compiler is wrong"
    else:
        yield f"the passes of strategy {strategy} make a wrong program; no variable that both name differs"


def _description_difference(
    cipher: Cipher, variant: str, key_bits: int, folders: Sequence[Path]
) -> Iterator[str]:
    """Compare the description with kept intermediate values and with submitters' listings."""
    found = difference_from_kept(cipher, variant, key_bits)
    if found is not None:
        yield str(found)
        return
    compared = ["the kept intermediate values"] if kept_sections(cipher, variant, key_bits) else []
    for folder in folders:
        for path in listings.find(cipher, variant, folder):
            compared.append(path.name)
            for listing in listings.read(cipher, path):
                if 8 * len(listing.key) == key_bits:
                    found = difference_from_listing(cipher, variant, listing)
                if found is not None:
                    yield str(found)
                    return
    if compared:
        yield f"the cipher agrees with {', '.join(compared)}: the record itself may be wrong"
    else:
        yield "no intermediate values are known to compare with: the cipher is wrong, or the record is"
