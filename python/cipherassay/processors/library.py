"""The kept choices of kernels: which strategy, circuits and instructions a long search found best.

A kernel is made anew from its choice each time, with its bound and all checks; what is kept saves the search
only.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from cipherassay._engine import Processor
from cipherassay.errors import DescriptionError
from cipherassay.lang.cipher import Cipher
from cipherassay.processors import kernel
from cipherassay.processors.kernel import Choice, Kernel

FOLDER = Path(__file__).parents[3] / "stored" / "kernels"
"""A file per processor."""


def name_of(cipher: str, operation: str, key_bits: int, variant: str, form: str) -> str:
    """Return the name of a kernel in its processor's file: ``rc6 encrypt 128 unrolled``."""
    return " ".join(part for part in (cipher, variant, operation, str(key_bits), form) if part)


def choices(processor: str, folder: Path = FOLDER) -> Mapping[str, Choice]:
    """Return the kept choices of a processor by the kernels' names; empty if there are none.

    Raises
    ------
    DescriptionError
        M330: the file is not one of choices.
    """
    path = folder / f"{processor}.json"
    if not path.exists():
        return {}
    try:
        document: dict[str, dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
        return {name: Choice(**{**one, "avoid": tuple(one["avoid"])}) for name, one in document.items()}
    except (ValueError, TypeError, KeyError) as error:
        raise DescriptionError("M330", f"`{path}` does not hold choices of kernels: {error}") from None


def keep(found: Kernel, form: str, folder: Path = FOLDER) -> Path:
    """Keep the choice of a kernel; return the file."""
    known = dict(choices(found.processor.name, folder))
    known[name_of(found.cipher, found.operation, found.key_bits, found.variant, form)] = found.choice
    path = folder / f"{found.processor.name}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [f" {json.dumps(name)}: {json.dumps(asdict(known[name]))}" for name in sorted(known)]
    written = path.with_suffix(f".{os.getpid()}.tmp")
    written.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    written.replace(path)
    return path


def kept(
    cipher: str, operation: str, processor: str, key_bits: int, variant: str, form: str
) -> Choice | None:
    """Return the kept choice of a kernel, or None."""
    return choices(processor).get(name_of(cipher, operation, key_bits, variant, form))


def search(
    cipher: Cipher, operation: str, processor: Processor, *, form: str = "unrolled", folder: Path = FOLDER
) -> Iterator[tuple[str, Kernel]]:
    """Search a kernel, keep its choice; yield what was found after each step, with the step's name."""
    found = kernel.best(cipher, operation, processor, form=form, anew=True)
    keep(found, form, folder)
    yield "strategies", found
    better = kernel.searched(found, cipher)
    if better is not found:
        keep(better, form, folder)
    yield "instructions", better
