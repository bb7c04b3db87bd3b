"""`assay published`: one table's numbers, the check of all."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.command import assay
from support.published_texts import HEAD, RELATION, TABLE


def test_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    ran = assay(capsys, "show", "worley2000-slides", "ia64")
    assert ran.code == 0
    lines = ran.out.splitlines()
    (n,) = [n for n, line in enumerate(lines) if "RC6" in line and "key_setup_both" in line]
    assert lines[n].split() == ["RC6", "key_setup_both", "128", "ia64", "cycles", "1057", "cycles"]
    assert lines[n + 1].split() == ["errata:", "rc6-ia64-keying"]
    assert max(map(len, lines)) <= 80


def test_a_table_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    document = assay(capsys, "show", "aoki1999", "Table 2", "--json").json
    assert (document["paper"], document["table"], len(document["rows"])) == ("aoki1999", "table-2", 12)
    assert document["rows"][-1]["errata"] == ["h8-throughput"]
    assert {"metric", "value", "unit", "basis", "reference_source"} <= set(document["rows"][0])


def test_an_unknown_table(capsys: pytest.CaptureFixture[str]) -> None:
    ran = assay(capsys, "show", "fiskiran2001", "table-3")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == (
        "error[B013]: `fiskiran2001` has no table `table-3`\n"
        "   = help: did you mean `table-2`? (known: lookup, table-1, table-2, text)\n"
    )


def test_the_check(capsys: pytest.CaptureFixture[str]) -> None:
    ran = assay(capsys, "check", "worley2000", "aoki1999")
    assert (ran.code, ran.err) == (0, "")
    assert "weeks2000" not in ran.out
    assert "throughput (target=h8-300): 0.1005 == 0.100408" in ran.words


def test_the_check_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    document = assay(capsys, "check", "published", "--json").json
    assert document["ok"] is True
    assert all(one["holds"] or one["errata"] for one in document["instances"])
    assert len(document["instances"]) > 1500


def test_a_folder_with_a_contradiction(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine.toml").write_text(HEAD + TABLE + RELATION, encoding="utf-8")
    ran = assay(capsys, "check", "mine", "--path", str(tmp_path))
    assert ran.code == 4
    assert "equal (cipher=RC6): 243 == 226" in ran.err
    assert "not recorded" in ran.words


def test_an_unknown_paper(capsys: pytest.CaptureFixture[str]) -> None:
    ran = assay(capsys, "check", "aoki")
    assert ran.code == 2
    assert ran.err.startswith("error[U017]: no cipher, paper, processor or technology is called `aoki`\n   = help: did you mean `aoki")
