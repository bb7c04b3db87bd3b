"""Instruction sets of small processors: files of records, read once."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from cipherassay._engine import Microcontroller


@cache
def instruction_set(path: Path) -> Microcontroller:
    """Return the instruction set of a file.

    Raises
    ------
    DescriptionError
        ``E134``: something in the file is wrong.
    """
    return Microcontroller.parse(path.read_text(encoding="utf-8"), path.name)


@cache
def records(path: Path) -> tuple[dict[str, Any], ...]:
    """Return the records of the instructions of a file, for simulators and lists."""
    return tuple(tomllib.loads(path.read_text(encoding="utf-8"))["instruction"])
