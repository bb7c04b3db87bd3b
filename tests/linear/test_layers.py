"""Linear layers: programs equal their matrices, known figures are reached or beaten, proofs hold, bad input is refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from cipherassay.ciphers import load
from cipherassay.errors import DescriptionError, VerificationError
from cipherassay.linear import (
    LinearResult,
    Machine,
    Matrix,
    Program,
    Step,
    constructing,
    machines,
    of_cipher,
    read,
    search,
    sums,
)
from cipherassay.linear.checking import check, check_compiled, inputs
from cipherassay.linear.constructing import construct
from cipherassay.linear.emitting import source
from cipherassay.linear.rows import rows
from cipherassay.linear.scheduling import kind_of, scheduled, values_of
from support.command import assay

Capture = pytest.CaptureFixture[str]
FEW = 300_000
"""Sets looked at: what the tests have time for."""


def matrix_of(name: str) -> Matrix:
    cipher = load(name)
    return of_cipher(cipher.compile(cipher.key_bits[0]))[0]


def rotations(issue: int = 2) -> Machine:
    """Return the machine of the paper's Algorithm 2."""
    operations = {kind: machines.Operation() for kind in ("xor", "rotate")}
    return Machine("rotations", "Rotations", issue, operations)


def random_matrix(seed: int, size: int, polynomial: int = 0) -> Matrix:
    chance = np.random.default_rng(seed)
    table = chance.integers(0, 256 if polynomial else 2, (size, size))
    return Matrix(f"random {seed}", polynomial, tuple(tuple(int(f) for f in row) for row in table))


@pytest.fixture(scope="module")
def e2() -> LinearResult:
    return search(matrix_of("e2"), rotations(), 32, most_nodes=10 * FEW)


def test_the_papers_algorithm_2_computes_p_in_four_cycles() -> None:
    """Bytes are numbered from the least significant here, so rotations go the other way round: RL_b by 4 - b."""
    steps = [
        ("xor", 0, 1),
        ("rotate", 0, 2),
        ("xor", 3, 2),
        ("rotate", 2, 1),
        ("xor", 4, 5),
        ("rotate", 4, 3),
    ]
    steps += [("xor", 7, 6)]
    program = Program(
        32,
        0,
        tuple(Step(kind, (a, b)) for kind, a, b in steps),
        (8, 6),
        tuple(range(8)),
        (3, 0, 1, 2, 7, 4, 5, 6),
    )
    check(matrix_of("e2"), program)
    planned = scheduled(program, rotations())
    check(matrix_of("e2"), planned)
    assert max(planned.starts) + 1 == 4
    assert [planned.starts.count(cycle) for cycle in range(4)] == [2, 2, 2, 1]


def test_e2_is_shorter_than_the_paper_and_proved(e2: LinearResult) -> None:
    operations, cycles = e2.best
    assert (operations.value, operations.certificate) == (6, "proved least")  # the paper: 7
    assert (cycles.value, cycles.certificate) == (4, "proved least")  # the paper: 4
    assert cycles.program is not None
    assert len(cycles.program.steps) == 7
    assert e2.sums.program.counted()["xors"] == 16  # the paper: 36 as written, 16 in its figure
    assert e2.sums.xor_bound >= 15
    assert e2.xor_bound == 4


def test_e2_in_the_order_of_the_specification() -> None:
    found = search(matrix_of("e2"), rotations(), 32, is_free=False, most_nodes=FEW)
    program = found.best[0].program
    assert program is not None
    assert (program.inputs, program.outputs) == (tuple(range(8)), tuple(range(8)))
    assert (found.best[0].value, found.best[0].certificate) == (6, "proved least")


def test_e2_in_one_word_needs_a_mask() -> None:
    found = search(matrix_of("e2"), rotations(), 64, most_nodes=FEW)
    assert [best.certificate for best in found.best] == ["impossible", "impossible"]
    assert found.best[0].program is None


