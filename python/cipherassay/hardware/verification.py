"""What is kept of hardware, checked: designs are those that are written now, figures agree."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from cipherassay import keeping
from cipherassay.errors import VerificationError
from cipherassay.hardware.results import stored
from cipherassay.hardware.simulation import verified
from cipherassay.hardware.simulation.verified import Record
from cipherassay.keeping.verification import (
    OTHER_SCHEMA,
    Unit,
    Verdict,
    by_entry,
    by_file,
    is_of_package,
    not_checked,
    plain,
)


def grades() -> list[Unit]:
    """Return the work of verifying every kept result of synthesis."""
    return by_file(stored.KIND, "*/*.json", _grades)


def _grades(path: Path) -> Iterator[Verdict]:
    document = stored.load(path)
    why = OTHER_SCHEMA
    if document is not None:
        try:
            stored.verify(document)
            why = ""
        except VerificationError as error:
            if error.code != stored.STALE:
                raise
            why = "; ".join(error.notes)
    yield plain(stored.KIND, path, why)


def simulations() -> list[Unit]:
    """Return the work of verifying records of simulations; the simulations are not run again."""
    return by_entry(verified.KIND, "*.json", _records)


def _records(path: Path) -> Iterator[Unit]:
    for record in verified.read(path):
        yield Unit(record["design"], partial(_record, path, record))


def _record(path: Path, record: Record) -> Iterator[Verdict]:
    name = f"{keeping.name_of(path)}: {record['design']} ({record['strategy']})"
    if not is_of_package(record["cipher"]):
        yield not_checked(verified.KIND, path, name)
        return

    def take_out() -> None:
        keeping.update(verified.KIND, path.name, lambda file: _without(file, record))

    why = verified.why_stale(record)
    yield Verdict(verified.KIND, name, "stale" if why else "holds", path, why, take_out)


def _without(path: Path | None, record: Record) -> str:
    known = verified.read(path) if path else []
    return verified.text([one for one in known if one != record])
