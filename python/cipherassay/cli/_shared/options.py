"""Places that options name, checked before the work."""

from __future__ import annotations

import tempfile
from pathlib import Path

from cipherassay.errors import UsageError


def writable_folder(path: Path | None) -> Path | None:
    """Check, before the work, that a folder can be written or made; callback of options.

    Raises
    ------
    UsageError
        ``U030``: it cannot be made or written; ``U031``: there is a file in its place.
    """
    if path is not None:
        if _exists(path) and not path.is_dir():
            raise UsageError("U031", f"`{path}` is a file, not a folder", help="name a folder with -o DIR")
        try:
            _try(path)
        except (OSError, ValueError) as error:
            raise unwritable(path, error) from None
    return path


def writable_file(path: Path | None) -> Path | None:
    """Check, before the work, that a file can be written; callback of options.

    Raises
    ------
    UsageError
        ``U032``: it cannot be written.
    """
    if path is not None:
        try:
            if path.is_dir():
                raise IsADirectoryError(0, "it is a folder")
            if not path.parent.is_dir():
                raise FileNotFoundError(0, f"there is no folder `{path.parent}`")
            _try(path.parent)
        except (OSError, ValueError) as error:
            raise UsageError("U032", f"the file `{path}` cannot be written", notes=[reason(error)]) from None
    return path


def writable_place(path: Path | None) -> Path | None:
    """Check, before the work, what may be a file or a folder; raises as the others do."""
    is_folder = path is not None and _exists(path) and path.is_dir()
    is_file = path is not None and not is_folder and _exists(path.parent)
    return writable_file(path) if is_file else writable_folder(path)


def unwritable(path: Path, error: Exception) -> UsageError:
    """Return the error of a folder that cannot be made or written."""
    return UsageError(
        "U030",
        f"the folder `{path}` cannot be written",
        notes=[reason(error)],
        help="name another folder with -o DIR",
    )


def reason(error: Exception) -> str:
    """Return why the system refuses a file or a folder."""
    return (error.strerror if isinstance(error, OSError) else "") or str(error)


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):
        return False


def _try(folder: Path) -> None:
    """Write into a folder, or into the one that it would be made in; nothing of it is left.

    Only a try tells: the mode bits do not know of read-only mounts.
    """
    while not folder.exists():
        folder = folder.parent
    with tempfile.NamedTemporaryFile(prefix=".assay-", dir=folder):
        pass
