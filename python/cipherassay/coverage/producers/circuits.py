"""The circuit of the first S-box that the library has one of, or else the first circuit of a search."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Any

from cipherassay.coverage.level import Level
from cipherassay.errors import DescriptionError
from cipherassay.jobs import Job, Producer, Rows

if TYPE_CHECKING:
    from cipherassay.circuits.boxes import Box
    from cipherassay.circuits.documents import Document
    from cipherassay.circuits.targets import Target
    from cipherassay.jobs import Executor
    from cipherassay.lang.cipher import Cipher
    from cipherassay.results import Row

ORDER = 8
TARGET = "two-input"
NO_BOX, NO_CIRCUIT = "C140", "C141"
PRODUCER = Producer(
    "circuit of an S-box", 1, ("cipherassay.coverage.producers.circuits",), ("circuit", "circuit-search")
)
CALLS = (25, 100, 400)
"""How often a search of a circuit that none is kept of is asked whether to go on, until one is found."""


def levels() -> Sequence[Level]:
    """Return the level of circuits of all two-input gates."""
    title = f"circuit of an S-box, {TARGET} gates"
    return [Level("circuit", "devices", title, _jobs, _number, frozenset({NO_BOX}))]


def _number(cipher: Cipher, rows: Sequence[Row]) -> Row | None:
    return next((row for row in rows if row.metric == "gates"), None)


def _jobs(cipher: Cipher, quick: bool, place: Executor) -> Sequence[Job[Rows]]:
    name, title = f"circuit/first/{cipher.slug}", f"S-box of {cipher.name}"
    return [Job(name, title, partial(_rows, cipher), inputs=partial(_inputs, cipher))]


def _inputs(cipher: Cipher) -> dict[str, Any]:
    from cipherassay.inputs import description_digest
    from cipherassay.strategies import circuits_digest

    return PRODUCER.inputs(cipher=description_digest(cipher), circuits=circuits_digest())


def _rows(cipher: Cipher) -> Rows:
    """Return the rows of the first S-box that a circuit is kept of; of a circuit made now if none is.

    Raises
    ------
    DescriptionError
        ``C140``: the description has no S-box. ``C141``: no engine makes a circuit of the first.
    """
    from cipherassay.circuits import boxes, library, targets
    from cipherassay.circuits.rows import rows, stored_rows

    found = boxes.of_cipher(cipher)
    if not found:
        raise DescriptionError(NO_BOX, f"{cipher.name} has 0 tables from 3 to 8 bits to at most 8: no S-box")
    target = targets.find(TARGET)
    for box in found:
        if kept := library.find(box, target, "gates"):
            return Rows(stored_rows(kept.document))
    if document := _first(found[0], target):
        return Rows(rows(document, found[0], target))
    raise DescriptionError(
        NO_CIRCUIT,
        f"no circuit of an S-box of {cipher.name} is kept, and no engine makes one at once",
        help=f"`assay circuit search` with `--target {TARGET}` finds one",
    )


def _stopping(most: int) -> Callable[[str], bool]:
    """Return what says that a unit is to stop once it was asked so often."""
    calls = count()
    return lambda _: next(calls) >= most


def _first(box: Box, target: Target) -> Document | None:
    """Return the best circuit of the first unit of the engines, each stopped early; checked and measured."""
    from cipherassay.circuits import engine
    from cipherassay.circuits.record import Record
    from cipherassay.circuits.searching import document_of

    record = Record(engine.Problem(box, target, ("gates",)))
    for most in CALLS:
        for one in engine.engines(record.problem):
            step = engine.run_unit(record.problem, one.name, 0, _stopping(most))
            record.add(one.name, 0, replace(step, finished=False), 0.0)
        if record.best:
            break
    return document_of(record)
