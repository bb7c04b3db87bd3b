"""All modelled processors: each module of this folder is a family of them, with an object ``FAMILY``.

A family is what one way of modelling serves: processors of issue slots (`cipherassay.processors`), those of
micro-operations (`cipherassay.x86`), small ones (`cipherassay.embedded`).
"""

from __future__ import annotations

import importlib
import pkgutil
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cipherassay.errors import AssayError, UsageError, nearest

if TYPE_CHECKING:
    from cipherassay.families._listing import Listing
    from cipherassay.lang.cipher import Cipher

CONFIDENCE = ("documented", "inferred", "assumed", "hypothetical")
"""How sure an entry is."""


@dataclass(frozen=True)
class Entry:
    """A line of the list; None: the file carries no clock, the model no list of instructions."""

    name: str
    isa: str
    order: str
    issue: int
    mhz: float | None
    instructions: int | None
    confidence: str
    title: str


@dataclass(frozen=True)
class InfoTable:
    """A table of what is known: its title, columns and lines."""

    title: str
    columns: Sequence[str]
    lines: Iterable[Sequence[Any]]


class Sources:
    """Numbers for sources, so that tables stay narrow; they are listed at the end."""

    def __init__(self) -> None:
        self._known: dict[str, int] = {}

    def __call__(self, entry: dict[str, Any]) -> str:
        """Return ``documented [2]`` for an entry with ``confidence`` and ``source``."""
        number = self._known.setdefault(entry["source"], len(self._known) + 1)
        return f"{entry['confidence']} [{number}]"

    def lines(self) -> list[str]:
        """Return the list."""
        return [f"[{number}] {source}" for source, number in self._known.items()]


class Family(ABC):
    """Processors that are modelled in one way; names are those that ``--processor`` takes."""

    @abstractmethod
    def names(self, path: Path | None = None) -> list[str]:
        """Return the names; ``path`` is a user's folder with more."""

    @abstractmethod
    def entry(self, name: str, path: Path | None = None) -> Entry:
        """Return a processor's line of the list."""

    @abstractmethod
    def check(self, name: str, path: Path | None = None) -> Sequence[AssayError]:
        """Return the contradictions in the files of a processor; empty if there are none."""

    @abstractmethod
    def document(self, name: str, path: Path | None = None) -> dict[str, Any]:
        """Return what is known of a processor: ``name``, ``title``, ``isa``, what its files hold."""

    @abstractmethod
    def listing(self, name: str, cipher: Cipher, operation: str, key_bits: int) -> Listing:
        """Return an operation of a cipher as machine code that is quickly made: one choice, no searches.

        Raises
        ------
        AssayError
            The processor does not take it: what is missing.
        """

    @abstractmethod
    def tables(self, known: dict[str, Any], sources: Sources) -> list[InfoTable]:
        """Return what `document` gave as tables, sources by their numbers."""


@cache
def families() -> tuple[Family, ...]:
    """Return the families, in the order of their modules' names; what begins with ``_`` is none."""
    found = sorted(one.name for one in pkgutil.iter_modules(__path__) if not one.name.startswith("_"))
    return tuple(importlib.import_module(f"{__name__}.{name}").FAMILY for name in found)


def names(path: Path | None = None) -> list[str]:
    """Return the names of all modelled processors."""
    return sorted(name for family in families() for name in family.names(path))


def family_of(name: str, path: Path | None = None) -> Family:
    """Return the family that has a processor.

    Raises
    ------
    UsageError
        ``M002``: no family has one of that name.
    """
    for family in families():
        if name in family.names(path):
            return family
    raise UsageError("M002", f"there is no processor `{name}`", help=nearest(name, names(path)))
