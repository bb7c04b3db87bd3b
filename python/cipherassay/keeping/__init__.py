"""Kept artefacts: results that take long to find, in a folder per kind, read and written in one way.

The package brings its own, in its folder ``kept``. What a command keeps is written to `home`: the folder that
ASSAY_KEPT names, the package itself in a checkout, otherwise the user's data folder. Reading looks there
first and then in the package. Nothing here is believed: the module that uses a kind checks what it reads, and
``assay verify kept`` checks everything.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from cipherassay.errors import DescriptionError, Place, UsageError

PACKAGE = Path(__file__).parents[1] / "kept"
VARIABLE = "ASSAY_KEPT"

SCHEMAS = {
    "kernels": 1,
    "schedules": 1,
    "x86": 1,
    "layouts": 1,
    "circuits": 1,
    "exhaustion": 1,
    "proofs": 1,
    "grades": 2,
    "simulations": 1,
    "key_jumps": 1,
    "preferences": 1,
}
"""The kinds, and the version of the schema that this version of the package reads and writes."""

Document = dict[str, Any]


def home() -> Path:
    """Return the folder that artefacts are written to; it may not exist yet."""
    named = os.environ.get(VARIABLE)
    if named:
        return Path(named)
    if (PACKAGE.parents[2] / "crates").is_dir() and os.access(PACKAGE, os.W_OK):
        return PACKAGE
    from platformdirs import user_data_path

    return user_data_path("cipherassay", appauthor=False) / "kept"


def folders(kind: str) -> list[Path]:
    """Return where artefacts of a kind are looked for: `home` first, then the package."""
    return [place / kind for place in dict.fromkeys((home(), PACKAGE))]


def candidates(kind: str, name: str) -> list[Path]:
    """Return the files of a name (``CIPHER/encrypt-0.json``) that exist, the one in `home` first."""
    return [path for folder in folders(kind) if (path := folder / name).is_file()]


def find(kind: str, name: str) -> Path | None:
    """Return the file of a name, the one in `home` before that of the package; None if there is none."""
    return next(iter(candidates(kind, name)), None)


def files(kind: str, pattern: str) -> list[Path]:
    """Return the files of a kind whose names match, by name; of two with one name that in `home`."""
    found: dict[str, Path] = {}
    for folder in folders(kind):
        for path in folder.glob(pattern):
            if not path.name.startswith("."):
                found.setdefault(path.relative_to(folder).as_posix(), path)
    return [found[name] for name in sorted(found)]


def every(kind: str, pattern: str) -> list[Path]:
    """Return the matching files of all folders of a kind, those too that one in `home` stands in for."""
    found = (path for folder in folders(kind) for path in sorted(folder.glob(pattern)))
    return [path for path in found if not path.name.startswith(".")]


def digest(kind: str, pattern: str) -> str:
    """Return the SHA-256 of the matching files of a kind: their names and what they hold."""
    found = hashlib.sha256()
    for path in every(kind, pattern):
        found.update(f"{name_of(path)}\n".encode())
        found.update(hashlib.sha256(path.read_bytes()).digest())
    return found.hexdigest()


def name_of(path: Path) -> str:
    """Return how messages call a file, the same on every machine: ``kept/schedules/CIPHER/x.json``."""
    place = next((one for one in (home(), PACKAGE) if path.is_relative_to(one)), None)
    return f"kept/{path.relative_to(place).as_posix()}" if place else path.name


def read(kind: str, path: Path, fields: Iterable[str] = ()) -> Document | None:
    """Return the document of a file; None if it follows another version of the schema.

    Parameters
    ----------
    kind : str
        The kind of kept artefacts.
    path : Path
        The file.
    fields : Iterable of str
        What the document must have besides its schema.

    Raises
    ------
    DescriptionError
        ``A001``: the file cannot be read or is no such document.
    """
    try:
        document: Document = json.loads(path.read_text(encoding="utf-8"))
        version = document["schema"]
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise damaged(kind, path, error) from None
    if version != SCHEMAS[kind]:
        return None
    missing = next((field for field in fields if field not in document), None)
    if missing is not None:
        raise damaged(kind, path, KeyError(missing))
    return document


def damaged(kind: str, path: Path, why: Exception | str) -> DescriptionError:
    """Return the error for a file that is not what its kind says."""
    said = f"there is no field {why}" if isinstance(why, KeyError) else str(why)
    return DescriptionError(
        "A001",
        f"`{name_of(path)}` is damaged",
        places=[Place(str(path))],
        notes=[said],
        help=f"`assay verify kept {kind} --prune` removes it; what it held is computed anew when needed",
    )


def write(kind: str, name: str, content: str | bytes) -> Path:
    """Write a file into `home`, whole or not at all; return it.

    Raises
    ------
    UsageError
        ``A002``: it cannot be written.
    """
    path = home() / kind / name
    replace(path, content)
    return path


def replace(path: Path, content: str | bytes) -> None:
    """Put content in the place of a file in one step: a reader sees the old or the new one.

    Raises
    ------
    UsageError
        ``A002``: it cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _replace(path, content.encode() if isinstance(content, str) else content)
    except OSError as error:
        raise _unwritable(path, error) from None


def _replace(path: Path, data: bytes) -> None:
    # The name has a leading dot, so that no pattern of `files` finds what an interrupted process left.
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


@contextmanager
def lock(kind: str) -> Iterator[None]:
    """Exclude other processes and threads that change a file of the kind: one reads, changes and writes.

    Raises
    ------
    UsageError
        ``A002``: the folder cannot be written.
    """
    path = home() / kind / ".lock"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = path.open("w")
    except OSError as error:
        raise _unwritable(path, error) from None
    with file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def update(kind: str, name: str, change: Callable[[Path | None], str]) -> Path:
    """Write a file anew from what it holds; of several processes each sees what the one before wrote.

    Parameters
    ----------
    change : function
        Takes the file in `home`, or None if there is none; returns the new content.

    Raises
    ------
    UsageError
        ``A002``: it cannot be written.
    """
    with lock(kind):
        path = home() / kind / name
        return write(kind, name, change(path if path.is_file() else None))


def remove(path: Path) -> None:
    """Remove a file; it may be gone already.

    Raises
    ------
    UsageError
        ``A002``: it cannot be removed.
    """
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise _unwritable(path, error) from None


def _unwritable(path: Path, error: OSError) -> UsageError:
    return UsageError(
        "A002",
        f"`{path}` cannot be written",
        notes=[error.strerror or str(error)],
        help=f"name a folder that can be written in the environment variable {VARIABLE}",
    )
