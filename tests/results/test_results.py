"""The results store: what is put is found, nothing half-written, nothing stale, only possible rows."""

from __future__ import annotations

import io
import json
import os
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from cipherassay.errors import UsageError
from cipherassay.published import METRICS as PUBLISHED_UNITS
from cipherassay.results import FIELDS, METRICS, Row, Sample, Store, digest, runs
from cipherassay.results.published import published_rows
from cipherassay.results.row import RowError
from cipherassay.results.runs import VERSION, canonical
from cipherassay.results.store import StoreError
from cipherassay.results.tables import COLUMNS


def row(**changes: object) -> Row:
    values: dict[str, object] = {
        "cipher": "RC6", "operation": "encrypt", "key_bits": 128, "strategy": "direct", "level": "native",
        "target": "test machine", "metric": "cycles", "value": 161.0, "basis": "measured", "stable": True,
        "command": "assay measure rc6",
    }  # fmt: skip
    return Row(**{**values, **changes})  # type: ignore[arg-type]


def test_fields_are_those_of_the_design() -> None:
    assert " ".join(FIELDS) == (
        "cipher variant part operation key_bits strategy level target platform configuration implementation "
        "compiler architecture key_mode speed_grade metric value unit basis bound certificate reference "
        "reference_source ratio stable constant_time tools command"
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
    rows = [row(), row(metric="cycles_average", value=163.25)]
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
    assert [p.name for p in (tmp_path / "native").iterdir()] == ["rc6.parquet"], "no leftovers"


def test_same_rows_same_bytes(tmp_path: Path) -> None:
    for name in ("a", "b"):
        Store(tmp_path / name).put("x", {"k": [1, 2]}, [row()], [Sample(row(), [1, 2], [1.5, 2.5])])
    assert (tmp_path / "a/x.parquet").read_bytes() == (tmp_path / "b/x.parquet").read_bytes()


def test_different_names_are_different_files(tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    names = ["a b", "a-b", "a/b", "x" * 300, "x" * 299, "…", "a", "a/..", "été"]
    for n, name in enumerate(names):
        store.put(name, {}, [row(value=n)])
    found = [store.find(name, {}) or [] for name in names]
    assert [[r.value for r in rows] for rows in found] == [[n] for n in range(len(names))]
    assert len(store.runs()) == len(names)
    assert [path.name for path in tmp_path.iterdir()] == ["store"], "nothing beside it"
    with pytest.raises(ValueError, match="empty part"):
        store.put("a//b", {}, [row()])


def damages(whole: bytes) -> dict[str, bytes]:
    """Return contents that are no run: what a crash, a bad disk or another program leaves."""
    other = io.BytesIO()
    pq.write_table(pa.table({"cipher": ["RC6"], "value": [1.0]}), other)
    versioned = io.BytesIO()
    told = {b"cipherassay": json.dumps({"version": VERSION, "inputs": canonical({"k": 1})})}
    pq.write_table(pa.table({"cipher": ["RC6"], "metric": [1]}).replace_schema_metadata(told), versioned)
    return {
        "empty": b"", "garbage": b"garbage" * 100, "cut short": whole[:-20], "without its head": whole[20:],
        "zeroed inside": whole[:200] + bytes(200) + whole[400:], "of another program": other.getvalue(),
        "of other columns": versioned.getvalue(),
    }  # fmt: skip


DAMAGES = sorted(damages(b""))


@pytest.mark.parametrize("kind", DAMAGES)
def test_a_damaged_run_counts_as_not_done(tmp_path: Path, kind: str) -> None:
    store = Store(tmp_path)
    store.put("x", {"k": 1}, [row()], [Sample(row(), [100, 101], [161, 162.5])])
    store.put("good", {"k": 1}, [row(value=150.0)])
    path = tmp_path / "x.parquet"
    path.write_bytes(damages(path.read_bytes())[kind])
    if store.find("x", {"k": 1}) is not None:
        pytest.fail(f"a file {kind} was read as a run")
    assert [r.value for r in store.rows()] == [150.0]
    assert store.query("select count(*) from results")[1] == [(1,)]
    assert store.query("select count(*) from samples")[1] == [(0,)]
    store.put("x", {"k": 1}, [row()])
    assert store.find("x", {"k": 1}) == [row()]


def test_a_run_of_another_version_counts_as_not_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(runs, "VERSION", VERSION - 1)
        store.put("x", {"k": 1}, [row()])
        assert store.find("x", {"k": 1}) == [row()]
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
    assert tuple(columns) == COLUMNS
    assert lines == []


def test_query_that_is_wrong(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        Store(tmp_path).query("select cypher from results")
    text = str(caught.value)
    assert text.startswith("error[R011]: the query is not valid\n   = Binder Error: ")
    assert text.endswith("= help: `show tables` lists what can be asked, `describe results` the fields")
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
            {"bound": 160.0, "certificate": "proved; cap: 160 operations"},
            "error[R004]: a certificate claims more than the bound says: cycles 161.0 against 160.0\n"
            "   = the row: RC6 encrypt 128 direct [native, test machine] cycles\n"
            "   = its certificate: proved; cap: 160 operations",
        ),
        (
            {"certificate": "optimal"},
            "error[R004]: a certificate claims more than the bound says: cycles 161.0 against None\n"
            "   = the row: RC6 encrypt 128 direct [native, test machine] cycles\n"
            "   = its certificate: optimal",
        ),
        (
            {"variant": ""},
            "error[R007]: `variant` of a row is an empty string\n"
            "   = the row: RC6 encrypt 128 direct [native, test machine] cycles\n"
            "   = help: a field that does not apply is None",
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


def test_what_is_put_is_checked(tmp_path: Path) -> None:
    store = Store(tmp_path)
    with pytest.raises(RowError) as caught:
        store.put("x", {}, [row(), row(command=None, metric="ops")])
    assert str(caught.value) == (
        "error[R005]: a row has no command that makes it again\n"
        "   = the row: RC6 encrypt 128 direct [native, test machine] ops"
    )
    with pytest.raises(RowError) as caught:
        store.put("x", {}, [row(), row(value=162.0, stable=False)])
    assert str(caught.value) == (
        "error[R006]: two rows of one identity have the values 161 and 162\n"
        "   = the row: RC6 encrypt 128 direct [native, test machine] cycles\n"
        "   = help: a field is missing that tells them apart"
    )
    assert store.runs() == []
    store.put("x", {}, [row(), row()])


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    Store(tmp_path / "other").put("x", {}, [row()])  # what is imported late is imported by its owner
    tmp_path.chmod(0o500)
    user = os.geteuid()
    try:
        if user == 0:
            os.seteuid(65534)  # root can write everywhere
        with pytest.raises(StoreError, match=r"^error\[R010\]: the results cannot be kept under "):
            Store(tmp_path / "s").put("x", {}, [row()])
    finally:
        os.seteuid(user)


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
