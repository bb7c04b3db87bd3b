"""Verilog files of a design as arguments of a command."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from cipherassay.errors import UsageError


def design_files(names: Sequence[str]) -> dict[str, str]:
    """Return the text of each file by its name without folders.

    Raises
    ------
    UsageError
        ``H801``: a file is not there; ``H807``: cannot be read; ``H806``: has the name of another.
    """
    files: dict[str, str] = {}
    for name in names:
        path = Path(name)
        if not path.is_file():
            raise UsageError(
                "H801", f"there is no file `{name}`", help="name the Verilog files of one design"
            )
        if path.name in files:
            raise UsageError("H806", f"two files are called `{path.name}`")
        try:
            files[path.name] = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError("H807", f"`{name}` cannot be read", notes=[str(error)]) from None
    return files
