"""Rows of many runs in one table: a row's columns, its run, and what made that."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cipherassay.results.origin import ORIGIN_FIELDS, Origin
from cipherassay.results.row import FIELDS
from cipherassay.results.schema import RUN, arrow_field

if TYPE_CHECKING:
    import pyarrow as pa


def schema() -> pa.Schema:
    """Return the columns of a file of many runs: the run, what made it, a row's."""
    import pyarrow as pa

    return pa.schema([arrow_field(name) for name in (RUN, *ORIGIN_FIELDS, *FIELDS)])


def with_run(lines: pa.Table, name: str, origin: Origin) -> pa.Table:
    """Return the rows among lines, with the name and the origin of their run."""
    import pyarrow as pa
    import pyarrow.compute as pc

    rows = lines.filter(pc.is_valid(lines["metric"])).select(list(FIELDS)).replace_schema_metadata(None)
    for n, (column, value) in enumerate({RUN: name, **origin.as_dict()}.items()):
        field = arrow_field(column)
        rows = rows.add_column(n, field, pa.repeat(pa.scalar(value, field.type), len(rows)))
    return rows
