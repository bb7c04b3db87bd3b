"""A report is written again only where its data, the package or its files have changed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from cipherassay.report import unchanged
from cipherassay.report.data import ReportData


def test_only_what_has_changed_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[ReportData] = []

    def write_report(folder: Path, data: ReportData) -> Path:
        written.append(data)
        for name in ("index.html", "rows.json"):
            (folder / name).write_text(data.machine)
        return folder / "index.html"

    monkeypatch.setenv("CIPHERASSAY_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(unchanged, "write_report", write_report)
    folder = tmp_path / "report"
    folder.mkdir()
    data = ReportData(rows=[], machine="this one")
    for _ in range(2):
        assert unchanged.write(folder, data) == folder / "index.html"
    assert len(written) == 1
    unchanged.write(folder, replace(data, machine="another"))
    assert len(written) == 2
    (folder / "rows.json").write_text("by hand")
    unchanged.write(folder, replace(data, machine="another"))
    assert len(written) == 3
    (folder / "index.html").unlink()
    unchanged.write(folder, replace(data, machine="another"))
    assert len(written) == 4
    (record,) = (tmp_path / "cache" / "reports").iterdir()
    record.write_text("{")
    unchanged.write(folder, replace(data, machine="another"))
    unchanged.write(folder, replace(data, machine="another"))
    assert len(written) == 5
