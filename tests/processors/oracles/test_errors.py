"""Oracles whose programs fail: in which words."""

from __future__ import annotations

from pathlib import Path

import pytest

from cipherassay.errors import ToolError, UsageError, VerificationError
from cipherassay.processors.harness import Interface, Object, Pointer
from cipherassay.processors.oracles import gas
from cipherassay.processors.oracles.batch import Batch, execute
from support.processes import script
from support.refusals import refusal

WORDS = Object("words", 8, 4, 4, 4, "none", "parameter")
ONE = Interface((WORDS,), (Pointer(0),), ("r3",), big_endian=False)


def test_binutils_that_fail(tmp_path: Path) -> None:
    tool = script(tmp_path, "echo 'no such file' >&2; exit 2")
    assert refusal(ToolError, gas.output, [str(tool)]) == (
        f"error[M602]: `{tool}` fails with 2\n   = no such file"
    )


def test_binutils_that_say_something_else(tmp_path: Path) -> None:
    tool = script(tmp_path, "echo nothing")
    assert refusal(ToolError, gas.run, [str(tool)], r"version (\d+)") == (
        rf"error[M608]: `{tool}` prints nothing like `version (\d+)`"
    )


def test_a_program_that_writes_too_little() -> None:
    batch = Batch.of(ONE, [[[1, 2]], [[3, 4]]])
    assert refusal(VerificationError, batch.results, bytes(7)) == (
        "error[M603]: the program wrote 7 bytes, 32 were expected\n"
        "   = help: this is a bug of the oracle: please report it"
    )


def test_a_program_that_breaks_down(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tool = script(tmp_path, "echo 'illegal instruction' >&2; exit 132")
    assert refusal(VerificationError, execute, [str(tool)]) == (
        f"error[M604]: under `{tool}` it ends with 132\n   = illegal instruction"
    )
    slow = script(tmp_path, "sleep 60")
    monkeypatch.setenv("ASSAY_TOOL_TIME", "0.0005")
    lines = refusal(VerificationError, execute, [str(slow)]).splitlines()
    assert lines[0].startswith("error[M604]: `tool` does not end within 0.")
    assert lines[1:] == [
        f"   = command: {slow}",
        "   = help: ASSAY_TOOL_TIME=4 in the environment waits four times as long",
    ]


@pytest.mark.parametrize(
    ("argument", "text"),
    [
        ([1, 2, 3], "error[M620]: `words` holds 2 elements, 3 were given"),
        ([1, 1 << 32], "error[M621]: element 1 of `words`, 0x100000000, does not fit 4 bytes"),
    ],
)
def test_arguments_that_do_not_fit(argument: list[int], text: str) -> None:
    assert refusal(UsageError, ONE.record, [argument]) == text
