"""The papers' numbers as rows of results, to be queried and compared like our own."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from cipherassay import published
from cipherassay.results.row import Row


def published_row(row: published.PublishedRow) -> Row:
    """Return one published number as a row of results; `reference_source` says where it is printed."""
    values: dict[str, Any] = row.as_result()
    return Row(**values)


@lru_cache(maxsize=1)
def published_rows() -> tuple[Row, ...]:
    """Return every number of every paper as rows of results."""
    return tuple(published_row(row) for row in published.rows())
