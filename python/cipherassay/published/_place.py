"""Lines of a TOML file, found again after parsing: the parser of the standard library keeps none."""

from __future__ import annotations

import re
from pathlib import Path

from cipherassay.errors import DescriptionError, Place


class Source:
    """The text of a published-data file, able to say on which line a part of it stands.

    It relies on the layout of these files: a header ``[[table]]``, a key and a row each begin a line.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self.text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            places = [Place(str(path))]
            raise DescriptionError(
                "B015", f"cannot read {path.name}", places=places, notes=[str(error)]
            ) from error
        self.lines = self.text.splitlines()
        self.heads: dict[str, list[int]] = {}

    def header(self, name: str, number: int) -> int:
        """Line of the ``number``-th header ``[[name]]`` or ``[name]``, from 0; line 1 where there is none."""
        if name not in self.heads:
            pattern = re.compile(rf"\[\[?{re.escape(name)}\]\]?\s*(#|$)")
            self.heads[name] = [n for n, line in enumerate(self.lines, 1) if pattern.match(line)]
        heads = self.heads[name]
        return heads[number] if number < len(heads) else 1

    def key(self, start: int, name: str) -> int:
        """Line of the key in the block whose header is on line ``start``, else ``start``."""
        for number in range(start + 1, len(self.lines) + 1):
            line = self.lines[number - 1]
            if re.match(rf"{re.escape(name)}\s*=", line):
                return number
            if re.match(r"\[\[?\w", line):
                break
        return start

    def row(self, start: int, number: int) -> int:
        """Line of the ``number``-th row, from 0, of the table whose header is on line ``start``.

        The grids of a table continue its count.
        """
        within_rows, seen = False, 0
        for n in range(start + 1, len(self.lines) + 1):
            line = self.lines[n - 1]
            if re.match(r"\[\[?(?!table\.grid)\w", line):
                break
            within_rows = line.startswith("rows") or (within_rows and not line.startswith("]"))
            if within_rows and line.lstrip().startswith("{"):
                if seen == number:
                    return n
                seen += 1
        return start

    def place(self, line: int) -> Place:
        """The place with its text."""
        return Place(str(self.path), line, text=self.lines[line - 1] if 0 < line <= len(self.lines) else "")
