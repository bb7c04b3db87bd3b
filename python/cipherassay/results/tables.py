"""The SQL tables that queries see, made from lines of runs' files."""

from __future__ import annotations

from cipherassay.results.row import FIELDS
from cipherassay.results.schema import IDENTITY, SAMPLE_FIELDS, SAMPLED, sql_type


def statements(rows: str = "", samples: str = "") -> list[str]:
    """Return the SQL that makes the tables `results` and `samples`.

    Parameters
    ----------
    rows, samples : str
        What to select the lines from; without, the table is empty.
    """
    lists = ", ".join(f"unnest({name}) as {name}" for name in SAMPLED)
    number = f"unnest(range(len({SAMPLED[0]}))) as input"
    return [
        f"create table results as select {', '.join(FIELDS)} from {rows} where metric is not null"
        if rows
        else _empty("results", FIELDS),
        f"create table samples as select {', '.join(IDENTITY)}, {number}, {lists} from {samples} "
        f"where {SAMPLED[0]} is not null"
        if samples
        else _empty("samples", SAMPLE_FIELDS),
    ]


def _empty(name: str, fields: tuple[str, ...]) -> str:
    return f"create table {name} ({', '.join(f'{field} {sql_type(field)}' for field in fields)})"
