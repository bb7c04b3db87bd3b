"""Kept preferences, checked: every strategy that one names is there and applies to the cipher."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from cipherassay import keeping, strategies
from cipherassay.keeping.verification import (
    OTHER_SCHEMA,
    Unit,
    Verdict,
    by_file,
    is_of_package,
    not_checked,
    plain,
)
from cipherassay.strategies.preferences import DEFAULTS, KIND, program_digest


def preferences() -> list[Unit]:
    """Return the work of verifying every file of preferences."""
    return by_file(KIND, "*.json", _verify)


def _verify(path: Path) -> Iterator[Verdict]:
    if not is_of_package(path.stem):
        yield not_checked(KIND, path)
        return
    document = keeping.read(KIND, path)
    yield plain(KIND, path, OTHER_SCHEMA if document is None else _wrong(path.stem, document))


def _wrong(slug: str, document: keeping.Document) -> str:
    from cipherassay import ciphers

    cipher, named = ciphers.load(slug), document["strategies"]
    unknown = [target for target in named if target not in DEFAULTS]
    wrong = [
        name
        for name in dict.fromkeys(named.values())
        if name not in strategies.names() or not strategies.serves(strategies.load(name), cipher)
    ]
    why = [f"no target is called `{one}`" for one in unknown] + [f"`{one}` does not apply" for one in wrong]
    digest = program_digest(cipher)
    other = [target for target, program in document.get("programs", {}).items() if program != digest]
    why += [f"the choice for {target} is of another program" for target in other]
    return "; ".join(why)
