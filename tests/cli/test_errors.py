"""Calls that only one verb refuses: in which words."""

from __future__ import annotations

from pathlib import Path

import pytest

from cipherassay import cli
from cipherassay.console.design_files import design_files
from cipherassay.errors import UsageError
from support.command import assay
from support.refusals import refusal


@pytest.mark.parametrize(
    ("arguments", "code", "text"),
    [
        (
            ("check", "technologies", "--liberty", "/nowhere/cells.lib"),
            2,
            "error[U034]: `/nowhere/cells.lib` cannot be read\n"
            "   = No such file or directory\n"
            "   = help: name a Liberty file: --liberty FILE\n",
        ),
    ],
)
def test_refused_calls(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], code: int, text: str
) -> None:
    ran = assay(capsys, *arguments)
    assert (ran.code, ran.out, ran.err) == (code, "", text)


def test_files_of_a_design(tmp_path: Path) -> None:
    first, second = tmp_path / "one" / "a.v", tmp_path / "two" / "a.v"
    for file in (first, second):
        file.parent.mkdir()
        file.write_bytes(b"module a; endmodule \xff")
    assert refusal(UsageError, design_files, [str(first)]) == (
        f"error[H807]: `{first}` cannot be read\n"
        "   = 'utf-8' codec can't decode byte 0xff in position 20: invalid start byte"
    )
    first.write_text("module a; endmodule")
    assert refusal(UsageError, design_files, [str(first), str(second)]) == (
        "error[H806]: two files are called `a.v`"
    )


def test_a_path_with_a_null_character() -> None:
    assert str(cli._refusal(ValueError("embedded null byte"))) == (
        "error[U007]: a path cannot have a character of code 0\n   = help: name another path"
    )
