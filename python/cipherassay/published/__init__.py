"""The tables of the papers as data, loaded, looked up and checked.

A paper is one file ``NAME.toml``, or a folder ``NAME`` of such files of which one has the citation. A file
states ``schema = 1``, a ``[citation]`` and blocks:

``[[table]]``
    ``id``, ``number`` (as printed), ``title``, ``where`` (page or section), ``conditions``, ``defaults``
    (fields shared by all its rows), ``columns`` and ``rows``; ``summary = true`` where its numbers stand of
    those that the paper prints several times. A row is ``{field = …, value = 1}`` or, with
    columns, ``{field = …, values = [1, 2, "-"]}``, where ``"-"`` is an empty cell. ``columns`` is a list of
    axes, each a list of fields; the columns are their product, the last axis running fastest. Later wins:
    table, ``[[table.grid]]`` (a part of a table with columns of its own), column, row.
``[[omitted]]``
    A table or figure without readable values, and why.
``[[relation]]``
    An ``expression`` that must hold: names are bound (``bind``) to the rows that a selector of fields finds
    within ``over``. It is evaluated once per combination of the fields ``per``, of which there must be
    ``instances``; a binding that pins one of these fields serves all its values (``key_bits = 0``: none).
    Printed numbers count as the interval that their digits stand for (``cut``: rounded or cut off;
    ``tolerance``: a relative one besides); ``constants`` add numbers by field.
``[[erratum]]``
    ``where``, ``printed``, ``follows``; ``relation`` and ``instances`` where a relation shows it. The
    relation ``same-cell`` (one quantity, one value, across all papers) is built in. ``applies`` selects the
    rows concerned; they carry its id.
``[[model]]``
    ``processor`` or ``technology``, ``target``: a model of this package and what the paper's rows call the
    machine or the cell library that it stands for: both have one name as `platform`.
``[[word]]``
    What a ``word`` of ``configuration`` (its parts between commas) says, in fields of a row:
    ``architecture``, ``key_mode``, ``speed_grade``, ``implementation``.

A row's fields have the names and words of the result rows. Operations: ``key_setup_both`` is a key setup that
serves encryption and decryption. Metrics carry statistics as suffixes (``cycles_average``, in a file also as
a field ``statistic``); ``cycles`` alone is the best time, or the only one. MARS has the variants ``""``
(final) and ``round-1``.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from cipherassay.errors import UsageError, nearest
from cipherassay.once import once
from cipherassay.published._check import instances, problems
from cipherassay.published._instances import SAME_CELL, Instance
from cipherassay.published._load import find, read_paper
from cipherassay.published._schema import (
    KEY_MODES,
    METRICS,
    Citation,
    Erratum,
    OmittedTable,
    PublishedPaper,
    PublishedRow,
    PublishedTable,
    Relation,
)

FOLDER = Path(__file__).parent


@once
def load(folders: tuple[Path, ...] = ()) -> tuple[PublishedPaper, ...]:
    """Load every paper of this package and of further folders, in order of name.

    Raises
    ------
    DescriptionError
        A file is wrong (codes ``B001`` to ``B006``, ``B010``, ``B011``), with file and line.
    """
    return tuple(read_paper(name, files) for name, files in find((FOLDER, *folders)).items())


def names(folder: Path | None = None) -> list[str]:
    """Return the names of all papers; of a user's folder what has a citation."""
    own = find((folder,)) if folder is not None else {}
    cited = [name for name, files in own.items() if any("[citation]" in _text(file) for file in files)]
    return sorted({*find((FOLDER,)), *cited})


def _text(file: Path) -> str:
    return file.read_text(encoding="utf-8", errors="replace")


def paper(name: str) -> PublishedPaper:
    """Find one paper by its name; ``UsageError`` ``B012`` with the nearest name where there is none."""
    found = {one.id: one for one in load()}
    if name not in found:
        raise UsageError("B012", f"unknown paper `{name}`", help=nearest(name, found))
    return found[name]


def rows() -> list[PublishedRow]:
    """All rows of all papers of this package."""
    return [row for one in load() for row in one.rows]


@once
def modelled() -> dict[str, tuple[PublishedPaper, str]]:
    """Return the models that stand for a paper's machine or technology: the paper, what its rows call it."""
    return {model.name: (one, model.target) for one in load() for model in one.models}


def platform(name: str) -> str:
    """Return what papers' rows call what a model of this package stands for; its own name if there are none.

    ``mckinley-paper`` is ``ia64``; rows of both have it as their `platform`.
    """
    return modelled()[name][1] if name in modelled() else name


def same_processor(name: str) -> str:
    """Return a processor's name as papers and files agree on it: ``H8/300`` and ``h8-300`` are ``h8300``."""
    return "".join(c for c in name.lower() if c.isalnum())


def lookup(
    *,
    paper: str | None = None,
    table: str | None = None,
    cipher: str | None = None,
    variant: str | None = None,
    part: str | None = None,
    operation: str | None = None,
    key_bits: int | None = None,
    strategy: str | None = None,
    target: str | None = None,
    configuration: str | None = None,
    metric: str | None = None,
) -> list[PublishedRow]:
    """Find the rows that agree with every field given; ``""`` asks for a field that does not apply.

    A quantity printed in several tables comes several times, in the order of papers and tables.
    """
    asked = {name: value for name, value in locals().items() if value is not None}
    known = rows() if cipher is None else _by_cipher().get(cipher, [])
    return [row for row in known if all(getattr(row, name) == value for name, value in asked.items())]


@once
def _by_cipher() -> dict[str, list[PublishedRow]]:
    found: dict[str, list[PublishedRow]] = {}
    for row in rows():
        found.setdefault(row.cipher, []).append(row)
    return found


def check(papers: Sequence[PublishedPaper] | None = None) -> list[Instance]:
    """Evaluate all relations and return them; the first contradiction without an erratum is raised.

    Raises
    ------
    VerificationError
        ``B008``: printed numbers contradict each other and no erratum says so; ``B009``: an erratum names a
        relation that holds.
    DescriptionError
        ``B007``, ``B010``: a relation or erratum that cannot be checked.
    """
    chosen = load() if papers is None else papers
    for error in problems(chosen):
        raise error
    return instances(chosen)


__all__ = [
    "KEY_MODES",
    "METRICS",
    "SAME_CELL",
    "Citation",
    "Erratum",
    "Instance",
    "OmittedTable",
    "PublishedPaper",
    "PublishedRow",
    "PublishedTable",
    "Relation",
    "check",
    "instances",
    "load",
    "lookup",
    "modelled",
    "paper",
    "platform",
    "problems",
    "rows",
    "same_processor",
]
