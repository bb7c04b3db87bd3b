"""A run as one Parquet file: its rows, its samples, and in the metadata what they depend on.

One file is replaced by one rename: a reader sees the old run or the new one, never a part of either.
"""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cipherassay.results.origin import here
from cipherassay.results.row import FIELDS, Row
from cipherassay.results.schema import IDENTITY, SAMPLED, file_schema

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

VERSION = 3
"""Of the files' layout and of the row; runs of another version count as not done."""
SUFFIX = ".parquet"
_KEY = b"cipherassay"
_LEFT_OVER_SECONDS = 3600.0
"""A temporary file of this age belongs to a process that was killed."""


class UnreadableRunError(Exception):
    """The file is damaged, of another version, or no run's; the text says which."""


@dataclass(frozen=True)
class Sample:
    """The times of one operation over its inputs: `ticks` and `cycles` have one entry per input."""

    row: Row
    """Any row computed from the sample; says which operation it is of."""
    ticks: Sequence[float]
    cycles: Sequence[float]


def canonical(inputs: Mapping[str, Any]) -> str:
    """Return inputs as text: equal inputs as equal text."""
    return json.dumps({"version": VERSION, **inputs}, sort_keys=True, indent=1, ensure_ascii=False) + "\n"


def encode(inputs: Mapping[str, Any], rows: Iterable[Row], samples: Iterable[Sample]) -> bytes:
    """Return the file of a run."""
    import pyarrow as pa

    lines = [*(row.as_dict() for row in rows), *map(_sample_line, samples)]
    table = pa.Table.from_pylist(lines, schema=file_schema())
    return encode_table(table, {"inputs": canonical(inputs), "origin": here().as_dict()})


def encode_table(table: pa.Table, about: Mapping[str, Any]) -> bytes:
    """Return a table as a Parquet file with `about` in its metadata."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    told = json.dumps({"version": VERSION, **about}, ensure_ascii=False)
    sink = pa.BufferOutputStream()
    told_table = table.replace_schema_metadata({_KEY: told})
    pq.write_table(told_table, sink, compression="zstd", write_page_checksum=True)
    content: bytes = sink.getvalue().to_pybytes()
    return content


def _sample_line(sample: Sample) -> dict[str, Any]:
    if len(sample.ticks) != len(sample.cycles):
        raise ValueError(f"a sample of {len(sample.ticks)} ticks and {len(sample.cycles)} cycles")
    identity = {name: getattr(sample.row, name) for name in IDENTITY}
    return {**identity, **{name: [float(n) for n in getattr(sample, name)] for name in SAMPLED}}


def find_table(path: Path, inputs: Mapping[str, Any]) -> pa.Table | None:
    """Return the lines of the run in a file, None if it is of other inputs; raises as `read_table`."""
    with _opened(path, file_schema()) as (file, about):
        return file.read() if about.get("inputs") == canonical(inputs) else None


def read_table(path: Path, schema: pa.Schema | None = None) -> tuple[pa.Table, dict[str, Any]]:
    """Return the lines of a file and what its metadata say, checked against a schema (default: a run's).

    Raises
    ------
    UnreadableRunError
        The file is damaged, of another version or another schema.
    """
    with _opened(path, schema or file_schema()) as (file, about):
        return file.read(), about


@contextmanager
def _opened(path: Path, schema: pa.Schema) -> Iterator[tuple[pq.ParquetFile, dict[str, Any]]]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path, page_checksum_verification=True) as file:
            about = _about(file)
            if not file.schema_arrow.equals(schema):
                raise UnreadableRunError("it has other columns")
            yield file, about
    except (OSError, pa.ArrowException) as error:
        raise _unreadable(error) from None


def _about(file: pq.ParquetFile) -> dict[str, Any]:
    metadata = file.schema_arrow.metadata or {}
    try:
        about = json.loads(metadata[_KEY])
        version = about["version"]
    except (KeyError, ValueError, TypeError):
        raise UnreadableRunError("it is no file of a results store, or of an earlier version") from None
    if version != VERSION:
        raise UnreadableRunError(f"its version is {version}, this one reads {VERSION}")
    return dict(about)


def _unreadable(error: BaseException) -> UnreadableRunError:
    said = getattr(error, "strerror", None) or str(error).partition("\n")[0].strip().rstrip(".")
    return UnreadableRunError(said or type(error).__name__)


def rows_of(table: pa.Table) -> list[Row]:
    """Return the rows among the lines of a run's file; raises `RowError` for lines that cannot be rows."""
    import pyarrow.compute as pc

    lines = table.filter(pc.is_valid(table["metric"])).select(list(FIELDS)).to_pylist()
    return [Row.from_dict(line) for line in lines]


def replace(path: Path, content: bytes) -> None:
    """Write a file whole or not at all, by a rename; what killed processes left of it is removed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(f".{path.name}.{os.getpid()}-{threading.get_ident()}.tmp")
    for old in path.parent.glob(f".{path.name}.*.tmp"):
        _remove_if_left(old)
    try:
        fresh.write_bytes(content)
        os.replace(fresh, path)
    finally:
        fresh.unlink(missing_ok=True)


def _remove_if_left(path: Path) -> None:
    try:
        if time.time() - path.stat().st_mtime > _LEFT_OVER_SECONDS:
            path.unlink()
    except FileNotFoundError:
        pass  # another process was faster
