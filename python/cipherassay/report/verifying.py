"""The known answers of every cipher, checked before anything is measured, kept while nothing changes."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cipherassay.report.sections.answers import FAILED, PASSED
from cipherassay.results import Row, Store

if TYPE_CHECKING:
    from cipherassay.ciphers import Cipher


@dataclass(frozen=True)
class Check:
    """One file of known answers against one back end of one cipher."""

    cipher: Cipher
    variant: str
    file: Path
    backend: str
    strategy: str = ""
    """Of the C back end."""

    @property
    def name(self) -> str:
        """The name of its run in the store."""
        how = f"{self.backend}-{self.strategy}" if self.strategy else self.backend
        what = f"{self.cipher.slug}-{self.variant}" if self.variant else self.cipher.slug
        return f"known-answers/{what}/{how}/{self.file.stem}"


def checks_of(cipher: Cipher, variant: str = "") -> Iterator[Check]:
    """Yield the checks of a cipher: single blocks by the evaluator and by C, Monte Carlo by C."""
    from cipherassay.vectors import read_vectors
    from cipherassay.vectors.kept import FOLDER, folder_name

    for path in sorted((FOLDER / folder_name(cipher, variant)).glob("*.txt")):
        if path.stem.endswith("_iv"):
            continue  # intermediate values: these explain a failure
        if not read_vectors(path).counts["MCT"]:
            yield Check(cipher, variant, path, "evaluator")
        yield Check(cipher, variant, path, "c", cipher.strategy)


def verify(
    checks: Sequence[Check],
    store: Store,
    *,
    advance: Callable[[float, str], None] = lambda amount, note: None,
) -> list[Row]:
    """Run the checks that the store does not know yet; return the rows of all.

    Raises
    ------
    VerificationError
        A known answer is wrong; says which, and the first value that differs.
    """
    answers: list[Row] = []
    for check in checks:
        advance(0, f"{check.cipher.name} {check.variant} {check.file.stem}")
        inputs = _inputs(check)
        rows = store.find(check.name, inputs)
        if rows is None:
            rows = _run(check)
            store.put(check.name, inputs, rows)
        answers += rows
        advance(1, "")
    return answers


def _inputs(check: Check) -> dict[str, Any]:
    """Return what the outcome depends on: the vectors, the program or the C code, the compiler."""
    key = (check.cipher.file, check.variant, check.backend, check.strategy)
    if key not in _checked:
        _checked[key] = _code_digests(check) if check.backend == "c" else _program_digests(check)
    return {"vectors": _digest(check.file.read_bytes()), "checked": _checked[key]}


_checked: dict[tuple[str, str, str, str], dict[str, str]] = {}
"""What the checks of this process are of: code takes a moment to generate, and many checks share it."""


def _code_digests(check: Check) -> dict[str, str]:
    from cipherassay.native.compiler import find_compiler
    from cipherassay.native.generated import generate

    code = generate(check.cipher, strategy=check.strategy, variant=check.variant)
    made = {name: _digest(text.encode()) for name, text in code.files}
    return made | {"compiler": find_compiler("c").version}


def _program_digests(check: Check) -> dict[str, str]:
    programs = {bits: check.cipher.compile(bits, check.variant) for bits in check.cipher.key_bits}
    return {str(bits): _digest(program.text().encode()) for bits, program in programs.items()}


def _run(check: Check) -> list[Row]:
    from cipherassay.vectors import check_file, read_vectors
    from cipherassay.vectors.choosing import backend_name, make_backend
    from cipherassay.vectors.explaining import failure_error

    file = read_vectors(check.file)
    backend = make_backend(backend_name(check.backend, file), check.cipher, check.variant, check.strategy)
    outcome = check_file(
        file, backend, key_bits=check.cipher.key_bits, byte_order=check.cipher.nist_byte_order,
        threads=(os.cpu_count() or 1) if check.backend == "c" else 1,
    )  # fmt: skip
    if not outcome.ok:
        raise failure_error(outcome, check.cipher, check.variant, backend)
    counts = {PASSED: sum(outcome.passed.values()), FAILED: len(outcome.failures)}
    command = f"assay kat check {check.file.name} --cipher {check.cipher.slug} --backend {check.backend}"
    return [
        Row(
            cipher=check.cipher.name,
            variant=check.variant,
            strategy=check.strategy or None,
            part=check.file.name,
            target=check.backend,
            metric=metric,
            value=count,
            basis="measured",
            command=command,
        )
        for metric, count in counts.items()
    ]


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
