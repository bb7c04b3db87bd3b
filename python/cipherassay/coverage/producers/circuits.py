"""The circuit of the first S-box, from the library, else constructed at once."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from cipherassay.coverage.level import Level
from cipherassay.jobs import Job, Producer, Rows
from cipherassay.results.refusal import refusal

if TYPE_CHECKING:
    from cipherassay.errors import UsageError
    from cipherassay.jobs import Executor
    from cipherassay.lang.cipher import Cipher
    from cipherassay.results import Row

ORDER = 8
TARGET = "two-input"
NO_BOX = "C140"
PRODUCER = Producer(
    "circuit of a cipher", 1,
    ("cipherassay.circuits.boxes", "cipherassay.circuits.constructing", "cipherassay.circuits.nonlinear",
     "cipherassay.circuits.rows"),
    ("circuit", "program"),
)  # fmt: skip


def levels() -> Sequence[Level]:
    """Return the level of circuits of all two-input gates."""
    title = f"circuit of an S-box, {TARGET} gates"
    return [Level("circuit", "devices", title, _jobs, _number, frozenset({NO_BOX}))]


def _number(cipher: Cipher, rows: Sequence[Row]) -> Row | None:
    return next((row for row in rows if row.metric == "gates"), None)


def _jobs(cipher: Cipher, quick: bool, place: Executor) -> Sequence[Job[Rows]]:
    name, title = f"circuit/kept/{cipher.slug}", f"S-box of {cipher.name}"
    return [Job(name, title, partial(_rows, cipher), inputs=partial(_inputs, cipher))]


def _inputs(cipher: Cipher) -> dict[str, Any]:
    from cipherassay.inputs import description_digest, published_digest
    from cipherassay.strategies import circuits_digest

    return PRODUCER.inputs(
        cipher=description_digest(cipher), circuits=circuits_digest(), published=published_digest(cipher)
    )


def _rows(cipher: Cipher) -> Rows:
    """Return the rows of the first S-box that a circuit is kept of, else constructed for the first; why
    there is none where there is no S-box."""
    from cipherassay.circuits import boxes, constructing, library, targets
    from cipherassay.circuits.nonlinear import no_box
    from cipherassay.circuits.rows import rows, stored_rows

    found = boxes.of_cipher(cipher)
    if not found:
        return Rows([_refused(cipher, no_box(cipher, NO_BOX))])
    target = targets.find(TARGET)
    for box in found:
        if kept := library.find(box, target, "gates"):
            return Rows(stored_rows(kept.document))
    return Rows(rows(constructing.best(found[0], target), found[0], target))


def _refused(cipher: Cipher, error: UsageError) -> Row:
    from cipherassay.ciphers import argument

    command = f"assay circuit search {argument(cipher)} --target {TARGET}"
    return refusal(
        error, cipher=cipher.name, level="circuit", target=TARGET, basis="synthesized", command=command
    )
