"""The rows of the catalogue's ciphers that a card is ranked among: those of the store and of the package."""

from __future__ import annotations

from collections.abc import Callable

from cipherassay.cache import cache_folder
from cipherassay.results import Row, Store
from cipherassay.results.gathering import FOLDER

SOURCES = {"circuit": "circuits", "hardware": "hardware"}
"""The source of rows that the package has, by level."""


def catalogue_rows(levels: set[str], target: str, busy: Callable[[str], None]) -> list[Row]:
    """Return the rows of the catalogue's ciphers at some levels.

    Parameters
    ----------
    levels : set of str
        Levels of rows (`cipherassay.results.row.LEVELS`); what the package keeps of others is not read.
    target : str
        This machine: what was measured on another is left out.
    busy : callable
        Hears of what takes long, once until it changes.
    """
    from cipherassay import ciphers
    from cipherassay.results import gathered, runs, sources

    found = [row for row in Store().rows() if row.level in levels]
    for level, name in SOURCES.items():
        if level in levels:
            table = runs.read_table(sources.cached(name, cache_folder(FOLDER), busy), gathered.schema())[0]
            found += runs.rows_of(table)
    here = (row for row in dict.fromkeys(found) if row.level != "native" or row.target == target)
    rows = [row for row in here if row.cipher]
    known = {name for name in {row.cipher for row in rows} if name and ciphers.find(name)}
    return [row for row in rows if row.cipher in known]
