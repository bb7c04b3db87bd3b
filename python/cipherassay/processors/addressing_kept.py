"""The search of assumptions for the study of addressing modes, kept in the store by what it depends on."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cipherassay.processors import addressing, addressing_fit
from cipherassay.processors.addressing_fit import Fit
from cipherassay.results import Row, Store

if TYPE_CHECKING:
    from cipherassay.lang.cipher import Cipher

RUN = "addressing-search"


def search(store: Store, quiet: bool = False) -> list[Fit]:
    """Return the fits of all sets of assumptions, the best first; found once, then taken from the store."""
    from cipherassay import ciphers

    names = addressing_fit.printed_ciphers()
    varied = (*addressing_fit.SEARCHED, "overhead")
    inputs = {
        "searched": {name: list(addressing.CHOICES[name][1]) for name in varied},
        "files": files([ciphers.load(name.lower()) for name in names]),
    }
    kept = store.find(RUN, inputs)
    if kept is None:
        kept = [row for fit in addressing_fit.search(quiet) for row in _rows(fit)]
        store.put(RUN, inputs, kept)
    return _fits(kept)


def _rows(fit: Fit) -> list[Row]:
    """Return a row per cipher and one for all: which set it is of stands in its part."""
    known = json.dumps(fit.document()["assumptions"])
    return [
        Row(
            cipher=cipher or None, part=known, level="processor", target=addressing.PROCESSOR,
            metric="rms_error", value=value, basis="simulated", command="assay addressing --search",
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


def files(ciphers: Sequence[Cipher]) -> dict[str, str]:
    """Return digests of everything that the study of some ciphers depends on."""
    import cipherassay
    from cipherassay import _engine

    folder = Path(cipherassay.__file__).parent
    found = [Path(str(cipher.file)) for cipher in ciphers]
    found += [folder / "isas" / "epic.toml", folder / "processors" / "epic.toml"]
    found += sorted((folder / "strategies").glob("as-compiled*.toml"))
    found += sorted((folder / "processors").glob("addressing*.py"))
    found += [folder / "published" / "fiskiran2001.toml"]
    found += [folder / "processors" / "single_pass.py", Path(str(_engine.__file__))]
    return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in found}
