"""The Arrow schemas of the store's files."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa

IDENTITY = ("cipher", "variant", "operation", "key_bits", "strategy", "level", "target", "configuration")
"""The fields that a sample shares with the rows computed from it."""

_INTEGERS = {"key_bits"}
_NUMBERS = {"value", "bound", "reference", "ratio"}
_BOOLEANS = {"stable"}


def row_schema() -> pa.Schema:
    """Return the schema of ``rows.parquet``: the fields of a row."""
    import pyarrow as pa

    from cipherassay.results.row import FIELDS

    return pa.schema([pa.field(name, _type(name)) for name in FIELDS])


def sample_schema() -> pa.Schema:
    """Return the schema of ``samples.parquet``: one line per input tried."""
    import pyarrow as pa

    identity = [pa.field(name, _type(name)) for name in IDENTITY]
    return pa.schema(
        [
            *identity,
            pa.field("input", pa.int64()),
            pa.field("ticks", pa.float64()),
            pa.field("cycles", pa.float64()),
        ]
    )


def _type(name: str) -> pa.DataType:
    import pyarrow as pa

    if name in _INTEGERS:
        return pa.int64()
    if name in _NUMBERS:
        return pa.float64()
    return pa.bool_() if name in _BOOLEANS else pa.string()
