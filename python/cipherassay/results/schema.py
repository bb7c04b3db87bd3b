"""The columns of rows and samples, in the store's files and in queries."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from cipherassay.results.row import FIELDS

if TYPE_CHECKING:
    import pyarrow as pa

IDENTITY = ("cipher", "variant", "operation", "key_bits", "strategy", "level", "target", "configuration")
"""The fields that a sample shares with the rows computed from it."""

_NUMBERS = {"value", "bound", "reference", "ratio", "ticks", "cycles"}
_WHOLE = {"key_bits", "speed_grade", "input", "rows"}
_BOOLEANS = {"stable", "constant_time", "modified"}
SAMPLED = ("ticks", "cycles")
"""What a sample has for each input."""
RUN = "run"
"""The column that says of which run a row is."""
SAMPLE_FIELDS = (*IDENTITY, "input", *SAMPLED)


def sql_type(name: str) -> str:
    """Return the type of a field in SQL."""
    if name in _WHOLE:
        return "bigint"
    if name in _NUMBERS:
        return "double"
    return "boolean" if name in _BOOLEANS else "varchar"


@cache
def file_schema() -> pa.Schema:
    """Return the schema of a run's file: a line per row, and a line per sample, whose numbers are lists.

    Of a line the row's numbers or the sample's lists are null.
    """
    import pyarrow as pa

    rows = [arrow_field(name) for name in FIELDS]
    return pa.schema([*rows, *(pa.field(name, pa.list_(pa.float64())) for name in SAMPLED)])


def arrow_field(name: str) -> pa.Field:
    """Return a column of Arrow tables."""
    import pyarrow as pa

    types = {"bigint": pa.int64(), "double": pa.float64(), "boolean": pa.bool_(), "varchar": pa.string()}
    return pa.field(name, types[sql_type(name)])
