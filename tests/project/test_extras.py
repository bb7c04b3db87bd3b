"""The base works without the packages of the extras; what needs one says which extra to install."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from cipherassay import tools
from support import without_packages
from support.command import verbs
from support.places import ROOT, SOURCE

VECTORS = ROOT / "python/cipherassay/vectors/data/rc6"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS = PROJECT["optional-dependencies"]
MODULES = {name: tool.module for name, tool in tools.tools().items() if tool.extra and tool.module}

BASE = [
    "check {root}/examples/speck.py",
    "check mckinley",
    "check published",
    "circuit analyse gift.S",
    "circuit emit gift.S --target ternary -o {tmp}/gift",
    "circuit exhaust gift.S --gates 6",
    "circuit list",
    "circuit prove gift.S --target ternary --metric gates --value 3",
    "circuit search gift.S --target ternary --seconds 0.2",
    "coverage present --level circuit --quick",
    "doctor",
    "emit asm rc6 -p avr -o {tmp}/avr",
    "emit asm rc6 encrypt -p ia64pp -o {tmp}/rc6.s --memory {tmp}/rc6.bin",
    "emit asm rc6 -p pentium-ii -o {tmp}/pentium",
    "emit c rc6 -o {tmp}/c",
    "emit java rc6 -o {tmp}/java",
    "emit rtl rc6 --every 128 -o {tmp}/rtl",
    "kat check {vectors}/ecb_vt.txt",
    "kat generate rc6 --set ecb_vk --key-bits 128 -o {tmp}/kat",
    "list",
    "list processors",
    "list technologies",
    "measure rijndael --operation encrypt -p mckinley-paper",
    "measure rc6 --operation encrypt -p pentium-ii",
    "new mine -o {tmp}/mine.py",
    "show rc6",
    "show mckinley",
    "show osu050",
    "show worley2000 appendix-a",
    "simulate {tmp}/rc6.s -p ia64pp --memory {tmp}/rc6.bin",
    "simulate rc6 --rtl --every 128",
    "study addressing rc6",
    "study hardware",
    "verify circuits gift",
    "verify circuits gift --proofs",
    "verify kept proofs exhaustion",
    "verify protocol present --architecture core --direction encrypt",
    "verify schedules -p four-banger --cipher rc6",
]
NEED = {
    "results": [
        "card rc6 -o {tmp}/r", "query 'select 1'", "diff before after", "measure rc6", "compare rc6", "study inverse --word-size 32",
        "study key-jump serpent", "study layout e2 --word-size 32", "study linear e2", "front rc6", "synthesize rc6", "check osu050",
        "emit liberty sky130 -o {tmp}/lib", "verify gates rc6",
        "verify kept layouts", "verify netlists {tmp}/a.v", "report -o {tmp}/r",
    ],
    "report": ["report -o {tmp}/r"],
    "solver": ["measure e2 --operation encrypt -p ia64pp --prove 0.1"],
    "cluster": ["circuit search gift --executor dask://local"],
    "explore": ["explore --no-browser"],
}  # fmt: skip
"""By extra the verbs that need it, or an option of theirs."""


def words(command: str, folder: Path) -> list[str]:
    import shlex

    return shlex.split(command.format(root=ROOT, tmp=folder, vectors=VECTORS))


def run(blocked: list[str], commands: list[list[str]], folder: Path) -> list[tuple[int, str]]:
    environment = {
        **os.environ, "PYTHONPATH": str(SOURCE), "ASSAY_STORE": str(folder / "store"),
        "CIPHERASSAY_CACHE": str(folder / "cache"), "ASSAY_KEPT": str(folder / "kept"),
    }  # fmt: skip
    ran = subprocess.run(
        [sys.executable, without_packages.__file__],
        input=json.dumps({"blocked": blocked, "commands": commands}),
        capture_output=True, text=True, env=environment, cwd=folder, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    return [(code, err) for code, err in json.loads(ran.stdout)]


def test_every_package_has_a_record_and_an_extra() -> None:
    named = {
        extra: {need.partition(">")[0] for need in needs if not need.startswith("cipherassay[")}
        for extra, needs in EXTRAS.items()
    }
    for name in MODULES:
        assert name in named[tools.tools()[name].extra], name
    assert {name for names in named.values() for name in names} == set(MODULES)
    assert not {need.partition(">")[0] for need in PROJECT["dependencies"]} & set(MODULES)
    assert set(EXTRAS) == {*NEED, "hardware", "notebook", "all"}


def test_every_verb_is_tried() -> None:
    commands = [*BASE, *(command for some in NEED.values() for command in some)]
    tried = {" ".join(path) for path, _ in verbs() if any(c.startswith(" ".join(path)) for c in commands)}
    assert {" ".join(path) for path, _ in verbs()} - tried <= {"study what-if"}  # minutes; as `measure -p`


def test_the_base_needs_none_of_the_packages(tmp_path: Path) -> None:
    found = run(list(MODULES.values()), [words(command, tmp_path) for command in BASE], tmp_path)
    wrong = {command: err for command, (code, err) in zip(BASE, found, strict=True) if code}
    assert wrong == {}


@pytest.mark.parametrize("extra", sorted(NEED))
def test_a_verb_says_which_extra_it_needs(tmp_path: Path, extra: str) -> None:
    (tmp_path / "a.v").write_text("module a(input [3:0] x, output [3:0] y); assign y = ~x; endmodule\n")
    blocked = [tool.module for tool in tools.tools().values() if tool.extra == extra and tool.module]
    found = run(blocked, [words(command, tmp_path) for command in NEED[extra]], tmp_path)
    for command, (code, err) in zip(NEED[extra], found, strict=True):
        assert code == 5, (command, err)
        last = err[err.index("error[") :].splitlines()
        assert last[0].startswith("error[T002]: the Python package `"), (command, err)
        assert last[-1] == f"   = help: pip install 'cipherassay[{extra}]'", (command, err)
    assert not (tmp_path / "r").exists()


def test_several_missing_packages_are_one_line_to_install(tmp_path: Path) -> None:
    ((code, err),) = run(list(MODULES.values()), [["report", "-o", str(tmp_path / "r")]], tmp_path)
    assert (code, err) == (
        5,
        "error[T002]: the Python package `numpy` is not installed\n"
        f"   = what it is for: {tools.tools()['numpy'].purpose}\n"
        f"   = without it: {tools.tools()['numpy'].without}\n"
        "   = help: pip install 'cipherassay[report,results]'\n",
    )


def test_yosys_is_a_program_or_an_extra() -> None:
    help = tools.missing(tools.tools()["yosys"]).help
    assert help == "apt-get install yosys berkeley-abc, or pip install 'cipherassay[hardware]'"