@pytest.mark.parametrize(("name", "value"), [("rijndael", 6), ("twofish", 12)])
def test_layers_over_gf_256(name: str, value: int) -> None:
    found = search(matrix_of(name), machines.load("two-issue"), 32, most_nodes=20_000)
    assert found.best[0].value == value
    check_compiled(
        found.matrix,
        [found.sums.program, *(b.program for b in found.best if b.program)],
        [f"{name}_{n}" for n in range(3)],
    )


def test_mix_columns_in_bytes_and_its_inverse() -> None:
    matrix = matrix_of("rijndael")
    assert sums.search(matrix, most_nodes=FEW).program.counted() == {
        "xors": 12, "rotations": 0, "shifts": 0, "masks": 0, "doublings": 4,
    }  # fmt: skip
    inverse = matrix.inverse()
    assert inverse.rows[0] == (0x0E, 0x0B, 0x0D, 0x09)  # FIPS 197, 5.3.3
    x = inputs(matrix)
    assert np.array_equal(inverse.compute(matrix.compute(x)), x)


def test_the_inverse_of_e2s_p() -> None:
    matrix = matrix_of("e2")
    x = inputs(matrix)
    assert np.array_equal(matrix.compute(matrix.inverse().compute(x)), x)


@pytest.mark.parametrize("word_bits", [8, 16, 32, 64])
@pytest.mark.parametrize("polynomial", [0, 0x11B, 0x1F5])
def test_a_program_for_any_matrix(word_bits: int, polynomial: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(constructing, "TRIES", 5)
    programs, matrix = [], random_matrix(word_bits, 8, polynomial)
    for name in machines.names():
        for is_free in (False, True):
            program = construct(matrix, word_bits, machines.load(name), is_free=is_free)
            assert program is not None
            check(matrix, program)
            programs.append(program)
    check_compiled(matrix, programs, [f"random_{n}" for n in range(len(programs))])


@pytest.mark.parametrize("name", machines.names())
def test_schedules_keep_to_their_machine(name: str) -> None:
    machine, matrix = machines.load(name), matrix_of("rijndael")
    found = search(matrix, machine, 32, most_nodes=20_000)
    assert found.best[1].program is not None
    program = found.best[1].program
    ready = [0] * program.words
    for step, start in zip(program.steps, program.starts, strict=True):
        assert all(ready[value] <= start for value in values_of(step))
        ready.append(start + machine.operations[kind_of(step)].latency)
    for cycle in range(max(program.starts) + 1):
        issued = [kind_of(s) for s, at in zip(program.steps, program.starts, strict=True) if at == cycle]
        assert sum(machine.operations[kind].slots for kind in issued if kind != "double") <= machine.issue
        assert all(sum(kind in kinds for kind in issued) <= most for kinds, most in machine.limits)


def test_sums_of_random_matrices_agree_with_their_bounds() -> None:
    for seed in range(20):
        matrix = random_matrix(seed, 4)
        if not all(map(any, matrix.rows)):
            continue
        found = sums.search(matrix, most_nodes=FEW)
        check(matrix, found.program)
        assert found.program.counted()["xors"] == found.xor_bound >= sums.counting_bound(matrix)


def test_a_wrong_program_is_refused(e2: LinearResult) -> None:
    program = e2.best[0].program
    assert program is not None
    place = next(n for n, step in enumerate(program.steps) if step.kind == "rotate")
    wrong = list(program.steps)
    wrong[place] = Step("rotate", (wrong[place].operands[0], wrong[place].operands[1] % 3 + 1))
    with pytest.raises(VerificationError, match=r"L411.*evaluated, differs from the matrix in byte"):
        check(e2.matrix, replace(program, steps=tuple(wrong)))
    with pytest.raises(VerificationError, match=r"L412.*output order .* is no permutation"):
        check(e2.matrix, replace(program, outputs=(0,) * 8))


def test_a_search_twice_is_the_same(e2: LinearResult) -> None:
    again = search(e2.matrix, rotations(), 32, most_nodes=FEW)
    assert again.best[0] == e2.best[0]
    assert again == search(e2.matrix, rotations(), 32, most_nodes=FEW)


def test_a_stopped_search_keeps_what_it_has() -> None:
    found = search(matrix_of("e2"), machines.load("two-issue"), 32, tell=lambda _line: True)
    check(found.matrix, found.sums.program)
    assert {best.certificate for best in found.best} <= {"no program found", "best found"}


def test_rows(e2: LinearResult) -> None:
    made = {(row.configuration, row.metric): row for row in rows(e2, "E2", "assay study linear e2")}
    free = "words of 32 bits, free order, fewest"
    assert (made[f"{free} operations", "ops"].value, made[f"{free} operations", "ops"].bound) == (6, 6)
    assert made[f"{free} cycles", "cycles"].bound == 4
    assert made["bytes", "xors"].value == 16
    assert {"xors", "masks", "shifts", "rotations", "doublings"} <= {metric for _, metric in made}


def test_c_is_plain(e2: LinearResult) -> None:
    program = e2.best[0].program
    assert program is not None
    text = source(e2.matrix, program, "e2-p")
    assert "void e2_p(const uint8_t *x, uint8_t *y)" in text
    assert text.count("^") == 2 * 4  # in the text of the program, and in the code


def test_the_command(tmp_path: Path, capsys: Capture) -> None:
    file = tmp_path / "m.toml"
    file.write_text('rows = ["0111", "1011", "1101", "1110"]\n')
    ran = assay(
        capsys,
        "study",
        "linear",
        str(file),
        "-m",
        "single-issue",
        "--effort",
        "1",
        "-o",
        str(tmp_path / "out"),
        "--json",
    )
    assert ran.code == 0, ran.err
    (layer,) = ran.json["layers"]
    assert layer["bytes"]["counted"]["xors"] == layer["bytes"]["xor_bound"] == 6
    assert [one["certificate"] for one in layer["words"]] == ["proved least"] * 2
    assert [one["value"] for one in layer["words"]] == [4, 4]
    assert len(ran.json["files"]) == len(list((tmp_path / "out").iterdir())) == 3
    assert {row["metric"] for row in ran.json["rows"]} >= {"xors", "rotations", "cycles", "ops"}
    ran = assay(capsys, "study", "linear", str(file), "--effort", "1", "--inverse", "--order", "fixed")
    assert ran.code == 0, ran.err
    assert "proved least" in ran.out
    assert "output w" in ran.out


def test_files_say_the_same_in_three_ways(tmp_path: Path) -> None:
    texts = ['rows = ["011", "100", "110"]', "rows = [[0, 1, 1], [1, 0, 0], [1, 1, 0]]"]
    texts.append('sums = true\nrows = ["23", "1", "12"]')
    found = []
    for text in texts:
        (tmp_path / "m.toml").write_text(text + "\n")
        found.append(read(tmp_path / "m.toml"))
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("rows = [", "error[L201]: m.toml cannot be read: "),
        (
            "row = []",
            "error[L212]: a matrix has no field `row`\n  --> {file}\n   = help: did you mean `rows`? ",
        ),
        ("rows = []", "error[L214]: `rows` has to be a list of 1 to 64 rows\n  --> {file}\n"),
        (
            'field = 7\nrows = ["1"]',
            "error[L213]: the field cannot be 7\n  --> {file}\n   = help: 2, or a polynomial such as 0x11b\n",
        ),
        ('rows = ["01", "011"]', "error[L215]: row 2 has 3 columns, row 1 has 2\n  --> {file}\n"),
        ('rows = ["01", "00"]', "error[L216]: row 2 is zero: there is nothing to compute\n  --> {file}\n"),
        ('rows = ["ab"]', "error[L202]: row 1 is no list and no string of digits\n  --> {file}\n"),
        (
            'sums = true\nrows = ["12", "13"]',
            "error[L217]: row 2 adds input 3; there are inputs 1 to 2\n  --> {file}\n",
        ),
        (
            "rows = [[1, 2], [0, 1]]",
            "error[L218]: row 1, column 2: the factor cannot be 2\n  --> {file}\n   = expected: 0 to 1\n",
        ),
    ],
)
def test_bad_files_are_refused(text: str, message: str, tmp_path: Path, capsys: Capture) -> None:
    file = tmp_path / "m.toml"
    file.write_text(text + "\n")
    ran = assay(capsys, "study", "linear", str(file))
    assert (ran.err.startswith(message.format(file=file)), ran.code) == (True, 3), ran.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("e2", "--function", "G"),
            "error[L206]: E2 has no function `G`\n   = help: known: F, decrypt, encrypt, f, key_schedule\n",
        ),
        (
            ("e2", "--word-size", "24"),
            "error[L207]: words of 24 bits are not searched\n   = help: 8, 16, 32 or 64\n",
        ),
        (
            ("rijndael", "--word-size", "64"),
            "error[L219]: matrix `MIX_COLUMN`, 4 rows by 4 columns, does not fill words of 64 bits\n"
            "   = help: choose --word-size so that rows and columns fill whole words\n",
        ),
        (
            ("e2", "--order", "fred"),
            "error[L209]: the order of the bytes cannot be `fred`\n   = help: did you mean `free`? (known: fixed, free)\n",
        ),
        (
            ("e2", "--machine", "two-isue"),
            "error[L210]: unknown machine `two-isue`\n   = help: did you mean `two-issue`? "
            "(known: one-shifter, rotated-operand, single-issue, two-issue)\n",
        ),
    ],
)
def test_bad_commands_are_refused(arguments: tuple[str, ...], message: str, capsys: Capture) -> None:
    ran = assay(capsys, "study", "linear", *arguments)
    assert (ran.err, ran.code) == (message, 2)


