"""The rows of a report as scripts, loaded in pieces: under ``file://`` a page can load nothing else."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields as fields_of
from typing import Any

from cipherassay.results import FIELDS, Row
from cipherassay.results.metrics import find_metric

PIECE = 1000
"""Rows of a piece."""
SHOWN = (
    "cipher", "variant", "part", "operation", "key_bits", "strategy", "level", "target", "configuration",
    "metric", "value", "unit", "basis",
)  # fmt: skip
"""The columns of the table; what else a row has stands with its evidence."""
CHOICES = ("cipher", "level", "operation", "key_bits", "target", "metric", "basis")
"""The fields that a reader filters by."""
_TEXTS = frozenset(one.name for one in fields_of(Row) if one.type.startswith("str"))


class RowNumbers:
    """Numbers rows from 0: those given, then others in the order in which they are first shown."""

    def __init__(self, rows: Iterable[Row] = ()) -> None:
        self._numbers: dict[Row, int] = {}
        for row in rows:
            self.of(row)

    def of(self, row: Row) -> int:
        """Return the row's number."""
        return self._numbers.setdefault(row, len(self._numbers))

    def rows(self) -> list[Row]:
        """Return the rows in the order of their numbers."""
        return list(self._numbers)


def pieces(rows: Sequence[Row]) -> Iterator[tuple[str, str]]:
    """Yield the scripts as (file name, text): ``manifest.js``, then the pieces.

    A piece calls ``cipherassay.rows(NUMBER, TEXTS, LINES)``: a line has a row's fields in the order of
    `FIELDS`, words by their place in TEXTS, nothing where there is no value.
    """
    yield "manifest.js", f"window.rowsManifest = {script(_manifest(rows))};\n"
    for begin in range(0, len(rows), PIECE):
        number = begin // PIECE
        texts: dict[str, int] = {}
        lines = ",\n".join([_line(row, texts) for row in rows[begin : begin + PIECE]])
        yield f"{number}.js", f"cipherassay.rows({number},{script(list(texts))},[\n{lines}\n])\n"


def _manifest(rows: Sequence[Row]) -> dict[str, Any]:
    """Return what a page knows before it has loaded any rows: fields, choices, metrics and their units."""
    metrics = {name: find_metric(name) for name in sorted({row.metric for row in rows})}
    return {
        "count": len(rows), "piece": PIECE, "fields": FIELDS, "shown": SHOWN,
        "texts": [name in _TEXTS for name in FIELDS],
        "choices": {name: _choices(rows, name) for name in CHOICES},
        "metrics": {name: one.meaning for name, one in metrics.items() if one is not None},
    }  # fmt: skip


def script(value: Any) -> str:
    """Return a value as JavaScript that may stand within a script element."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text.replace("</", "<\\/").replace("<!--", "<\\!--").replace("\u2028", "\\u2028")


def _choices(rows: Sequence[Row], field: str) -> list[Any]:
    known = {getattr(row, field) for row in rows} - {None}
    return sorted(known, key=lambda one: (isinstance(one, str), one))


def _line(row: Row, texts: dict[str, int]) -> str:
    cells = []
    for name in FIELDS:
        value = getattr(row, name)
        if value is None:
            cells.append("")
        elif name in _TEXTS:
            cells.append(str(texts.setdefault(value, len(texts))))
        else:
            whole = isinstance(value, float) and value == int(value)
            cells.append(json.dumps(int(value) if whole else value))
    return f"[{','.join(cells).rstrip(',')}]"
