"""A failing answer names the first round and variable: for a wrong description, program, strategy, generated code."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from cipherassay import ciphers
from cipherassay._engine import Program
from cipherassay.ciphers import Cipher, load, of_papers
from cipherassay.errors import DescriptionError
from cipherassay.lang.shapes import Direction
from cipherassay.vectors import (
    EvaluatorBackend,
    PythonBackend,
    VectorFile,
    check_file,
    listings,
    read_vectors,
)
from cipherassay.vectors.backend import Backend, Mode, chain_by_blocks, direction_of
from cipherassay.vectors.explaining import failure_error
from cipherassay.vectors.first_difference import difference_from_listing
from cipherassay.vectors.kept import FOLDER, difference_from_kept
from cipherassay.vectors.listing_check import check_listing
from support.command import assay
from support.other_shapes import FILES
from support.places import SHARED

LISTINGS = SHARED / "vectors" / "iv"
needs_listings = pytest.mark.skipif(
    not LISTINGS.is_dir(), reason="no submitters' listings in ../shared/vectors/iv beside the repository"
)
RC6_IV = "rc6_ecb_iv_subset.txt"


def broken(folder: Path, name: str, *changes: tuple[str, str]) -> Cipher:
    """Load a copy of a cipher's file with changes in its text."""
    text = (Path(ciphers.__file__).parent / f"{name}.py").read_text()
    for old, new in changes:
        assert old in text, f"the test changes `{old}` in {name}.py, which is not there any more"
        text = text.replace(old, new, 1)
    path = folder / f"{name}.py"
    path.write_text(text)
    return load(path)


def explained(
    backend: Backend, cipher: Cipher, file: str = "ecb_vt.txt", folders: tuple[Path, ...] = ()
) -> list[str]:
    """Check one kept record and return the notes of the error."""
    records = read_vectors(FOLDER / cipher.slug / file).records
    one = VectorFile(file, "nist", (replace(records[0], place=records[0].place),))
    outcome = check_file(one, backend, key_bits=cipher.key_bits, byte_order=cipher.nist_byte_order)
    assert not outcome.ok
    error = failure_error(outcome, cipher, "", backend, folders)
    assert (error.code, error.exit_code) == ("K020", 4)
    return list(error.notes)


FAULT = ("t = rotl(B * (2 * B + 1), lg_w)", "t = rotl(B * (2 * B + 1), lg_w + (i == 7))")


def test_a_wrong_description_departs_from_the_kept_values(tmp_path: Path) -> None:
    cipher = broken(tmp_path, "rc6", FAULT)
    notes = explained(EvaluatorBackend(cipher), cipher)
    assert notes[:4] == [
        "computed by evaluator: encrypt",
        "expected CT=F71F65E7B80C0C6966FEE607984B5CDF",
        notes[2],
        "1 of 1 records of this file fail",
    ]
    found = difference_from_kept(cipher, "", 128)
    assert found is not None
    assert (found.where, found.variable) == ("encrypt, i = 7", "t")
    assert int(found.found, 16) == (int(found.expected, 16) << 1 | int(found.expected, 16) >> 31) % 2**32
    assert notes[4:] == [str(found)]
    assert str(found).startswith("first difference: encrypt, i = 7: `t` expected ")
    assert found.reference.startswith("rc6/ecb_iv.txt:")


@needs_listings
@pytest.mark.parametrize(
    ("name", "change", "where", "variable"),
    [
        ("rc6", FAULT, "encrypt, i = 7", "C"),
        ("mars", ("if i < 8:", "if i < 9:"), "encrypt, i = 8", "D[1]"),
        ("serpent", ("<< 7", "<< 6"), "encrypt, i = 0", ""),
        ("twofish", ("F1 = T0 + 2 * T1", "F1 = T0 + T1"), "encrypt, r = 0", ""),
        ("e2", ('"13458"', '"13456"'), "key_schedule", "round keys, word 0"),
        ("rijndael", ("[2, 3, 1, 1]", "[2, 3, 1, 4]"), "encrypt", ""),
    ],
)
def test_a_wrong_description_departs_from_the_submitters_listing(
    tmp_path: Path, name: str, change: tuple[str, str], where: str, variable: str
) -> None:
    cipher = broken(tmp_path, name, change)
    path = listings.find(cipher, "", LISTINGS)[0]
    found = [difference_from_listing(cipher, "", listing) for listing in listings.read(cipher, path)]
    assert found[0] is not None
    assert (found[0].where, found[0].variable) == (where, variable)
    assert found[0].reference.startswith(f"{path.name}:")


