"""The main job on one cipher: verified, measured, written; done again it redoes nothing; interrupted it goes on."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from cipherassay import tools
from cipherassay.cli import main
from cipherassay.native.measurement import Settings
from cipherassay.report import making
from cipherassay.report.parts import Options
from cipherassay.results import FIELDS, Row, Store
from cipherassay.results.identity import conflicts
from support.command import assay

pytestmark = pytest.mark.skipif(not tools.find("cc").place, reason="there is no C compiler to measure with")
OPTIONS = (
    "rc6", "--inputs", "20", "--repeats", "3", "--no-libraries", "--no-strategies", "--no-devices",
    "--accept-unstable", *(() if os.environ.get("ASSAY_SLOW") else ("--no-modelled",)),
)  # fmt: skip
Capture = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished report; its store lies beside it."""
    folder = tmp_path_factory.mktemp("made")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ASSAY_STORE", str(folder / "store"))
        # What was measured on an unsteady machine is rightly measured again; here every measurement counts as steady.
        patch.setattr("cipherassay.native.environment.Environment.stable", True)
        patch.setattr("cipherassay.native.session.Session._assessed", lambda self, found, *rest: (found, frozenset()))
        with pytest.raises(SystemExit) as ended:
            main(["report", *OPTIONS, "-o", str(folder / "report")])
    assert not ended.value.code
    return folder


def test_report_of_one_cipher(made: Path) -> None:
    rows = json.loads((made / "report" / "rows.json").read_text())["rows"]
    ours = [row for row in rows if row["metric"] == "cycles" and row["level"] == "native"]
    measured = {(row["operation"], row["key_bits"]) for row in ours}
    assert len(measured) == 12, "four operations, three key sizes"
    least = {row["value"] for row in rows if (row["metric"], row["operation"]) == ("cycles_min", "encrypt")}
    assert all(100 < value < 5000 for value in least), "a block of RC6 takes a few hundred cycles"
    assert "PA-8500" in (made / "report" / "papers" / "worley2000.html").read_text()
    assert "records pass" in (made / "report" / "conditions.html").read_text()
    assert (made / "report" / "ciphers" / "rc6.html").is_file()


def test_queries_see_the_rows_of_the_report(
    made: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And no two values for one identity, among all that a query sees."""
    monkeypatch.setenv("ASSAY_STORE", str(made / "store"))
    shown = json.loads((made / "report" / "rows.json").read_text())["rows"]
    ran = assay(capsys, "query", "select * from results", "--rows", "1000000", "--seconds", "300", "--json")
    assert ran.code == 0, ran.err
    seen = ran.json["rows"]
    assert not _unseen(shown, seen)
    assert _unseen([{**shown[0], "value": -1.0}], seen), "a row that differs is found missing"
    assert {row["basis"] for row in seen} == {"measured", "simulated", "synthesized", "published"}
    assert conflicts(map(Row.from_dict, seen)) == []
    assert not [row for row in seen if row["command"] is None and row["basis"] != "published"]
    assert not [row for row in seen if "" in row.values()]


def _unseen(shown: list[dict[str, object]], seen: list[dict[str, object]]) -> list[dict[str, object]]:
    known = {tuple(row[name] for name in FIELDS) for row in seen}
    return [row for row in shown if tuple(row[name] for name in FIELDS) not in known]


@pytest.mark.slow
def test_a_report_has_modelled_processors(made: Path) -> None:
    rows = json.loads((made / "report" / "rows.json").read_text())["rows"]
    targets = {row["target"] for row in rows if row["basis"] == "simulated"}
    assert {"pa8500", "pentium-pro"} <= targets
    assert any(row["level"] == "embedded" for row in rows)


def test_again_measures_nothing(
    made: Path, capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSAY_STORE", str(made / "store"))
    before = {name: path.stat().st_mtime_ns for name, path in Store().files().items()}
    assert len(before) > 12
    monkeypatch.setattr("cipherassay.native.session.Session.measure", _must_not_run)
    ran = assay(capsys, "report", *OPTIONS, "-o", str(tmp_path), "--json")
    assert ran.code == 0, ran.err
    assert ran.json["page"] == str(tmp_path / "index.html")
    assert ran.json["rows"] == json.loads((made / "report" / "rows.json").read_text())["rows"]
    assert {name: path.stat().st_mtime_ns for name, path in Store().files().items()} == before


def _must_not_run(*_: object, **__: object) -> None:
    raise AssertionError("something was measured again")


def test_interruption_keeps_what_is_finished(
    capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from cipherassay.native.session import Session

    monkeypatch.setenv("ASSAY_STORE", str(tmp_path / "store"))
    measure, calls = Session.measure_distribution, []

    def interrupted(self: Session, *arguments: object, **more: object) -> object:
        calls.append(arguments)
        if len(calls) == 4:
            raise KeyboardInterrupt
        return measure(self, *arguments, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(Session, "measure_distribution", interrupted)
    ran = assay(capsys, "report", *OPTIONS, "-o", str(tmp_path / "out"))
    assert ran.code == 130
    assert ran.err.splitlines()[-1] == "interrupted; what was finished is kept"
    finished = [name for name in Store().runs() if name.startswith("native/measure")]
    assert len(finished) == 3
    assert not (tmp_path / "out" / "index.html").exists()


def test_a_first_page_says_what_is_still_to_come(
    made: Path, capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSAY_STORE", str(tmp_path / "store"))
    ran = assay(capsys, "report", *OPTIONS, "--seconds", "0", "-o", str(tmp_path / "out"))
    assert ran.code == 0, ran.err
    first = tmp_path / "out" / "index.html"
    assert f"first page: {first}; still to come: our C on this machine (8)" in ran.err.splitlines()
    rows = json.loads((tmp_path / "out" / "rows.json").read_text())["rows"]
    assert {row["key_bits"] for row in rows if row["level"] == "native" and row["strategy"]} == {128}
    assert "our C on this machine: 8 results were not made in time" in (tmp_path / "out" / "conditions.html").read_text()


def test_a_folder_that_cannot_be_written_is_found_first(capsys: Capture, tmp_path: Path) -> None:
    (tmp_path / "x").write_text("")
    ran = assay(capsys, "report", *OPTIONS, "-o", str(tmp_path / "x"))
    assert ran.err == (
        f"error[U031]: `{tmp_path}/x` is a file, not a folder\n   = help: name a folder with -o DIR\n"
    )
    assert ran.code == 2


def test_numbers_that_cannot_be(capsys: Capture) -> None:
    ran = assay(capsys, "report", "--inputs", "0")
    assert ran.err == "error[R020]: --inputs and --repeats must be at least 1\n"
    assert ran.code == 2


def test_the_papers_order_of_ciphers() -> None:
    names = [cipher.slug for cipher in making.chosen_ciphers(["e2", "rc6", "mars"])]
    assert names == ["mars", "rc6", "e2"]
    names = [cipher.slug for cipher in making.chosen_ciphers([], ["present", "e2"])]
    assert names == ["mars", "rc6", "rijndael", "serpent", "twofish", "e2", "present"]
    options = Options(Settings(1, 1))
    assert ("seed", "1") in making.conditions([], options)
