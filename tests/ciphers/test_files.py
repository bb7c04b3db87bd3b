"""The cipher files: their tables against the printed ones, their length, their loops and bodies as the papers have them."""

from __future__ import annotations

import random
import re
import sys
from pathlib import Path

import pytest

from cipherassay.ciphers import aliases_of, load, names, of_papers
from cipherassay.errors import DescriptionError, UsageError
from support.places import DATA, EXAMPLES
from support.refusals import refusal

PRINTED = DATA / "printed"
CHOICES = [
    (name, variant, form)
    for name in of_papers()
    for variant, form in [
        ("", ""),
        *((v, "") for v in load(name).variants),
        *(("", f) for f in load(name).forms),
    ]
]


@pytest.mark.parametrize("path", sorted(PRINTED.glob("*.txt")), ids=lambda p: p.stem)
def test_generated_table_is_the_printed_one(path: Path) -> None:
    cipher, table = path.stem.split(".")
    load(cipher)
    generated = getattr(sys.modules[f"cipherassay_cipher_{cipher}"], table).data
    lines = path.read_text().splitlines()
    printed = [int(x, 16) for line in lines if not line.startswith("#") for x in line.split()]
    assert len(printed) in (256, 512)
    assert generated == printed


def test_mars_words_that_fix_subkeys_are_those_printed() -> None:
    load("mars")
    assert sys.modules["cipherassay_cipher_mars"].B.data == [0xA4A8D57B, 0x5B5D193B, 0xC8A8309B, 0x73F9A978]


@pytest.mark.parametrize("name", of_papers())
def test_file_cites_its_source(name: str) -> None:
    assert load(name).source in Path(load(name).file).read_text().splitlines()[0]


def test_files_are_short() -> None:
    """A file of words alone, as a source prints them, may be longer."""
    folder = Path(load("rc6").file).parent
    lines = {path.stem: len(path.read_text().splitlines()) for path in folder.glob("*.py")}
    del lines["_cast_boxes"]
    assert {name: count for name, count in lines.items() if count > 120} == {}
    assert sum(lines[name] <= 80 for name in names()) > 0.8 * len(names())


