"""The main job on one cipher: verified, measured, written; done again it redoes nothing; interrupted it goes on."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from cipherassay import tools
from cipherassay.cli import main
from cipherassay.errors import MeasurementError
from cipherassay.native.measurement import Settings
from cipherassay.report import kernels, making
from cipherassay.report.platforms import pentiums
from cipherassay.results import Store
from command import assay

pytestmark = pytest.mark.skipif(not tools.find("cc").place, reason="there is no C compiler to measure with")
OPTIONS = (
    "rc6", "--inputs", "20", "--repeats", "3", "--no-libraries", "--no-strategies", "--no-devices",
    "--accept-unstable",
)  # fmt: skip
Capture = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True, scope="module")
def time_for_modelled_processors() -> Iterator[None]:
    """Their code is left for a later report, as where time runs out; slow tests give it all the time it takes."""
    with pytest.MonkeyPatch.context() as patch:
        if not os.environ.get("ASSAY_SLOW"):
            patch.setattr(making, "EMBEDDED_SECONDS", 0.0)
            patch.setattr(kernels, "SECONDS", 0.0)
            patch.setattr(pentiums, "SECONDS", 0.0)
        yield


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished report; its store lies beside it."""
    folder = tmp_path_factory.mktemp("made")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ASSAY_STORE", str(folder / "store"))
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
    page = (made / "report" / "index.html").read_text()
    assert "PA-8500" in page
    assert "records pass" in page


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
    if any(row.stable is False for row in Store().rows()):
        pytest.skip("this machine was unsteady: unstable rows are rightly measured again")
    before = {name: (Store().root / name / "rows.parquet").stat().st_mtime_ns for name in Store().runs()}
    assert len(before) > 12
    monkeypatch.setattr("cipherassay.native.session.Session.measure", _must_not_run)
    ran = assay(capsys, "report", *OPTIONS, "-o", str(tmp_path), "--json")
    assert ran.code == 0, ran.err
    assert ran.json["page"] == str(tmp_path / "index.html")
    assert ran.json["rows"] == json.loads((made / "report" / "rows.json").read_text())["rows"]
    after = {name: (Store().root / name / "rows.parquet").stat().st_mtime_ns for name in Store().runs()}
    assert after == before


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


def test_an_unsteady_machine_is_given_time(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    waited: list[float] = []
    monkeypatch.setattr("time.sleep", waited.append)
    refusals = iter([MeasurementError("N021", "disturbed")] * 2)

    def measure() -> str:
        for error in refusals:
            raise error
        return "done"

    assert making._patiently(Store(tmp_path), measure) == "done"
    assert waited == [making.PAUSE_SECONDS] * 2

    def never() -> str:
        raise MeasurementError("N021", "disturbed")

    with pytest.raises(MeasurementError):
        making._patiently(Store(tmp_path), never)


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
    options = making.Options(Settings(1, 1))
    assert ("seed", "1") in making.conditions([], options)
