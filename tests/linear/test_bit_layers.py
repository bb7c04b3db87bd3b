"""Layers of bits: found in programs, checked by running them, their exclusive ors few and right, lacks explained."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from cipherassay.ciphers import load
from cipherassay.errors import DescriptionError, VerificationError
from cipherassay.linear import bit_layers, bit_programs, slices
from cipherassay.linear.bit_layers import BitLayer, inverted
from support.command import assay

Capture = pytest.CaptureFixture[str]

NOTHING_LINEAR = '''"""A permutation whose words only go into S-boxes and additions."""
from cipherassay.lang import *
plain = Permutation("Plain words", state_bits=16, rounds=(4,), structure="ARX", source="test")
S = table(u8, [(a * a * a + 3 * a) & 0xFF for a in range(256)])

@plain.permute
def permute(state, n):
    a, b = state
    for r in rounds(4):
        a = a + S[b]
        b = b + S[a]
    return le_bytes(a, b)
'''


def layers_of(name: str) -> tuple[list[BitLayer], bit_layers.Found]:
    cipher = load(name)
    program = cipher.compile()
    found = bit_layers.find(program, cipher.shape.forward)
    for layer, _ in found.shapes:
        slices.check(program, layer)
    return [layer for layer, _ in found.shapes], found


def test_a_bit_permutation_is_the_papers() -> None:
    (layer,), found = layers_of("present")
    assert not layer.adds
    assert found.has_boxes
    # Bit i of the state moves to 16 i mod 63; the S-boxes may be found in any order.
    where = {}
    for number, source in enumerate(layer.sources):
        assert (source.kind, source.name, source.outputs) == ("box", "S", 4)
        where |= {4 * number + k: place for k, place in enumerate(source.places)}
    moved = {row[0]: place[2] for row, place in zip(layer.rows, layer.places, strict=True)}
    assert sorted(moved) == list(range(64))
    images = sorted(tuple(sorted(moved[4 * n + k] for k in range(4))) for n in range(16))
    wanted = sorted(tuple(sorted(63 if i == 63 else 16 * i % 63 for i in range(4 * n, 4 * n + 4))) for n in range(16))
    assert images == wanted
    assert bit_programs.search(layer).xors == 0


def test_rotations_of_a_word_are_a_matrix() -> None:
    (layer,), _ = layers_of("sm4")
    # L(B) = B ^ (B <<< 2) ^ (B <<< 10) ^ (B <<< 18) ^ (B <<< 24)
    for row, (_, _, bit) in zip(layer.rows, layer.places, strict=True):
        assert sorted(row) == sorted((bit - by) % 32 for by in (0, 2, 10, 18, 24))
    program = bit_programs.search(layer)
    assert program.written == 128
    assert 35 == program.bound <= program.xors < 100


@pytest.mark.parametrize(
    ("name", "kind", "size", "most"),
    [
        ("kuznyechik", "boxes", (128, 128), 2900),
        ("aria", "boxes", (128, 128), 720),
        ("keccak", "state", (1600, 1600), 3200),
        ("noekeon", "state", (160, 128), 400),
        ("speck64", "all", (96, 64), 32),
        ("twine", "all", None, 32),
        ("skinny64", "boxes", (16, 16), 12),
    ],
)
def test_layers_of_other_shapes(name: str, kind: str, size: tuple[int, int] | None, most: int) -> None:
    layers, _ = layers_of(name)
    assert layers[0].kind == kind
    assert size is None or (len(layers[0].rows), layers[0].columns) == size
    program = bit_programs.search(layers[0])
    assert program.bound <= program.xors <= most


def test_a_layer_around_the_end_of_a_loops_body_is_joined() -> None:
    cipher = load("craft")  # a round mixes columns first and ends with its S-boxes
    program = cipher.compile()
    layer = bit_layers.find(program, "encrypt").behind_boxes()[0]
    assert (len(layer.rows), layer.columns, [source.name for source in layer.sources]) == (16, 16, ["S"] * 4)
    slices.check(program, layer)
    assert bit_programs.search(layer).xors <= 12
    with pytest.raises(VerificationError, match=r"L416.*does not join what the loop carries on"):
        slices.check(program, replace(layer, rows=(layer.rows[1], *layer.rows[1:])))


def test_an_inverse_multiplies_out_to_the_identity() -> None:
    (layer,), _ = layers_of("sm4")
    back = inverted(layer)
    for number, row in enumerate(back.rows):
        total = set[int]()
        for one in row:
            total ^= set(layer.rows[one])
        assert total == {number}
    bit_programs.check(bit_programs.search(back))
    with pytest.raises(DescriptionError, match=r"L203.*has 31 rows and 32 columns"):
        inverted(replace(layer, rows=layer.rows[1:]))
    with pytest.raises(DescriptionError, match=r"L204.*is singular"):
        inverted(replace(layer, rows=(layer.rows[1], *layer.rows[1:])))


def test_a_wrong_layer_and_a_wrong_program_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    source = bit_programs.source
    cipher = load("sm4")
    program = cipher.compile()
    layer = bit_layers.find(program, "encrypt").behind_boxes()[0]
    wrong = replace(layer, rows=((*layer.rows[0][1:],), *layer.rows[1:]))
    with pytest.raises(VerificationError, match=r"L413.*is no sum of the columns"):
        slices.check(program, wrong)
    made = bit_programs.search(layer)
    with pytest.raises(VerificationError, match=r"L414.*do not multiply out to row 1\n"):
        bit_programs.check(replace(made, wires=(made.wires[1], *made.wires[1:])))
    monkeypatch.setattr(bit_programs, "source", lambda program, name: source(made, name))
    with pytest.raises(VerificationError, match=r"L415.*gives another row 1"):
        bit_programs.check_compiled([replace(made, layer=wrong)], ["layer"])


def test_the_verb_shows_and_writes_layers_of_bits(capsys: Capture, tmp_path: Path) -> None:
    shown = assay(capsys, "study", "linear", "skinny64").out
    assert "16 by 16 bits" in shown
    assert "4 times S4" in shown
    ran = assay(capsys, "study", "linear", "skinny64", "-o", str(tmp_path / "out"), "--json")
    (row,) = (row for row in ran.json["rows"] if row["metric"] == "xors")
    assert (row["value"], row["bound"], row["target"], row["basis"]) == (12, 12, "bits", "synthesized")
    (file,) = ran.json["files"]
    assert "uint64_t" in Path(file).read_text()


def test_what_has_no_linear_layer_says_what_it_has(capsys: Capture, tmp_path: Path) -> None:
    file = tmp_path / "plain.py"
    file.write_text(NOTHING_LINEAR)
    ran = assay(capsys, "study", "linear", str(file))
    assert ran.code == 2
    assert ran.err == (
        "error[L205]: `permute` of Plain words has no linear layer over GF(2)\n"
        "   = not linear in it: 2 times S-box S of 8 bits; 2 times addition of 8 bits\n"
        "   = between these, bits only go straight on\n"
        "   = help: choose another function of it, or a cipher with one\n"
    )
