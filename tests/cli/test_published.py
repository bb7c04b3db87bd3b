"""`assay published`: one table's numbers, the check of all."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.command import assay
from support.published_texts import HEAD, RELATION, TABLE


def test_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    ran = assay(capsys, "published", "table", "worley2000-slides", "ia64")
    assert ran.code == 0
    (line,) = [line for line in ran.out.splitlines() if "RC6" in line and "key_setup_both" in line]
    assert line.split() == [
        "RC6",
        "key_setup_both",
        "128",
        "ia64",
        "cycles",
        "1057",
        "cycles",
        "rc6-ia64-keying",
    ]


def test_a_table_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    document = assay(capsys, "published", "table", "aoki1999", "Table 2", "--json").json
    assert (document["paper"], document["table"], len(document["rows"])) == ("aoki1999", "table-2", 12)
    assert document["rows"][-1]["errata"] == ["h8-throughput"]
    assert {"metric", "value", "unit", "basis", "reference_source"} <= set(document["rows"][0])


def test_an_unknown_table(capsys: pytest.CaptureFixture[str]) -> None:
    ran = assay(capsys, "published", "table", "fiskiran2001", "table-3")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == (
        "error[B013]: `fiskiran2001` has no table `table-3`\n"
        "   = help: did you mean `table-2`? (known: lookup, table-1, table-2, text)\n"
    )


def test_the_check(capsys: pytest.CaptureFixture[str]) -> None:
    ran = assay(capsys, "published", "check", "worley2000", "aoki1999")
    assert (ran.code, ran.err) == (0, "")
    assert "weeks2000" not in ran.out
    assert "throughput (target=h8-300): 0.1005 == 0.100408" in ran.out


def test_the_check_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    document = assay(capsys, "published", "check", "--json").json
    assert document["ok"] is True
    assert all(one["holds"] or one["errata"] for one in document["instances"])
    assert len(document["instances"]) > 1500


def test_a_folder_with_a_contradiction(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine.toml").write_text(HEAD + TABLE + RELATION, encoding="utf-8")
    ran = assay(capsys, "published", "check", "mine", "--path", str(tmp_path))
    assert ran.code == 4
    assert "equal (cipher=RC6): 243 == 226" in ran.err
    assert "not recorded" in ran.out


def test_an_unknown_paper(capsys: pytest.CaptureFixture[str]) -> None:
    ran = assay(capsys, "published", "check", "aoki")
    assert ran.code == 2
    assert ran.err.startswith("error[B012]: unknown paper `aoki`\n   = help: did you mean `aoki1999`?")
