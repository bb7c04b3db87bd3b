"""What a run remembers of where and by what it was made."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from cipherassay import __version__
from cipherassay.results import Row, Store, origin, sources
from cipherassay.results.querying import query
from cipherassay.tools.machine import machine_name
from support.places import ROOT

ROW = Row(metric="cycles", value=1.0, basis="measured", tools="gcc 12", command="x")


def git(*words: str) -> str:
    try:
        ran = subprocess.run(["git", "-C", str(ROOT), *words], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("the package is in no checkout with git")
    return ran.stdout.strip()


def test_a_run_says_what_made_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "names", list)
    Store(tmp_path).put("one/run", {}, [ROW, Row(metric="ops", value=2.0, basis="measured", command="x")])
    columns, lines = query(Store(tmp_path), "select * from runs")
    found = dict(zip(columns, lines[0], strict=True))
    assert (found["run"], found["rows"], found["tools"]) == ("one/run", 2, "gcc 12")
    assert (found["machine"], found["version"]) == (machine_name(), __version__)
    assert (found["commit"], found["commit_date"]) == (git("log", "-1", "--format=%H"), git("log", "-1", "--format=%cI"))
    assert found["modified"] in (True, False)
    assert query(Store(tmp_path), "select distinct run from results")[1] == [["one/run"]]
    assert Store(tmp_path).query("select run, version from runs where rows > 0")[1] == [("one/run", __version__)]


def test_outside_a_checkout_there_is_no_commit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(origin, "_ROOT", tmp_path)
    origin.here.cache_clear()
    try:
        found = origin.here()
    finally:
        origin.here.cache_clear()
    assert (found.commit, found.commit_date, found.modified) == (None, None, None)
    assert found.version == __version__


def test_rows_of_sources_have_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "names", lambda: ["results"])
    assert query(Store(tmp_path), "select run, machine, commit from runs")[1] == [["published", None, None]]
