"""The known answers of a cipher file: found beside it, checked by the reference evaluator."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from cipherassay.errors import AssayError, VerificationError
from cipherassay.review.verdict import Verdict

if TYPE_CHECKING:
    from cipherassay.ciphers import Cipher


def find_answers(file: Path) -> list[Path]:
    """Return the vector files that belong to a cipher file: ``NAME*.kat.txt`` beside it."""
    return sorted(file.parent.glob(f"{file.stem}*.kat.txt"))


def check_answers(answers: Path, cipher: Cipher) -> Verdict:
    """Check a vector file's single blocks and messages; Monte Carlo records are for `assay kat check`."""
    from cipherassay.vectors import EvaluatorBackend, check_file, read_vectors
    from cipherassay.vectors.explaining import failure_error

    try:
        file = read_vectors(answers, cipher.block_bits // 8)
        short = replace(file, records=tuple(r for r in file.records if r.kind != "MCT"))
        variant = next((v for v in cipher.variants if v.replace("-", "_") in answers.stem), "")
        backend = EvaluatorBackend(cipher, variant)
        outcome = check_file(short, backend, key_bits=cipher.key_bits, byte_order=cipher.nist_byte_order)
        if outcome.ok:
            return Verdict("known answers", "pass", f"{answers.name}: {outcome.summary()}")
        error: AssayError = failure_error(outcome, cipher, variant, backend)
    except AssayError as raised:
        error = raised
    text = "\n".join([f"{answers.name}: {error.message}", *(f"= {note}" for note in error.notes)])
    return Verdict(
        "known answers", "fail", text, error.places, max(error.exit_code, VerificationError.exit_code - 1)
    )
