"""Saying what is wrong when an answer differs: the record, and the first round and variable that differ."""

from __future__ import annotations

from cipherassay.ciphers import Cipher
from cipherassay.errors import VerificationError
from cipherassay.vectors.backend import Backend
from cipherassay.vectors.checking import Outcome


def failure_error(outcome: Outcome, cipher: Cipher, variant: str, backend: Backend) -> VerificationError:
    """Return the error for the first failing record of a file (``K020``)."""
    failure = outcome.failures[0]
    record, answer = failure.record, failure.answer
    name = f"{cipher.name} ({variant})" if variant else cipher.name
    count, total = len(outcome.failures), outcome.total.total()
    notes = [
        f"computed by {backend.name}: {answer.what}",
        f"expected {answer.field}={answer.expected.hex().upper()}",
        f"found    {answer.field}={answer.got.hex().upper()}",
        f"{count:,} of {total:,} records of this file fail",
    ]
    return VerificationError(
        "K020", f"{name} gives another answer than the file: {record}", places=[record.place], notes=notes
    )
