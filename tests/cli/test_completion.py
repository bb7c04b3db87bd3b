"""What shells complete: verbs, ciphers, processors, strategies; by what the shells' scripts send."""

from __future__ import annotations

from pathlib import Path

import pytest

from cipherassay import ciphers, families, published, strategies
from cipherassay.circuits import targets
from cipherassay.console import completion
from cipherassay.hardware.libraries import technology
from cipherassay.hardware.rtl import build
from cipherassay.java.measuring import TARGETS
from support.command import start

SHELLS = {
    "bash": lambda typed: {"COMP_WORDS": typed, "COMP_CWORD": str(len(typed.split(" ")) - 1)},
    "zsh": lambda typed: {"_TYPER_COMPLETE_ARGS": typed},
    "fish": lambda typed: {"_TYPER_COMPLETE_ARGS": typed, "_TYPER_COMPLETE_FISH_ACTION": "get-args"},
}


def completed(shell: str, typed: str) -> list[str]:
    """Return what a shell is offered for a line, as words."""
    ran = start(_ASSAY_COMPLETE=f"complete_{shell}", **SHELLS[shell](typed))
    assert (ran.returncode, ran.stderr) == (0, "")
    found = ran.stdout
    for mark in ('_arguments \'*: :((', "))'", '"'):
        found = found.replace(mark, " ")
    return [line.split()[0] for line in found.splitlines() if line.strip()]


@pytest.mark.parametrize("shell", SHELLS)
def test_every_shell_gets_names(shell: str) -> None:
    assert completed(shell, "assay measure rc6 -p pa") == ["pa8200", "pa8500"]


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("assay measure rij", ["rijndael", "rijndael192", "rijndael256"]),
        ("assay measure rc6 -p nat", ["native"]),
        ("assay measure rc6 --operation per", ["permute"]),
        ("assay emit c rc6 --strategy mini", ["minimal-keying"]),
        ("assay study lay", ["layout"]),
        ("assay show osu05", ["osu050"]),
        ("assay list pro", ["processors"]),
        ("assay synthesize rc6 -t sky", ["sky130"]),
        ("assay circuit search gift.S --target ter", ["ternary"]),
    ],
)
def test_what_is_completed(typed: str, found: list[str]) -> None:
    assert completed("bash", typed) == found


@pytest.mark.parametrize(("shell", "mark"), [("bash", "complete -o"), ("zsh", "#compdef assay"), ("fish", "--command assay")])
def test_the_scripts_of_shells(shell: str, mark: str) -> None:
    assert mark in start(_ASSAY_COMPLETE=f"source_{shell}").stdout


def test_file_names_give_the_names_that_the_package_knows() -> None:
    assert completion.ciphers("") == ciphers.names()
    assert completion.processors("") == families.names()
    assert completion.strategies("") == strategies.names()
    assert completion.technologies("") == technology.names()
    assert completion.papers("") == published.names()
    assert completion.of_hardware("") == sorted(build.strategies())
    assert set(completion.targets("")) <= set(targets.names())
    assert {*TARGETS, "native"} == set(completion.measured("")) - set(families.names())


def test_a_user_s_files_are_completed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text("")
    (tmp_path / "mine.txt").write_text("")
    assert completion.ciphers("min") == ["mine.py"]
    assert completion.ciphers("./mi") == ["./mine.py"]
    assert completion.ciphers(f"{tmp_path}/mi") == [f"{tmp_path}/mine.py"]
