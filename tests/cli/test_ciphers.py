"""The verbs about cipher files: list, show, new, check."""

from __future__ import annotations

from pathlib import Path

import pytest

from cipherassay import processors
from cipherassay.ciphers import load, names, of_papers
from cipherassay.hardware.rtl.build import build
from cipherassay.native.backend import CBackend
from cipherassay.native.checking import check_implementation
from cipherassay.processors.exploring import best
from cipherassay.review.scaffold import likes
from support.command import assay
from support.golden import golden

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def toy(capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    assert assay(capsys, "new", "Toy").code == 0
    return tmp_path / "toy.py"


def test_list_names_every_cipher_and_paper(capsys: Capture) -> None:
    found = assay(capsys, "list", "--json").json
    assert [one["name"] for one in found["ciphers"]] == names()
    assert {"worley2000", "aoki1999"} <= {one["name"] for one in found["published"]}
    assert sum(one["numbers"] for one in found["published"]) > 500


def test_list_of_something_else(capsys: Capture) -> None:
    ran = assay(capsys, "list", "cipher")
    assert ran.err == (
        "error[U015]: there is no list of `cipher`\n"
        "   = help: did you mean `ciphers`? (known: ciphers, processors, published, strategies, technologies)\n"
    )


def test_a_list_has_the_lines_that_words_pick(capsys: Capture) -> None:
    picked = assay(capsys, "list", "strategies", "NIBBLES").out
    assert "Loops of bytes, nibbles in pairs\n" in picked
    assert "bit-sliced" not in picked
    found = assay(capsys, "list", "strategies", "x86-32, for one key", "--json").json["strategies"]
    assert [one["name"] for one in found] == ["two-operands-for-one-key"]
    ran = assay(capsys, "list", "published", "nothing at all")
    assert (ran.code, ran.err) == (
        2, "error[U063]: nothing in the list has `nothing at all`\n   = help: assay list published\n"
    )  # fmt: skip


@pytest.mark.golden
def test_show_a_cipher(capsys: Capture) -> None:
    text = assay(capsys, "show", "rc6", "--key-bits", "192").out
    lines = [line.rstrip() for line in text.splitlines() if not line.startswith("file ")]
    golden("show/rc6.txt", "\n".join(lines) + "\n")


def test_show_text_is_the_programs_text(capsys: Capture) -> None:
    from cipherassay._engine import Program

    text = assay(capsys, "show", "rc6", "--text").out
    assert Program.parse(text).text() == text
    assert assay(capsys, "show", "rc6", "--text", "--json").json["text"] == text


def test_show_takes_a_form_or_a_strategy(capsys: Capture) -> None:
    ran = assay(capsys, "show", "e2", "--form", "stored-inverses", "--strategy", "direct")
    assert ran.err == (
        "error[U016]: --form and --strategy are both given\n"
        "   = help: a strategy chooses the form that it needs\n"
    )
    assert ran.code == 2
    other = assay(capsys, "show", "rijndael", "--form", "equivalent-inverse", "--text").out
    assert other != assay(capsys, "show", "rijndael", "--text").out
    assert 'meta "form" = "equivalent-inverse"' in other
    unrolled = assay(capsys, "show", "rc6", "--strategy", "unrolled", "--text").out
    assert unrolled.count("\n") > 2 * assay(capsys, "show", "rc6", "--text").out.count("\n")


def test_show_a_paper(capsys: Capture) -> None:
    shown = assay(capsys, "show", "aoki1999", "--json").json
    assert shown["year"] == 1999
    assert {"value", "unit", "reference_source", "table"} <= set(shown["rows"][0])
    assert "Table 1" in assay(capsys, "show", "aoki1999").out


def test_show_something_unknown(capsys: Capture) -> None:
    ran = assay(capsys, "show", "serpant")
    assert ran.err.startswith(
        "error[U017]: no cipher, paper, processor or technology is called `serpant`\n   = help: did you mean `serpent`? (`assay list` shows all)"
    )
    assert ran.code == 2


def test_what_is_checked_together(capsys: Capture) -> None:
    assert assay(capsys, "check", "rc6", "pa8500").err == (
        "error[U062]: a cipher's file is checked alone\n   = help: check one after the other\n"
    )
    assert assay(capsys, "check", "aoki1999", "pa8500").err.startswith(
        "error[U062]: these are published and processors\n"
    )


def test_a_new_cipher_runs(capsys: Capture, toy: Path) -> None:
    ran = assay(capsys, "check", "toy.py", "--draft")
    assert ran.code == 0, ran.out
    assert [line.split(":")[0] for line in ran.out.splitlines()] == [
        "pass     length", "pass     source", "pass     citations", "pass     compiles",
        "pass     decrypt∘encrypt", "missing  known answers", "pass     repeats",
        "a draft may lack it, a finished file not",
    ]  # fmt: skip
    assert assay(capsys, "check", "toy.py").code == 4, "without known answers it is a draft"


@pytest.mark.parametrize("like", likes())
def test_a_new_cipher_like_others_runs_everywhere(
    capsys: Capture, like: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert assay(capsys, "new", "New One", "--like", like).code == 0
    ran = assay(capsys, "check", "new_one.py", "--draft")
    assert ran.code == 0, ran.out
    assert ran.out.count("\npass ") + ran.out.startswith("pass ") == 6
    cipher = load("new_one.py")
    assert like in (cipher.structure.lower(), cipher.shape.kind)
    check_implementation(cipher, CBackend(cipher), cipher.key_size())
    backward, mckinley = cipher.shape.backward, processors.load("mckinley-paper")
    assert best(cipher, backward, mckinley, strategy="straight").cycles > 0
    assert not cipher.keyed or build(cipher).clocks


def test_a_new_cipher_like_nothing_known(capsys: Capture, tmp_path: Path) -> None:
    ran = assay(capsys, "new", "New", "--like", "hash", "-o", str(tmp_path))
    assert (ran.code, ran.err) == (
        2,
        "error[U037]: there is no scaffold like `hash`\n   = help: known: arx, feistel, permutation, spn\n",
    )
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", of_papers())
def test_every_cipher_of_the_project_passes_its_check(capsys: Capture, name: str) -> None:
    ran = assay(capsys, "check", name)
    assert ran.code == 0, ran.out
    assert ran.out.count("pass     known answers") >= 2


@pytest.mark.parametrize("name", ["", "9lives", "lambda", 'a"b', "…"])
def test_a_name_that_cannot_be(capsys: Capture, name: str) -> None:
    ran = assay(capsys, "new", name)
    assert ran.err == (
        f"error[U020]: `{name}` cannot be the name of a cipher\n"
        "   = help: a name begins with a letter and goes on with letters, digits, `-`, `_` or spaces\n"
    )
    assert ran.code == 2


def test_a_name_that_is_taken(capsys: Capture, toy: Path) -> None:
    assert assay(capsys, "new", "RC6").err == (
        "error[U021]: there is a cipher `rc6` already\n"
        "   = help: choose another name; `assay show rc6` shows the one that exists\n"
    )
    before = toy.read_text()
    assert assay(capsys, "new", "Toy").err == (
        "error[U022]: `toy.py` exists already\n   = help: remove it, or name another folder with -o DIR\n"
    )
    assert toy.read_text() == before


def test_check_finds_a_function_that_cites_nothing(capsys: Capture, toy: Path) -> None:
    toy.write_text(toy.read_text().replace("# section 2: the round function\n", "\n", 1))
    ran = assay(capsys, "check", "toy.py")
    assert ran.code == 3
    assert "FAIL     citations: 1 functions cite no section, equation or name of the source\n" in ran.out
    assert "--> toy.py:9:1  def mix(x, y, k):\n" in ran.out


def test_a_draft_needs_no_citations(capsys: Capture, toy: Path) -> None:
    text = toy.read_text().replace("# section 2: the round function\n", "\n", 1).replace("[KEY00];", "later;")
    toy.write_text(text)
    ran = assay(capsys, "check", "toy.py", "--draft")
    assert ran.code == 0
    assert "missing  source: the file's docstring does not name the source [KEY00]\n" in ran.out
    assert "missing  citations: 1 functions cite no section, equation or name of the source\n" in ran.out
    assert ran.out.endswith(
        "\na draft may lack it, a finished file not: source, citations, known answers\n"
    )
    document = assay(capsys, "check", "toy.py", "--draft", "--json").json
    assert (document["ok"], document["left_out"]) == (True, ["source", "citations", "known answers"])
    assert assay(capsys, "check", "toy.py").code == 3


def test_check_finds_a_decryption_that_does_not_invert(capsys: Capture, toy: Path) -> None:
    toy.write_text(toy.read_text().replace("x = rotr(x ^ k, 7) - y", "x = rotr(x ^ k, 7) + y"))
    ran = assay(capsys, "check", "toy.py", "--draft", "--json")
    assert ran.code == 4
    states = {verdict["what"]: verdict["state"] for verdict in ran.json["verdicts"]}
    assert states["decrypt∘encrypt"] == "fail"
    assert ran.json["ok"] is False


def test_check_finds_a_symbolic_word_in_an_if(capsys: Capture, toy: Path) -> None:
    text = toy.read_text().replace("    y = rotl(y, 3) ^ x\n", "    if y == 0:\n        y = rotl(y, 3) ^ x\n")
    toy.write_text(text)
    ran = assay(capsys, "check", "toy.py", "--draft")
    assert ran.code == 3
    assert "FAIL     compiles: " in ran.out
    assert "toy.py:11" in ran.out


def test_check_of_a_file_that_raises(capsys: Capture, toy: Path) -> None:
    toy.write_text(toy.read_text() + "\nundefined_name\n")
    ran = assay(capsys, "check", "toy.py")
    assert ran.code == 3
    assert "toy.py:53" in ran.err
    assert "Traceback" not in ran.err


def test_check_compares_known_answers(capsys: Capture, toy: Path) -> None:
    cipher = load(str(toy))
    key, block = bytes(range(16)), bytes(16)
    coded: bytes = cipher.run("encrypt", cipher.run("key_schedule", key), block)
    record = f"T=KAT SET=ecb_vk KS=128 I=1 KEY={key.hex()} PT={block.hex()} CT={{}}\n"
    answers = toy.with_name("toy.kat.txt")
    answers.write_text(record.format(coded.hex()))
    good = assay(capsys, "check", "toy.py")
    assert "pass     known answers: toy.kat.txt: 1 of 1 single blocks\n" in good.out
    assert good.code == 0
    answers.write_text(record.format("00" * 16))
    bad = assay(capsys, "check", "toy.py")
    assert "FAIL     known answers: toy.kat.txt: " in bad.out
    assert bad.code == 4


def test_check_of_nothing(capsys: Capture, tmp_path: Path) -> None:
    ran = assay(capsys, "check", str(tmp_path / "none.py"))
    assert ran.err.startswith("error[U023]: no cipher file ")
    assert ran.code == 2
