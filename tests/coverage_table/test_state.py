"""The state of the whole table, which is kept, and a sample of it, the same in every run."""

from __future__ import annotations

from pathlib import Path

import pytest

from cipherassay.ciphers import load, names
from cipherassay.coverage import cells, levels, state
from cipherassay.coverage.level import find_levels
from cipherassay.errors import DescriptionError
from cipherassay.jobs import SILENT, executor
from support.command import assay

FILE = Path(__file__).with_name("state.toml")
SAMPLE = [
    ("c", "sm4 speck64"),
    ("java", "gift64"),
    ("alpha-21164a", "deal frog"),
    ("cortex-a53", "prince"),
    ("cortex-m3", "tdes"),
    ("four-banger", "rc6"),
    ("mckinley", "magenta"),
    ("pa8500", "hight"),
    ("pentium-ii", "hpc present"),
    ("pentium-pro", "kalyna128"),
    ("avr", "blowfish lea"),
    ("h8-300", "hpc rectangle"),
    ("mcs51", "hpc xtea"),
    ("iterative-verilog", "frog twine"),
    ("pipelined-vhdl", "midori64"),
    ("circuit", "present speck32"),
]
"""Levels, and the primitives that are made at each."""


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CIPHERASSAY_CACHE", str(tmp_path / "cache"))


def test_the_state_has_every_cell() -> None:
    """Each is a number, or has the code of an error that states what is needed and what is there."""
    bounds = {level.name: level.bounds for level in levels()}
    known = state.read(FILE)
    assert set(known) == set(names())
    for primitive, codes in known.items():
        assert set(codes) == set(bounds), primitive
        wrong = {name: code for name, code in codes.items() if code not in {"number", *bounds[name]}}
        assert wrong == {}, primitive


@pytest.mark.parametrize(("level", "primitives"), SAMPLE, ids=[level for level, _ in SAMPLE])
def test_a_sample_has_the_state_that_is_kept(level: str, primitives: str) -> None:
    with executor() as place:
        made = cells(
            [load(name) for name in primitives.split()], find_levels([level]),
            quick=True, place=place, progress=SILENT,
        )  # fmt: skip
    different = [(cell.cipher.slug, cell.code, cell.reason) for cell, _ in state.differences(made, state.read(FILE))]
    assert different == []


def test_the_whole_is_compared_by_a_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kept = tmp_path / "state.toml"
    words = ["coverage", "rc6", "present", "--quick", "--level", "circuit"]
    assert assay(capsys, *words, "--write-state", str(kept)).code == 0
    assert kept.read_text().endswith('[primitives]\nrc6 = { circuit = "C140" }\npresent = {}\n')
    assert assay(capsys, *words, "--against", str(kept)).code == 0
    kept.write_text(kept.read_text().replace("present = {}", 'present = { circuit = "C140" }'))
    ran = assay(capsys, *words, "--against", str(kept))
    assert ran.code == 4
    assert ran.err.endswith(
        "error[R044]: 1 of 2 cells have another state than the file\n"
        "   = present, circuit: C140 in the file, now number\n"
        "   = help: `--write-state` writes the new state\n"
    )


def test_a_file_that_is_no_state_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DescriptionError) as caught:
        state.read(tmp_path / "none.toml")
    assert str(caught.value).startswith("error[R043]: the file holds no state of the table: ")
