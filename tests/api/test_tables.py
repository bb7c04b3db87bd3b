"""Rows as tables: what pandas, Polars and Arrow see, charts, HTML; all rows within a second."""

from __future__ import annotations

import importlib.util
import math
import time
from pathlib import Path

import pytest

import cipherassay as ca
from cipherassay.api.tables import Rows
from cipherassay.errors import ToolError, UsageError
from cipherassay.results import FIELDS, Row, Store, sources
from cipherassay.results.published import published_rows


def row(**changes: object) -> Row:
    values: dict[str, object] = {
        "cipher": "RC6", "operation": "encrypt", "key_bits": 128, "level": "native", "target": "here",
        "metric": "cycles", "value": 161.0, "basis": "measured", "command": "assay measure rc6",
    }  # fmt: skip
    return Row(**{**values, **changes})  # type: ignore[arg-type]


ROWS = [row(), row(cipher="E2", value=356.5, stable=True), row(cipher="<b>", key_bits=None, value=200.0)]


@pytest.fixture(autouse=True)
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    monkeypatch.setenv("ASSAY_STORE", str(tmp_path / "store"))
    monkeypatch.setenv("CIPHERASSAY_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(sources, "names", list)
    made = Store(tmp_path / "store")
    made.put("one", {}, ROWS)
    return made


def test_rows_are_those_of_the_store(store: Store) -> None:
    found = ca.rows()
    assert found.to_rows() == ROWS == store.rows()
    assert found.columns == [*FIELDS, "run"]
    assert found["run"] == ["one"] * 3
    assert ca.rows(store.root, cipher="RC6").to_rows() == ROWS[:1]
    assert repr(found) == f"<Rows: 3 rows, {len(FIELDS) + 1} columns>"
    assert Rows.of(ROWS).to_rows() == ROWS


def test_published_rows_are_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "names", lambda: ["results"])
    assert set(ca.rows(basis="published").to_rows()) == set(published_rows())


def test_filters() -> None:
    found = ca.rows()
    assert found.where(cipher=["RC6", "E2"]).to_rows() == ROWS[:2]
    assert found.where(key_bits=None).to_rows() == ROWS[2:]
    assert found.where(key_bits=[None, 128], metric="cycles").to_rows() == ROWS
    assert found.where(cipher="none").to_rows() == []
    assert [one["value"] for one in found.sorted("value", descending=True)] == [356.5, 200.0, 161.0]
    assert found[1]["cipher"] == "E2"
    assert found[1:].to_rows() == ROWS[1:]
    with pytest.raises(IndexError):
        found[3]
    with pytest.raises(UsageError) as caught:
        found.where(cyphr="RC6")
    assert str(caught.value).splitlines()[0] == "error[R022]: the rows have no column `cyphr`"


def test_pandas_knows_what_is_missing() -> None:
    pandas = pytest.importorskip("pandas")
    frame = ca.rows().to_pandas()
    assert list(frame["value"]) == [161.0, 356.5, 200.0]
    assert str(frame["key_bits"].dtype) == "Int64"
    assert frame["key_bits"].isna().tolist() == [False, False, True]
    assert frame["stable"].tolist()[1] is True
    assert frame["stable"].isna().tolist() == [True, False, True]
    assert pandas.isna(frame["variant"]).all()


def test_polars() -> None:
    pytest.importorskip("polars")
    frame = ca.rows().to_polars()
    assert frame["value"].to_list() == [161.0, 356.5, 200.0]
    assert frame["key_bits"].to_list() == [128, 128, None]


def test_a_package_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *more: None if name == "polars" else find(name, *more)
    )
    with pytest.raises(ToolError) as caught:
        ca.rows().to_polars()
    assert str(caught.value).splitlines()[0] == "error[T002]: the Python package `polars` is not installed"
    assert str(caught.value).endswith("pip install 'cipherassay[notebook]'")


def test_sql() -> None:
    found = ca.sql("select cipher, value from results where value < 300 order by value")
    assert found.to_dicts() == [{"cipher": "RC6", "value": 161.0}, {"cipher": "<b>", "value": 200.0}]
    with pytest.raises(UsageError, match="R011"):
        ca.sql("select cypher from results")


def test_html_is_escaped_and_short() -> None:
    text = ca.rows()._repr_html_()
    assert "&lt;b&gt;" in text
    assert "<b>" not in text
    assert "variant" not in text, "columns without a value are left out"
    assert "1 more rows" in ca.rows().show(2)._repr_html_()


def test_bars() -> None:
    pytest.importorskip("altair")
    drawn = ca.rows().bars("cipher", "target").to_dict()
    assert drawn["mark"] == {"type": "bar"}
    assert [one["value"] for one in drawn["data"]["values"]] == [161.0, 356.5, 200.0]
    assert drawn["encoding"]["x"]["title"] == "cycles (cycles)"
    with pytest.raises(UsageError) as caught:
        Rows.of([*ROWS, row(metric="ops")]).bars()
    assert str(caught.value) == (
        "error[R023]: a chart of bars is of one metric\n   = these rows have cycles, ops\n"
        '   = help: choose one: rows.where(metric="cycles").bars()'
    )


def test_scatter_has_a_point_per_implementation() -> None:
    pytest.importorskip("altair")
    more = [row(metric="code_bytes", value=700.0), row(metric="cycles", value=150.0, operation="decrypt")]
    drawn = Rows.of([*ROWS, *more]).scatter("code_bytes", "cycles").to_dict()
    assert [(one["cipher"], one["code_bytes"], one["cycles"]) for one in drawn["data"]["values"]] == [
        ("RC6", 700.0, 150.0)
    ]
    with pytest.raises(UsageError) as caught:
        ca.rows().scatter("cycles", "area")
    assert str(caught.value).splitlines()[0] == "error[R024]: the rows have no metric `area`"
    with pytest.raises(UsageError) as caught:
        ca.rows().scatter("cycles", "cycles", "metric")
    assert str(caught.value).splitlines()[0] == "error[R025]: points have no column `metric`"


def test_many_rows_are_a_frame_within_a_second(store: Store) -> None:
    """Of processor time, once the packages are loaded: a machine may be busy."""
    pytest.importorskip("pandas")
    for number in range(60):
        store.put(f"many/{number}", {}, [row(key_bits=n, value=math.sqrt(n + 1)) for n in range(700)])
    assert len(ca.rows().to_pandas()) == 42_003
    start = time.process_time()
    assert len(ca.rows().to_pandas()) == 42_003
    assert time.process_time() - start < 1.0
