"""The circuits of the library as rows of the report."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from cipherassay.jobs import Job, Producer, Rows
from cipherassay.jobs.digests import digest

CIRCUITS = Producer(
    "circuits", 1, ("cipherassay.circuits.rows", "cipherassay.circuits.library"), ("circuit",)
)


def circuit_job(names: Sequence[str] = ()) -> Job[Rows]:
    """Return the job of a row per metric of stored circuits: of all, or of ciphers with these names."""
    name = "-".join(["circuits", *(one.lower() for one in sorted(names))])
    return Job(name, "circuits", partial(_circuits, names), inputs=partial(_circuit_inputs, names))


def _circuits(names: Sequence[str]) -> Rows:
    from cipherassay.circuits import library
    from cipherassay.circuits.rows import stored_rows

    rows = (row for item in library.stored() for row in stored_rows(item.document))
    return Rows([row for row in rows if not names or row.cipher in names])


def _circuit_inputs(names: Sequence[str]) -> dict[str, object]:
    from cipherassay.circuits import library

    texts = {f"{one.path.parent.name}/{one.path.name}": one.text for one in library.stored()}
    return CIRCUITS.inputs(library=digest(texts), ciphers=list(names))
