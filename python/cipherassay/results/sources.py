"""Sources of rows beside the store: numbers that are not measured here but kept or printed.

A source is the module ``source`` of a part of the package or of a study, found by scanning, with

``READS``
    The files and folders of the package that its rows depend on, as paths from the package's folder.
``runs()``
    Yields the names of runs and their rows. A store's run of the same name, or of that name with a part
    (``circuits-CIPHER``), is left out of queries: it has the same rows, maybe of an earlier time.

Its rows are cached until a file under `READS` changes.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

from cipherassay import scanning
from cipherassay.results import catalogue, runs
from cipherassay.results.gathered import schema, with_run
from cipherassay.results.origin import Origin
from cipherassay.results.row import Row
from cipherassay.results.schema import file_schema

PACKAGE = Path(__file__).parents[1]
ENGINE = "_engine.*"
"""What a source reads whose rows the engine computes."""
_STALE_SECONDS = 24 * 3600.0


def names() -> list[str]:
    """Return the names of the sources, those of the parts that have them, sorted."""
    return sorted(_found())


def rows(name: str) -> list[Row]:
    """Return the rows of a source, made now."""
    return [row for _, found in _module(name).runs() for row in found]


def cached(name: str, folder: Path, busy: Callable[[str], None] = lambda text: None) -> Path:
    """Return a file of a source's rows, with their runs, made in `folder` if it is not there.

    Raises
    ------
    AssayError
        A kept file that the rows come from is wrong.
    """
    module = _module(name)
    target = folder / f"source-{name}-{_stamp(module)}{runs.SUFFIX}"
    if not target.exists():
        busy(f"reading the rows of {name}, once until they change")
        runs.replace(target, _encoded(module))
        for old in folder.glob(f"source-{name}-*"):
            if old != target and time.time() - old.stat().st_mtime > _STALE_SECONDS:
                old.unlink(missing_ok=True)
    return target


def _module(name: str) -> ModuleType:
    return importlib.import_module(_found()[name])


def _found() -> dict[str, str]:
    return {module.split(".")[-2]: module for module in scanning.of_parts("source")}


def _encoded(module: ModuleType) -> bytes:
    import pyarrow as pa

    tables = [schema().empty_table()]
    for run, found in module.runs():
        lines = pa.Table.from_pylist([row.as_dict() for row in found], schema=file_schema())
        tables.append(with_run(lines, run, Origin()))
    return runs.encode_table(pa.concat_tables(tables), {})


def _stamp(module: ModuleType) -> str:
    """Return what changes with any file that a source reads."""
    read = {str(path): catalogue.stamp(path)[:2] for path in _read(module)}
    about = json.dumps([runs.VERSION, schema().names, read])
    return hashlib.sha256(about.encode()).hexdigest()[:24]


def _read(module: ModuleType) -> Iterator[Path]:
    own = Path(str(module.__file__)).relative_to(PACKAGE)
    for pattern in (str(own), *module.READS):
        found = sorted(PACKAGE.glob(pattern))
        if not found:
            raise FileNotFoundError(f"{module.__name__} reads what is not there: {pattern}")
        for path in found:
            yield from _files(path)


def _files(path: Path) -> Iterator[Path]:
    if path.is_file():
        yield path
        return
    inside = (one for one in sorted(path.rglob("*")) if "__pycache__" not in one.parts)
    yield from (one for one in inside if one.is_file())
