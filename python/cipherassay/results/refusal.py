"""Rows that say why there is no number: of what could not be made, or failed its check."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cipherassay.errors import AssayError
from cipherassay.results.row import Row

REFUSED = "refused"
"""Their metric; their certificate has the code and the reason."""


def refusal(error: AssayError, **fields: Any) -> Row:
    """Return the row of an error, with the fields of the rows that it stands for."""
    reason = "; ".join([f"{error.code}: {error.message}", *error.notes])
    return Row(**fields, metric=REFUSED, value=1, certificate=reason)


def reason_in(rows: Sequence[Row]) -> tuple[str, str] | None:
    """Return the code and the reason of the first such row among rows, None without one."""
    found = next((row.certificate for row in rows if row.metric == REFUSED), None)
    if found is None:
        return None
    code, _, reason = found.partition(": ")
    return code, reason
