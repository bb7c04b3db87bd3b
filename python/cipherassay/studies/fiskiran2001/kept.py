"""The search of assumptions for the study of addressing modes, kept in the store by what it depends on."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from cipherassay import scanning
from cipherassay.inputs import description_digest
from cipherassay.jobs import Job, Place, Producer, RowCache, Rows, run
from cipherassay.jobs.digests import files_digest
from cipherassay.results import Row, Store
from cipherassay.studies.fiskiran2001 import addressing
from cipherassay.studies.fiskiran2001 import fit as addressing_fit
from cipherassay.studies.fiskiran2001.fit import Fit

if TYPE_CHECKING:
    from cipherassay.lang.cipher import Cipher

RUN = "addressing-search"
PRODUCER = Producer(
    "addressing search", 1, ("cipherassay.studies.fiskiran2001.fit",), ("processor",),
    records=("cipherassay.processors", "cipherassay.published", "cipherassay.strategies"),
)  # fmt: skip


def search(store: Store, quiet: bool = False) -> list[Fit]:
    """Return the fits of all sets of assumptions, the best first; found once, then taken from the store."""
    from cipherassay import ciphers

    chosen = [ciphers.load(name.lower()) for name in addressing_fit.printed_ciphers()]
    varied = (*addressing_fit.SEARCHED, "overhead")
    searched = {name: list(addressing.CHOICES[name][1]) for name in varied}
    job = Job(
        RUN, "assumptions", lambda: Rows([row for fit in addressing_fit.search(quiet) for row in _rows(fit)]),
        inputs=lambda: PRODUCER.inputs(searched=searched, **data(chosen)), place=Place.COORDINATOR,
    )  # fmt: skip
    return _fits(run([job], RowCache(store)).results[RUN].rows)


def _rows(fit: Fit) -> list[Row]:
    """Return a row per cipher and one for all: which set it is of stands in its part."""
    known = json.dumps(fit.document()["assumptions"])
    return [
        Row(
            cipher=cipher or None, part=known, level="processor", target=addressing.PROCESSOR,
            metric="rms_error", value=value, basis="simulated", command="assay study addressing --search",
        )
        for cipher, value in {**fit.by_cipher, "": fit.together}.items()
    ]  # fmt: skip


def _fits(rows: Sequence[Row]) -> list[Fit]:
    found: dict[str, dict[str, float]] = {}
    for row in rows:
        found.setdefault(row.part or "", {})[row.cipher or ""] = row.value
    return [_fit(json.loads(part), errors) for part, errors in found.items()]


def _fit(settings: dict[str, Any], errors: dict[str, float]) -> Fit:
    assumptions = addressing.Assumptions()
    for name, value in settings.items():
        assumptions = assumptions.changed(name, value)
    by_cipher = {cipher: value for cipher, value in errors.items() if cipher}
    return Fit(assumptions, by_cipher, errors[""])


def data(ciphers: Sequence[Cipher]) -> dict[str, Any]:
    """Return what the study of some ciphers depends on besides code, as inputs of a job."""
    folder = scanning.PACKAGE
    model = addressing.PROCESSOR
    files = [folder / "isas" / f"{model}.toml", folder / "processors" / f"{model}.toml"]
    files += [folder / "published" / "fiskiran2001.toml", *(folder / "strategies").glob("as-compiled*.toml")]
    digests = {cipher.slug: description_digest(cipher) for cipher in ciphers}
    return {"ciphers": digests, "data": files_digest(files, folder)}
