"""The known answers of a cipher file: found beside it, checked by the reference evaluator."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from cipherassay.errors import AssayError
from cipherassay.review.verdict import Verdict
from cipherassay.vectors import kept

if TYPE_CHECKING:
    from cipherassay.ciphers import Cipher

_OWN = Path(__file__).parent.parent / "ciphers"


def find_answers(file: Path, cipher: Cipher) -> list[tuple[Path, str]]:
    """Return the vector files of a cipher, each with the variant that it is of.

    They lie beside its file as ``NAME*.kat.txt``; those of the project's own ciphers lie with the vectors.
    """
    found = [(path, variant_of(path, cipher)) for path in sorted(file.parent.glob(f"{file.stem}*.kat.txt"))]
    if file.resolve().parent == _OWN.resolve():
        for variant in ("", *cipher.variants):
            folder = kept.FOLDER / kept.folder_name(cipher, variant)
            found += [
                (path, variant) for path in sorted(folder.glob("*.txt")) if not path.stem.endswith("_iv")
            ]
    return found


def variant_of(answers: Path, cipher: Cipher) -> str:
    """Return the cipher's variant that a file's name says, else the default one."""
    return next((v for v in cipher.variants if v.replace("-", "_") in answers.stem), "")


def check_answers(answers: Path, cipher: Cipher, variant: str) -> Verdict | None:
    """Check a vector file's single blocks and messages; None if it has none.

    Monte Carlo records take compiled code: `assay kat check`.
    """
    from cipherassay.vectors import EvaluatorBackend, check_file, read_vectors
    from cipherassay.vectors.explaining import failure_error

    name = f"{variant + ': ' if variant else ''}{answers.name}"
    try:
        file = read_vectors(answers, cipher.block_bits // 8)
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
