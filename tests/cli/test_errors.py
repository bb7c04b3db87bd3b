"""Calls that only one verb refuses: in which words."""

from __future__ import annotations

import pytest

from support.command import assay


@pytest.mark.parametrize(
    ("arguments", "code", "text"),
    [
        (
            ("technology", "check", "--liberty", "/nowhere/cells.lib"),
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
