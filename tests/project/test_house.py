"""The house: what the documents say is there, is there; no file is too long; nothing is left open."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer

from cipherassay import tools
from cipherassay.cli import application
from support.places import ROOT

DOCUMENTS = ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md")
TEXTS = (".py", ".rs", ".toml", ".md", ".c", ".h", ".cpp", ".sh", "")


def tracked() -> list[Path]:
    if shutil.which("git") is None:
        pytest.skip("git is not here: it knows which files are the project's own")
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("this is not a clone: git does not know the files")
    return [path for name in listed.stdout.splitlines() if (path := ROOT / name).is_file()]


def own_texts() -> Iterator[tuple[Path, str]]:
    for path in tracked():
        if (
            path.suffix in TEXTS
            and path.name not in ("Cargo.lock", "LICENSE-APACHE")
            and path != Path(__file__)
        ):
            yield path, path.read_text(encoding="utf-8")


@pytest.mark.parametrize("document", DOCUMENTS)
def test_files_that_a_document_names_exist(document: str) -> None:
    text = (ROOT / document).read_text()
    named = set(re.findall(r"\]\((?!http)([^)#]+)\)", text))
    named |= set(re.findall(r"`((?:python|crates|docs|tests|scripts)/[\w./-]+)`", text))
    absent = sorted(name for name in named if "NAME" not in name and not (ROOT / name).exists())
    assert len(named) >= 3
    assert absent == []


def test_folders_of_the_architecture_exist() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text()
    rows = re.findall(r"^\| (`[^|]+`) \|", text, flags=re.M)
    assert len(rows) > 10
    for cell in rows:
        first, *others = re.findall(r"`([^`]+)`", cell)
        if "/" not in first:
            continue  # a row about something else than folders
        for name in (first, *(str(Path(first).parent / other) for other in others)):
            assert (ROOT / name).is_dir(), name


def test_verbs_of_the_readme_exist() -> None:
    commands = typer.main.get_command(application()).commands  # type: ignore[attr-defined]
    shown = set(re.findall(r"(?:^|, |`)assay ([a-z]+(?:-[a-z]+)*)", (ROOT / "README.md").read_text(), flags=re.M))
    assert len(shown) >= 10
    assert sorted(shown - set(commands)) == []


def test_make_targets_of_the_documents_exist() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), flags=re.M))
    named = {
        t for name in DOCUMENTS for t in re.findall(r"(?:`|^)make ([a-z]+)", (ROOT / name).read_text(), re.M)
    }
    assert {"report", "test"} <= named <= targets


def test_no_file_is_too_long() -> None:
    sources = [(p, t) for p, t in own_texts() if p.suffix in (".py", ".rs")]
    long = {str(p.relative_to(ROOT)): t.count("\n") for p, t in sources if t.count("\n") > 600}
    assert long == {}


def test_the_text_of_programs_has_two_writers_and_no_reader() -> None:
    words = re.compile(r"\b(?:func|table|matrix|box|bitsliced|linear) @")
    package = ROOT / "python" / "cipherassay"
    found = {str(path.relative_to(package)) for path in package.rglob("*.py") if words.search(path.read_text())}
    assert found == {"ir/text.py", "lang/text.py"}


def test_nothing_is_left_open() -> None:
    marks = re.compile(r"\b(TODO|FIXME|XXX)\b")
    # Documents may name the marks to forbid them.
    found = [
        f"{p.relative_to(ROOT)}: {m[0]}"
        for p, t in own_texts()
        if p.suffix != ".md"
        for m in marks.finditer(t)
    ]
    assert found == []


def test_no_path_of_one_machine() -> None:
    paths = re.compile(r"(?<![\w.])/(?:work|root|home/\w+)/")
    found = [f"{p.relative_to(ROOT)}: {m[0]}" for p, t in own_texts() for m in paths.finditer(t)]
    assert found == []


def test_the_setup_knows_its_packages() -> None:
    ran = subprocess.run(
        ["bash", str(ROOT / "scripts" / "bootstrap")], capture_output=True, text=True, check=False, cwd=ROOT
    )
    assert ran.returncode == 2
    assert "scripts/bootstrap python" in ran.stderr
    assert tools.packages_for("nothing") == []
