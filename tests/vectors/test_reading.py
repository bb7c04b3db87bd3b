"""Reading vector files: both layouts, and every way in which a file can be broken, to the letter."""

from __future__ import annotations

from pathlib import Path

import pytest

from cipherassay.errors import AssayError, DescriptionError, UsageError
from cipherassay.vectors import Record, VectorFile, read_vectors

KEY, ZERO, TEXT = "000102030405060708090A0B0C0D0E0F", "00" * 16, "0123456789ABCDEFFEDCBA9876543210"
LINE = f"T=KAT SET=ecb_vk KS=128 I=1 KEY={KEY} PT={ZERO} CT={TEXT}"
NIST = f"""
=========================

FILENAME:  "ecb_vk.txt"

Electronic Codebook (ECB) Mode
Variable Key Known Answer Tests

Algorithm Name: RC6
Principal Submitter: somebody = nobody

==========

KEYSIZE=128

PT={ZERO}

I=1
KEY={KEY}
CT={TEXT}

I=2
KEY={KEY.lower()}
CT={TEXT.lower()}

==========

KEYSIZE=192

I=1
KEY={KEY}{KEY[:16]}
PT={ZERO}
CT={TEXT}

==========
"""


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def read(text: str, name: str = "v.txt") -> VectorFile:
    Path(name).write_text(text)
    return read_vectors(Path(name))


def error_of(text: str, name: str = "v.txt") -> str:
    with pytest.raises(AssayError) as caught:
        read(text, name)
    assert isinstance(caught.value, DescriptionError)
    return str(caught.value)


def test_one_record_per_line() -> None:
    more = f"T=CBC SET=m KS=256 I=7 IV={TEXT} KEY={KEY}{KEY} PT={ZERO}{ZERO} CT={TEXT}{TEXT}"
    iterated = f"T=KAT SET=n KS=128 I=3 CONV=nessie KEY={KEY} PT={ZERO} CT={TEXT} IT100={KEY} IT1000={ZERO}"
    file = read(f"# Twofish: tests\n{LINE}\n\n{more}\n{iterated}\n")
    assert (file.layout, file.algorithm) == ("records", "Twofish")
    assert file.counts == {"KAT": 2, "CBC": 1}
    first, message, block = file.records
    assert first == Record(
        kind="KAT",
        set="ecb_vk",
        key_bits=128,
        index=1,
        key=bytes.fromhex(KEY),
        plaintext=bytes(16),
        ciphertext=bytes.fromhex(TEXT),
        place=first.place,
    )
    assert str(first.place) == "v.txt:2"
    assert (message.iv, len(message.plaintext), len(message.key)) == (bytes.fromhex(TEXT), 32, 32)
    assert block.convention == "nessie"
    assert block.after == ((100, bytes.fromhex(KEY)), (1000, bytes(16)))


def test_the_layout_of_nist() -> None:
    file = read(NIST)
    assert (file.layout, file.algorithm) == ("nist", "RC6")
    assert [(r.set, r.key_bits, r.index, r.place.line) for r in file.records] == [
        ("ecb_vk", 128, 1, 18),
        ("ecb_vk", 128, 2, 22),
        ("ecb_vk", 192, 1, 30),
    ]
    assert {r.plaintext for r in file.records} == {bytes(16)}
    assert file.records[0].key == file.records[1].key
    assert file.records[0].kind == "KAT"


def test_the_name_of_a_file_without_header_says_the_test() -> None:
    text = f"KEYSIZE=128\nI=0\nKEY={KEY}\nIV={ZERO}\nCT={TEXT}\nPT={ZERO}\n"
    record = read(text, "cbc_d_m.txt").records[0]
    assert (record.kind, record.set, record.iv) == ("MCT", "cbc_d_m", bytes(16))


def test_comments_of_submitters_are_passed_over() -> None:
    text = NIST.replace("\n====", "/*\nKEY=nothing\n*/\n====", 1).replace(
        "I=2\n", "; remark\n-- remark\nI=2\n"
    )
    assert len(read(text).records) == 3


