"""Where the project keeps things on this machine: a disposable cache, and the results store."""

from __future__ import annotations

import os
from pathlib import Path

from cipherassay.errors import ToolError

VARIABLE = "CIPHERASSAY_CACHE"
STORE_VARIABLE = "ASSAY_STORE"
LOCAL = Path(".cache")
"""Cache and store of a working folder that has its own."""


def cache_root() -> Path:
    """Return where everything disposable lies, whether it exists or not.

    It is what the environment variable CIPHERASSAY_CACHE names, else ``.cache`` of a checkout of this project
    or of a folder with its own store, else ``cipherassay`` in the user's cache folder.
    """
    named = os.environ.get(VARIABLE)
    if named:
        return Path(named)
    return LOCAL if _has_own() else _user_cache()


def cache_folder(kind: str = "") -> Path:
    """Return a folder of the cache, made if need be.

    Parameters
    ----------
    kind : str
        What it is for; the folder's name in the cache.

    Raises
    ------
    ToolError
        ``N001``: neither the cache nor, if none is named, the user's cache folder can be written.
    """
    first = cache_root()
    candidates = [first] if os.environ.get(VARIABLE) else list(dict.fromkeys([first, _user_cache()]))
    reason = ""
    for folder in (root / kind for root in candidates):
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            reason = error.strerror or str(error)
            continue
        if os.access(folder, os.W_OK | os.X_OK):
            return folder.absolute()
        reason = "it cannot be written"
    raise ToolError(
        "N001",
        f"there is no folder for the cache: `{first}`",
        notes=[reason],
        help=f"name one that can be written in the environment variable {VARIABLE}",
    )


def store_root() -> tuple[Path, str]:
    """Return where the results store lies, whether it exists or not, and what decided it.

    It is what the environment variable ASSAY_STORE names, else ``.cache/results`` of a checkout of this
    project or of a folder that has one, else ``cipherassay/results`` in the user's data folder.
    """
    named = os.environ.get(STORE_VARIABLE)
    if named:
        return Path(named), STORE_VARIABLE
    if _has_own():
        return LOCAL / "results", "the working folder"
    import platformdirs

    return platformdirs.user_data_path("cipherassay", appauthor=False) / "results", "the user's data folder"


def _has_own() -> bool:
    """Return whether the working folder is a checkout of this project or has a store."""
    if (LOCAL / "results").is_dir():
        return True
    try:
        return '\nname = "cipherassay"\n' in Path("pyproject.toml").read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return False


def _user_cache() -> Path:
    import platformdirs

    return platformdirs.user_cache_path("cipherassay", appauthor=False)
