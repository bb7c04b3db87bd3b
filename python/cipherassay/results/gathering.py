"""All rows that are known, of the store and of the sources: which files have them, as SQL, as a table."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from cipherassay.cache import VARIABLE, cache_folder
from cipherassay.errors import AssayError
from cipherassay.results import runs, sources
from cipherassay.results.catalogue import catalogue
from cipherassay.results.gathered import schema
from cipherassay.results.schema import RUN
from cipherassay.results.store import Store, StoreError

if TYPE_CHECKING:
    import pyarrow as pa

Say = Callable[[str], None]
FOLDER = "queries"
"""Of the cache, for the files that rows are gathered in."""
_TOLD = 3
"""So many files that cannot be read are named."""


@dataclass(frozen=True)
class GatheredRows:
    """Files of rows with the columns of `gathered.schema`, and the store's files that have samples."""

    store: Path
    sources: Sequence[Path]
    samples: Sequence[Path]

    def select(self) -> str:
        """Return the SQL that selects the rows of sources, and those of the store that no source replaces."""
        if not self.sources:
            return read_files([self.store])
        names = f"(select distinct {RUN} as own from {read_files(self.sources)})"
        same = f"{RUN} = own or starts_with({RUN}, own || '-')"
        others = f"select * from {read_files([self.store])} where not exists (from {names} where {same})"
        return f"(select * from {read_files(self.sources)} union all {others})"

    def table(self) -> pa.Table:
        """Return the same rows as a table.

        Raises
        ------
        StoreError
            ``R021``: a file of the cache is damaged.
        """
        import pyarrow as pa
        import pyarrow.compute as pc

        try:
            tables = [runs.read_table(path, schema())[0] for path in (*self.sources, self.store)]
        except runs.UnreadableRunError as error:
            raise unreadable(str(error)) from None
        kept = tables.pop()
        own = {name for table in tables for name in pc.unique(table[RUN]).to_pylist()}
        replaced = [name for name in pc.unique(kept[RUN]).to_pylist() if _replaced(name, own)]
        others = kept.filter(pc.invert(pc.is_in(kept[RUN], pa.array(replaced, pa.string()))))
        return pa.concat_tables([*tables, others]).replace_schema_metadata(None)


def _replaced(name: str, own: set[str]) -> bool:
    return any(name == one or name.startswith(f"{one}-") for one in own)


def gather(store: Store, say: Say = lambda text: None, busy: Say = lambda text: None) -> GatheredRows:
    """Return the files of all rows, made where a run or a source changed since.

    Parameters
    ----------
    say
        Told what could not be read.
    busy
        Told what takes time.

    Raises
    ------
    StoreError
        ``R019``: the cache, in which the rows are gathered, cannot be written.
    """
    folder = cache_folder(FOLDER)
    try:
        kept = catalogue(store, folder)
        beside = _sources(folder, say, busy)
    except OSError as error:
        raise StoreError(
            "R019",
            f"the rows cannot be gathered in `{folder}`",
            notes=[error.strerror or str(error)],
            help=f"name another folder in the environment variable {VARIABLE}",
        ) from None
    _tell_unreadable(kept.unreadable, say)
    return GatheredRows(kept.rows, beside, kept.samples)


def unreadable(said: str) -> StoreError:
    """Return the error of rows that were gathered and cannot be read, in the reader's own words."""
    notes = [line.rstrip() for line in said.splitlines() if line.strip()]
    folder = cache_folder(FOLDER)
    return StoreError("R021", "the rows cannot be read", notes=notes[:1], help=f"remove `{folder}`")


def read_files(paths: Sequence[Path]) -> str:
    """Return the SQL that selects the lines of some files; nothing of none."""
    if not paths:
        return ""
    # The database takes a name for a pattern; in brackets its letters stand for themselves.
    names = (re.sub(r"[*?\[]", r"[\g<0>]", str(path)).replace("'", "''") for path in paths)
    listed = ", ".join(f"'{name}'" for name in names)
    return f"read_parquet([{listed}])"


def _sources(folder: Path, say: Say, busy: Say) -> list[Path]:
    found = []
    for name in sources.names():
        try:
            found.append(sources.cached(name, folder, busy))
        except AssayError as error:
            say(f"the rows of {name} are left out: {error}")
    return found


def _tell_unreadable(paths: Mapping[str, str], say: Say) -> None:
    for path, why in list(paths.items())[:_TOLD]:
        say(f"left out: {path}: {why}")
    if len(paths) > _TOLD:
        more = len(paths) - _TOLD
        say(f"left out: {more} more files of the store that cannot be read; they can be removed")