@pytest.mark.parametrize(("name", "variant", "form"), CHOICES)
@pytest.mark.parametrize("key_bits", [128, 192, 256])
def test_compiles_and_decryption_undoes_encryption(name: str, variant: str, form: str, key_bits: int) -> None:
    """Compiling itself compares every function with its plain run."""
    program = load(name).compile(key_bits, variant, form)
    rng = random.Random(f"{name} {key_bits}")
    key, blocks = rng.randbytes(key_bits // 8), rng.randbytes(16 * 50)
    keys = program.evaluate("key_schedule", [key])
    functions = [f["name"] for f in program.functions()]
    other = "key_schedule_decrypt" if "key_schedule_decrypt" in functions else "key_schedule"
    there = program.run_blocks("encrypt", keys, blocks)
    assert there != blocks
    assert program.run_blocks("decrypt", program.evaluate(other, [key]), there) == blocks


@pytest.mark.parametrize("form", [(n, f) for n in of_papers() for f in load(n).forms], ids=lambda f: " ".join(f))
@pytest.mark.parametrize("key_bits", [128, 192, 256])
def test_forms_compute_what_the_literal_description_does(form: tuple[str, str], key_bits: int) -> None:
    name, other = form
    rng = random.Random(f"{name} {other}")
    key, blocks = rng.randbytes(key_bits // 8), rng.randbytes(16 * 20)
    literal, formed = (
        program.run_blocks("encrypt", program.evaluate("key_schedule", [key]), blocks)
        for program in (load(name).compile(key_bits), load(name).compile(key_bits, form=other))
    )
    assert literal == formed


# Loops of the programs for 128-bit keys: tag, iterations, bodies; what a round is must survive compiling.
LOOPS = {
    ("rc6", "encrypt"): [("rounds", 20, 1)],
    ("serpent", "encrypt"): [("rounds", 31, 8)],
    ("serpent", "decrypt"): [("rounds", 31, 8)],
    ("serpent", "key_schedule"): [("rounds", 132, 1), ("rounds", 33, 8)],
    ("rijndael", "encrypt"): [("rounds", 9, 1)],
    ("rijndael", "key_schedule"): [("rounds", 40, 2)],
    ("twofish", "encrypt"): [("rounds", 16, 1)],
    ("mars", "encrypt"): [("rounds", 8, 3), ("rounds", 16, 2), ("rounds", 8, 3)],
    ("mars", "decrypt"): [("rounds", 8, 3), ("rounds", 16, 2), ("rounds", 8, 3)],
    ("e2", "encrypt"): [("rounds", 12, 1)],
}


@pytest.mark.parametrize(("name", "function"), LOOPS)
def test_rounds_stay_loops(name: str, function: str) -> None:
    text = load(name).compile(128).text()
    body = text[text.index(f"func @{function}(") :].split("\n}\n")[0]
    found = []
    for match in re.finditer(r"^( *).*= (rounds|steps) (\d+) .*\{$", body, re.MULTILINE):
        inner = body[match.end() :].split(f"\n{match[1]}}}")[0]
        found.append((match[2], int(match[3]), len(re.findall(rf"^{match[1]}  body ", inner, re.MULTILINE))))
    assert found == LOOPS[name, function]


@pytest.mark.parametrize("name", names())
def test_aliases_are_read_as_the_file_gives_them(name: str) -> None:
    assert aliases_of(name) == load(name).aliases


def test_a_wrong_name_runs_no_cipher_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cipherassay.ciphers.load_anew", None)
    with pytest.raises(UsageError, match="did you mean `sm4`"):
        load("sm5")


@pytest.mark.parametrize(
    ("action", "text"),
    [
        (lambda: load("serpant"), "error[U014]: unknown cipher `serpant`\n   = help: did you mean `serpent`? (`assay list` shows all)"),
        (lambda: load("aes-192"), "error[U014]: unknown cipher `aes-192`\n   = help: the cipher is `aes`; a key size is an option of commands: --key-bits 192"),
        (lambda: load(""), "error[U014]: unknown cipher ``\n   = help: `assay list` shows all"),
        (lambda: load("rc6").compile(160), "error[U010]: RC6 has no key size of 160 bits\n   = help: its key sizes: 128, 192, 256"),
        (lambda: load("mars").compile(128, "round1"), "error[U011]: MARS has no variant `round1`\n   = help: did you mean `round-1`? (known: round-1)"),
        (lambda: load("twofish").compile(128, form="full"), "error[U012]: Twofish has no form `full`\n   = help: did you mean `full-keying`? (known: full-keying, minimal-keying, partial-keying)"),
        (lambda: load("none.py"), "error[U023]: no cipher file `none.py`\n   = help: give the path of a Python file, or the name of a cipher"),
    ],
)  # fmt: skip
def test_unknown_names_are_explained(action: object, text: str) -> None:
    with pytest.raises(UsageError) as caught:
        action()  # type: ignore[operator]
    assert str(caught.value) == text


def test_a_function_that_a_cipher_does_not_have() -> None:
    assert refusal(UsageError, load("rc6").run, "key_schedule_decrypt", bytes(16)) == (
        "error[U013]: RC6 has no `key_schedule_decrypt`\n"
        "   = help: did you mean `key_schedule`? (known: decrypt, encrypt, key_schedule)"
    )


def test_a_file_that_raises_is_reported_at_its_line(tmp_path: Path) -> None:
    path = tmp_path / "broken.py"
    path.write_text("from cipherassay.lang import *\nx = 1 // 0\n")
    with pytest.raises(DescriptionError) as caught:
        load(path)
    expected = f"error[D016]: broken.py raised ZeroDivisionError: integer division or modulo by zero\n  --> {path}:2:5\n      x = 1 // 0"
    assert str(caught.value) == expected


def test_a_file_with_a_syntax_error_is_reported_at_its_line(tmp_path: Path) -> None:
    path = tmp_path / "broken.py"
    path.write_text("x = (1\ny = 2\n")
    with pytest.raises(DescriptionError) as caught:
        load(path)
    assert str(caught.value).startswith("error[D016]: broken.py raised SyntaxError: '(' was never closed")
    assert f"--> {path}:1:5" in str(caught.value)


def test_a_file_without_a_cipher_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "empty.py"
    path.write_text("x = 1\n")
    with pytest.raises(DescriptionError) as caught:
        load(path)
    assert (
        str(caught.value)
        == f'error[D024]: {path} defines no cipher\n   = help: a cipher file makes one object: `name = Cipher("NAME", …)`'
    )


def test_a_function_defined_anew_is_compiled_anew() -> None:
    cipher = load(EXAMPLES / "speck.py")
    before = cipher.compile(128)
    cipher.encrypt(lambda k, plaintext: plaintext ^ 1)
    assert cipher.compile(128).text() != before.text()


REFUSED = {
    "unknown structure": ('Cipher("X", key_bits=(128,), structure="SPM", source="[s]")', "error[D077]: unknown structure `SPM`", "did you mean"),
    "size in bits": ('Cipher("X", key_bits=(100,), structure="SPN", source="[s]")', "error[D080]: a size of 100 bits is no whole number of bytes", ""),
    "no key size": ('Cipher("X", key_bits=(), structure="SPN", source="[s]")', "error[D078]: the cipher has no key size", "give all sizes in bits, a single one as `key_bits=(128,)`"),
    "aliases": ('Cipher("X", key_bits=(128,), structure="SPN", source="[s]", aliases="why")', "error[D104]: the aliases of the cipher are 'why'", 'give a tuple of names, a single one as `aliases=("aes",)`'),
    "a number for sizes": ('Cipher("X", key_bits=128, structure="SPN", source="[s]")', "error[D078]: the cipher has 128 as its key sizes", "give all sizes in bits, a single one as `key_bits=(128,)`"),
    "endless keys": ('Cipher("X", key_bits=(1 << 40,), structure="SPN", source="[s]")', "error[D081]: a size of 1099511627776 bits", "keys and blocks have at most 4096 bits"),
    "no functions": ('Cipher("X", key_bits=(128,), structure="SPN", source="[s]").compile(128)', "error[D022]: X has no `", "decorate a function with"),
    "matrix entry": ("GF(0x11B).matrix([[1, 256]])", "error[D090]: the rows of a matrix must be of one length, with entries from 0 to 255", ""),
    "field": ("GF(1)", "error[D030]: a field of degree 0", "degrees from 1 to 16 are known"),
    "box size": ("sbox([0, 1, 2])", "error[D033]: a box with 3 entries", "a box has 2^n entries below 256, n from 1 to 8"),
    "box words": ("bitsliced(sbox([1, 0]), [u32(1), u32(2)])", "error[D094]: a box of 1 input bits needs 1 words of one width, not 2", ""),
    "inverse of a table": ("table(u8, [1, 1]).inverse", "error[D034]: `T` is no permutation, so it has no inverse", ""),
    "inverse of a box": ("sbox([1, 1]).inverse", "error[D096]: box `box` is no permutation, so it has no inverse", ""),
    "inverse of a matrix": ("GF(0x11B).matrix([[1, 1], [1, 1]]).inverse", "error[D095]: matrix `M` has no inverse", ""),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_wrong_parts_of_a_file_are_refused_at_their_line(case: str, tmp_path: Path) -> None:
    expression, message, hint = REFUSED[case]
    path = tmp_path / "wrong.py"
    path.write_text(f"from cipherassay.lang import *\n{expression}\n")
    with pytest.raises(DescriptionError) as caught:
        load(path)
    text = str(caught.value)
    assert text.startswith(message)
    assert hint in text
    if case != "no functions":
        assert f"--> {path}:2:" in text


CUT_SHORT = """\
from cipherassay.lang import *

cut = Cipher("Cut", key_bits=(128,), structure="SPN", source="[s]")
cut.key_schedule(lambda key: key)
cut.encrypt(lambda key, plaintext: (plaintext ^ key){part})
cut.decrypt(lambda key, ciphertext: ciphertext ^ key)
"""


def test_an_encryption_that_gives_no_whole_block_is_refused_everywhere(tmp_path: Path) -> None:
    path = tmp_path / "cut.py"
    path.write_text(CUT_SHORT.format(part="[:12]"))
    cipher = load(path)
    expected = (
        f"error[D026]: `encrypt` returns 12 bytes, and a block has 16\n  --> {path}:5\n"
        "   = help: return the whole block, or give the cipher its `block_bits`"
    )
    with pytest.raises(DescriptionError) as compiled:
        cipher.compile(128)
    with pytest.raises(DescriptionError) as run:
        cipher.run("encrypt", cipher.run("key_schedule", bytes(16)), bytes(16))
    assert [str(caught.value).partition("\n      ")[0] for caught in (compiled, run)] == [expected] * 2


def test_an_encryption_that_gives_words_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "cut.py"
    path.write_text(CUT_SHORT.format(part="[:12]").replace("(plaintext ^ key)[:12]", "array(u32, 4)"))
    with pytest.raises(DescriptionError) as caught:
        load(path).compile(128)
    assert caught.value.code == "D023"


def test_an_error_of_a_file_shows_that_file_only(tmp_path: Path) -> None:
    path = tmp_path / "wrong.py"
    path.write_text("from cipherassay.lang import *\ndef make():\n    return GF(1)\n\nF = make()\n")
    with pytest.raises(DescriptionError) as caught:
        load(path)
    assert [(place.file, place.line) for place in caught.value.places] == [(str(path), 3), (str(path), 5)]
