"""Pictures of structure: of descriptions in several files, of calls whose operands come between their parts."""

from __future__ import annotations

from pathlib import Path

import pytest

from cipherassay import ciphers, ir
from cipherassay.hardware.emission.structures import data_flow
from cipherassay.hardware.rtl.bodies import Body
from cipherassay.report.drawings import outlines


@pytest.mark.parametrize(
    ("name", "labels"),
    [
        ("rijndael", ["S[ ]", "MIX_COLUMN", "round_key", "⊕"]),
        ("clefia", ["RK[d//2i+j]", "(F0, F1)[j % 2]", "⊕"]),
        ("gift64", ["GS[ ]", "permute", "K[r]", "⊕"]),  # its round stands in a file beside it
        ("speck64", ["k[i]", "⋙ 8", "+", "⊕", "⋘ 3", "⊕"]),  # its round is one call, which is opened
        ("keccak", ["parity", "neighbours", "⊕", "⋘ …", "rows", "T[ ]", "⊕"]),
    ],
)
def test_a_round_is_drawn_with_the_names_of_its_calls(name: str, labels: list[str]) -> None:
    assert [one.label for one in _round(name).operations] == labels


def test_a_call_that_reads_what_stands_between_its_operations_is_drawn_after_it() -> None:
    body = _round("misty1")
    known = set(body.inputs)
    for operation in body.operations:
        assert known.issuperset(operation.operands), operation
        known.update(operation.results)
    assert data_flow(body).startswith("<svg ")


def test_bytes_of_a_vector_have_its_name() -> None:
    state = [f"state{n}" for n in range(16)]
    assert set(outlines._vectors(state).values()) == {"state"}
    halves = [f"Y{half}{n}" for half in (1, 2) for n in range(8)]
    assert list(dict.fromkeys(outlines._vectors(halves).values())) == ["Y1", "Y2"]
    assert outlines._vectors(["key", "L3.2"]) == {"key": "key", "L3.2": "L"}


def test_a_file_that_is_not_beside_the_cipher_has_no_names(tmp_path: Path) -> None:
    cipher = ciphers.load("clefia")
    program = cipher.compile(cipher.key_bits[0]).mirror()
    assert outlines.expressions(program, tmp_path / "clefia.py") == [{}]


def _round(name: str) -> Body:
    cipher = ciphers.load(name)
    program = cipher.compile(cipher.key_bits[0]).mirror()
    function = program.functions[cipher.directions[0]]
    loops = [op.loop for op in ir.walk(function.ops) if op.loop and op.kind == "rounds"]
    longest = max(loops, key=lambda one: one.iteration_count)
    source = outlines.expressions(program, Path(cipher.file))
    return outlines.outline(outlines.loop(program, function.name, longest.counter), source, title=name)
