"""Table layouts: the paper's come out or are beaten, every layout equals its layer, and bad input is refused."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from cipherassay import processors
from cipherassay.ciphers import load
from cipherassay.errors import AssayError, DescriptionError, VerificationError
from cipherassay.layouts import Cost, Layer, LayoutFront, find, kept, search
from cipherassay.layouts.checking import check, check_compiled, inputs
from cipherassay.layouts.cycles import cycles
from cipherassay.layouts.layout import Step
from cipherassay.layouts.rows import compared, cycle_rows, published, rows
from cipherassay.layouts.searching import searched
from support.command import assay

Capture = pytest.CaptureFixture[str]

SPN = '''"""A small SPN of a user: bytes through one S-box, then a matrix over GF(2)."""
from cipherassay.lang import *
spn = Cipher("User SPN", key_bits=(128,), structure="SPN", source="test")
F = GF(0x11B)
S = table(u8, [F.inv(a) ^ 0x63 for a in range(256)])
M = xor_matrix(["123", "234", "341", "412"])

@spn.key_schedule
def key_schedule(K):
    return K

def layer(X):
    return join(*[M @ S[X[n:n + 4]] for n in range(0, 16, 4)])

@spn.encrypt
def encrypt(K, X):
    for r in rounds(4):
        X = layer(X ^ K).rotate(1)
    return X ^ K

@spn.decrypt
def decrypt(K, X):
    return X ^ K
'''


def layer_of(name: str, word_bits: int) -> Layer:
    cipher = load(name)
    (layer,) = find(cipher.compile(cipher.key_bits[0]))
    return layer.joined(word_bits)


def kept_front(word_bits: int) -> LayoutFront:
    """A front of E2 whose search takes a minute or more; what is read is checked again."""
    found = kept.load("e2", layer_of("e2", word_bits), word_bits)
    assert found is not None
    return found


@pytest.fixture(scope="module")
def e2_32() -> LayoutFront:
    return kept_front(32)


@pytest.fixture(scope="module")
def e2_64() -> LayoutFront:
    """Those of the kept front whose families were exhausted."""
    found = kept_front(64)
    closed = tuple(one for one in found.effort if one.closed)
    assert {"plain", "rotations", "masks"} <= {one.family for one in closed}
    families = {one.family for one in closed}
    return replace(
        found, effort=closed, layouts=tuple(one for one in found.layouts if one.family in families)
    )


def test_layers_are_found_in_programs() -> None:
    e2 = layer_of("e2", 32)
    assert (e2.function, e2.boxes, e2.second, e2.count) == ("F", ("s",) * 8, "s", 1)
    assert e2.matrix[0] == (0, 1, 1, 1, 1, 1, 1, 0)
    rijndael = layer_of("rijndael", 32)
    assert (rijndael.matrix[0], rijndael.second, rijndael.count) == ((2, 3, 1, 1), "", 4)
    assert layer_of("rijndael", 64).outputs == 8
    twofish = layer_of("twofish", 32)
    assert len(set(twofish.boxes)) == 2


def test_every_layout_of_the_paper_is_on_the_front_or_beaten(e2_32: LayoutFront, e2_64: LayoutFront) -> None:
    assert e2_32.is_closed
    assert e2_64.is_closed
    states = {
        name: compared(found, cost)[0]
        for found in (e2_32, e2_64)
        for name, cost in published("E2", found.word_bits)
    }
    assert states == {
        "64-bit, eight tables as in SHARK": "on the front",
        "64-bit, one table with masks": "on the front",
        "32-bit, tables as in SHARK": "beaten by",
        "32-bit, first order of the matrix": "on the front",
        "32-bit, second order with shifts": "beaten by",
        "32-bit, third order with shifts": "on the front",
        "32-bit, third order with a rotation": "on the front",
    }


def test_what_the_paper_does_not_have(e2_32: LayoutFront, e2_64: LayoutFront) -> None:
    costs = {one.cost for one in (*e2_32.layouts, *e2_64.layouts)}
    assert (
        Cost(6144, 8, 9, 0, 0, 2, 0, 0) in costs
    )  # 32 bits: two tables besides the second layer's, two rotations
    assert Cost(7168, 8, 10, 0, 2, 0, 0, 0) in costs  # 32 bits: three tables, two shifts
    assert Cost(4096, 8, 7, 0, 0, 3, 0, 0) in costs  # 64 bits: two tables, three rotations


def test_no_layout_of_a_front_is_within_another(e2_32: LayoutFront) -> None:
    costs = [one.cost for one in e2_32.layouts]
    assert not any(a.is_within(b) for a in costs for b in costs if a is not b)


def test_rijndael_has_its_known_layouts() -> None:
    found = search(layer_of("rijndael", 32), 32)
    costs = {one.cost for one in found.layouts}
    assert found.is_closed
    assert Cost(4096, 4, 3, 0, 0, 0, 0, 0) in costs  # four tables
    assert Cost(1024, 4, 3, 0, 0, 3, 0, 0) in costs  # one table and rotations
    assert Cost(2048, 4, 3, 0, 0, 0, 0, 3) in costs  # one table of double words, read at other bytes


@pytest.mark.parametrize("word_bits", [16, 32])
def test_twofish_and_compiled_code(word_bits: int) -> None:
    layer = layer_of("twofish", word_bits)
    found = search(layer, word_bits, families=["plain", "rotations", "windows"])
    assert found.layouts
    assert found.is_closed
    check_compiled(layer, found.layouts, [f"twofish_{n}" for n in range(len(found.layouts))])


def test_e2_compiled_code(e2_32: LayoutFront) -> None:
    small = [one for one in e2_32.layouts if one.family != "pairs"]
    check_compiled(e2_32.layer, small, [f"e2_{n}" for n in range(len(small))])


def test_a_cipher_of_a_user(tmp_path: Path, capsys: Capture) -> None:
    file = tmp_path / "spn.py"
    file.write_text(SPN)
    ran = assay(capsys, "study", "layout", str(file), "--word-size", "32", "-o", str(tmp_path / "out"), "--json")
    assert ran.code == 0, ran.err
    (layer,) = ran.json["layers"]
    assert layer["closed"]
    assert layer["matrix"][0] == [1, 1, 1, 0]
    least = {(o["cost"]["table_bytes"], o["cost"]["rotations"]) for o in layer["layouts"]}
    assert (1024, 3) in least
    assert (4096, 0) in least
    assert len(ran.json["files"]) == len(layer["layouts"]) == len(list((tmp_path / "out").iterdir()))
    metrics = {row["metric"] for row in ran.json["rows"]}
    assert {"table_bytes", "references", "xors", "masks", "shifts", "rotations"} <= metrics


def test_a_search_twice_is_the_same() -> None:
    layer = layer_of("twofish", 16)
    assert search(layer, 16, families=["plain", "rotations"]) == search(
        layer, 16, families=["plain", "rotations"]
    )


@pytest.mark.slow
def test_the_kept_front_is_what_a_search_finds(e2_64: LayoutFront) -> None:
    families = ["plain", "rotations", "masks"]
    found = {one.cost for one in search(layer_of("e2", 64), 64, families=families).layouts}
    assert {one.cost for one in e2_64.layouts if one.family in families} <= found


def test_wrong_layouts_are_refused() -> None:
    found = search(layer_of("rijndael", 32), 32, families=["rotations"])
    layout = found.layouts[0]
    n = next(n for n, step in enumerate(layout.steps) if step.kind == "rotate")
    steps = list(layout.steps)
    steps[n] = Step("rotate", (steps[n].operands[0], 4 - steps[n].operands[1] or 1))
    if steps[n] == layout.steps[n]:
        steps[n] = Step("up", steps[n].operands)
    with pytest.raises(VerificationError, match=r"L401.*evaluated, differs from the layer in byte"):
        check(found.layer, replace(layout, steps=tuple(steps)))
    with pytest.raises(VerificationError, match="L402"):
        check(found.layer, replace(layout, cost=replace(layout.cost, xors=1)))


def test_the_plain_meaning_is_that_of_the_program() -> None:
    layer = layer_of("rijndael", 32)
    x = inputs(layer)[::97]
    box = np.frombuffer(layer.tables[layer.boxes[0]], np.uint8)
    # FIPS 197, appendix B, round 1: after ShiftRows d4 bf 5d 30, after MixColumns 04 66 81 e5.
    plain = np.array([[int(np.flatnonzero(box == byte)[0]) for byte in (0xD4, 0xBF, 0x5D, 0x30)]], np.uint8)
    assert layer.compute(plain).tobytes().hex() == "046681e5"
    assert len(layer.compute(x)) == len(x)


def test_rows_have_units_and_certificates(e2_64: LayoutFront) -> None:
    made = rows(e2_64, "E2", "assay study layout e2 --word-size 64")
    assert len({row.configuration for row in made}) == len(e2_64.layouts)
    assert {row.certificate for row in made} == {"front of the whole space"}
    assert {row.unit for row in made if row.metric == "xors"} == {"operations"}


def test_cycles_on_a_processor(e2_64: LayoutFront) -> None:
    alpha = processors.load("alpha-21164a")
    found = dict(zip(e2_64.layouts, cycles(e2_64.layer, e2_64.layouts, alpha), strict=True))
    by_size = {(one.family, one.cost.table_bytes): taken for one, taken in found.items() if taken}
    assert [by_size["masks", 2048].cycles, by_size["plain", 16384].cycles] == [23, 22]
    assert all(one.is_least for one in by_size.values())
    made = cycle_rows(e2_64, "E2", "assay study layout e2 --word-size 64", alpha.name, list(found.values()))
    assert {row.certificate for row in made} == {"optimal"}
    assert {row.command for row in made} == {"assay study layout e2 --word-size 64 --processor alpha-21164a"}


def test_words_inside_of_entries_have_no_cycles() -> None:
    found = search(layer_of("rijndael", 32), 32, families=["windows"])
    inside = [one for one in found.layouts if one.cost.misaligned_references]
    assert inside
    assert list(cycles(found.layer, inside, processors.load("alpha-21164a"))) == [None] * len(inside)


def test_a_program_of_another_layer_is_found() -> None:
    found = search(layer_of("rijndael", 32), 32, families=["plain"])
    (right,) = found.layouts
    wrong = replace(right, order=right.order[1:] + right.order[:1])
    with pytest.raises(VerificationError, match="L403"):
        list(cycles(found.layer, [wrong], processors.load("alpha-21164a")))


def test_the_command_tells_cycles(capsys: Capture) -> None:
    ran = assay(capsys, "study", "layout", "rijndael", "--family", "plain", "-p", "pa8500", "--json")
    (row,) = (row for row in ran.json["rows"] if row["metric"] == "cycles")
    assert (row["target"], row["value"], row["bound"], row["level"]) == ("pa8500", 9, 9, "processor")
    shown = assay(capsys, "study", "layout", "rijndael", "--family", "plain", "-p", "pa8500").out
    assert "cycles, pa8500" in shown


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("e2", "--word-size", "24"),
            "error[L102]: a word of 24 bits cannot hold a layout\n   = help: possible: 8, 16, 32, 64\n",
        ),
        (
            ("e2", "--family", "mask"),
            "error[L104]: there is no family of layouts `mask`\n   = help: did you mean `masks`? "
            "(known: masks, pairs, plain, rotations, shifts, windows)\n",
        ),
        (
            ("e2", "--family", "masks", "--keep"),
            "error[L106]: `--keep` takes the whole front, not that of some families\n",
        ),
        (
            ("e2", "--function", "G"),
            "error[L105]: E2 has no function `G`\n   = help: known: F, decrypt, encrypt, f, key_schedule\n",
        ),
    ],
)
def test_bad_input_is_refused(arguments: tuple[str, ...], message: str, capsys: Capture) -> None:
    ran = assay(capsys, "study", "layout", *arguments)
    assert (ran.err, ran.code in (2, 3)) == (message, True)


def test_every_error_is_an_assay_error() -> None:
    with pytest.raises(AssayError, match="L104"):
        search(layer_of("rijndael", 32), 32, families=["none"])


def test_kept_fronts_are_checked_again(own_kept: Path) -> None:
    layer = layer_of("rijndael", 32)
    assert kept.load("rijndael", layer, 32) is None
    text = searched(layer, 32, families=["rotations"])
    path = kept.keep(text, "rijndael", layer, 32)
    assert kept.load("rijndael", layer, 32) == search(layer, 32, families=["rotations"])
    assert kept.load("rijndael", replace(layer, polynomial=0x11D), 32) is None
    document = json.loads(path.read_text())
    document["front"]["layouts"][0]["cost"]["xors"] += 1
    path.write_text(json.dumps(document))
    with pytest.raises(VerificationError, match="L402"):
        kept.load("rijndael", layer, 32)
    path.write_text('{"schema": 1}')
    with pytest.raises(DescriptionError, match=r"A001.*`kept/layouts/rijndael-.*-32.json` is damaged"):
        kept.load("rijndael", layer, 32)


@pytest.mark.parametrize(("word_bits", "of_the_paper"), [(32, 5), (64, 2)])
def test_kept_fronts_of_e2_hold(word_bits: int, of_the_paper: int) -> None:
    found = kept.load("e2", layer_of("e2", word_bits), word_bits)
    assert found is not None
    assert len(published("E2", word_bits)) == of_the_paper
    assert all(compared(found, cost)[0] != "not reached" for _, cost in published("E2", word_bits))
