"""Finding papers in folders and putting each together from its files."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

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
    Selector,
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
        words=tuple(word for part in parts for word in part.words),
        place=parts[0].place,
    )
    for kind, records in (("table", one.tables), ("relation", one.relations), ("erratum", one.errata)):
        _distinct(kind, records)
    return _with_errata(_with_words(one))


def _with_words(one: PublishedPaper) -> PublishedPaper:
    """Give each row the fields that the words of its configuration say; a word of no row is an error."""
    if not one.words:
        return one
    known = {word.word: word for word in one.words}
    used: set[str] = set()

    def said(row: PublishedRow) -> PublishedRow:
        found = [known[part] for part in row.configuration.split(", ") if part in known]
        used.update(word.word for word in found)
        says: dict[str, Any] = {name: value for word in found for name, value in word.says.items()}
        return replace(row, **says) if says else row

    tables = [replace(table, rows=tuple(map(said, table.rows))) for table in one.tables]
    for word in one.words:
        if word.word not in used:
            raise DescriptionError(
                "B026", f"no configuration has the word `{word.word}`", places=[word.place]
            )
    return replace(one, tables=tuple(tables))


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
    selection = _Selection(one.rows)
    concerned: dict[int, dict[str, None]] = {}
    for erratum in one.errata:
        for chosen in erratum.applies:
            found = selection.of(chosen)
            if not found:
                raise DescriptionError(
                    "B024", f"erratum `{erratum.id}` applies to no row", places=[erratum.place]
                )
            for number in found:
                concerned.setdefault(number, {})[erratum.id] = None
    noted = (
        replace(row, errata=tuple(concerned[n])) if n in concerned else row for n, row in enumerate(one.rows)
    )
    tables = [replace(table, rows=tuple(islice(noted, len(table.rows)))) for table in one.tables]
    return replace(one, tables=tuple(tables))


class _Selection:
    """The numbers of rows by the values of their fields."""

    def __init__(self, rows: Sequence[PublishedRow]) -> None:
        self.rows = rows
        self.known: dict[str, dict[object, set[int]]] = {}

    def of(self, chosen: Selector) -> set[int]:
        """Return the rows that have one of the values of every field that a selector names."""
        found = set(range(len(self.rows)))
        for name, values in chosen.items():
            having = self._by(name)
            found &= set().union(*(having.get(value, set()) for value in values))
        return found

    def _by(self, name: str) -> dict[object, set[int]]:
        if name not in self.known:
            having: dict[object, set[int]] = {}
            for number, row in enumerate(self.rows):
                having.setdefault(getattr(row, name), set()).add(number)
            self.known[name] = having
        return self.known[name]