@needs_listings
def test_every_listing_agrees_with_the_ciphers() -> None:
    read = 0
    for name in of_papers():
        cipher = load(name)
        for variant in ("", *cipher.variants):
            for path in listings.find(cipher, variant, LISTINGS):
                for listing in listings.read(cipher, path):
                    assert difference_from_listing(cipher, variant, listing) is None, path
                    read += 1
    assert read == 24 + 12 + 3 + 6 + 2 * (3 + 15) + 6  # RC6, Serpent, Rijndael, Twofish, both MARS, E2


def test_a_listing_that_is_broken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path(RC6_IV).write_text("KEY=00\nPT=00\nIV[0]=0123\n")
    with pytest.raises(DescriptionError) as caught:
        list(listings.read(load("rc6"), Path(RC6_IV)))
    assert str(caught.value) == (
        f"error[K007]: IV[0] has the wrong length\n  --> {RC6_IV}:3\n      IV[0]=0123\n"
        "   = expected 16 bytes (one block), found 2 bytes"
    )


def test_a_record_that_is_wrong_itself() -> None:
    cipher = load("rc6")
    record = read_vectors(FOLDER / "rc6" / "ecb_vk.txt").records[0]
    file = VectorFile("v.txt", "nist", (replace(record, ciphertext=bytes(16)),))
    outcome = check_file(file, PythonBackend(cipher), key_bits=cipher.key_bits)
    notes = failure_error(outcome, cipher, "", PythonBackend(cipher)).notes
    assert notes[-1] == "the cipher agrees with the kept intermediate values: the record itself may be wrong"


def test_a_record_of_a_cipher_without_intermediate_values(tmp_path: Path) -> None:
    text = Path(load("rc6").file).read_text(encoding="utf-8").replace('Cipher("RC6"', 'Cipher("Own"')
    (tmp_path / "own.py").write_text(text, encoding="utf-8")
    cipher = load(str(tmp_path / "own.py"))
    record = read_vectors(FOLDER / "rc6" / "ecb_vk.txt").records[0]
    file = VectorFile("v.txt", "nist", (replace(record, ciphertext=bytes(16)),))
    outcome = check_file(file, PythonBackend(cipher), key_bits=cipher.key_bits)
    notes = failure_error(outcome, cipher, "", PythonBackend(cipher)).notes
    assert notes[-1] == (
        "no intermediate values are known to compare with: the cipher is wrong, or the record is"
    )


def wrong_program(cipher: Cipher, key_bits: int = 128) -> Program:
    """Return the program with another constant: RC6's Q32."""
    text = cipher.program_text(key_bits)
    assert "0x9e3779b9" in text
    return Program.parse(text.replace("0x9e3779b9", "0x9e3779b8"))


def test_a_wrong_program_departs_from_the_plain_run(tmp_path: Path) -> None:
    cipher = broken(tmp_path, "rc6", ("A += S[2 * r + 2]", "A += S[2 * r + 2] + S[0] - S[0]"))
    before, place, after = cipher.compile(128).text().partition("func @encrypt")
    (compiled,) = cipher._compiled
    cipher._compiled[compiled] = Program.parse(before + place + after.replace(", 5 ", ", 6 ", 1))
    notes = explained(EvaluatorBackend(cipher), cipher)
    assert notes[4] == "the compiled program gives another answer than the description run plainly"
    assert notes[5].startswith("first difference: encrypt, i = 1: `t` expected ")
    assert "(plain Python, rc6.py:" in notes[5]


