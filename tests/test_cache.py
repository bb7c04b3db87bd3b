"""Where cache and store lie: what is named, what a working folder has, else the user's folders."""

from __future__ import annotations

from pathlib import Path

import pytest

from cipherassay.cache import cache_folder, cache_root, store_root
from cipherassay.errors import ToolError
from support.places import ROOT


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("ASSAY_STORE", "CIPHERASSAY_CACHE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home" / "cache"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home" / "data"))
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    return tmp_path / "home"


def test_the_users_folders(home: Path) -> None:
    assert store_root() == (home / "data/cipherassay/results", "the user's data folder")
    assert cache_root() == home / "cache/cipherassay"
    assert cache_folder("native") == home / "cache/cipherassay/native"
    assert (home / "cache/cipherassay/native").is_dir()
    assert not list(Path().iterdir()), "nothing is left in the working folder"


def test_a_folder_with_other_things_in_its_cache_is_left_alone(home: Path) -> None:
    Path(".cache/pip").mkdir(parents=True)
    Path("pyproject.toml").write_text('[project]\nname = "another"\n')
    assert cache_root() == home / "cache/cipherassay"


def test_a_folder_with_a_store() -> None:
    Path(".cache/results").mkdir(parents=True)
    assert store_root() == (Path(".cache/results"), "the working folder")
    assert cache_root() == Path(".cache")


def test_a_checkout(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("pyproject.toml").write_text((ROOT / "pyproject.toml").read_text())
    assert store_root() == (Path(".cache/results"), "the working folder")
    assert cache_folder("x") == Path(".cache/x").absolute()


def test_what_is_named_wins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Path(".cache/results").mkdir(parents=True)
    monkeypatch.setenv("ASSAY_STORE", str(tmp_path / "s"))
    monkeypatch.setenv("CIPHERASSAY_CACHE", str(tmp_path / "c"))
    assert store_root() == (tmp_path / "s", "ASSAY_STORE")
    assert cache_folder() == tmp_path / "c"


def test_a_cache_that_cannot_be_made(home: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    Path(".cache/results").mkdir(parents=True)
    Path(".cache/native").write_text("")
    assert cache_folder("native") == home / "cache/cipherassay/native", "the user's takes its place"
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("CIPHERASSAY_CACHE", str(tmp_path / "file" / "c"))
    with pytest.raises(ToolError) as caught:
        cache_folder("native")
    assert str(caught.value) == (
        f"error[N001]: there is no folder for the cache: `{tmp_path}/file/c`\n"
        "   = Not a directory\n"
        "   = help: name one that can be written in the environment variable CIPHERASSAY_CACHE"
    )
