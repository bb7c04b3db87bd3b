"""Mistakes about circuits: what is refused, in which words."""

from __future__ import annotations

import shutil
import tomllib
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from cipherassay import _engine, keeping
from cipherassay.circuits import boxes, cells, documents, engine, exhaustion, linear, proofs, targets
from cipherassay.circuits.certificates import Certificate
from cipherassay.circuits.emitted.counting import vector_instructions
from cipherassay.errors import DescriptionError, ToolError, UsageError, VerificationError
from support.command import assay
from support.refusals import refusal
from support.small_circuits import S3

TWO = targets.find("two-input")
WITH_SOLVER = pytest.mark.skipif(
    not hasattr(_engine, "circuit_question"), reason="the engine was built without the SAT solver"
)


def test_a_text_of_two_circuits() -> None:
    assert refusal(DescriptionError, engine.measure, S3 + "\n" + S3, TWO) == (
        "error[C014]: the text holds 2 circuits where one is expected"
    )


def test_a_circuit_of_another_shape() -> None:
    text = "circuit chi: 3 -> 1\ny0 = x0 ^ x1\n"
    assert refusal(VerificationError, engine.check, text, boxes.find("serpent.S0"), TWO) == (
        "error[C103]: the circuit has not the box's shape\n"
        "   = circuit: 3 input and 1 output bits\n"
        "   = box: 4 input and 4 output bits\n"
        "   = circuit chi of the circuit"
    )


@pytest.mark.parametrize(
    ("matrix", "options", "text"),
    [
        (np.zeros((1, 0)), {}, "error[C110]: a matrix of 0 columns cannot be served\n"
            "   = help: from 1 to 128 columns are"),
        (np.ones((2, 129)), {}, "error[C110]: a matrix of 129 columns cannot be served\n"
            "   = help: from 1 to 128 columns are"),
        ([[0, 2]], {}, "error[C111]: a matrix over GF(2) has rows of zeros and ones, all of one length"),
        ([[0, 1], [1]], {}, "error[C111]: a matrix over GF(2) has rows of zeros and ones, all of one length"),
        ([[1, 1]], {"arrival": [1]}, "error[C115]: `arrival` has 1 levels for 2 wires"),
        ([[1, 1]], {"depth": [1, 2]}, "error[C115]: `depth` has 2 levels for 1 wires"),
        ([[1, 1, 1, 1, 1]], {"depth": 2}, "error[C113]: output 0 cannot be there at level 2\n"
            "   = a balanced tree of its inputs has level 3"),
    ],
)  # fmt: skip
def test_matrices_without_a_program(matrix: object, options: dict[str, object], text: str) -> None:
    assert refusal(DescriptionError, linear.minimize, matrix, **options) == text


def test_a_wrong_program_of_the_search_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    class Wrong:
        linear_minimize = staticmethod(lambda *_: ([(0, 1)], [2, 2]))

    monkeypatch.setattr(linear, "_engine", Wrong)
    assert refusal(VerificationError, linear.minimize, [[1, 1, 0], [0, 1, 1]]) == (
        "error[C114]: the program of XORs does not multiply out to its matrix\n"
        "   = help: this is a bug of the search: please report it"
    )


def test_a_row_that_is_wider_than_the_matrix() -> None:
    assert refusal(DescriptionError, _engine.linear_minimize, 2, [5], [], [], 1, 1, 1, lambda _: False) == (
        "error[C116]: row 0 is wider than the 2 columns of the matrix"
    )


