"""Circuits written in other languages, and the proof that what was written computes the box.

`emit` gives the text; `check` runs that text, in its own form, on every input: C is compiled, assembler
assembled or interpreted, hardware simulated. The checks are in ``emitted``, one file per kind; they share no
code with what writes the text.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from cipherassay.circuits import emitted
from cipherassay.circuits.boxes import Box
from cipherassay.circuits.emitted import EmittedText, Proof
from cipherassay.circuits.targets import Target

__all__ = [
    "Choice",
    "EmittedText",
    "Language",
    "Proof",
    "check",
    "check_all",
    "emit",
    "identifier",
    "languages",
]

_engine: Any = importlib.import_module("cipherassay._engine")


@dataclass(frozen=True)
class Choice:
    """An option of a language; the first value is the default, no values: any whole number."""

    name: str
    values: tuple[str, ...]
    purpose: str


@dataclass(frozen=True)
class Language:
    """A language that circuits are written in; `suffix` is that of its files, without a dot."""

    name: str
    title: str
    suffix: str
    choices: tuple[Choice, ...]


@cache
def languages() -> dict[str, Language]:
    """Return every language by its name, in the order in which they are shown."""
    found = {}
    for entry in json.loads(_engine.circuit_languages()):
        choices = [Choice(c["name"], tuple(c["values"]), c["purpose"]) for c in entry["choices"]]
        found[entry["name"]] = Language(entry["name"], entry["title"], entry["suffix"], tuple(choices))
    return found


def identifier(name: str) -> str:
    """Return the name of a box's function, module or entity: ``CIPHER_S3_inverse``."""
    found: str = _engine.circuit_identifier(name)
    return found


def emit(
    text: str, language: str, *, name: str = "", target: Target | None = None, file: str = "", **options: str
) -> str:
    """Write a circuit in a language.

    Parameters
    ----------
    text : str
        One circuit in its text form; a line ``table`` in it is checked.
    language : str
        A name of `languages`.
    name : str
        The box's name where it is not that of the circuit.
    target : Target, optional
        Needed where the circuit names cells of a target.
    file : str
        What error messages call the text.
    options : str
        The language's choices: ``word="32"``.

    Raises
    ------
    UsageError
        ``C401``: no such language; ``C402``: no such option, or value; ``C404``: several circuits.
    DescriptionError, VerificationError
        ``C0xx``, ``C1xx``: the circuit cannot be read or is wrong; ``C403``: the machine has too few
        registers.
    """
    written: str = _engine.circuit_emit(
        text,
        language,
        options,
        target.as_json() if target else None,
        name or None,
        file or "circuit text",
    )
    return written


def check(text: str, language: str, box: Box) -> Proof:
    """Prove that an emitted text computes a box, on every input, in its own form.

    Raises
    ------
    UsageError
        ``C401``: no such language.
    VerificationError
        ``C410``: a wrong value, the first differing input is named; ``C411``: the text is refused, breaks a
        rule of its machine, or cannot be run.
    """
    return check_all([EmittedText(text, language, box)])[0]


def check_all(items: Sequence[EmittedText]) -> list[Proof]:
    """Prove several texts at once: texts of one language share one run of each tool. Raises as `check`."""
    return emitted.prove(items)