class Compiled(EvaluatorBackend):
    """Stands for compiled code: the evaluator under the name of one, with a fault in encryption."""

    def __init__(self, cipher: Cipher, fault: Callable[[bytes, bytes], bytes]) -> None:
        super().__init__(cipher)
        self.name, self.fault = "c, direct", fault

    def run(self, direction: Direction, keys: object, blocks: bytes) -> bytes:
        right = super().run(direction, keys, blocks)
        return self.fault(blocks, right) if direction == "encrypt" else right

    def chain(self, keys: object, mode: Mode, iv: bytes, block: bytes, count: int) -> tuple[bytes, bytes]:
        assert direction_of(mode) == "encrypt"
        return chain_by_blocks(lambda one: self.run("encrypt", keys, one), mode, iv, block, count)


def test_wrong_generated_code(monkeypatch: pytest.MonkeyPatch) -> None:
    cipher = load("rc6")
    backend = Compiled(cipher, lambda block, output: bytes(16))
    assert explained(backend, cipher)[4:] == [
        "the evaluator gives another answer than c, direct",
        "encrypt with KEY=00000000000000000000000000000000 of the block 80000000000000000000000000000000",
        "strategy direct's program is right in the evaluator: the C text or its compiler is wrong",
    ]


def test_wrong_passes_of_a_strategy(monkeypatch: pytest.MonkeyPatch) -> None:
    cipher = load("rc6")
    monkeypatch.setattr(
        "cipherassay.strategies.program", lambda cipher, bits, *_: wrong_program(cipher, bits)
    )
    notes = explained(Compiled(cipher, lambda block, output: bytes(16)), cipher)
    assert notes[6] == "the passes of strategy direct make a wrong program"
    assert notes[7].startswith(
        "first difference: key_schedule, i = 1: `S[1]` expected 5618CB1C, found 5618CB1B"
    )


def test_the_step_of_a_chain_is_named() -> None:
    cipher = load("rc6")
    record = read_vectors(FOLDER / "rc6" / "cbc_e_m.txt").records[0]
    right = EvaluatorBackend(cipher)
    keys = right.keys(record.key, "encrypt")
    first = right.run("encrypt", keys, bytes(16))
    backend = Compiled(cipher, lambda block, output: bytes(16) if block == first else output)
    notes = explained(backend, cipher, "cbc_e_m.txt")
    assert notes[4] == "the evaluator gives another answer than c, direct at step 2"
    assert notes[5] == f"encrypt with KEY={'00' * 16} of the block {first.hex().upper()}"


def test_a_file_without_a_listing(tmp_path: Path) -> None:
    path = tmp_path / "ecb_iv.txt"
    path.write_text("=====\n")
    with pytest.raises(DescriptionError) as caught:
        check_listing(path, path.read_text(), load("rc6"), "")
    assert str(caught.value) == f"error[K023]: the file lists no intermediate values\n  --> {path}"


def test_intermediate_values_beside_a_users_cipher(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    text = FILES["xtea"].read_text()
    Path("own.py").write_text(text)
    Path("own.kat.txt").write_text(FILES["xtea"].with_suffix(".kat.txt").read_text())
    assert assay(capsys, "kat", "generate", "own.py", "--set", "ecb_iv", "-o", ".").code == 0
    listing = Path("ecb_iv.txt").rename("own_iv.txt")
    ran = assay(capsys, "kat", "check", "own.kat.txt", "own_iv.txt")
    assert ran.code == 0, ran.err
    Path("own.py").write_text(text.replace("x << 4", "x << 5"))
    place = next(n for n, line in enumerate(listing.read_text().splitlines(), 1) if line.startswith("i=0 y="))
    where = f"first difference: encrypt, i = 0: `y` expected {{}}, found {{}} ({tmp_path.name}/own_iv.txt:{place})"
    line = listing.read_text().splitlines()[place - 1]
    ran = assay(capsys, "kat", "check", "own.kat.txt")
    assert ran.code == 4
    expected, found = where.format(line.removeprefix("i=0 y="), "{}").split("{}")
    assert f"   = {expected}" in ran.err
    assert found in ran.err