def test_a_matrix_without_an_inverse_names_its_row() -> None:
    with pytest.raises(DescriptionError) as caught:
        Matrix("M", 0, ((1, 1, 0), (0, 1, 1), (1, 0, 1))).inverse()
    assert str(caught.value) == (
        "error[L204]: matrix `M` is singular, so it has no inverse\n   = row 3 is a combination of rows 1, 2"
    )
    with pytest.raises(DescriptionError) as caught:
        Matrix("M", 0, ((1, 1, 0), (0, 0, 0), (1, 0, 1))).inverse()
    assert str(caught.value).endswith("row 2 is zero")
    with pytest.raises(DescriptionError) as caught:
        Matrix("M", 0, ((1, 1, 0), (0, 1, 1))).inverse()
    assert str(caught.value) == "error[L203]: matrix `M` has 2 rows and 3 columns, so it has no inverse"


def test_too_many_columns_are_refused() -> None:
    with pytest.raises(Exception, match=r"L208.*has 9 columns"):
        search(Matrix("M", 0x11B, ((2,) * 9,) * 9), rotations(), 8)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('title = "t"\nissue = 2\n', "error[L220]: the machine lacks `operations`"),
        ('title = "t"\nissue = 1\noperations = 1\n', "error[L221]: `operations` is no table"),
        ('title = "t"\nissue = 1\nlimit = 1\n[operations]\nxor = {}\n', "error[L222]: `limit` is no list"),
        ('title = "t"\nissue = 0\n[operations]\nxor = {}\n', "error[L224]: `issue` cannot be 0"),
        ('title = "t"\nissue = 1\n[operations]\nadd = {}\n', "error[L223]: a machine has no operation `add`"),
        (
            'title = "t"\nissue = 1\n[operations]\nxor = { cost = 1 }\n',
            "error[L223]: `xor` has no field `cost`",
        ),
    ],
)
def test_bad_machines_are_refused(text: str, message: str, tmp_path: Path, capsys: Capture) -> None:
    file = tmp_path / "machine.toml"
    file.write_text(text)
    ran = assay(capsys, "study", "linear", "e2", "--machine", str(file))
    assert (ran.err.startswith(f"{message}\n  --> {file}\n"), ran.code) == (True, 3), ran.err


def test_a_machine_that_is_not_toml(tmp_path: Path, capsys: Capture) -> None:
    file = tmp_path / "machine.toml"
    file.write_text("title =\n")
    ran = assay(capsys, "study", "linear", "e2", "--machine", str(file))
    assert (ran.err.startswith("error[L211]: machine.toml cannot be read: "), ran.code) == (True, 3), ran.err
