"""Rows that are kept or printed rather than measured: queries see those that a report shows."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from cipherassay import ciphers
from cipherassay.circuits.report_jobs import circuit_job
from cipherassay.jobs import RowCache, run
from cipherassay.results import FIELDS, Row, Store, gathered, sources
from cipherassay.results.identity import conflicts
from cipherassay.results.origin import ORIGIN_FIELDS
from cipherassay.results.published import published_rows
from cipherassay.results.querying import Limits, query
from cipherassay.studies.aoki1999 import report_jobs
from cipherassay.studies.worley2000.equation_jobs import equation_job


def test_a_query_sees_what_the_jobs_of_a_report_give(tmp_path: Path) -> None:
    """Also where the report has left its own runs in the store: then every row is there once."""
    e2 = [ciphers.load("e2")]
    jobs = [
        circuit_job(), circuit_job(["Serpent"]), equation_job(),
        *report_jobs.layout_jobs(e2), *report_jobs.call_jobs(e2),
    ]  # fmt: skip
    store = Store(tmp_path)
    given = run(jobs, RowCache(store)).results
    shown = {row for result in given.values() for row in result.rows}
    assert {row.level for row in shown} == {"circuit", "embedded", None}
    columns, lines = query(store, "select * from results", Limits(rows=1_000_000, seconds=300))
    seen = [Row.from_dict(dict(zip(columns, line, strict=True))) for line in lines]
    assert shown <= set(seen)
    assert len(seen) == len(set(seen)), "nothing twice"
    assert conflicts(seen) == []
    assert not [row for row in seen if row.command is None and row.basis != "published"]
    assert {row for row in seen if row.basis == "published"} == set(published_rows())


def test_sources_are_made_anew_when_a_file_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from cipherassay.results import source

    read = tmp_path / "package" / "data"
    read.mkdir(parents=True)
    (read / "a.toml").write_text("1")
    made: list[str] = []
    row = Row(metric="cycles", value=1.0, basis="published", reference_source="x")
    monkeypatch.setattr(sources, "PACKAGE", tmp_path / "package")
    monkeypatch.setattr(source, "__file__", str(read / "a.toml"))
    monkeypatch.setattr(source, "READS", ("data",))
    monkeypatch.setattr(source, "runs", lambda: iter([("published", [row])]))

    def place() -> Path:
        return sources.cached("results", tmp_path, made.append)

    first = place()
    assert place() == first
    assert gathered.schema().names == ["run", *ORIGIN_FIELDS, *FIELDS]
    assert len(made) == 1
    (read / "b.toml").write_text("2")
    second = place()
    assert second != first
    os.utime(read / "a.toml", (1, 1))
    assert place() not in (first, second)
    assert len(made) == 3
    monkeypatch.setattr(source, "READS", ("gone",))
    with pytest.raises(FileNotFoundError, match="reads what is not there: gone"):
        place()


def test_what_sources_read_is_there() -> None:
    for name in sources.names():
        assert list(sources._read(sources._module(name))), name
