"""Kept artefacts: where they lie, how they are read and written, what damaged ones give."""

from __future__ import annotations

import json
import multiprocessing
import os
from pathlib import Path

import pytest

from cipherassay import keeping
from cipherassay.errors import DescriptionError, UsageError


def test_the_package_brings_every_kind() -> None:
    for kind in keeping.SCHEMAS:
        assert keeping.every(kind, "**/*.*"), kind
    assert {path.name for path in keeping.PACKAGE.iterdir()} == set(keeping.SCHEMAS)


def test_documents_carry_the_schema() -> None:
    for kind in keeping.SCHEMAS:
        for path in keeping.every(kind, "**/*.json"):
            assert keeping.read(kind, path) is not None, path


def test_a_checkout_keeps_in_the_package() -> None:
    assert keeping.home() == keeping.PACKAGE
    assert keeping.folders("x86") == [keeping.PACKAGE / "x86"]


def test_an_installed_package_keeps_in_the_user_s_folder(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(
        keeping, "PACKAGE", tmp_path / "lib" / "python3" / "site-packages" / "cipherassay" / "kept"
    )
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    assert keeping.home() == tmp_path / "data" / "cipherassay" / "kept"
    monkeypatch.setenv(keeping.VARIABLE, str(tmp_path / "named"))
    assert keeping.home() == tmp_path / "named"


def test_what_a_user_keeps_comes_first(own_kept: Path) -> None:
    theirs = keeping.PACKAGE / "x86"
    theirs.mkdir(parents=True)
    for name in ("a.json", "b.json"):
        (theirs / name).write_text("package")
    mine = keeping.write("x86", "b.json", "mine")
    assert keeping.find("x86", "b.json") == mine
    assert keeping.candidates("x86", "b.json") == [mine, theirs / "b.json"]
    assert keeping.files("x86", "*.json") == [theirs / "a.json", mine]
    assert keeping.every("x86", "*.json") == [mine, theirs / "a.json", theirs / "b.json"]
    assert keeping.find("x86", "c.json") is None
    assert {keeping.name_of(mine), keeping.name_of(theirs / "b.json")} == {"kept/x86/b.json"}
    before = keeping.digest("x86", "*.json")
    keeping.write("x86", "b.json", "other")
    assert keeping.digest("x86", "*.json") != before


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "Expecting value: line 1 column 1 (char 0)"),
        ("{}", "there is no field 'schema'"),
        ("[1]", "list indices must be integers or slices, not str"),
        ('{"schema": 1', "Expecting ',' delimiter: line 1 column 13 (char 12)"),
    ],
)
def test_a_damaged_file_says_what_to_do(own_kept: Path, text: str, why: str) -> None:
    path = keeping.write("layouts", "e2-p-32.json", text)
    with pytest.raises(DescriptionError) as caught:
        keeping.read("layouts", path)
    assert str(caught.value) == (
        "error[A001]: `kept/layouts/e2-p-32.json` is damaged\n"
        f"  --> {path}\n"
        f"   = {why}\n"
        "   = help: `assay verify kept layouts --prune` removes it; what it held is computed anew when needed"
    )


def test_another_schema_is_stale(own_kept: Path) -> None:
    assert keeping.read("layouts", keeping.write("layouts", "a.json", '{"schema": 0}')) is None


def test_nothing_is_left_beside_a_written_file(own_kept: Path) -> None:
    keeping.write("proofs", "gift/a.json", "1")
    keeping.write("proofs", "gift/a.json", b"2")
    (path,) = (own_kept / "proofs" / "gift").iterdir()
    assert path.read_text() == "2"


def test_a_failed_write_leaves_the_old_file(own_kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = keeping.write("x86", "a.json", "old")

    def full(*arguments: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(UsageError) as caught:
        keeping.write("x86", "a.json", "new")
    assert str(caught.value) == (
        f"error[A002]: `{path}` cannot be written\n   = No space left on device\n"
        "   = help: name a folder that can be written in the environment variable ASSAY_KEPT"
    )
    assert [one.name for one in path.parent.iterdir()] == ["a.json"]
    assert path.read_text() == "old"


def test_a_place_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv(keeping.VARIABLE, str(tmp_path / "file"))
    with pytest.raises(UsageError, match="A002"):
        keeping.write("x86", "a.json", "")
    with pytest.raises(UsageError, match="A002"):
        keeping.update("x86", "a.json", lambda path: "")


def _add(folder: str, number: int) -> None:
    os.environ[keeping.VARIABLE] = folder

    def with_number(path: Path | None) -> str:
        return json.dumps([*(json.loads(path.read_text()) if path else []), number])

    for _ in range(20):
        keeping.update("x86", "choices.json", with_number)


def test_processes_at_once_lose_nothing(own_kept: Path) -> None:
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=_add, args=(str(own_kept), number)) for number in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
        assert worker.exitcode == 0
    found = json.loads((own_kept / "x86" / "choices.json").read_text())
    assert sorted(found) == sorted(list(range(4)) * 20)