BROKEN_LINES = {
    "a part without equals sign": (
        LINE.replace("SET=", "SET "),
        "error[K003]: `SET` is not of the form NAME=value\n  --> v.txt:2",
    ),
    "an unknown field": (
        LINE.replace("CT=", "CTX="),
        "error[K004]: unknown field `CTX`\n  --> v.txt:2\n   = help: did you mean `CT`? (known: CONV, CT, I, IN, IT100, IT1000, IV, KEY, KS, OUT, PT, SET, T, TWEAK)",
    ),
    "a field given twice": (
        LINE + f" PT={ZERO}",
        "error[K026]: PT is given twice in one record\n  --> v.txt:2",
    ),
    "a field that is missing": (
        LINE.replace(f" CT={TEXT}", ""),
        "error[K005]: the record lacks CT\n  --> v.txt:2\n"
        "   = expected T, SET, KS, I, KEY, PT, CT; found T, SET, KS, I, KEY, PT",
    ),
    "two fields that are missing": (
        "T=KAT SET=a KS=128 I=1 KEY=00",
        "error[K005]: the record lacks PT and CT\n  --> v.txt:2\n"
        "   = expected T, SET, KS, I, KEY, PT, CT; found T, SET, KS, I, KEY",
    ),
    "an odd number of digits": (
        LINE[:-1],
        "error[K029]: CT is not a string of whole bytes\n  --> v.txt:2\n"
        "   = expected an even number of hexadecimal digits, found an odd number (31)",
    ),
    "no digits": (
        LINE.replace(KEY, ""),
        "error[K029]: KEY is not a string of whole bytes\n  --> v.txt:2\n"
        "   = expected an even number of hexadecimal digits, found none (0)",
    ),
    "a letter that is no digit": (
        LINE.replace(f"PT={ZERO}", f"PT={'0' * 30}O0"),
        "error[K006]: PT holds `O`, which is not a hexadecimal digit\n  --> v.txt:2\n"
        f"   = character 31 of `{'0' * 30}O0`",
    ),
    "a short block": (
        LINE[:-2],
        "error[K007]: CT has the wrong length\n  --> v.txt:2\n   = expected 16 bytes (one block), found 15 bytes",
    ),
    "a key that does not fit its size": (
        LINE.replace("KS=128", "KS=192"),
        "error[K007]: KEY has the wrong length\n  --> v.txt:2\n"
        "   = expected 24 bytes (key size 192 bits), found 16 bytes",
    ),
    "a message that is no whole blocks": (
        LINE.replace("T=KAT", "T=ECB") + "00",
        "error[K007]: CT has the wrong length\n  --> v.txt:2\n"
        "   = expected a multiple of 16 bytes (whole blocks), found 17 bytes",
    ),
    "a ciphertext longer than its plaintext": (
        LINE.replace("T=KAT", "T=ECB") + ZERO,
        "error[K007]: CT has the wrong length\n  --> v.txt:2\n   = expected 16 bytes as in PT, found 32 bytes",
    ),
    "an index that is no number": (
        LINE.replace("I=1", "I=x"),
        "error[K008]: I is not a number\n  --> v.txt:2\n   = expected decimal digits, found `x`",
    ),
    "a size that is none": (
        LINE.replace("KS=128", "KS=100"),
        "error[K030]: KS is not a key size\n  --> v.txt:2\n   = expected a multiple of 8 bits up to 4096, found 100",
    ),
    "an unknown kind": (
        LINE.replace("T=KAT", "T=KATS"),
        "error[K031]: T is `KATS`\n  --> v.txt:2\n   = help: did you mean `KAT`? (known: CBC, ECB, KAT, MCT)",
    ),
    "an unknown Monte Carlo set": (
        LINE.replace("T=KAT SET=ecb_vk", "T=MCT SET=ecb_em"),
        "error[K031]: SET is `ecb_em`\n  --> v.txt:2\n"
        "   = help: did you mean `ecb_e_m`? (known: cbc_d_m, cbc_e_m, ecb_d_m, ecb_e_m)",
    ),
    "a vector in ECB": (
        LINE + f" IV={ZERO}",
        "error[K009]: IV does not belong to a record of T=KAT SET=ecb_vk\n  --> v.txt:2\n   = only CBC has an IV",
    ),
    "CBC without a vector": (
        LINE.replace("T=KAT", "T=CBC"),
        "error[K005]: the CBC record lacks IV\n  --> v.txt:2\n"
        "   = expected T, SET, KS, I, KEY, PT, CT, IV; found T, SET, KS, I, KEY, PT, CT",
    ),
    "iterations of a message": (
        LINE.replace("T=KAT", "T=ECB") + f" IT100={ZERO}",
        "error[K009]: IT100 does not belong to a record of T=ECB\n  --> v.txt:2\n   = only T=KAT has it",
    ),
}


