"""The store: one file per run; every row of every run is in one SQL table.

A run is what one piece of work produced, kept in ``ROOT/NAME.parquet`` with its inputs, what the work
depended on. A run whose inputs still hold is not done again; one done anew replaces the old one under its
name, so that no stale row stands beside its successor.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cipherassay.errors import AssayError, UsageError
from cipherassay.results import runs
from cipherassay.results.gathered import with_run
from cipherassay.results.identity import check_rows
from cipherassay.results.origin import Origin
from cipherassay.results.row import Row, RowError
from cipherassay.results.runs import SUFFIX, Sample, UnreadableRunError
from cipherassay.results.schema import file_schema
from cipherassay.results.tables import statements

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Sample", "Store", "StoreError", "digest"]
_LONGEST = 100
"""Letters of a part of a run's name in its file's path."""


class StoreError(AssayError):
    """The store cannot be read or written."""

    exit_code = 2


def digest(inputs: Mapping[str, Any]) -> str:
    """Return the content hash of what a run depends on: the program, tools, options, machine."""
    return hashlib.sha256(runs.canonical(inputs).encode()).hexdigest()


class Store:
    """The rows under a folder (default: where `cipherassay.cache.store_root` says)."""

    def __init__(self, root: Path | str | None = None) -> None:
        from cipherassay.cache import store_root

        self.root = Path(root) if root is not None else store_root()[0]

    def find(self, name: str, inputs: Mapping[str, Any]) -> list[Row] | None:
        """Return the rows of the run `name` if it was done with exactly these inputs, else None.

        A run that cannot be read counts as not done.
        """
        try:
            found = runs.find_table(self._path(name), inputs)
            return None if found is None else runs.rows_of(found)
        except (UnreadableRunError, RowError):
            return None

    def put(
        self, name: str, inputs: Mapping[str, Any], rows: Iterable[Row], samples: Iterable[Sample] = ()
    ) -> None:
        """Keep the rows of the run `name`, whole or not at all; an older run of that name is replaced.

        Parameters
        ----------
        name : str
            What was done, as a path of readable names: ``native/zen5/CIPHER-128-direct``.
        inputs : mapping
            Everything that the rows depend on; must hold as JSON.

        Raises
        ------
        RowError
            ``R005``: a row without its command; ``R006``: two values for one identity.
        StoreError
            ``R010``: the file cannot be written.
        """
        kept = list(rows)
        check_rows(kept)
        content = runs.encode(inputs, kept, samples)
        try:
            runs.replace(self._path(name), content)
        except OSError as error:
            raise StoreError(
                "R010",
                f"the results cannot be kept under `{self.root}`",
                notes=[error.strerror or str(error)],
                help="name another folder in the environment variable ASSAY_STORE",
            ) from None

    def files(self) -> dict[str, Path]:
        """Return the files of the kept runs by the runs' names, sorted; not all need be readable."""
        found = {str(path.relative_to(self.root))[: -len(SUFFIX)]: path for path in _files(self.root)}
        return dict(sorted(found.items()))

    def runs(self) -> list[str]:
        """Return the names of the kept runs, sorted."""
        return list(self.files())

    def rows(self, under: str = "") -> list[Row]:
        """Return the kept rows, run by run; runs that cannot be read have none.

        Parameters
        ----------
        under : str
            What the names of the runs begin with: ``native/layouts-java/``; all without it.
        """
        found: list[Row] = []
        for _, table, _ in self.tables(under):
            try:
                found += runs.rows_of(table)
            except RowError:
                continue
        return found

    def tables(self, under: str = "") -> Iterator[tuple[str, pa.Table, Origin]]:
        """Yield names of runs, their lines, and what made them; those that cannot be read are left out.

        ``under`` as of `rows`.
        """
        for name, path in self.files().items():
            if not name.startswith(under):
                continue
            try:
                lines, about = runs.read_table(path)
            except UnreadableRunError:
                continue
            yield name, lines, Origin.from_dict(about.get("origin") or {})

    def remove(self, name: str) -> None:
        """Forget the run `name`; nothing happens if there is none."""
        self._path(name).unlink(missing_ok=True)

    def query(self, sql: str, published: Iterable[Row] = ()) -> tuple[list[str], list[tuple[Any, ...]]]:
        """Return the columns and the lines that the project's own SQL over the tables gives.

        What a user asks goes through `cipherassay.results.querying`, which trusts it with nothing.

        Raises
        ------
        UsageError
            ``R011``: the query is not valid; the database's own words are the note.
        """
        import duckdb
        import pyarrow as pa

        shown = pa.Table.from_pylist([row.as_dict() for row in published], schema=file_schema())
        kept = [("published", shown, Origin()), *self.tables()]
        connection = duckdb.connect()
        try:
            connection.register("lines", pa.concat_tables([lines for _, lines, _ in kept]))
            rows = [with_run(lines, name, origin) for name, lines, origin in kept]
            connection.register("rows", pa.concat_tables(rows))
            for statement in statements("rows", "lines"):
                connection.execute(statement)
            answer = connection.execute(sql)
            columns = [str(column[0]) for column in answer.description or ()]
            return columns, [tuple(line) for line in answer.fetchall()]
        except duckdb.Error as error:
            raise invalid(str(error)) from None
        finally:
            connection.close()

    def _path(self, name: str) -> Path:
        parts = [_file_name(part) for part in name.split("/")]
        return self.root.joinpath(*parts[:-1], parts[-1] + SUFFIX)


def _files(root: Path) -> Iterator[Path]:
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if not name.startswith(".")]
        found = (name for name in names if name.endswith(SUFFIX) and not name.startswith("."))
        yield from (Path(folder, name) for name in found)


def _file_name(part: str) -> str:
    """Return a part of a run's name as a file may be called; different parts as different files."""
    plain = re.sub(r"[^A-Za-z0-9._+-]+", "-", part).strip("-.")[:_LONGEST]
    if not part:
        raise ValueError("a run's name has an empty part")
    return plain if plain == part else f"{plain}-{hashlib.sha256(part.encode()).hexdigest()[:8]}".strip("-")


def invalid(said: str) -> UsageError:
    """Return the error of a query that the database refuses, in the database's own words."""
    return UsageError(
        "R011",
        "the query is not valid",
        notes=[line.rstrip() for line in said.splitlines() if line.strip()],
        help="`show tables` lists what can be asked, `describe results` the fields",
    )
