"""The coverage table: a number that passed its check, or the reason, for each primitive and level."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace

import pytest

from cipherassay.ciphers import load
from cipherassay.coverage import Cell, Level, cells, levels
from cipherassay.coverage.level import find_levels, of_main_operation
from cipherassay.coverage.producers import native
from cipherassay.errors import DescriptionError, UsageError
from cipherassay.jobs import SILENT, Job, Rows, executor
from cipherassay.lang.cipher import Cipher
from cipherassay.results import Row
from support.command import assay
from support.small_cipher import TEXT


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CIPHERASSAY_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def small(tmp_path: Path) -> Path:
    path = tmp_path / "small.py"
    path.write_text(TEXT)
    return path


def made(ciphers: Sequence[Cipher], chosen: Sequence[Level], seconds: float = 600) -> list[Cell]:
    with executor() as place:
        return cells(ciphers, chosen, quick=True, place=place, progress=SILENT, seconds=seconds)


def level(name: str, work: object, bounds: frozenset[str] = frozenset()) -> Level:
    """Return a level whose job does what `work` says: a value, rows, or an error."""

    def run() -> Rows:
        if isinstance(work, Exception):
            raise work
        common = {"cipher": "Small", "basis": "simulated", "target": name, "operation": "encrypt"}
        if isinstance(work, str):
            return Rows([Row(**common, metric="refused", value=1, certificate=work)])  # type: ignore[arg-type]
        return Rows([Row(**common, metric="cycles", value=work)] if work else [])  # type: ignore[arg-type]

    def jobs(cipher: Cipher, quick: bool, place: object) -> list[Job[Rows]]:
        return [Job(f"{name}/{cipher.slug}", name, run)]

    return Level(name, "tests", name, jobs, of_main_operation("cycles"), bounds)


def test_one_failure_leaves_the_other_cells(small: Path) -> None:
    """A crash, an error and a row that refuses are cells with a reason; which of them are bounds the level says."""
    chosen = [
        level("fine", 12.0),
        level("broken", ZeroDivisionError("division by zero")),
        level("refused", "E124: the code does not fit; RAM: 4192 of 2048 bytes", frozenset({"E124"})),
        level("unable", DescriptionError("X101", "there is no way", notes=["one", "two", "three"])),
        level("silent", 0),
    ]
    found = made([load(str(small))], chosen)
    assert [(cell.status, cell.code, cell.reason) for cell in found] == [
        ("number", "", ""),
        ("missing", "R040", "its producer failed: ZeroDivisionError: division by zero"),
        ("bound", "E124", "the code does not fit; RAM: 4192 of 2048 bytes"),
        ("missing", "X101", "there is no way; one; two"),
        ("missing", "R042", "nothing was made, and nothing says why"),
    ]
    assert found[0].row is not None
    assert found[0].row.value == 12


def test_a_level_that_cannot_list_its_jobs(small: Path) -> None:
    def refused(cipher: Cipher, quick: bool, place: object) -> list[Job[Rows]]:
        raise DescriptionError("D999", "no jobs")

    (cell,) = made([load(str(small))], [Level("none", "tests", "none", refused, of_main_operation("cycles"))])
    assert (cell.code, cell.reason) == ("D999", "no jobs")


def test_what_there_is_no_time_for(small: Path) -> None:
    (cell,) = made([load(str(small))], [level("late", 1.0)], seconds=-1)
    assert (cell.status, cell.code, cell.reason) == ("missing", "R041", "not begun in the time given")


def test_every_level_has_its_own_name() -> None:
    names = [one.name for one in levels()]
    assert len(set(names)) == len(names)
    assert {"c", "java", "avr", "iterative-verilog", "pipelined-vhdl", "synthesis", "circuit"} <= set(names)


def test_an_unknown_level_is_named() -> None:
    with pytest.raises(UsageError) as caught:
        find_levels(["arv"])
    known = ", ".join(sorted(one.name for one in levels()))
    text = f"error[U041]: there is no level `arv`\n   = help: did you mean `avr`? (known: {known})"
    assert str(caught.value) == text


def test_every_kind_of_level_takes_a_file(small: Path, capsys: pytest.CaptureFixture[str]) -> None:
    chosen = ["c", "java", "cortex-m3", "pentium-ii", "h8-300", "iterative-verilog", "pipelined-vhdl", "synthesis"]
    ran = assay(capsys, "coverage", str(small), "--quick", *(word for name in chosen for word in ("--level", name)))
    assert ran.err.endswith("8 cells: 8 numbers, 0 with a computed bound, 0 missing\n"), ran.out


def test_a_cipher_of_ones_own(small: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One primitive has a line for each level; `--json` has the counts of all."""
    words = ["coverage", str(small), "--quick", "--level", "avr", "--level", "circuit"]
    ran = assay(capsys, *words)
    assert ran.code == 0
    assert "Small has 0 tables from 3 to 8 bits" in ran.words
    assert ran.err.endswith("2 cells: 1 numbers, 1 with a computed bound, 0 missing\n")
    document = assay(capsys, *words, "--json").json
    assert document["counts"] == {"number": 1, "bound": 1}
    assert [(cell["level"], cell["status"], cell["code"]) for cell in document["cells"]] == [
        ("avr", "number", None), ("circuit", "bound", "C140"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "chosen"),
    [
        ("camellia", "iterative-verilog"),
        ("tdes", "pipelined-vhdl"),
        ("speck48", "h8-300"),
        ("simon48", "pentium-ii"),
        ("cham64", "avr"),
        ("craft", "pentium-ii"),
        ("craft", "mcs51"),
        ("hight", "cortex-m3"),
        ("present", "circuit"),
        ("ascon", "java"),
        ("ascon", "iterative-vhdl"),
        ("chacha20", "pipelined-verilog"),
        ("xtea", "mckinley-paper"),
    ],
)
def test_a_sample_of_the_catalogue(name: str, chosen: str) -> None:
    (cell,) = made([load(name)], find_levels([chosen]))
    assert cell.status == "number", f"{cell.code}: {cell.reason}"


def test_what_does_not_fit_says_what_is_needed_and_what_is_there() -> None:
    (cell,) = made([load("blowfish")], find_levels(["avr"]))
    assert (cell.status, cell.code) == ("bound", "E124")
    assert "RAM: 4192 of 2048 bytes" in cell.reason


def test_a_box_without_a_circuit() -> None:
    (cell,) = made([load("twofish")], find_levels(["circuit"]))
    assert cell.status == "number" or cell.code == "C141"


def test_a_quick_table_keeps_what_an_unsteady_machine_measured() -> None:
    (here,) = native.levels()
    unsteady = Rows([SimpleNamespace(stable=False)])  # type: ignore[list-item]
    with executor() as place:
        for quick in (True, False):
            assert all(job.reusable(unsteady) for job in here.jobs(load("speck64"), quick, place)) == quick
