"""Runs the command `assay` within a test or beside it; its verbs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
import typer

from cipherassay.cli import application, main
from support.places import SOURCE


@dataclass(frozen=True)
class CommandResult:
    """What a run of the command gave."""

    code: int
    out: str
    err: str

    @property
    def words(self) -> str:
        """What stands on standard output, however its lines are wrapped."""
        return " ".join(self.out.split())

    @property
    def json(self) -> Any:
        """The one JSON document on standard output."""
        return json.loads(self.out)


def assay(capsys: pytest.CaptureFixture[str], *arguments: str) -> CommandResult:
    """Run `assay` with arguments in this process."""
    capsys.readouterr()
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    out, err = capsys.readouterr()
    return CommandResult(int(ended.value.code or 0), out, err)


def start(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run `assay` in a process of its own, with further variables of the environment."""
    command = [sys.executable, "-c", "from cipherassay.cli import main; main()", *arguments]
    variables = {**os.environ, "PYTHONPATH": str(SOURCE), **environment}
    return subprocess.run(command, capture_output=True, text=True, env=variables, check=False)


def verbs(command: Any = None, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield the words of each verb with what Click knows of it."""
    command = command or typer.main.get_command(application())
    for name, part in getattr(command, "commands", {}).items():
        if getattr(part, "commands", None):
            yield from verbs(part, (*path, name))
        else:
            yield (*path, name), part
