"""The known answers of every cipher, checked before anything is measured: one job a file and back end."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cipherassay.inputs import emitted_c_digest, program_digest
from cipherassay.jobs import Job, Producer, Rows
from cipherassay.jobs.digests import files_digest
from cipherassay.report.sections.answers import FAILED, PASSED
from cipherassay.results import Row
from cipherassay.strategies import preferred

if TYPE_CHECKING:
    from cipherassay.ciphers import Cipher

EVALUATOR = Producer("known answers", 1, ("cipherassay.vectors",), ("program",))
COMPILED = Producer("known answers", 1, ("cipherassay.vectors", "cipherassay.native.generated"))


def jobs(cipher: Cipher, variant: str = "") -> Iterator[Job[Rows]]:
    """Yield the checks of a cipher: single blocks by the evaluator and by C, Monte Carlo by C.

    A job raises VerificationError where a known answer is wrong; it says which, and the first value that
    differs.
    """
    from cipherassay.vectors import read_vectors
    from cipherassay.vectors.kept import FOLDER, folder_name

    for path in sorted((FOLDER / folder_name(cipher, variant)).glob("*.txt")):
        if path.stem.endswith("_iv"):
            continue  # intermediate values: these explain a failure
        if not read_vectors(path).counts["MCT"]:
            yield _job(cipher, variant, path, "evaluator", "")
        yield _job(cipher, variant, path, "c", preferred(cipher))


def _job(cipher: Cipher, variant: str, file: Path, backend: str, strategy: str) -> Job[Rows]:
    how = f"{backend}-{strategy}" if strategy else backend
    what = f"{cipher.slug}-{variant}" if variant else cipher.slug
    return Job(
        f"known-answers/{what}/{how}/{file.stem}", " ".join(filter(None, (cipher.name, variant, file.stem))),
        partial(_rows, cipher, variant, file, backend, strategy),
        inputs=partial(_inputs, cipher, variant, file, backend, strategy),
    )  # fmt: skip


def _inputs(cipher: Cipher, variant: str, file: Path, backend: str, strategy: str) -> dict[str, Any]:
    """Return what the outcome depends on: the vectors, the program or the C code, the compiler."""
    vectors = files_digest([file], file.parent)
    if backend == "c":
        from cipherassay.tools.compiler import find_compiler

        checked = emitted_c_digest(cipher, (), strategy, variant)
        return COMPILED.inputs(vectors=vectors, checked=checked, compiler=find_compiler("c").version)
    programs = {str(bits): _program_digest(cipher, bits, variant) for bits in cipher.key_bits}
    return EVALUATOR.inputs(vectors=vectors, checked=programs)


def _program_digest(cipher: Cipher, bits: int, variant: str) -> str:
    return program_digest(cipher, ("compiled", bits, variant), lambda: cipher.compile(bits, variant))


def _rows(cipher: Cipher, variant: str, path: Path, backend_kind: str, strategy: str) -> Rows:
    from cipherassay.known_answers.choosing import backend_name, make_backend
    from cipherassay.vectors import check_file, read_vectors
    from cipherassay.vectors.explaining import failure_error

    file = read_vectors(path)
    backend = make_backend(backend_name(backend_kind, file), cipher, variant, strategy)
    outcome = check_file(file, backend, key_bits=cipher.key_bits, byte_order=cipher.nist_byte_order)
    if not outcome.ok:
        raise failure_error(outcome, cipher, variant, backend)
    counts = {PASSED: sum(outcome.passed.values()), FAILED: len(outcome.failures)}
    command = f"assay kat check {path.name} --cipher {cipher.slug} --backend {backend_kind}"
    return Rows([
        Row(
            cipher=cipher.name, variant=variant or None, strategy=strategy or None, part=path.name,
            target=backend_kind, metric=metric, value=count, basis="measured", command=command,
        )
        for metric, count in counts.items()
    ])  # fmt: skip
