"""The results store: what is put is found, nothing half-written, nothing stale, only possible rows."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from cipherassay.errors import UsageError
from cipherassay.published import METRICS as PUBLISHED_UNITS
from cipherassay.results import FIELDS, METRICS, Row, Sample, Store, digest
from cipherassay.results.published import published_rows
from cipherassay.results.row import RowError
from cipherassay.results.store import StoreError


def row(**changes: object) -> Row:
    values: dict[str, object] = {
        "cipher": "RC6", "operation": "encrypt", "key_bits": 128, "strategy": "direct", "level": "native",
        "target": "test machine", "metric": "cycles", "value": 161.0, "basis": "measured", "stable": True,
    }  # fmt: skip
    return Row(**{**values, **changes})  # type: ignore[arg-type]


def test_fields_are_those_of_the_design() -> None:
    assert " ".join(FIELDS) == (
        "cipher variant part operation key_bits strategy level target configuration metric value unit basis "
        "bound certificate reference reference_source ratio stable tools command"
    )


def test_every_published_number_is_a_row() -> None:
    rows = published_rows()
    assert len(rows) > 50
    assert {r.basis for r in rows} == {"published"}
    assert not [r for r in rows if not r.reference_source]


def test_shared_metrics_have_one_unit() -> None:
    assert {name: METRICS[name].unit for name in PUBLISHED_UNITS} == dict(PUBLISHED_UNITS)


def test_ratio_and_unit_are_derived() -> None:
    got = row(reference=580.0, reference_source="x")
    assert got.ratio == pytest.approx(161 / 580)
    assert got.unit == "cycles"
    assert row().ratio is None


def test_put_then_find(tmp_path: Path) -> None:
    store = Store(tmp_path / "deep" / "store")
    rows = [row(), row(metric="cycles_average", value=163.25, variant="")]
    store.put("native/rc6-128", {"program": "abc"}, rows)
    assert store.find("native/rc6-128", {"program": "abc"}) == rows
    assert store.find("native/rc6-128", {"program": "abd"}) is None
    assert store.find("native/other", {"program": "abc"}) is None
    assert store.runs() == ["native/rc6-128"]


def test_a_new_run_replaces_the_old(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.put("native/rc6", {"program": 1}, [row()])
    store.put("native/rc6", {"program": 2}, [row(value=150.0)])
    assert [r.value for r in store.rows()] == [150.0]
    assert [p.name for p in (tmp_path / "native").iterdir()] == ["rc6"], "no leftovers"


def test_same_rows_same_bytes(tmp_path: Path) -> None:
    for name in ("a", "b"):
        Store(tmp_path / name).put("x", {"k": [1, 2]}, [row()], [Sample(row(), [1, 2], [1.5, 2.5])])
    for file in ("rows.parquet", "samples.parquet", "inputs.json"):
        assert (tmp_path / "a/x" / file).read_bytes() == (tmp_path / "b/x" / file).read_bytes()


def test_a_damaged_run_counts_as_not_done(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.put("x", {"k": 1}, [row()])
    (tmp_path / "x" / "rows.parquet").write_bytes(b"PAR1 cut short")
    assert store.find("x", {"k": 1}) is None
    assert store.rows() == []


def test_query(tmp_path: Path) -> None:
    store = Store(tmp_path)
    sample = Sample(row(), [100, 101], [161, 162.5])
    store.put("x", {"k": 1}, [row(), row(cipher="E2", value=356.0)], [sample])
    columns, lines = store.query("select cipher, value from results order by value desc")
    assert columns == ["cipher", "value"]
    assert lines == [("E2", 356.0), ("RC6", 161.0)]
    assert store.query("select max(cycles), count(*) from samples")[1] == [(162.5, 2)]


def test_query_of_an_empty_store_knows_the_fields(tmp_path: Path) -> None:
    columns, lines = Store(tmp_path / "none").query("select * from results")
    assert tuple(columns) == FIELDS
    assert lines == []


def test_query_that_is_wrong(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        Store(tmp_path).query("select cypher from results")
    text = str(caught.value)
    assert text.startswith("error[R011]: the query is not valid\n   = Binder Error: ")
    assert text.endswith("= help: the views are `results` and `samples`; `describe results` lists the fields")
    assert caught.value.exit_code == 2


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        (
            {"metric": "cycels"},
            "error[R001]: a row's metric cannot be `cycels`\n   = help: did you mean `cycles`? (known: "
            + ", ".join(sorted(METRICS)) + ")",
        ),
        (
            {"value": float("nan")},
            "error[R002]: `value` of a row is nan\n"
            "   = the row: RC6 encrypt 128 direct [native, test machine] cycles",
        ),
        (
            {"bound": 170.0},
            "error[R003]: a value beats its bound: cycles 161.0 against 170.0\n"
            "   = the row: RC6 encrypt 128 direct [native, test machine] cycles",
        ),
        (
            {"basis": "guessed"},
            "error[R001]: a row's basis cannot be `guessed`\n"
            "   = help: did you mean `measured`? (known: measured, published, simulated, synthesized)",
        ),
    ],
)  # fmt: skip
def test_impossible_rows(changes: dict[str, object], text: str) -> None:
    with pytest.raises(RowError) as caught:
        row(**changes)
    assert str(caught.value) == text


@pytest.mark.skipif(os.geteuid() == 0, reason="root can write everywhere")
def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(StoreError, match=r"^error\[R010\]: the results cannot be kept under "):
        Store(tmp_path / "s").put("x", {}, [row()])


def test_a_file_in_the_place_of_the_folder(tmp_path: Path) -> None:
    (tmp_path / "s").write_text("")
    with pytest.raises(StoreError) as caught:
        Store(tmp_path / "s").put("x", {}, [row()])
    first = str(caught.value).splitlines()[0]
    assert first == f"error[R010]: the results cannot be kept under `{tmp_path}/s`"
    assert caught.value.exit_code == 2


def test_digest_does_not_depend_on_order() -> None:
    assert digest({"a": 1, "b": 2}) == digest({"b": 2, "a": 1}) != digest({"a": 1, "b": 3})
    json.dumps(digest({}))
