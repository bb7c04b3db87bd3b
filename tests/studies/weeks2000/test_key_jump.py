"""The last key words of an affine recurrence: matrix, shared sums, both forms as Verilog."""

from __future__ import annotations

import random
import subprocess
from pathlib import Path

import numpy as np
import pytest

from cipherassay import ciphers, keeping, tools
from cipherassay.errors import DescriptionError, VerificationError
from cipherassay.studies.weeks2000 import key_jump, key_jump_kept

SERPENT = key_jump.recurrence(ciphers.load("serpent"))
SMALL = key_jump.Recurrence(SERPENT.operations, SERPENT.window, 8, SERPENT.width)
"""The same with fewer iterations: what takes a while with all of them."""


def test_recurrence_of_serpent_gives_its_program_s_words() -> None:
    assert (SERPENT.window, SERPENT.iterations, SERPENT.width) == (8, 132, 32)
    key = bytes(range(32))
    program = ciphers.load("serpent").compile(256)
    words = [int.from_bytes(key[n : n + 4], "little") for n in range(0, 32, 4)]
    steps = [one["value"] for one in program.trace("key_schedule", [key]) if one["iterations"] == (131,)]
    assert SERPENT.last(words) == steps[-1][-8:]


def test_matrix_is_that_of_the_recurrence() -> None:
    table, constant = key_jump.matrix(SERPENT)
    assert table.shape == (256, 256)
    assert int(table.sum()) - 256 == 15552  # exclusive ors if it were multiplied out
    source = random.Random(1)
    for _ in range(5):
        words = [source.getrandbits(32) for _ in range(8)]
        bits = np.array([word >> n & 1 for word in words for n in range(32)], dtype=np.uint8)
        last = (table @ bits + constant) % 2
        assert [
            int(sum(int(b) << n for n, b in enumerate(last[32 * k : 32 * k + 32]))) for k in range(8)
        ] == (SERPENT.last(words))


def test_shared_sums_are_fewer_and_checked() -> None:
    table, _ = key_jump.matrix(SMALL)
    sums, rows = key_jump.shared_sums(table)
    key_jump.check(table, sums, rows)
    assert key_jump.xors(sums, rows) < int(table.sum()) - len(table)
    rows[3] = rows[3][1:]
    with pytest.raises(VerificationError, match="do not multiply out to the matrix: row 3"):
        key_jump.check(table, sums, rows)


def test_sums_of_another_matrix_are_refused() -> None:
    with pytest.raises(VerificationError) as caught:
        key_jump.check(np.eye(2, dtype=np.uint8), [], [[0], [0]])
    assert str(caught.value) == (
        "error[H746]: the shared sums do not multiply out to the matrix: row 1"
    )


def test_a_schedule_without_one_is_refused() -> None:
    with pytest.raises(DescriptionError) as caught:
        key_jump.recurrence(ciphers.load("rc6"))
    assert caught.value.code == "H745"
    assert str(caught.value).splitlines()[0] == (
        "error[H745]: the key schedule of RC6 has no affine recurrence"
    )


@pytest.mark.skipif(not tools.find("iverilog").place, reason="Icarus Verilog is not here")
def test_both_forms_in_verilog(tmp_path: Path) -> None:
    table, constant = key_jump.matrix(SMALL)
    sums, rows = key_jump.shared_sums(table)
    source = random.Random(2)
    keys = [[source.getrandbits(32) for _ in range(8)] for _ in range(4)]
    lines = [
        key_jump.unrolled_verilog(SMALL, "unrolled"),
        key_jump.single_step_verilog(sums, rows, constant.tolist(), 256, "single"),
        "module bench; reg [255:0] key; wire [255:0] a, b;",
        "unrolled u(.key(key), .last(a)); single s(.key(key), .last(b)); initial begin",
    ]
    for key in keys:
        value = sum(word << 32 * n for n, word in enumerate(key))
        last = sum(word << 32 * n for n, word in enumerate(SMALL.last(key)))
        lines.append(
            f"key = 256'h{value:x}; #1; if (a !== 256'h{last:x} || b !== 256'h{last:x}) $display(\"FAIL\");"
        )
    lines.append('$display("DONE"); end endmodule')
    (tmp_path / "all.v").write_text("\n".join(lines))
    subprocess.run(["iverilog", "-g2005", "-o", "all", "all.v"], cwd=tmp_path, check=True)
    ran = subprocess.run(["vvp", "-n", "all"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert ran.stdout.split() == ["DONE"]


def test_kept_results_are_of_the_matrix_and_the_verilog() -> None:
    document = key_jump_kept.load(keeping.PACKAGE / "key_jumps" / "serpent.json")
    assert document is not None
    rows = list(key_jump_kept.rows())
    kept = {name for found in document["results"].values() for name in found}
    assert {(row.configuration or "").partition(",")[0] for row in rows} == kept, "all kept forms still hold"
    assert all((row.tools or "").endswith("; stored") for row in rows)
    document["rows"][5] = document["rows"][5][1:]
    with pytest.raises(VerificationError, match="row 5"):
        list(key_jump_kept.rows_of(document, "osu050"))


def test_a_file_that_is_no_kept_result(tmp_path: Path) -> None:
    (tmp_path / "serpent.json").write_text('{"schema": 9}')
    assert key_jump_kept.load(tmp_path / "serpent.json") is None
    (tmp_path / "serpent.json").write_text('{"schema": 1}')
    with pytest.raises(DescriptionError) as caught:
        key_jump_kept.load(tmp_path / "serpent.json")
    assert str(caught.value).splitlines() == [
        "error[A001]: `serpent.json` is damaged",
        f"  --> {tmp_path / 'serpent.json'}",
        "   = there is no field 'cipher'",
        "   = help: `assay verify kept key_jumps --prune` removes it; what it held is computed anew when needed",
    ]
