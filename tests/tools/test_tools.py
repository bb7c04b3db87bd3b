"""Outside tools: each record is complete, a missing tool says what it is for and how to get it."""

from __future__ import annotations

from pathlib import Path

import pytest

from cipherassay import tools
from cipherassay.errors import ToolError, UsageError
from support.command import assay


def test_records_are_complete() -> None:
    for tool in tools.tools().values():
        assert sum(map(bool, (tool.look, tool.header, tool.module))) == 1, tool.name
        assert tool.purpose
        assert tool.without
        assert tool.how_to_get(), tool.name
        assert set(tool.used_by) <= {"report", "test"}, tool.name


def test_doctor(capsys: pytest.CaptureFixture[str]) -> None:
    found = {one["name"]: one for one in assay(capsys, "doctor", "--json").json["tools"]}
    assert list(found) == list(tools.tools())
    assert found["python"]["found"]
    assert found["python"]["version"].startswith("3.")
    table = assay(capsys, "doctor").out
    assert all(name in table for name in found)


def test_a_missing_command(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert tools.find("valgrind").place == ""
    with pytest.raises(ToolError) as caught:
        tools.require("valgrind")
    assert str(caught.value) == (
        "error[T002]: `valgrind` is not on this machine\n"
        "   = what it is for: confirms that compiled constant-time code has no branch or index that depends "
        "on a secret\n"
        "   = without it: constant time is derived from the program, but not confirmed for the compiled "
        "code\n"
        "   = help: apt-get install valgrind libc6-dbg"
    )
    assert caught.value.exit_code == 5
    assert "valgrind" in tools.packages_for("test")


def test_a_python_package(monkeypatch: pytest.MonkeyPatch) -> None:
    known = tools.tools() | {
        "numpy": tools.Tool("numpy", "arrays", "nothing", module="numpy", other="pip install numpy"),
        "nothing": tools.Tool("nothing", "that", "this", module="no_such_module", other="pip install nothing"),
    }
    monkeypatch.setattr(tools, "tools", lambda: known)
    found = tools.find("numpy")
    assert found.place.endswith("numpy")
    assert found.version
    with pytest.raises(ToolError) as caught:
        tools.require("nothing")
    assert str(caught.value) == (
        "error[T002]: the Python package `nothing` is not installed\n   = what it is for: that\n"
        "   = without it: this\n   = help: pip install nothing"
    )


def test_an_unknown_tool() -> None:
    with pytest.raises(UsageError) as caught:
        tools.require("valgrin")
    assert str(caught.value).startswith(
        "error[T001]: no tool is called `valgrin`\n   = help: did you mean `valgrind`?"
    )


def test_a_command_that_fails_has_no_version(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    fake = tmp_path / "valgrind"
    fake.write_text("#!/bin/sh\nexit 1\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    found = tools.find("valgrind")
    assert (found.place, found.version) == (str(fake), "")


def test_names_of_packages_follow_the_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    tool = tools.tools()["gcc-multilib"]
    for printed, expected in (("13", "gcc-13-multilib"), ("9.4.0", "gcc-9-multilib"), ("", "gcc-multilib")):
        tools._gcc_version.cache_clear()
        monkeypatch.setattr(tools, "_output", lambda command, printed=printed: printed)
        assert tool.packages() == [expected]
    tools._gcc_version.cache_clear()
