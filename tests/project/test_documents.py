"""The Python code in the documents runs, and the commands shown with their output print it."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from pathlib import Path

import pytest

from support.documents import File, Shown, agrees, run, shown
from support.places import ROOT

SMALLER = {
    "assay card aes --seconds 60": "assay card aes --seconds 1 --level avr",
    "assay card mine.py --seconds 60": "assay card mine.py --seconds 1 --level avr",
    "assay measure mine.py --accept-unstable": "assay measure mine.py --accept-unstable --strategy direct",
    "assay compare serpent --key-bits 128 --quick --accept-unstable":
        "assay compare serpent --key-bits 128 --quick --accept-unstable --library nettle",
}
"""Of commands that only slow tests run what any test run does: of fewer levels, strategies and libraries."""
GUIDES = ["docs/embedded.md", "docs/hardware.md", "docs/processors.md"]
"""Guides that begin with a command and what it prints."""
RECIPES = sorted(path.name for path in (ROOT / "docs" / "recipes").glob("*.md") if path.name != "index.md")


@pytest.mark.parametrize(
    "name",
    [
        "docs/byte-orders.md",
        "docs/circuits.md",
        "docs/inverses.md",
        "docs/language.md",
        "docs/linear-layers.md",
    ],
)
def test_python_blocks_run(name: str) -> None:
    blocks = re.findall(r"^```python\n(.*?)^```$", (ROOT / name).read_text(), re.DOTALL | re.MULTILINE)
    assert blocks
    namespace: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, name, "exec"), namespace)


def test_what_is_shown_is_compared() -> None:
    first, file, last = shown('```console\n$ assay a\nx …\n```\n```python title="b.py"\nb\n```\n'
                              '```console title="a minute"\n$ c\n```\n')  # fmt: skip
    assert first == Shown("assay a", ["x …"])
    assert file == File("b.py", "b\n")
    assert last == Shown("c", [], "a minute")
    assert agrees(["a  1", "…", "b …"], ["a 1", "", "x", "y", "b 2 3"])
    assert agrees(["…", "b"], ["b"])
    assert not agrees(["a 1"], ["a 2"])
    assert not agrees(["a"], ["a", "b"])
    assert not agrees(["a …"], ["a 1", "b"])


def readme_and_recipes() -> list[str]:
    return ["README.md", *(f"docs/recipes/{name}" for name in RECIPES), *GUIDES]


@pytest.mark.parametrize("name", readme_and_recipes())
def test_the_output_that_a_document_shows_is_what_its_commands_print(
    name: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parts = list(shown((ROOT / name).read_text()))
    assert any(part.lines for part in parts if isinstance(part, Shown))
    folder = tmp_path / "folder"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("ASSAY_STORE", str(tmp_path / "store"))
    monkeypatch.setenv("CIPHERASSAY_CACHE", str(tmp_path / "cache"))
    for part in parts:
        if isinstance(part, File):
            (folder / part.name).write_text(part.text)
        elif not part.slow or os.environ.get("ASSAY_SLOW"):
            run(part, tmp_path, capsys)
        elif part.command in SMALLER:
            run(replace(part, command=SMALLER[part.command]), tmp_path, capsys)


def test_each_smaller_command_is_that_of_a_slow_step() -> None:
    parts = [part for name in readme_and_recipes() for part in shown((ROOT / name).read_text())]
    slow = {part.command for part in parts if isinstance(part, Shown) and part.slow}
    assert set(SMALLER) - slow == set()


def test_five_recipes() -> None:
    assert len(RECIPES) == 5
    index = (ROOT / "docs" / "recipes" / "index.md").read_text()
    readme = (ROOT / "README.md").read_text()
    assert [name for name in RECIPES if f"({name})" not in index or f"(docs/recipes/{name})" not in readme] == []


def test_the_picture_of_the_readme_shows_what_is_kept() -> None:
    pytest.importorskip("vl_convert", reason="vl-convert-python is not here: it draws charts")
    from scripts.documents import picture

    said = re.compile(r'data-says="([^"]*)"')
    kept = picture.PICTURE.read_text(encoding="utf-8")
    assert len(said.findall(kept)) > 50
    assert f"](docs/assets/{picture.PICTURE.name})" in (ROOT / "README.md").read_text()
    assert said.findall(picture.svg()) == said.findall(kept), "python scripts/documents/picture.py makes it anew"
