"""Finding papers in folders and putting each together from its files."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from cipherassay.errors import DescriptionError, Place, UsageError
from cipherassay.published._read import read_part
from cipherassay.published._schema import (
    Citation,
    Erratum,
    Part,
    PublishedPaper,
    PublishedRow,
    PublishedTable,
    Relation,
    matches,
)


def find(folders: Iterable[Path]) -> dict[str, list[Path]]:
    """The files of each paper: ``NAME.toml``, or the ``.toml`` files of a folder ``NAME``.

    Raises
    ------
    UsageError
        ``B014``: one of them is no folder.
    """
    found: dict[str, list[Path]] = {}
    for folder in folders:
        if not folder.is_dir():
            raise UsageError("B014", f"`{folder}` is not a folder", help="name the folder that holds papers")
        for path in sorted((*folder.glob("*.toml"), *folder.glob("*/*.toml"))):
            found.setdefault(path.stem if path.parent == folder else path.parent.name, []).append(path)
    return dict(sorted(found.items()))


def read_paper(name: str, files: Sequence[Path]) -> PublishedPaper:
    """Read a paper from its files, of which one has the citation.

    Raises
    ------
    DescriptionError
        A file is wrong (see ``read_part``); ``B017`` no citation; ``B024`` an erratum applies to no row;
        ``B011`` an id, ``B025`` the citation comes twice.
    """
    parts = [read_part(path, name) for path in files]
    one = PublishedPaper(
        id=name,
        citation=_citation(parts),
        tables=tuple(table for part in parts for table in part.tables),
        omitted=tuple(omitted for part in parts for omitted in part.omitted),
        relations=tuple(relation for part in parts for relation in part.relations),
        errata=tuple(erratum for part in parts for erratum in part.errata),
        models=tuple(model for part in parts for model in part.models),
        place=parts[0].place,
    )
    for kind, records in (("table", one.tables), ("relation", one.relations), ("erratum", one.errata)):
        _distinct(kind, records)
    return _with_errata(one)


def _citation(parts: Sequence[Part]) -> Citation:
    found = [(part.citation, part.place) for part in parts if part.citation]
    if not found:
        raise DescriptionError("B017", "the paper lacks `[citation]`", places=[parts[0].place])
    if len(found) > 1:
        places = [Place(place.file, place.line) for _, place in found[1:]]
        raise DescriptionError("B025", "the paper has a second `[citation]`", places=places)
    return found[0][0]


def _distinct(kind: str, records: Iterable[PublishedTable | Relation | Erratum]) -> None:
    seen: dict[str, Place] = {}
    for record in records:
        if record.id in seen:
            note = f"first at {seen[record.id]}"
            raise DescriptionError(
                "B011", f"{kind} `{record.id}` is defined twice", places=[record.place], notes=[note]
            )
        seen[record.id] = record.place


def _with_errata(one: PublishedPaper) -> PublishedPaper:
    """Attach to each row the errata that concern it; an erratum that selects no row is an error."""
    for erratum in one.errata:
        for chosen in erratum.applies:
            if not any(matches(row, chosen) for row in one.rows):
                raise DescriptionError(
                    "B024", f"erratum `{erratum.id}` applies to no row", places=[erratum.place]
                )
    tables = (
        replace(table, rows=tuple(_noted(row, one.errata) for row in table.rows)) for table in one.tables
    )
    return replace(one, tables=tuple(tables))


def _noted(row: PublishedRow, errata: Sequence[Erratum]) -> PublishedRow:
    ids = tuple(e.id for e in errata if any(matches(row, chosen) for chosen in e.applies))
    return replace(row, errata=ids) if ids else row
