"""The store: one folder per run, holding Parquet files; every row of every run is one SQL view.

A run is what one piece of work produced: ``ROOT/NAME/rows.parquet``, ``samples.parquet`` where times were
sampled, and ``inputs.json``, what the work depended on. A run whose inputs still hold is not done again; one
done anew replaces the old one under its name, so that no stale row stands beside its successor.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cipherassay.errors import AssayError, UsageError
from cipherassay.results.row import Row
from cipherassay.results.schema import IDENTITY, row_schema, sample_schema

if TYPE_CHECKING:
    import duckdb

VERSION = 1
"""Of the files' layout; runs of another version are not read, and are done again."""


class StoreError(AssayError):
    """The store cannot be read or written."""

    exit_code = 2


@dataclass(frozen=True)
class Sample:
    """The times of one operation over its inputs: `ticks` and `cycles` have one entry per input."""

    row: Row
    """Any row computed from the sample; says which operation it is of."""
    ticks: Sequence[float]
    cycles: Sequence[float]


def digest(inputs: Mapping[str, Any]) -> str:
    """Return the content hash of what a run depends on: the program, tools, options, machine."""
    return hashlib.sha256(_canonical(inputs).encode()).hexdigest()


def _canonical(inputs: Mapping[str, Any]) -> str:
    return json.dumps({"version": VERSION, **inputs}, sort_keys=True, indent=1, ensure_ascii=False) + "\n"


class Store:
    """The rows under a folder (default: ``$ASSAY_STORE``, else ``.cache/results`` where the command runs)."""

    def __init__(self, root: Path | str | None = None) -> None:
        self.root = Path(root or os.environ.get("ASSAY_STORE") or Path(".cache") / "results")

    def find(self, name: str, inputs: Mapping[str, Any]) -> list[Row] | None:
        """Return the rows of the run `name` if it was done with exactly these inputs, else None."""
        folder = self._folder(name)
        try:
            if (folder / "inputs.json").read_text() != _canonical(inputs):
                return None
        except (OSError, UnicodeDecodeError):
            return None
        return _read_rows(folder / "rows.parquet")

    def put(
        self, name: str, inputs: Mapping[str, Any], rows: Iterable[Row], samples: Iterable[Sample] = ()
    ) -> None:
        """Keep the rows of the run `name`, whole or not at all; an older run of that name is replaced.

        Parameters
        ----------
        name : str
            What was done, as a path of readable names: ``native/zen5/rc6-128-direct``.
        inputs : mapping
            Everything that the rows depend on; must hold as JSON.

        Raises
        ------
        StoreError
            ``R010``: the folder cannot be written.
        """
        folder = self._folder(name)
        try:
            folder.parent.mkdir(parents=True, exist_ok=True)
            fresh = folder.with_name(f".{folder.name}.{os.getpid()}")
            shutil.rmtree(fresh, ignore_errors=True)
            fresh.mkdir()
            _write(fresh / "rows.parquet", [row.as_dict() for row in rows], row_schema())
            lines = [line for sample in samples for line in _sample_lines(sample)]
            if lines:
                _write(fresh / "samples.parquet", lines, sample_schema())
            (fresh / "inputs.json").write_text(_canonical(inputs))
            _swap(fresh, folder)
        except OSError as error:
            raise StoreError(
                "R010",
                f"the results cannot be kept under `{self.root}`",
                notes=[error.strerror or str(error)],
                help="name another folder in the environment variable ASSAY_STORE",
            ) from None

    def runs(self) -> list[str]:
        """Return the names of the kept runs, sorted."""
        found = (path.parent for path in self.root.rglob("inputs.json") if not _hidden(path, self.root))
        return sorted(str(path.relative_to(self.root)) for path in found)

    def rows(self) -> list[Row]:
        """Return every kept row, run by run."""
        return [row for name in self.runs() for row in _read_rows(self.root / name / "rows.parquet") or ()]

    def remove(self, name: str) -> None:
        """Forget the run `name`; nothing happens if there is none."""
        shutil.rmtree(self._folder(name), ignore_errors=True)

    def connect(self, published: Iterable[Row] = ()) -> duckdb.DuckDBPyConnection:
        """Return an SQL connection with the views `results` (kept and published rows) and `samples`."""
        import duckdb
        import pyarrow as pa

        connection = duckdb.connect()
        rows = [row.as_dict() for row in (*published, *self.rows())]
        connection.register("results_table", pa.Table.from_pylist(rows, schema=row_schema()))
        connection.execute("create view results as select * from results_table")
        files = [str(p) for p in sorted(self.root.rglob("samples.parquet")) if not _hidden(p, self.root)]
        if files:
            listed = ", ".join("'" + file.replace("'", "''") + "'" for file in files)
            connection.execute(f"create view samples as select * from read_parquet([{listed}])")
        else:
            connection.register("samples_table", sample_schema().empty_table())
            connection.execute("create view samples as select * from samples_table")
        return connection

    def query(self, sql: str, published: Iterable[Row] = ()) -> tuple[list[str], list[tuple[Any, ...]]]:
        """Return the columns and the lines that an SQL query over `results` and `samples` gives.

        Raises
        ------
        UsageError
            ``R011``: the query is not valid; the database's own words are the note.
        """
        import duckdb

        connection = self.connect(published)
        try:
            answer = connection.execute(sql)
            columns = [str(column[0]) for column in answer.description or ()]
            return columns, [tuple(line) for line in answer.fetchall()]
        except duckdb.Error as error:
            raise UsageError(
                "R011",
                "the query is not valid",
                notes=[line.rstrip() for line in str(error).splitlines() if line.strip()],
                help="the views are `results` and `samples`; `describe results` lists the fields",
            ) from None
        finally:
            connection.close()

    def _folder(self, name: str) -> Path:
        parts = [re.sub(r"[^A-Za-z0-9._+-]+", "-", part).strip("-.") for part in name.split("/")]
        if not all(parts):
            raise ValueError(f"a run's name has an empty part: {name!r}")
        return self.root.joinpath(*parts)


def _hidden(path: Path, root: Path) -> bool:
    return any(part.startswith(".") for part in path.relative_to(root).parts)


def _sample_lines(sample: Sample) -> list[dict[str, Any]]:
    identity = {name: getattr(sample.row, name) for name in IDENTITY}
    pairs = enumerate(zip(sample.ticks, sample.cycles, strict=True))
    return [{**identity, "input": n, "ticks": float(t), "cycles": float(c)} for n, (t, c) in pairs]


def _write(path: Path, lines: list[dict[str, Any]], schema: Any) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.Table.from_pylist(lines, schema=schema), path, compression="zstd")


def _read_rows(path: Path) -> list[Row] | None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        return [Row.from_dict(line) for line in pq.ParquetFile(path).read().to_pylist()]
    except (OSError, pa.ArrowInvalid, TypeError):
        return None  # a run that a crash or another version left unreadable counts as not done


def _swap(fresh: Path, folder: Path) -> None:
    """Put `fresh` in the place of `folder`; a reader sees the one or the other."""
    old = folder.with_name(f".{folder.name}.{os.getpid()}.old")
    shutil.rmtree(old, ignore_errors=True)
    if folder.exists():
        os.rename(folder, old)
    os.rename(fresh, folder)
    shutil.rmtree(old, ignore_errors=True)
