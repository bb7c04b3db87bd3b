"""The Python code in the documents runs, and the commands shown with their output print it."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from support.command import assay
from support.places import ROOT


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


def shown(text: str) -> list[tuple[list[str], list[str]]]:
    """Return the commands of a document that stand behind ``$ ``, each with the lines shown below it."""
    found: list[tuple[list[str], list[str]]] = []
    for block in re.findall(r"^```\n(\$ .*?)^```$", text, re.DOTALL | re.MULTILINE):
        for line in block.splitlines():
            if line.startswith("$ "):
                found.append((shlex.split(line.removeprefix("$ ")), []))
            elif line != "…":
                found[-1][1].append(line)
    return found


def test_the_output_that_the_readme_shows_is_what_the_commands_print(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commands = shown((ROOT / "README.md").read_text())
    assert any(lines for _, lines in commands)
    monkeypatch.chdir(tmp_path)
    for (name, *arguments), lines in commands:
        assert name == "assay"
        ran = assay(capsys, *arguments)
        assert ran.code == 0, ran.err
        assert ran.out.splitlines()[: len(lines)] == lines
