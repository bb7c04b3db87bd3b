"""The kept choices of kernels: which strategy, circuits and instructions a long search found best.

A kernel is made anew from its choice each time, with its bound and all checks; what is kept saves the search
only.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from cipherassay import keeping
from cipherassay.lang.cipher import Cipher
from cipherassay.once import once
from cipherassay.processors.kernel import Choice, Kernel

KIND = "kernels"
"""The kind of kept artefacts; a file per processor."""


def name_of(cipher: str, operation: str, key_bits: int, variant: str, form: str) -> str:
    """Return the name of a kernel in its processor's file: ``CIPHER encrypt 128 unrolled``."""
    return " ".join(part for part in (cipher, variant, operation, str(key_bits or ""), form) if part)


def processors() -> list[str]:
    """Return the processors that choices are kept for."""
    return [path.stem for path in keeping.files(KIND, "*.json")]


def choices(processor: str) -> Mapping[str, Choice]:
    """Return the kept choices of a processor by the kernels' names; empty if there are none.

    Raises
    ------
    DescriptionError
        A001: the file is damaged.
    """
    known: dict[str, Choice] = {}
    for path in reversed(keeping.candidates(KIND, f"{processor}.json")):
        known |= read(path)
    return known


def read(path: Path) -> Mapping[str, Choice]:
    """Return the choices of one file as `choices` does; none if it follows another schema."""
    return _read(path, path.stat().st_mtime_ns)


@once
def _read(path: Path, _changed: int) -> Mapping[str, Choice]:
    document = keeping.read(KIND, path)
    try:
        found: dict[str, dict[str, Any]] = document["choices"] if document else {}
        return {name: Choice(**{**one, "avoid": tuple(one["avoid"])}) for name, one in found.items()}
    except (AttributeError, TypeError, KeyError) as error:
        raise keeping.damaged(KIND, path, error) from None


def keep(found: Kernel, form: str) -> Path:
    """Keep the choice of a kernel; return the file."""
    name = name_of(found.cipher, found.operation, found.key_bits, found.variant, form)

    def with_it(path: Path | None) -> str:
        return text_of({**(read(path) if path else {}), name: found.choice})

    return keeping.update(KIND, f"{found.processor.name}.json", with_it)


def text_of(known: Mapping[str, Choice]) -> str:
    """Return the text of a file of choices, a line for each."""
    lines = [f" {json.dumps(name)}: {json.dumps(_fields(known[name]))}" for name in sorted(known)]
    head = f'{{"schema": {keeping.SCHEMAS[KIND]}, "choices": {{'
    return head + "\n" + ",\n".join(lines) + "\n}}\n"


def _fields(choice: Choice) -> dict[str, Any]:
    """Return a choice as it is written: without what few kernels have."""
    few = ("spill", "key", "window", "free", "carried", "bytes")
    return {name: value for name, value in asdict(choice).items() if value or name not in few}


def kept(
    cipher: Cipher, operation: str, processor: str, key_bits: int, variant: str, form: str
) -> Choice | None:
    """Return the kept choice of a kernel, or None.

    One key setup for both directions is one kernel under two names. Where nothing was searched for a key
    size, the choice for the shortest keys stands.
    """
    known = choices(processor)
    for bits in dict.fromkeys((key_bits, min(cipher.key_bits))):
        for name in _names(cipher, operation):
            found = known.get(name_of(cipher.slug, name, bits, variant, form))
            if found is not None:
                return found
    return None


def _names(cipher: Cipher, operation: str) -> tuple[str, ...]:
    same = ("key_setup_both", "key_setup_encrypt")
    return (operation, *same) if operation in same and "combined" not in cipher.forms else (operation,)
