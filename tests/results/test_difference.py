"""`assay diff`: which numbers changed between two sets of results."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cipherassay.results import Row, Store
from cipherassay.results.difference import difference
from support.command import assay


def row(value: float, **changes: object) -> Row:
    values: dict[str, object] = {
        "cipher": "RC6", "operation": "encrypt", "key_bits": 128, "strategy": "direct", "level": "native",
        "target": "here", "configuration": "gcc 12 -O2", "compiler": "gcc 12 -O2", "metric": "cycles",
        "value": value, "basis": "measured", "tools": "gcc 12", "command": "assay measure rc6",
    }  # fmt: skip
    return Row(**{**values, **changes})  # type: ignore[arg-type]


BEFORE = [
    row(160.0), row(200.0, operation="decrypt"), row(100.0, cipher="E2"), row(5.0, cipher="Gone"),
    row(400.0, metric="throughput_mbps"), row(30.0, metric="inputs"),
]  # fmt: skip
OTHER = {"configuration": "gcc 13 -O2", "compiler": "gcc 13 -O2", "tools": "gcc 13"}
AFTER = [
    row(80.0, **OTHER), row(202.0, operation="decrypt", **OTHER), row(100.0, cipher="E2", **OTHER),
    row(7.0, cipher="New", **OTHER), row(300.0, metric="throughput_mbps", **OTHER),
    row(33.0, metric="inputs", **OTHER),
]  # fmt: skip


@pytest.fixture
def sides(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, str]:
    """Two folders of results; the store has a run of each besides."""
    monkeypatch.setenv("ASSAY_STORE", str(tmp_path / "own"))
    for name, rows in (("before", BEFORE), ("after", AFTER)):
        Store(tmp_path / name).put("native/run", {}, rows)
        Store(tmp_path / "own").put(f"{name}/run", {}, rows)
    return str(tmp_path / "before"), str(tmp_path / "after")


def told(out: str) -> list[tuple[str, str, float]]:
    return [(one["cipher"], one["metric"], one["ratio"]) for one in json.loads(out)["changed"]]


def test_changes_are_sorted(capsys: pytest.CaptureFixture[str], sides: tuple[str, str]) -> None:
    ran = assay(capsys, "diff", *sides, "--json")
    assert ran.code == 0
    known = json.loads(ran.out)
    assert told(ran.out) == [
        ("RC6", "cycles", 0.5), ("RC6", "throughput_mbps", 0.75), ("RC6", "inputs", 1.1), ("RC6", "cycles", 1.01),
    ]  # fmt: skip
    assert [one["better"] for one in known["changed"]] == [True, False, None, False]
    first = known["changed"][0]
    assert (first["before"], first["after"], first["operation"]) == (160.0, 80.0, "encrypt")
    assert known["same"] == 1
    assert [one["cipher"] for one in known["only_before"]] == ["Gone"]
    assert [one["cipher"] for one in known["only_after"]] == ["New"]


def test_filters(capsys: pytest.CaptureFixture[str], sides: tuple[str, str]) -> None:
    ran = assay(capsys, "diff", *sides, "--json", "--tolerance", "0.02")
    assert len(told(ran.out)) == 3
    assert json.loads(ran.out)["same"] == 2
    ran = assay(capsys, "diff", *sides, "--json", "--only", "worse")
    assert told(ran.out) == [("RC6", "throughput_mbps", 0.75), ("RC6", "cycles", 1.01)]
    ran = assay(capsys, "diff", *sides, "--json", "--where", "metric=cycles", "--where", "operation=encrypt")
    assert told(ran.out) == [("RC6", "cycles", 0.5)]
    ran = assay(capsys, "diff", sides[0], sides[0], "--json")
    assert told(ran.out) == []


def test_what_is_printed(capsys: pytest.CaptureFixture[str], sides: tuple[str, str]) -> None:
    ran = assay(capsys, "diff", *sides, "--lines", "1")
    assert "0.5" in ran.out
    assert "0.75" not in ran.out
    assert ran.err == "4 numbers changed (3 more: --lines), 1 are the same, 1 are only before, 1 only after\n"


def test_runs_and_files(capsys: pytest.CaptureFixture[str], sides: tuple[str, str], tmp_path: Path) -> None:
    wanted = told(assay(capsys, "diff", *sides, "--json").out)
    written = tmp_path / "rows.json"
    written.write_text(json.dumps({"rows": [one.as_dict() for one in AFTER]}))
    for after in ("after", "after/run", f"{sides[1]}/native/run.parquet", str(written)):
        assert told(assay(capsys, "diff", "before/run", after, "--json").out) == wanted


def test_rows_of_an_earlier_version_have_fewer_fields(sides: tuple[str, str], tmp_path: Path) -> None:
    from cipherassay.results.difference import read_side

    old = tmp_path / "old.json"
    old.write_text(json.dumps({"rows": [{"cipher": "RC6", "metric": "cycles", "value": 3}]}))
    (line,) = read_side(str(old), Store())
    assert (line["cipher"], line["value"], line["platform"]) == ("RC6", 3.0, None)


def test_two_machines(sides: tuple[str, str]) -> None:
    here, there = row(160.0).as_dict(), row(80.0, target="there").as_dict()
    assert difference([here], [there]).changed == []
    (change,) = difference([here], [there], ignoring=["target"]).changed
    assert change.ratio == 0.5
    slower = row(90.0, target="elsewhere").as_dict()
    (change,) = difference([here], [slower, there], ignoring=["target"]).changed
    assert change.after == 80.0, "of several the best"


def test_zero_has_no_ratio() -> None:
    (change,) = difference([row(0.0).as_dict()], [row(3.0).as_dict()]).changed
    assert (change.ratio, change.better) == (None, False)
    assert difference([row(0.0).as_dict()], [row(0.0).as_dict()]).changed == []


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (
            ["nothing", "after"],
            "error[R026]: `nothing` is no folder, no file, and no run of the store `{own}`\n"
            '   = help: runs: `assay query "select run from runs"`',
        ),
        (
            ["befor/run", "after"],
            "error[R026]: `befor/run` is no folder, no file, and no run of the store `{own}`\n"
            "   = help: did you mean `before/run`?",
        ),
        (
            ["{own}/../text.txt", "after"],
            "error[R027]: `{own}/../text.txt` has no rows of results\n"
            "   = Expecting value: line 1 column 1 (char 0)\n"
            "   = help: a run's Parquet file, or JSON with `rows` as `assay report` and `--json` write it",
        ),
        (["before", "after", "--ignore", "value"], "error[R028]: rows are not paired by `value`\n   = help: known: "),
        (
            ["before", "after", "--only", "bettr"],
            "error[R029]: `--only bettr` is unknown\n   = help: did you mean `better`? (known: all, better, worse)",
        ),
        (
            ["before", "after", "--where", "cipher"],
            "error[R030]: `--where cipher` names no field of rows\n   = help: --where metric=cycles",
        ),
        (
            ["before", "after", "--where", "cyphr=RC6"],
            "error[R030]: `--where cyphr=RC6` names no field of rows\n   = help: did you mean `cipher`? (known: ",
        ),
    ],
)  # fmt: skip
def test_mistakes(
    capsys: pytest.CaptureFixture[str], sides: tuple[str, str], tmp_path: Path, arguments: list[str], text: str
) -> None:
    (tmp_path / "text.txt").write_text("no rows")
    own = str(tmp_path / "own")
    ran = assay(capsys, "diff", *(one.format(own=own) for one in arguments))
    assert ran.code == 2
    assert ran.err.startswith(text.replace("{own}", own)), ran.err
