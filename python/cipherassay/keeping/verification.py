"""All kept artefacts checked again: what holds, what is stale, what is damaged or false.

Each kind is checked by the part or study that uses it, as it is on use: a function of the kind's name in its
module ``verification``, found by scanning, returns the `Unit`s of work.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal

from cipherassay import keeping, scanning
from cipherassay.errors import AssayError, DescriptionError, UsageError, VerificationError, nearest
from cipherassay.jobs import SILENT, Progress, each

State = Literal["holds", "stale", "damaged", "false", "not checked"]
STATES: tuple[State, ...] = ("holds", "stale", "damaged", "false", "not checked")
OTHER_SCHEMA = "it follows another version of the schema"


@dataclass(frozen=True)
class Verdict:
    """What was found of an artefact.

    ``stale``: it is of something that has changed since or of another schema, and is not used.
    ``damaged``: it cannot be read. ``false``: it claims what is not so. ``not checked``: it belongs to a
    cipher that is not the package's, so that nothing is known to compare it with.
    """

    kind: str
    name: str
    state: State
    path: Path
    why: str = ""
    entry: Callable[[], Any] | None = None
    """Takes the artefact out of a file of several; without it the file is the artefact."""

    def prune(self) -> bool:
        """Remove a stale or damaged artefact of `keeping.home`; return whether it was one."""
        if self.state not in ("stale", "damaged") or not self.path.is_relative_to(keeping.home()):
            return False
        if self.entry is not None:
            self.entry()
        else:
            keeping.remove(self.path)
        return True


@dataclass(frozen=True)
class Unit:
    """Work that gives verdicts; units do not depend on each other."""

    title: str
    verdicts: Callable[[], Iterable[Verdict]]


def units(kind: str) -> list[Unit]:
    """Return the work of verifying every artefact of a kind.

    Raises
    ------
    UsageError
        ``A003``: there is no such kind.
    """
    if kind not in keeping.SCHEMAS:
        raise UsageError(
            "A003", f"no artefacts are of the kind `{kind}`", help=nearest(kind, keeping.SCHEMAS)
        )
    modules = map(importlib.import_module, scanning.of_parts("verification"))
    verify: Callable[[], list[Unit]] = next(
        getattr(one, kind)
        for one in modules
        if getattr(getattr(one, kind, None), "__module__", "") == one.__name__
    )
    return verify()


def verify(chosen: Sequence[Unit], progress: Progress = SILENT) -> list[Verdict]:
    """Do units of work side by side; return the verdicts by name."""
    found = each(lambda unit: list(unit.verdicts()), chosen, lambda unit: unit.title, progress=progress)
    return sorted((verdict for some in found for verdict in some), key=lambda one: one.name)


def by_file(kind: str, pattern: str, verify: Callable[[Path], Iterable[Verdict]]) -> list[Unit]:
    """Return a unit for each file of a kind."""
    return [
        Unit(keeping.name_of(path), partial(guarded, kind, path, verify))
        for path in keeping.every(kind, pattern)
    ]


def by_entry(kind: str, pattern: str, entries: Callable[[Path], Iterable[Unit]]) -> list[Unit]:
    """Return the units of each file that holds several artefacts; a file without any is checked itself."""
    found: list[Unit] = []
    for path in keeping.every(kind, pattern):
        try:
            some = list(entries(path))
            verdict = plain(kind, path, OTHER_SCHEMA)
        except AssayError as error:
            some, verdict = [], of_error(kind, path, error)
        found += some or [Unit(keeping.name_of(path), partial(list, [verdict]))]
    return found


def guarded(kind: str, path: Path, verify: Callable[[Path], Iterable[Verdict]]) -> list[Verdict]:
    """Return a verifier's verdicts, or the one that an error stands for."""
    try:
        return list(verify(path))
    except AssayError as error:
        return [of_error(kind, path, error)]


def plain(kind: str, path: Path, why_stale: str = "", why_false: str = "") -> Verdict:
    """Return the verdict on a file: it holds unless there is a reason why not."""
    state: State = "false" if why_false else "stale" if why_stale else "holds"
    return Verdict(kind, keeping.name_of(path), state, path, why_false or why_stale)


def of_error(kind: str, path: Path, error: AssayError) -> Verdict:
    """Return the verdict that the error of a check stands for."""
    damaged = isinstance(error, DescriptionError) and bool(error.places)
    state: State = "false" if isinstance(error, VerificationError) else "damaged" if damaged else "stale"
    return Verdict(kind, keeping.name_of(path), state, path, said(error))


def said(error: AssayError) -> str:
    """Return an error in a line."""
    return f"{error.code}: {'; '.join([error.message, *error.notes])}"


def is_of_package(cipher: str) -> bool:
    """Return whether a cipher is the package's, so that what is kept of it can be checked."""
    from cipherassay import ciphers

    return cipher in ciphers.names()


def not_checked(kind: str, path: Path, name: str = "") -> Verdict:
    """Return the verdict on what belongs to a cipher of the user's."""
    why = "it is of a cipher that is not the package's"
    return Verdict(kind, name or keeping.name_of(path), "not checked", path, why)
