"""S-boxes by name and from files: values against their definitions, and the errors to the letter."""

from __future__ import annotations

from pathlib import Path

import pytest

from cipherassay.circuits import boxes, library, published, targets
from cipherassay.errors import AssayError
from support.other_shapes import FILES
from support.places import EXAMPLES


def refusal(path: Path, text: str) -> str:
    path.write_text(text)
    with pytest.raises(AssayError) as caught:
        boxes.find(str(path))
    return str(caught.value).replace(str(path), "FILE")


def test_boxes_of_ciphers_come_from_their_files() -> None:
    assert boxes.find("serpent.S3").data == (0, 15, 11, 8, 12, 9, 6, 3, 13, 1, 2, 4, 10, 7, 5, 14)
    inverse = boxes.find("serpent.S3.inverse")
    assert [inverse.data[y] for y in boxes.find("serpent.S3").data] == list(range(16))
    assert boxes.find("serpent.I3") == inverse
    assert (inverse.name, inverse.variant, inverse.family) == ("serpent.S3.inverse", "I3", "serpent")
    assert boxes.find("rijndael.S").data[:4] == (0x63, 0x7C, 0x77, 0x7B)
    assert boxes.find("rijndael.S.inverse").variant == "S.inverse"
    assert boxes.find("e2.s").inputs == 8
    assert len(boxes.boxes_of("serpent")) == 16


def test_twofish_nibble_tables_make_its_permutations() -> None:
    def ror4(v: int) -> int:
        return v >> 1 | (v & 1) << 3

    for q in ("q0", "q1"):
        t = [boxes.find(f"twofish.{q}.t{n}").data for n in range(4)]
        made = []
        for x in range(256):
            a, b = x >> 4, x & 15
            for first, second in ((t[0], t[1]), (t[2], t[3])):
                a, b = a ^ b, a ^ ror4(b) ^ 8 * a % 16
                a, b = first[a], second[b]
            made.append(16 * b + a)
        assert tuple(made) == boxes.find(f"twofish.{q}").data


def test_ascon_is_its_equations() -> None:
    def ascon(v: int) -> int:
        x = [v >> (4 - i) & 1 for i in range(5)]
        x[0] ^= x[4]
        x[4] ^= x[3]
        x[2] ^= x[1]
        t = [(1 ^ x[i]) & x[(i + 1) % 5] for i in range(5)]
        x = [x[i] ^ t[(i + 1) % 5] for i in range(5)]
        x[1] ^= x[0]
        x[0] ^= x[4]
        x[3] ^= x[2]
        x[2] ^= 1
        return sum(x[i] << (4 - i) for i in range(5))

    assert boxes.find("ascon.S").data == tuple(ascon(v) for v in range(32))


def test_every_named_box_is_a_permutation_and_midoris_are_involutions() -> None:
    assert all(boxes.find(name).is_permutation for name in boxes.names())
    for name in ("midori.Sb0", "midori.Sb1"):
        assert boxes.find(name).inverse().data == boxes.find(name).data
        assert f"{name}.inverse" not in boxes.every_name()


@pytest.mark.parametrize(
    "text",
    [
        "1 2 3 0 5 4 7 6\n",
        "# mine\n0x1, 0x2, 0x3, 0x0,\n0x5, 0x4, 0x7, 0x6\n",
        "outputs 3\nhex\n01 02 03 00 05 04 07 06\n",
        "{1, 2, 3, 0, 5, 4, 7, 6};",
    ],
)
def test_a_users_file(tmp_path: Path, text: str) -> None:
    path = tmp_path / "mine.txt"
    path.write_text(text)
    box = boxes.find(str(path))
    assert (box.name, box.inputs, box.outputs) == ("mine", 3, 3)
    assert box.data == (1, 2, 3, 0, 5, 4, 7, 6)
    assert (box.family, box.variant) == ("own", "mine")


def test_too_few_values(tmp_path: Path) -> None:
    assert refusal(tmp_path / "f", "1 2 3\n4 5 6\n") == (
        "error[C101]: 6 values are no truth table\n"
        "  --> FILE\n"
        "   = a box of n input bits has 2^n values; n is 3 to 8\n"
        "   = 2 fewer than 8\n"
        "   = help: give the value at each input 0, 1, 2, … once, separated by spaces or commas"
    )


def test_too_many_values(tmp_path: Path) -> None:
    message = refusal(tmp_path / "f", " ".join("0" for _ in range(512)))
    assert "error[C101]: 512 values are no truth table\n" in message
    assert "   = 256 more than the largest box has\n" in message


