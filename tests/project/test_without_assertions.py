"""Checks of input do not hang on assertions: verbs do the same under `python -O`, which leaves them out."""

from __future__ import annotations

import subprocess
import sys

import pytest

VERBS = (
    ("emit", "asm", "rc6", "-p", "avr", "--json"),
    ("show", "serpent", "--json"),
    ("circuit", "list", "--json"),
    ("measure", "rijndael", "--operation", "encrypt", "-p", "pa8500", "--set", "nothing=1"),
)
ENDED = "import sys; from cipherassay.cli import main; main(sys.argv[1:])"


@pytest.mark.parametrize("verb", VERBS, ids=" ".join)
def test_verbs_do_the_same_without_assertions(
    verb: tuple[str, ...], tmp_path_factory: pytest.TempPathFactory
) -> None:
    def ran(*options: str) -> tuple[int, str, str]:
        folder = tmp_path_factory.mktemp("out")
        command = [sys.executable, *options, "-c", ENDED, *verb]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=folder, check=False)
        return done.returncode, done.stdout, done.stderr

    with_them = ran()
    assert with_them[0] in (0, 1, 2), with_them
    assert ran("-O") == with_them
