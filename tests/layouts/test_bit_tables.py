"""Tables of words for layers of bits: known sizes come out, every layout equals its layer, lacks are explained."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from cipherassay.ciphers import load
from cipherassay.errors import UsageError, VerificationError
from cipherassay.layouts.bit_tables import BitTables, check, check_compiled, front
from cipherassay.linear import bit_layers
from support.command import assay

Capture = pytest.CaptureFixture[str]


def front_of(name: str, word_bits: int) -> list[BitTables]:
    cipher = load(name)
    layer = bit_layers.find(cipher.compile(), cipher.shape.forward).behind_boxes()[0]
    return front(layer, word_bits)


def test_present_has_one_small_table_with_rotations_and_pairs_without() -> None:
    made = front_of("present", 64)
    costs = {(one.family, one.cost.table_bytes, one.cost.references, one.cost.xors, one.cost.rotations) for one in made}
    assert ("rotations", 128, 16, 15, 15) in costs  # 16 words of 64 bits: every S-box's word is the first's, rotated
    assert ("plain", 2048, 16, 15, 0) in costs
    assert ("plain", 16384, 8, 7, 0) in costs  # two S-boxes an index


def test_sm4_has_one_table_of_a_kilobyte() -> None:
    costs = [(one.cost.table_bytes, one.cost.references, one.cost.rotations) for one in front_of("sm4", 32)]
    assert (1024, 4, 3) in costs
    assert (4096, 4, 0) in costs


@pytest.mark.parametrize(("name", "word_bits"), [("des", 32), ("misty1", 16), ("kuznyechik", 64), ("ascon", 64)])
def test_boxes_of_other_sizes_in_c(name: str, word_bits: int) -> None:
    made = [one for one in front_of(name, word_bits) if one.cost.table_bytes <= 1 << 17][:3]
    assert made
    check_compiled(made, [f"layout_{n}" for n in range(len(made))])


def test_a_wrong_table_is_seen() -> None:
    one = front_of("sm4", 32)[0]
    boxes, pattern = one.tables[0]
    with pytest.raises(VerificationError, match=r"L401.*differs from the layer in byte 0"):
        check(replace(one, tables=((boxes, (*pattern[1:], pattern[0])), *one.tables[1:])))
    with pytest.raises(UsageError, match=r"L102.*a word of 24 bits"):
        front(one.layer, 24)


def test_the_verb_shows_and_writes_layers_of_bits(capsys: Capture, tmp_path: Path) -> None:
    ran = assay(capsys, "study", "layout", "present", "--word-size", "64", "--family", "plain", "-o", str(tmp_path), "--json")
    assert len(ran.json["files"]) == len(ran.json["layers"][0]["layouts"])
    assert {row["basis"] for row in ran.json["rows"]} == {"synthesized"}
    assert "64 by 64 bits behind 16 times S" in assay(capsys, "study", "layout", "present").out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("speck64",),
            "error[L103]: `encrypt` of Speck64 has no S-box\n"
            "   = not linear in it: 1 times addition of 32 bits\n"
            "   = help: layouts are tables of S-boxes with what is linear behind; `assay study linear speck64` finds what is"
            " linear before or between other operations\n",
        ),
        (
            ("sm4", "--java"),
            "error[L109]: `--java` is for layers of bytes; SM4 has none in words of this size\n"
            "   = help: leave out --java: tables for layers of bits are counted and written as C\n",
        ),
        (
            ("sm4", "--family", "masks"),
            "error[L104]: there is no family of layouts `masks`\n"
            "   = help: layers of bits have these: plain, rotations, shifts\n",
        ),
    ],
)
def test_what_cannot_be_is_refused(arguments: tuple[str, ...], message: str, capsys: Capture) -> None:
    ran = assay(capsys, "study", "layout", *arguments)
    assert (ran.err, ran.code) == (message, 2)
