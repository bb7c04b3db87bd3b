"""All rows of a store in one file, so that a query reads one file and not one per run.

The file is disposable: its name says of which files of runs, by size and time, it was made. Where one of them
changed, a new one is made from it and from the changed runs.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cipherassay.results import runs
from cipherassay.results.gathered import schema, with_run
from cipherassay.results.origin import Origin
from cipherassay.results.schema import RUN, SAMPLED

if TYPE_CHECKING:
    import pyarrow as pa

    from cipherassay.results.store import Store

_STALE_SECONDS = 600.0
"""After this time nobody reads a file that has a successor."""


@dataclass(frozen=True)
class Catalogue:
    """The rows of a store, one file; what could not be read; where samples are."""

    rows: Path
    unreadable: Mapping[str, str]
    """Files that are no runs, and why."""
    samples: list[Path]
    """Files of runs with samples."""


def stamp(path: Path) -> list[int]:
    """Return what changes when a file is replaced: its size, time and number."""
    at = path.stat()
    return [at.st_size, at.st_mtime_ns, at.st_ino]


def _stamps(files: Mapping[str, Path]) -> dict[str, list[int]]:
    found = {}
    for name, path in files.items():
        with suppress(FileNotFoundError):  # removed since it was listed
            found[name] = stamp(path)
    return found


def catalogue(store: Store, folder: Path) -> Catalogue:
    """Return the rows of a store as one file in `folder`, made if a run changed since."""
    root = store.root.absolute()
    files = {name: path.absolute() for name, path in store.files().items()}
    stamps = _stamps(files)
    about = json.dumps([runs.VERSION, schema().names, stamps])
    base = f"store-{hashlib.sha256(str(root).encode()).hexdigest()[:12]}"
    target = folder / f"{base}-{hashlib.sha256(about.encode()).hexdigest()[:24]}.json"
    if not (target.exists() and target.with_suffix(runs.SUFFIX).exists()):
        _make(files, stamps, folder, base, target)
    found = json.loads(target.read_text(encoding="utf-8"))
    return Catalogue(
        target.with_suffix(runs.SUFFIX),
        {str(files[name]): why for name, why in found["unreadable"].items()},
        [files[name] for name in found["samples"]],
    )


def _make(
    files: Mapping[str, Path], stamps: Mapping[str, list[int]], folder: Path, base: str, target: Path
) -> None:
    """Write the rows and what is known of the runs; earlier files of the same store are removed."""
    import pyarrow as pa

    before, table = _earlier(folder, base)
    same = {name for name, one in stamps.items() if before["stamps"].get(name) == one}
    unreadable = {name: why for name, why in before["unreadable"].items() if name in same}
    samples = {name for name in before["samples"] if name in same}
    tables = [_of_runs(table, same)]
    for name in stamps.keys() - same:
        try:
            lines, about = runs.read_table(files[name])
        except runs.UnreadableRunError as error:
            unreadable[name] = str(error)
            continue
        if lines[SAMPLED[0]].null_count < len(lines):
            samples.add(name)
        tables.append(with_run(lines, name, Origin.from_dict(about.get("origin") or {})))
    found = {"stamps": stamps, "unreadable": dict(sorted(unreadable.items())), "samples": sorted(samples)}
    rows = pa.concat_tables(tables)
    runs.replace(target.with_suffix(runs.SUFFIX), runs.encode_table(rows, {}))
    runs.replace(target, json.dumps(found).encode())
    _remove_stale(folder, base, target)


def _of_runs(table: pa.Table, names: set[str]) -> pa.Table:
    import pyarrow as pa
    import pyarrow.compute as pc

    return table.filter(pc.is_in(table[RUN], pa.array(sorted(names), pa.string())))


def _earlier(folder: Path, base: str) -> tuple[dict[str, Any], pa.Table]:
    """Return what the newest readable file of this store knows and its rows; nothing if there is none."""
    for path in sorted(folder.glob(f"{base}-*.json"), key=lambda p: p.stat().st_mtime_ns, reverse=True):
        try:
            known: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
            table = runs.read_table(path.with_suffix(runs.SUFFIX), schema())[0]
            return known, table.replace_schema_metadata(None)
        except (OSError, ValueError, runs.UnreadableRunError):
            continue
    return {"stamps": {}, "unreadable": {}, "samples": []}, schema().empty_table()


def _remove_stale(folder: Path, base: str, target: Path) -> None:
    for path in folder.glob(f"{base}-*"):
        if path.stem != target.stem and time.time() - path.stat().st_mtime > _STALE_SECONDS:
            path.unlink(missing_ok=True)
