"""What a number is of: rows of one identity state one quantity, so they must state one value."""

from __future__ import annotations

from collections.abc import Iterable

from cipherassay.results.row import FIELDS, Row, RowError

OUTCOMES = ("value", "unit", "bound", "certificate", "reference", "ratio", "stable")
"""The fields that say what came out; all others say of what and how."""
IDENTITY = tuple(name for name in FIELDS if name not in OUTCOMES)


def identity(row: Row) -> tuple[object, ...]:
    """Return the fields that say what a number is of and how it was obtained."""
    return tuple(getattr(row, name) for name in IDENTITY)


def conflicts(rows: Iterable[Row]) -> list[tuple[Row, Row]]:
    """Return pairs of rows of one identity with different values: the first that was met, and another."""
    first: dict[tuple[object, ...], Row] = {}
    met = ((row, first.setdefault(identity(row), row)) for row in rows)
    return [(known, row) for row, known in met if row.value != known.value]


def check_rows(rows: Iterable[Row]) -> None:
    """Check rows of our own before they are kept.

    Raises
    ------
    RowError
        ``R005``: a row without the command that makes it again; ``R006``: two values for one identity.
    """
    listed = list(rows)
    for row in listed:
        if row.command is None and row.basis != "published":
            raise RowError(
                "R005", "a row has no command that makes it again", notes=[f"the row: {row.describe()}"]
            )
    for known, row in conflicts(listed):
        raise RowError(
            "R006",
            f"two rows of one identity have the values {known.value:g} and {row.value:g}",
            notes=[f"the row: {row.describe()}"],
            help="a field is missing that tells them apart",
        )
