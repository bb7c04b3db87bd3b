"""What is computed before a key or a block is there: counted, and the same in the end."""

from __future__ import annotations

from typing import Any

import pytest

from cipherassay import operation_changes, precomputation
from cipherassay.ciphers import load
from cipherassay.errors import VerificationError
from support.command import assay


def test_constant_functions_of_e2_leave_its_key_set_up() -> None:
    """Aoki and Ueda, 3.1.1: f(v) of the start, 9 functions f for keys of 192 bits, 18 for those of 128."""
    found = {
        one.key_bits: one
        for one in precomputation.precomputation(load("e2"))
        if (one.function, one.depends_on) == ("key_schedule", "constants")
    }
    gone = {bits: one.before["matrices"] - one.after["matrices"] for bits, one in found.items()}
    assert gone == {128: 19, 192: 10, 256: 1}
    # Each f has eight look-ups; keys that are lengthened by S(S(S(v))) and one S more have those, too.
    tables = {bits: one.before["tables"] - one.after["tables"] for bits, one in found.items()}
    assert all(tables[bits] >= 8 * n for bits, n in gone.items())
    assert tables[128] > tables[192] > tables[256]


def test_inverses_of_e2_leave_encryption() -> None:
    found = {
        (one.key_bits, one.function): one
        for one in precomputation.precomputation(load("e2"))
        if one.depends_on == "the key"
    }
    for bits in (128, 192, 256):
        for function in ("encrypt", "decrypt"):
            assert found[bits, function].saved > 0
        assert found[bits, "key_schedule"].saved < 0


def test_the_command_says_the_same_as_json_and_as_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    done = assay(capsys, "show", "rijndael", "--precomputation", "--json")
    assert done.code == 0
    saved: list[dict[str, Any]] = done.json["saved"]
    assert [one["key_bits"] for one in saved if one["depends_on"] == "constants"] == [128, 192, 256]
    assert all(one["saved"] == one["before"]["operations"] - one["after"]["operations"] for one in saved)
    done = assay(capsys, "show", "rijndael", "--precomputation")
    assert done.code == 0
    assert "Rijndael: operations executed" in done.words
    assert done.out.count("key_schedule") == 6


def test_a_pass_that_changes_results_is_found() -> None:
    cipher = load("rc6")
    program = cipher.compile(128)
    with pytest.raises(VerificationError) as refused:
        operation_changes.check(
            cipher, 128, program, load("rijndael").compile(128), "S060", "what was computed beforehand changes"
        )
    assert str(refused.value).startswith("error[S060]: RC6: what was computed beforehand changes the result")