def test_a_technology_that_is_not_toml(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "own.toml"
    file.write_text("title = \n")
    monkeypatch.setattr(cells, "FOLDER", tmp_path)
    with pytest.raises(tomllib.TOMLDecodeError) as words:
        tomllib.loads(file.read_text())
    assert refusal(DescriptionError, cells.read, "own") == (
        f"error[C205]: `own.toml` cannot be read\n  --> {file}\n   = {words.value}"
    )


def test_questions_that_the_search_cannot_read() -> None:
    assert refusal(DescriptionError, _engine.circuit_unit, "{}", "beam", 0, lambda _: False) == (
        "error[C301]: the question to the search cannot be read: missing field `table` at line 1 column 2"
    )
    problem = engine.Problem(boxes.find("gift.S"), TWO, ("gates",)).as_json()
    assert refusal(UsageError, _engine.circuit_unit, problem, "exhaustion", 6, lambda _: False) == (
        "error[C303]: the engine exhaustion has no unit 6 for this problem\n   = units: 6"
    )


@WITH_SOLVER
def test_gates_of_four_operands_are_not_proved(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "four.toml").write_text(
        'title = "four"\nobjective = ["gates"]\n[[operation]]\nname = "lut"\nfunction = "any"\narity = [4]\n'
    )
    ran = assay(capsys, "circuit", "prove", "gift.S", "--value", "3", "--target", str(tmp_path / "four.toml"))
    assert (ran.code, ran.out, ran.err) == (
        2,
        "",
        "error[C310]: target `four` has gates of 4 operands\n"
        "   = help: synthesis by a SAT solver serves gates of one to three operands\n",
    )


@WITH_SOLVER
def test_a_proof_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert refusal(
        ToolError, proofs.prove, boxes.find("gift.S"), targets.find("ternary"), "gates", 4,
        folder=tmp_path / "file",
    ) == "error[C315]: clauses or proof cannot be written\n   = Not a directory"  # fmt: skip


def test_no_proof_without_a_solver(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proofs, "_engine", object())
    assert refusal(ToolError, proofs.prove, boxes.find("gift.S"), TWO, "gates", 4) == (
        "error[C317]: the engine was built without the SAT solver\n"
        "   = help: `make setup` builds it with it; that needs a C++ compiler"
    )


def test_a_certificate_of_another_schema_or_box(tmp_path: Path) -> None:
    gift, ternary = boxes.find("gift.S"), targets.find("ternary")
    file = tmp_path / "own.json"
    file.write_text('{"schema": 0}')
    assert refusal(VerificationError, proofs.check, file, gift, ternary) == (
        "error[C314]: `own.json` follows another version of the schema"
    )
    other = Certificate("own", gift.data[::-1], 4, "ternary", "gates", 3, 4, 0, "a solver", ())
    file.write_text(other.text())
    assert refusal(VerificationError, proofs.check, file, gift, ternary) == (
        "error[C324]: `own.json` is of another box than gift.S"
    )


def test_a_file_of_another_exhaustion(tmp_path: Path) -> None:
    gift, file = boxes.find("gift.S"), tmp_path / "own.jsonl"
    exhaustion.exhaust([gift], 8, file=file)
    assert refusal(VerificationError, exhaustion.exhaust, [gift], 9, file=file) == (
        "error[C341]: the file is of other boxes, another number of gates or another version\n"
        f"  --> {file}\n"
        "   = in the file: 8 gates, gift.S\n"
        "   = help: give another file, or remove this one"
    )


def test_an_exhaustion_with_a_unit_left_out() -> None:
    work = exhaustion.exhaust([boxes.find("gift.S")], 8)
    units = len(work.done)
    del work.done[0]
    assert refusal(VerificationError, exhaustion.check, work) == (
        "error[C342]: the stored exhaustion of 8 gates is wrong\n"
        f"   = 1 of {units} units are not done, unit 0 the first\n"
        "   = help: make it anew with `assay circuit exhaust`"
    )


@pytest.mark.skipif(not (shutil.which("gcc") and shutil.which("objdump")), reason="gcc or objdump is missing")
def test_c_without_vectors() -> None:
    assert refusal(UsageError, vector_instructions, "int f(int x) { return x + 1; }\n") == (
        "error[C412]: the compiled text holds no vector instructions of logic\n"
        "   = help: give C that `assay circuit emit` wrote with intrinsics of AVX2 or AVX-512"
    )


STORED = sorted((keeping.PACKAGE / "exhaustion").glob("*.jsonl"))[0]
CALLS = {
    "C316": (
        ("prove", "own.txt"),
        "error[C316]: the library has no circuit of own for two-input with few gates\n"
        "   = help: state the count to refute: --value 7\n",
    ),
    "C343 boxes": (
        ("exhaust",),
        "error[C343]: which boxes, and how many gates?\n"
        "   = help: assay circuit exhaust gift.S --gates 9\n",
    ),
    "C343 gates": (
        ("exhaust", "gift.S"),
        "error[C343]: which boxes, and how many gates?\n"
        "   = help: assay circuit exhaust gift.S --gates 9\n",
    ),
    "C507": (
        ("analyse", "bytes.txt"),
        "error[C507]: `bytes.txt` cannot be read\n"
        "   = 'utf-8' codec can't decode byte 0xff in position 0: invalid start byte\n"
        "   = help: give a text of circuits in UTF-8, or the name of a box\n",
    ),
    "C508": (
        ("analyse", "two.txt", "--picture", "p.svg"),
        "error[C508]: a picture shows one circuit, not 2\n"
        "   = help: choose one with --target, or a file of one circuit\n",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CALLS)
def test_wrong_calls(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("own.txt").write_text("0 3 6 1 5 4 2 7\n")
    Path("bytes.txt").write_bytes(b"\xff\xfe")
    Path("two.txt").write_text(S3 + "\n" + S3.replace("serpent.S3", "other"))
    arguments, text = CALLS[case]
    ran = assay(capsys, "circuit", *arguments)
    assert (ran.code, ran.out, ran.err) == (2, "", text)


@pytest.mark.parametrize("again", ["one", "0,-1"])
def test_units_that_an_exhaustion_does_not_have(again: str, capsys: pytest.CaptureFixture[str]) -> None:
    units = exhaustion.read(STORED).units
    ran = assay(capsys, "circuit", "exhaust", "--check", str(STORED), "--again", again)
    assert ran.code == 2
    assert ran.err.endswith(
        f"error[C344]: `--again {again}` names no units\n   = help: units are numbers from 0 to {units - 1}\n"
    )


def test_a_box_that_has_no_inverse(monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = boxes.Box("pairs.S", 3, (0, 0, 1, 1, 2, 2, 3, 3))
    monkeypatch.setattr(boxes, "_family", lambda name: {"pairs.S": pairs})
    assert refusal(UsageError, boxes.find, "pairs.S.inverse") == (
        "error[C126]: `pairs.S` has no inverse\n   = it is no permutation"
    )


@WITH_SOLVER
def test_a_box_that_is_too_large_for_a_proof() -> None:
    assert refusal(UsageError, proofs.prove, boxes.find("rijndael.S"), TWO, "gates", 3) == (
        "error[C323]: a box of 8 input bits is too large for a proof\n"
        "   = help: boxes of up to 6 input bits can be asked about"
    )


def test_a_count_that_the_solver_does_not_refute() -> None:
    run: Any = SimpleNamespace(metric="gates", refute=lambda count: f"a circuit of {count} gates")
    one: Any = SimpleNamespace(count=4)
    assert refusal(VerificationError, proofs._remake, run, one, Path("own.json")) == (
        "error[C327]: gates 4 is not impossible\n   = a circuit of 4 gates"
    )


def test_a_proof_that_the_checker_refuses(monkeypatch: pytest.MonkeyPatch) -> None:
    verdict = '{"accepted": false, "reason": "line 3 follows from nothing"}'
    monkeypatch.setattr(proofs, "_engine", SimpleNamespace(proof_check=lambda *_: verdict))
    assert refusal(VerificationError, proofs._accept, Path("cnf"), Path("kept"), lambda _: False) == (
        "error[C329]: the checker refuses the solver's proof\n   = line 3 follows from nothing\n"
        "   = help: this is a bug of the solver or of the checker; nothing is proved"
    )


def test_a_box_without_circuits(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("cipherassay.circuits.library.stored", lambda *_: [])
    assert assay(capsys, "circuit", "analyse", "gift.S").err == (
        "error[C510]: the library has no such circuit of gift.S\n"
        "   = help: search one: assay circuit search gift.S\n"
    )


def test_a_document_of_two_circuits() -> None:
    assert refusal(DescriptionError, documents.one, S3 + "\n" + S3, "two.txt") == (
        "error[C512]: two.txt holds 2 circuits where one is expected\n  --> two.txt"
    )
