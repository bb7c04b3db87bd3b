"""The papers' numbers."""

from __future__ import annotations

from collections.abc import Iterator

from cipherassay.results.row import Row

READS = ("published", "results/published.py")


def runs() -> Iterator[tuple[str, list[Row]]]:
    """Yield every number of every paper."""
    from cipherassay.results.published import published_rows

    yield "published", list(published_rows())
