"""Where compiled things are kept."""

from __future__ import annotations

import os
from pathlib import Path

from cipherassay.errors import ToolError

VARIABLE = "CIPHERASSAY_CACHE"


def cache_folder() -> Path:
    """Return the folder for compiled things, made if need be.

    It is what the environment variable CIPHERASSAY_CACHE names, else ``.cache/native`` where the command
    runs, else (that place being read-only) ``cipherassay`` in the user's cache folder.

    Raises
    ------
    ToolError
        ``N001``: none of them can be written.
    """
    named = os.environ.get(VARIABLE)
    user = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "cipherassay"
    candidates = [Path(named)] if named else [Path(".cache") / "native", user]
    reason = ""
    for folder in candidates:
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
        f"there is no folder for compiled code: `{candidates[0]}`",
        notes=[reason],
        help=f"name one that can be written in the environment variable {VARIABLE}",
    )