def test_a_value_that_is_too_large(tmp_path: Path) -> None:
    assert refusal(tmp_path / "f", "outputs 3\n0 1 2 3 4 5 8 7\n") == (
        "error[C102]: the value 8 at input 6 does not fit in 3 output bits\n"
        "  --> FILE\n"
        "   = the largest that fits is 7\n"
        "   = help: mend the value, or state the output bits in a line `outputs N`"
    )
    assert "the value 256 at input 1 does not fit in 8 output bits" in refusal(
        tmp_path / "f", "0 256 2 3 4 5 6 7"
    )


def test_what_is_no_number(tmp_path: Path) -> None:
    assert refusal(tmp_path / "f", "0 1 2\n3 4 c 6 7\n") == (
        "error[C128]: `c` is no number\n"
        "  --> FILE:2\n"
        "      3 4 c 6 7\n"
        "   = help: a line `hex` before the values makes them hexadecimal; or write `0x` before each"
    )
    assert refusal(tmp_path / "f", "0 1 two 3\n").endswith(
        "   = help: write the values as numbers, separated by spaces or commas"
    )
    assert refusal(tmp_path / "f", "outputs nine\n") == (
        "error[C122]: `outputs` needs one number from 1 to 8\n"
        "  --> FILE:1\n      outputs nine\n   = help: write `outputs 4`"
    )


def test_a_file_that_is_no_text(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(AssayError) as caught:
        boxes.find(str(path))
    assert str(caught.value) == f"error[C121]: the truth table `{path}` cannot be read\n   = it is no text"


def test_an_unknown_box() -> None:
    with pytest.raises(AssayError) as caught:
        boxes.find("serpnt.S3")
    known = ", ".join(boxes.names())
    assert str(caught.value) == (
        "error[C120]: unknown S-box `serpnt.S3`\n   = it is no file either\n"
        f"   = help: did you mean `serpent.S3`? (known: {known}); `.inverse` after a name is its inverse"
    )


def test_a_long_line_is_shown_around_what_is_wrong(tmp_path: Path) -> None:
    values = [str(n) for n in range(256)]
    values[100] = "x" * 60
    assert refusal(tmp_path / "f", ", ".join(values)) == (
        f"error[C128]: `{'x' * 40}…` is no number\n"
        "  --> FILE:1\n"
        f"      …95, 96, 97, 98, 99, {'x' * 60}…\n"
        "   = help: write the values as numbers, separated by spaces or commas"
    )


def test_a_box_of_a_file_that_is_known_is_that_one(tmp_path: Path) -> None:
    known = boxes.find("present.S")
    assert boxes.find(str(EXAMPLES / "sbox.txt")) == known
    assert boxes.find(str(EXAMPLES / "present.py")) == known
    assert boxes.find(f"{EXAMPLES / 'present.py'}.S.inverse") == known.inverse()
    target = targets.find("and-or-xor-not")
    assert published.find(boxes.find(str(EXAMPLES / "sbox.txt")), target, ("gates",)) is not None
    assert library.find(boxes.find(str(EXAMPLES / "present.py")), target) is not None
    other = tmp_path / "other.txt"
    other.write_text("1 0 2 3 4 5 6 7")
    assert boxes.find(str(other)).family == "own"


@pytest.mark.parametrize(
    ("name", "message", "help"),
    [
        ("des", "has 8 S-boxes", "its S-boxes: {}.T, {}.T.1, {}.T.2, {}.T.3, {}.T.4, {}.T.5, {}.T.6, {}.T.7"),
        ("xtea", "has 0 S-boxes", "tables and boxes of 3 to 8 input bits are S-boxes"),
    ],
)
def test_a_cipher_file_without_one_s_box(name: str, message: str, help: str) -> None:
    file = FILES[name]
    with pytest.raises(AssayError) as caught:
        boxes.find(str(file))
    help = help.replace("{}", str(file))
    assert str(caught.value) == f"error[C130]: `{file}` {message}\n   = help: {help}"


def test_a_cipher_file_has_no_such_s_box() -> None:
    file = FILES["sm4"]
    with pytest.raises(AssayError) as caught:
        boxes.find(f"{file}.T")
    assert str(caught.value).startswith(
        f"error[C130]: `{file}` has no S-box `T`\n   = help: its S-boxes: {file}."
    )
