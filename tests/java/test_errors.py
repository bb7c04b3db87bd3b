"""Tools of Java that fail: in which words."""

from __future__ import annotations

from pathlib import Path

import pytest

from cipherassay import tools
from cipherassay.errors import ToolError
from cipherassay.java import building
from support.processes import script
from support.refusals import refusal


def test_a_tool_that_fails(tmp_path: Path) -> None:
    tool = script(tmp_path, "echo out; echo; echo no >&2; exit 3")
    assert refusal(ToolError, building.run_tool, [str(tool)]) == (
        "error[J002]: `tool` failed\n   = exit status 3\n   = out\n   = no"
    )


def test_maven_without_a_network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    maven = script(tmp_path, "echo 'no route'; exit 1")
    monkeypatch.setenv("CIPHERASSAY_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(tools, "require", lambda name: str(maven) if name == "maven" else "")
    assert refusal(ToolError, building.libraries) == (
        "error[J003]: Maven does not get JMH and Bouncy Castle\n"
        "   = `tool` failed\n"
        "   = exit status 1\n"
        "   = no route\n"
        "   = help: it needs Maven Central or a mirror of it once; `assay emit java` needs neither"
    )