@pytest.mark.parametrize("case", BROKEN_LINES)
def test_a_broken_line(case: str) -> None:
    line, expected = BROKEN_LINES[case]
    assert error_of(f"# comment\n{line}\n") == expected


BROKEN_FILES = {
    "a record without ciphertext": (
        NIST.replace(f"CT={TEXT}\n\nI=2", "\nI=2"),
        "error[K005]: the record I=1 lacks CT\n  --> v.txt:18\n"
        "   = expected KEYSIZE, I, KEY, PT, CT; found KEYSIZE, PT, I, KEY",
    ),
    "a section without records": (
        NIST.replace("==========\n\nKEYSIZE=192", "==========\n\nKEYSIZE=160\n==========\n\nKEYSIZE=192"),
        "error[K028]: the section has no record\n  --> v.txt:28\n   = expected I= after KEYSIZE=",
    ),
    "a record before the first section": (
        NIST.replace("KEYSIZE=128\n", "I=1\nKEYSIZE=128\n"),
        "error[K027]: I stands before the first KEYSIZE=\n  --> v.txt:14",
    ),
    "an unknown field": (
        NIST.replace("I=2\n", "I=2\nKEYS=00\n"),
        "error[K004]: unknown field `KEYS`\n  --> v.txt:23\n"
        "   = help: did you mean `KEY`? (known: CT, I, IV, KEY, KEYSIZE, PT)",
    ),
    "a line of no meaning": (
        NIST.replace("I=2\n", "I=2\nand so on\n"),
        "error[K003]: `and so on` is not of the form NAME=value\n  --> v.txt:23",
    ),
    "a field given twice": (
        NIST.replace("I=2\n", f"I=2\nPT={ZERO}\n"),
        "error[K026]: PT is given twice in one record\n  --> v.txt:23",
    ),
    "a key of another size": (
        NIST.replace("KEYSIZE=192", "KEYSIZE=256"),
        "error[K007]: KEY has the wrong length\n  --> v.txt:31\n"
        "   = expected 32 bytes (key size 256 bits), found 24 bytes",
    ),
    "a vector in ECB": (
        NIST.replace("I=2\n", f"I=2\nIV={ZERO}\n"),
        "error[K009]: IV does not belong to a record of ecb_vk\n  --> v.txt:23",
    ),
    "a test that nobody knows": (
        NIST.replace("ecb_vk.txt", "ecb_vx.txt"),
        "error[K010]: nothing says which test this file is of\n  --> v.txt\n"
        "   = expected a header line FILENAME: or a file name, one of ecb_vk.txt, ecb_vt.txt, ecb_tbl.txt, "
        "ecb_e_m.txt, ecb_d_m.txt, cbc_e_m.txt, cbc_d_m.txt\n"
        "   = found FILENAME: ecb_vx.txt\n"
        "   = help: did you mean `ecb_vt`? (known: cbc_d_m, cbc_e_m, ecb_d_m, ecb_e_m, ecb_tbl, ecb_vk, ecb_vt)",
    ),
    "an empty file": ("", "error[K024]: the file has no record\n  --> v.txt"),
    "comments alone": ("# nothing\n\n", "error[K024]: the file has no record\n  --> v.txt"),
    "another text": (
        "\nOnce upon a time\n",
        "error[K002]: this is not a file of known answers\n  --> v.txt:2\n      Once upon a time\n"
        "   = expected records T=… SET=… KEY=…, or sections that begin with KEYSIZE=",
    ),
}


@pytest.mark.parametrize("case", BROKEN_FILES)
def test_a_broken_file(case: str) -> None:
    text, expected = BROKEN_FILES[case]
    assert error_of(text) == expected


def test_a_file_that_is_no_text() -> None:
    Path("v.txt").write_bytes(b"T=KAT\n\xff\x00")
    with pytest.raises(DescriptionError) as caught:
        read_vectors(Path("v.txt"))
    assert str(caught.value) == (
        "error[K025]: the file is not text\n  --> v.txt:2\n   = expected ASCII, found the byte 0xFF"
    )


def test_a_file_that_is_not_there() -> None:
    with pytest.raises(UsageError) as caught:
        read_vectors(Path("none.txt"))
    assert str(caught.value) == (
        "error[K001]: the file `none.txt` cannot be read\n   = No such file or directory"
    )
    with pytest.raises(UsageError, match="K001"):
        read_vectors(Path("."))
