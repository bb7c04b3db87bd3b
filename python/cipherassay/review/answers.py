"""The known answers of a cipher file, checked by the reference evaluator."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from cipherassay.errors import AssayError
from cipherassay.review.verdict import Verdict

if TYPE_CHECKING:
    from cipherassay.ciphers import Cipher
    from cipherassay.vectors import Outcome


def load_right(name: str | Path) -> Cipher:
    """Return a cipher by its name or file; of a user's file the known answers beside it must pass.

    Those of the project's own ciphers are not run again: its tests do.

    Raises
    ------
    UsageError, DescriptionError
        As `cipherassay.ciphers.load`; ``K0xx``: a file of known answers cannot be read.
    VerificationError
        ``K020``: a known answer is another, with the first value that differs.
    """
    from cipherassay import ciphers
    from cipherassay.vectors.kept import find_answers

    cipher = ciphers.load(name)
    if not ciphers.of_package(cipher):
        for path, variant in find_answers(Path(cipher.file), cipher):
            _, error = _outcome(path, cipher, variant)
            if error is not None:
                raise error
    return cipher


def check_answers(answers: Path, cipher: Cipher, variant: str) -> Verdict | None:
    """Check a vector file's single blocks and messages; None if it has none.

    Monte Carlo records take compiled code: `assay kat check`.
    """
    name = f"{variant + ': ' if variant else ''}{answers.name}"
    try:
        outcome, error = _outcome(answers, cipher, variant)
    except AssayError as raised:
        outcome, error = None, raised
    if error is not None:
        text = "\n".join([f"{name}: {error.message}", *(f"= {note}" for note in error.notes)])
        return Verdict("known answers", "fail", text, error.places, error.exit_code)
    return Verdict("known answers", "pass", f"{name}: {outcome.summary()}") if outcome else None


def _outcome(answers: Path, cipher: Cipher, variant: str) -> tuple[Outcome | None, AssayError | None]:
    """Return what the check of a file found, None where it has nothing to check, and what is wrong."""
    from cipherassay.vectors import EvaluatorBackend, check_file, read_vectors
    from cipherassay.vectors.explaining import failure_error

    file = read_vectors(answers, *cipher.sizes)
    short = replace(file, records=tuple(r for r in file.records if r.kind != "MCT"))
    if not short.records:
        return None, None
    backend = EvaluatorBackend(cipher, variant)
    outcome = check_file(short, backend, key_bits=cipher.key_bits, byte_order=cipher.nist_byte_order)
    return outcome, None if outcome.ok else failure_error(outcome, cipher, variant, backend)
