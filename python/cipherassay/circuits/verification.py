"""What is kept of circuits, checked: the library, exhaustions, certificates with their proofs."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from cipherassay import keeping
from cipherassay.circuits import boxes, certificates, library, targets
from cipherassay.circuits import exhaustion as exhausting
from cipherassay.circuits import proofs as prover
from cipherassay.errors import AssayError
from cipherassay.keeping.verification import OTHER_SCHEMA, Unit, Verdict, by_file, not_checked, plain


def circuits() -> list[Unit]:
    """Return the work of verifying the library: tables, all inputs, metrics, bounds, published counts."""
    return by_file(library.KIND, "*/*.txt", _circuit)


def _circuit(path: Path) -> Iterator[Verdict]:
    if path.parent.name not in boxes.families():
        yield not_checked(library.KIND, path)
        return
    try:
        item = library.read(path)
    except (AssayError, OSError, ValueError) as error:
        raise keeping.damaged(library.KIND, path, error) from None
    yield plain(library.KIND, path, why_false="; ".join(library.verify(item)))


def exhaustion() -> list[Unit]:
    """Return the work of verifying exhaustions; units are done again by ``assay circuit exhaust`` only."""
    return by_file(exhausting.KEPT, "*.jsonl", _exhaustion)


def _exhaustion(path: Path) -> Iterator[Verdict]:
    work = exhausting.read(path)
    others = [name for name, values in work.boxes.items() if boxes.find(name).data != values]
    if not others:
        exhausting.check(work)
    yield plain(exhausting.KEPT, path, f"{', '.join(others)}: other values by now" if others else "")


def proofs() -> list[Unit]:
    """Return the work of verifying certificates and their proofs; a proof that none names is stale."""
    kind = certificates.KIND
    named = {file for path in keeping.every(kind, "*/*.json") for file in _files(path)}
    lost = [path for path in keeping.every(kind, "*/*.xz") if path not in named]
    return [
        *by_file(kind, "*/*.json", _certificate),
        *(Unit(path.name, partial(list, [plain(kind, path, "no certificate names it")])) for path in lost),
    ]


def _certificate(path: Path) -> Iterator[Verdict]:
    certificate = certificates.read(path)
    if certificate is not None:
        prover.check(path, boxes.find(certificate.box), targets.find(certificate.target))
    yield plain(certificates.KIND, path, "" if certificate else OTHER_SCHEMA)


def _files(path: Path) -> Iterator[Path]:
    """Yield the files of proofs that a certificate names; none for one that cannot be read."""
    try:
        certificate = certificates.read(path)
    except AssayError:
        return
    for one in certificate.refutations if certificate else ():
        yield path.parent / one.file
