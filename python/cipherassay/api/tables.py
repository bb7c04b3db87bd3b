"""Rows of results as a table: filtered, shown, drawn, handed to pandas, Polars and Arrow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from cipherassay.api.html import table
from cipherassay.errors import UsageError, nearest

if TYPE_CHECKING:
    from collections.abc import Iterable

    import altair
    import pandas
    import polars
    import pyarrow as pa

    from cipherassay.results import Row

SHOWN = 20
"""Lines of a table in a notebook; `Rows.show` gives more."""


class Rows:
    """Numbers with everything that says of what they are: a table with a line per number.

    The columns are the fields of `cipherassay.results.Row` and ``run``, or what a query asks for. A field
    that does not apply is missing (``None``, ``NA``, ``null``), never 0 or an empty text.
    """

    def __init__(self, table: pa.Table) -> None:
        self._table = table

    @staticmethod
    def of(rows: Iterable[Row]) -> Rows:
        """Return rows as they are made, in the same columns but ``run``."""
        import pyarrow as pa

        from cipherassay.results import FIELDS
        from cipherassay.results.schema import arrow_field

        fields = pa.schema([arrow_field(name) for name in FIELDS])
        return Rows(pa.Table.from_pylist([row.as_dict() for row in rows], schema=fields))

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return list(self._table.column_names)

    def __len__(self) -> int:
        return int(self._table.num_rows)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.to_dicts())

    @overload
    def __getitem__(self, key: int) -> dict[str, Any]: ...

    @overload
    def __getitem__(self, key: slice) -> Rows: ...

    @overload
    def __getitem__(self, key: str) -> list[Any]: ...

    def __getitem__(self, key: int | slice | str) -> dict[str, Any] | Rows | list[Any]:
        """Return a line, some lines, or a column's values."""
        if isinstance(key, str):
            values: list[Any] = self._column(key).to_pylist()
            return values
        lines = range(len(self))[key]
        if isinstance(lines, int):
            line: dict[str, Any] = self._table.slice(lines, 1).to_pylist()[0]
            return line
        return Rows(self._table.take(list(lines)))

    def where(self, **fields: Any) -> Rows:
        """Return the lines whose columns have these values; of a list any, None: the field does not apply.

        Raises
        ------
        UsageError
            ``R022``: there is no such column.
        """
        import pyarrow as pa
        import pyarrow.compute as pc

        table = self._table
        for name, value in fields.items():
            self._column(name)
            values = list(value) if isinstance(value, list | tuple | set | frozenset) else [value]
            kind = table.schema.field(name).type
            found = pc.is_in(table[name], pa.array([v for v in values if v is not None], kind))
            if None in values:
                found = pc.or_(found, pc.is_null(table[name]))
            table = table.filter(found)
        return Rows(table)

    def sorted(self, by: str, *, descending: bool = False) -> Rows:
        """Return the lines in the order of a column, those without a value last."""
        self._column(by)
        return Rows(self._table.sort_by([(by, "descending" if descending else "ascending")]))

    def to_arrow(self) -> pa.Table:
        """Return an Arrow table."""
        return self._table

    def to_pandas(self) -> pandas.DataFrame:
        """Return a pandas DataFrame; whole numbers and booleans keep their type where some are missing."""
        _require("pandas")
        import pandas as pd
        import pyarrow as pa

        kinds = {pa.int64(): pd.Int64Dtype(), pa.bool_(): pd.BooleanDtype()}
        frame: pandas.DataFrame = self._table.to_pandas(types_mapper=kinds.get)
        return frame

    def to_polars(self) -> polars.DataFrame:
        """Return a Polars DataFrame."""
        _require("polars")
        import polars as pl

        frame = pl.from_arrow(self._table)
        assert isinstance(frame, pl.DataFrame)
        return frame

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return a dictionary per line."""
        lines: list[dict[str, Any]] = self._table.to_pylist()
        return lines

    def to_rows(self) -> list[Row]:
        """Return `cipherassay.results.Row` objects, of a table that has all their fields."""
        from cipherassay.results import Row

        return [Row.from_dict(line) for line in self.to_dicts()]

    def bars(self, y: str = "cipher", color: str | None = None) -> altair.Chart:
        """Return a bar per line: the values of one metric by a column; see `charts.bars`."""
        from cipherassay.api.charts import bars

        for name in filter(None, (y, color)):
            self._column(name)
        return bars(self.to_dicts(), y, color)

    def scatter(self, x: str, y: str, color: str = "cipher") -> altair.Chart:
        """Return a point per implementation, one metric against another; see `charts.scatter`."""
        from cipherassay.api.charts import scatter

        return scatter(self.to_dicts(), x, y, color)

    def show(self, lines: int = SHOWN) -> _Shown:
        """Return what a notebook shows: so many lines, without empty columns."""
        return _Shown(self, lines)

    def _repr_html_(self) -> str:
        return self.show()._repr_html_()

    def __repr__(self) -> str:
        return f"<Rows: {len(self)} rows, {len(self.columns)} columns>"

    def _column(self, name: str) -> Any:
        if name not in self.columns:
            raise UsageError("R022", f"the rows have no column `{name}`", help=nearest(name, self.columns))
        return self._table[name]


class _Shown:
    """Some lines of rows as HTML."""

    def __init__(self, rows: Rows, lines: int) -> None:
        self._rows, self._lines = rows, lines

    def _repr_html_(self) -> str:
        shown = self._rows[: self._lines].to_dicts()
        columns = [name for name in self._rows.columns if any(line[name] is not None for line in shown)]
        left = len(self._rows) - len(shown)
        note = f"{left} more rows: .show({len(self._rows)}), .to_pandas()" if left else ""
        return table(columns, ([line[name] for name in columns] for line in shown), note=note)


def rows(store: str | Path | None = None, **where: Any) -> Rows:
    """Return all numbers that are known: those kept here, the package's own, those that papers print.

    Parameters
    ----------
    store : str or Path, optional
        The folder of the results store; by default the one that commands use.
    where
        Columns with the values that are wanted, as `Rows.where` takes them: ``metric="cycles"``.

    Raises
    ------
    ToolError
        ``T002``: the package pyarrow is not installed.
    StoreError
        ``R019``: the cache cannot be written; ``R021``: it is damaged.
    UsageError
        ``R022``: there is no such column.
    """
    _require("pyarrow")
    from cipherassay.console.progress import say
    from cipherassay.results.gathering import gather
    from cipherassay.results.store import Store
    from cipherassay.results.tables import COLUMNS

    table = gather(Store(store), say, say).table()
    return Rows(table.select(list(COLUMNS))).where(**where)


def sql(query: str, store: str | Path | None = None) -> Rows:
    """Return what an SQL query gives over the tables and views that `assay query` has (docs/data.md).

    Raises
    ------
    UsageError
        ``R011`` to ``R015``: the query is not valid, or does more than read.
    QueryLimitError
        ``R016`` to ``R018``: it takes too much memory or time, or gives too many rows.
    """
    _require("duckdb", "pyarrow")
    import pyarrow as pa

    from cipherassay.console.progress import say
    from cipherassay.results import querying
    from cipherassay.results.store import Store

    columns, lines = querying.query(Store(store), query, say=say, busy=say)
    return Rows(_table(columns, lines, pa))


def _table(columns: Sequence[str], lines: Sequence[Sequence[Any]], pa: Any) -> pa.Table:
    by_column: Mapping[str, list[Any]] = {
        name: [line[number] for line in lines] for number, name in enumerate(columns)
    }
    return pa.table({name: pa.array(values) for name, values in by_column.items()})


def _require(*packages: str) -> None:
    from cipherassay import tools

    tools.require_packages(*packages)
