"""The known answers of a cipher file, checked by the reference evaluator."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from cipherassay.errors import AssayError
from cipherassay.review.verdict import Verdict

if TYPE_CHECKING:
    from cipherassay.ciphers import Cipher


def check_answers(answers: Path, cipher: Cipher, variant: str) -> Verdict | None:
    """Check a vector file's single blocks and messages; None if it has none.

    Monte Carlo records take compiled code: `assay kat check`.
    """
    from cipherassay.vectors import EvaluatorBackend, check_file, read_vectors
    from cipherassay.vectors.explaining import failure_error

    name = f"{variant + ': ' if variant else ''}{answers.name}"
    try:
        file = read_vectors(answers, *cipher.sizes)
        short = replace(file, records=tuple(r for r in file.records if r.kind != "MCT"))
        if not short.records:
            return None
        backend = EvaluatorBackend(cipher, variant)
        outcome = check_file(short, backend, key_bits=cipher.key_bits, byte_order=cipher.nist_byte_order)
        if outcome.ok:
            return Verdict("known answers", "pass", f"{name}: {outcome.summary()}")
        error: AssayError = failure_error(outcome, cipher, variant, backend)
    except AssayError as raised:
        error = raised
    text = "\n".join([f"{name}: {error.message}", *(f"= {note}" for note in error.notes)])
    return Verdict("known answers", "fail", text, error.places, error.exit_code)
