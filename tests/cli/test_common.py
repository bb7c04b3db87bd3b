"""What the verbs share: progress, cells, times, files written whole or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from cipherassay.console import output, progress
from cipherassay.errors import UsageError


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.2, "0 s"), (59.6, "1 min 0 s"), (200, "3 min 20 s"), (7500, "2 h 5 min")],
)
def test_format_time(seconds: float, text: str) -> None:
    assert progress.format_time(seconds) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, ""), (True, "yes"), (161.0, "161"), (161.04321, "161.04"), (0.0123467, "0.01235"),
        (float("nan"), ""), ("x", "x"),
    ],
)  # fmt: skip
def test_format_cell(value: object, text: str) -> None:
    assert output.format_cell(value) == text


def test_json_is_one_document_without_nan(capsys: pytest.CaptureFixture[str]) -> None:
    import numpy as np

    output.write_json({"a": float("nan"), "b": (np.float64(1.5), np.int64(2)), "c": Path("x")})
    assert capsys.readouterr().out == '{\n  "a": null,\n  "b": [\n    1.5,\n    2\n  ],\n  "c": "x"\n}\n'


def test_progress_says_what_is_left(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 100.0
    monkeypatch.setattr("time.monotonic", lambda: now)
    with progress.progress("measuring", 10) as bar:
        now += 2
        bar.advance(1, "RC6")
        now += 4
        bar.advance(2)
        now += 1
        bar.advance(1)
    out, err = capsys.readouterr()
    assert out == ""
    assert err == "measuring: 30 %, 6 s so far, about 14 s left: RC6\n"


def test_what_is_not_known_yet_is_no_share(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 100.0
    monkeypatch.setattr("time.monotonic", lambda: now)
    with progress.job_progress("report") as jobs:
        now += 2
        jobs.bar.tick()
        jobs.expect(3)
        jobs.done(1, "")  # from the cache: it says nothing about the time that others take
        now += 10
        jobs.bar.tick()
        jobs.done(1, "RC6")
        now += 10
        jobs.bar.tick()
        jobs.done(1, "E2")
        now += 10
        jobs.bar.tick()
    assert capsys.readouterr().err.splitlines() == [
        "report: working, 2 s so far",
        "report: 1 of 3, 12 s so far",
        "report: 2 of 3, 22 s so far, about 22 s left: RC6",
        "report: 3 of 3, finishing, 32 s so far: E2",
    ]


def test_quiet_progress_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with progress.progress("measuring", 1, quiet=True) as bar:
        bar.advance()
    assert capsys.readouterr() == ("", "")


def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    target = tmp_path / "x"
    target.mkdir()
    (target / "in the way").write_text("")
    with pytest.raises(UsageError) as caught:
        output.write_file(target, "text")
    assert str(caught.value).splitlines()[0] == f"error[U032]: the file `{target}` cannot be written"
    assert [path.name for path in tmp_path.iterdir()] == ["x"], "no temporary file is left"


def test_a_folder_where_a_file_is(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("")
    with pytest.raises(UsageError) as caught:
        output.output_folder(tmp_path / "x")
    assert str(caught.value) == (
        f"error[U031]: `{tmp_path}/x` is a file, not a folder\n   = help: name a folder with -o DIR"
    )
    with pytest.raises(UsageError, match=r"^error\[U030\]: the folder `.*` cannot be written"):
        output.output_folder(tmp_path / "x" / "y")
