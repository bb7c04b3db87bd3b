"""Runs the command `assay` within a test."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import pytest

from cipherassay.cli import main


@dataclass(frozen=True)
class Ran:
    """What a run of the command gave."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one JSON document on standard output."""
        return json.loads(self.out)


def assay(capsys: pytest.CaptureFixture[str], *arguments: str) -> Ran:
    """Run `assay` with arguments in this process."""
    capsys.readouterr()
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    out, err = capsys.readouterr()
    return Ran(int(ended.value.code or 0), out, err)
