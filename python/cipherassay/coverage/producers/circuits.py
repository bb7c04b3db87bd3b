"""The circuit of the first S-box, from the library, else constructed at once."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from cipherassay.coverage.level import Level
from cipherassay.jobs import Job, Rows

if TYPE_CHECKING:
    from cipherassay.jobs import Executor
    from cipherassay.lang.cipher import Cipher
    from cipherassay.results import Row

ORDER = 8
TARGET = "two-input"
NO_BOX = "C140"


def levels() -> Sequence[Level]:
    """Return the level of circuits of all two-input gates."""
    title = f"circuit of an S-box, {TARGET} gates"
    return [Level("circuit", "devices", title, _jobs, _number, frozenset({NO_BOX}))]


def _number(cipher: Cipher, rows: Sequence[Row]) -> Row | None:
    return next((row for row in rows if row.metric == "gates"), None)


def _jobs(cipher: Cipher, quick: bool, place: Executor) -> Sequence[Job[Rows]]:
    return [Job(f"circuit/kept/{cipher.slug}", f"S-box of {cipher.name}", partial(_rows, cipher))]


def _rows(cipher: Cipher) -> Rows:
    """Return the rows of the first S-box that a circuit is kept of, else constructed for the first.

    Raises
    ------
    UsageError
        ``C140``: the description has no S-box.
    """
    from cipherassay.circuits import boxes, constructing, library, targets
    from cipherassay.circuits.nonlinear import no_box
    from cipherassay.circuits.rows import rows, stored_rows

    found = boxes.of_cipher(cipher)
    if not found:
        raise no_box(cipher, NO_BOX)
    target = targets.find(TARGET)
    for box in found:
        if kept := library.find(box, target, "gates"):
            return Rows(stored_rows(kept.document))
    return Rows(rows(constructing.best(found[0], target), found[0], target))
