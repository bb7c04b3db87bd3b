"""Lines of a TOML file, found again after parsing: the parser of the standard library keeps none."""

from __future__ import annotations

import re
from pathlib import Path

from cipherassay.errors import DescriptionError, Place


class Source:
    """The text of a published-data file, able to say on which line a part of it stands.

    It relies on the layout of these files: a header ``[[table]]`` on its own line, a row or axis of columns
    beginning its own line with ``{`` or ``[``.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self.text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise DescriptionError("B001", f"cannot read {path.name}", places=[Place(str(path))],
                                   notes=[str(error)]) from error  # fmt: skip
        self.lines = self.text.splitlines()

    def header(self, name: str, number: int) -> int:
        """Line of the ``number``-th header ``[[name]]``, from 0; line 1 where there is none."""
        heads = [
            n
            for n, line in enumerate(self.lines, 1)
            if re.match(rf"\[\[?{re.escape(name)}\]\]?\s*(#|$)", line)
        ]
        return heads[number] if number < len(heads) else 1

    def key(self, start: int, name: str) -> int:
        """Line of the key in the block that starts on line ``start``, else ``start``."""
        for number in range(start, len(self.lines)):
            line = self.lines[number]
            if line.startswith("[") and not line.startswith("[["[: 1 + line.startswith("[[")] + " "):
                break
            if re.match(rf"{re.escape(name)}\s*=", line):
                return number + 1
        return start

    def row(self, start: int, number: int) -> int:
        """Line of the ``number``-th row, from 0, of the block that starts on line ``start``."""
        first = self.key(start, "rows")
        found = [n for n in range(first, len(self.lines)) if self.lines[n].lstrip().startswith("{")]
        return found[number] + 1 if number < len(found) else first

    def place(self, line: int) -> Place:
        """The place with its text."""
        return Place(str(self.path), line, text=self.lines[line - 1] if 0 < line <= len(self.lines) else "")
