"""Permutations: described, checked, shown; what has no key is asked for none."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest

from cipherassay import processors, strategies
from cipherassay._engine import Program
from cipherassay.ciphers import Cipher, load
from cipherassay.errors import AssayError
from cipherassay.processors.checking import check
from cipherassay.processors.exploring import best
from cipherassay.report.data import ReportData
from cipherassay.report.sections.permutations import section
from cipherassay.results import Row
from cipherassay.vectors import EvaluatorBackend, check_file, read_vectors
from support.command import assay
from support.places import ROOT

Capture = pytest.CaptureFixture[str]
ASCON, GIMLI = (ROOT / "examples" / f"{name}.py" for name in ("ascon", "gimli"))
HEAD = "from cipherassay.lang import *\n"
BODY = "\n@p.permute\ndef permute(state):\n    return state ^ 1\n"


def refused(tmp_path: Path, text: str) -> str:
    """Return the message of a file that is refused when it is loaded or compiled."""
    file = tmp_path / "p.py"
    file.write_text(HEAD + text)
    with pytest.raises(AssayError) as caught:
        load(str(file)).compile()
    return str(caught.value).replace(str(tmp_path), "")


def test_number_of_rounds_are_variants() -> None:
    ascon = load(str(ASCON))
    assert (ascon.variants, ascon.directions) == (("8-rounds", "6-rounds"), ("permute", "inverse"))
    state = bytes(range(40))
    for variant in ("", *ascon.variants):
        there = ascon.run("permute", state, variant=variant)
        assert ascon.run("inverse", there, variant=variant) == state
        assert [bytes(there)] == [bytes(one) for one in ascon.compile(0, variant).evaluate("permute", [state])]
    facts = [dict(ascon.compile(0, variant).facts())["rounds"] for variant in ("", *ascon.variants)]
    assert facts == ["12", "8", "6"]


def test_the_check(capfd: Capture) -> None:
    ran = assay(capfd, "check", str(ASCON))
    assert (ran.code, ran.out.splitlines()[3:]) == (
        0,
        [
            "pass     compiles: 8-rounds, 6-rounds; compiled and plain run agree",
            "pass     inverse∘permute: the identity on 64 random blocks",
            "pass     known answers: ascon.kat.txt: 9 of 9 single blocks",
            "pass     known answers: 6-rounds: ascon_6_rounds.kat.txt: 9 of 9 single blocks",
            "pass     known answers: 8-rounds: ascon_8_rounds.kat.txt: 9 of 9 single blocks",
            "pass     repeats: the same when called again and when the file is loaded anew",
        ],
    )
    ran = assay(capfd, "check", str(GIMLI))
    assert (ran.code, ran.out.splitlines()[-3:]) == (
        0,
        [
            "note     inverse∘permute: the file has no `inverse`: `permute` alone is checked",
            "pass     known answers: gimli.kat.txt: 1 of 1 single blocks",
            "pass     repeats: the same when called again and when the file is loaded anew",
        ],
    )


@pytest.mark.parametrize("backend", ["evaluator", "python", "c"])
def test_known_answers_by_each_back_end(capsys: Capture, backend: str) -> None:
    for file in sorted((ROOT / "examples").glob("ascon*.kat.txt")):
        assert assay(capsys, "kat", "check", str(file), "--backend", backend).code == 0


def test_a_wrong_inverse_is_found(tmp_path: Path, capfd: Capture) -> None:
    text = ASCON.read_text().replace("x = substitute(S.inverse, x)", "x = substitute(S, x)")
    (tmp_path / "ascon.py").write_text(text)
    ran = assay(capfd, "check", str(tmp_path / "ascon.py"))
    assert ran.code == 4
    assert "FAIL     inverse∘permute: `permute` makes " in ran.out


def test_a_wrong_answer_is_found(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "gimli.py").write_text(GIMLI.read_text())
    answers = GIMLI.with_suffix(".kat.txt").read_text()
    (tmp_path / "gimli.kat.txt").write_text(answers.replace("OUT=5AC811BA", "OUT=5AC811BB"))
    ran = assay(capsys, "kat", "check", str(tmp_path / "gimli.kat.txt"))
    assert ran.code == 4
    assert "error[K020]: Gimli gives another answer than the file: designers I=1\n" in ran.err
    assert "   = computed by evaluator: permute\n   = expected OUT=5AC811BB" in ran.err


SHAPE = 'p = Permutation("P", state_bits={}, rounds={}, structure="SPN", source="[none]")'


def test_refused_descriptions(tmp_path: Path) -> None:
    assert refused(tmp_path, SHAPE.format(64, "(8, 8)") + BODY) == (
        "error[D102]: (8, 8) are no numbers of rounds\n"
        f"  --> /p.py:2:5\n      {SHAPE.format(64, '(8, 8)')}\n"
        "   = help: give each once, the usual one first: `rounds=(12, 8, 6)`, a single one as `rounds=(24,)`"
    )
    assert refused(tmp_path, SHAPE.format(60, "()") + BODY).startswith(
        "error[D080]: a size of 60 bits is no whole number of bytes\n"
    )
    assert refused(tmp_path, SHAPE.format(64, "()") + BODY.replace("permute", "encrypt")) == (
        "error[D103]: a permutation has no `encrypt`\n  --> /p.py:3:2\n      @p.encrypt\n"
        "   = help: its functions are `permute` and `inverse`"
    )
    assert refused(tmp_path, SHAPE.format(64, "()") + BODY.replace("permute", "inverse")) == (
        "error[D022]: P has no `permute`\n   = help: decorate a function with `@p.permute`"
    )
    assert refused(tmp_path, SHAPE.format(128, "()") + BODY.replace("^ 1", "[:8]").replace("state ", "state")) == (
        "error[D026]: `permute` returns 8 bytes, and a block has 16\n  --> /p.py:3\n"
        "   = help: return the whole block, or give the permutation its `state_bits`"
    )


CIPHER_RECORD = "T=KAT SET=a KS=128 I=1 KEY={0} PT={0} CT={0}".format("00" * 16)


def test_refused_records(tmp_path: Path, capsys: Capture) -> None:
    file, answers = tmp_path / "p.py", tmp_path / "p.kat.txt"
    file.write_text(HEAD + SHAPE.format(128, "()") + BODY)
    kinds = (
        "   = help: `T=KAT SET=… I=… IN=… OUT=…` is a record of a permutation, "
        "`T=KAT SET=… KS=… I=… KEY=… PT=… CT=…` one of a cipher\n"
    )
    for text, err in (
        (CIPHER_RECORD, "[K033]: the record has a key, and what is described takes no key\n  --> {}:1\n" + kinds),
        ("T=KAT SET=a I=1 IN=" + "00" * 16,
         "[K005]: the record of a permutation lacks OUT\n  --> {}:1\n"
         "   = expected T, SET, I, IN, OUT; found T, SET, I, IN\n"),
        ("T=KAT SET=a I=1 KS=0 IN=00 OUT=00",
         "[K032]: KS does not belong to a record with IN and OUT\n  --> {}:1\n   = expected T, SET, I, IN, OUT\n"),
    ):  # fmt: skip
        answers.write_text(text + "\n")
        ran = assay(capsys, "kat", "check", str(answers))
        assert (ran.code, ran.err) == (3, "error" + err.format(answers))
    answers.write_text(f"T=KAT SET=a I=1 IN={'00' * 16} OUT={'00' * 16}\n")
    ran = assay(capsys, "kat", "check", str(answers), "--cipher", "rc6")
    assert ran.err == (
        f"error[K033]: the record has no key, and what is described takes a key\n  --> {answers}:1\n{kinds}"
    )


def test_what_is_for_keys_is_refused(capsys: Capture, tmp_path: Path) -> None:
    ran = assay(capsys, "kat", "generate", str(ASCON), "-o", str(tmp_path / "new"))
    assert (ran.code, ran.err) == (
        2,
        "error[K034]: NIST's rules of 1998 and its listings are for keys, and Ascon-p takes none\n"
        "   = help: known answers of a permutation are written by hand: `T=KAT SET=… I=… IN=… OUT=…`\n",
    )


def test_key_sizes_are_refused(capsys: Capture) -> None:
    for_ciphers = (
        "are for ciphers, and Ascon-p is a permutation: it takes no key\n"
        "   = help: what is made of it takes no options for keys\n"
    )
    for words, what in (
        (("measure", str(ASCON), "--key-bits", "128"), "key sizes"),
        (("show", str(ASCON), "--key-bits", "128"), "key sizes"),
        (("simulate", "--rtl", str(ASCON), "--key-bits", "128"), "key versions"),
        (("emit", "rtl", str(ASCON), "--key-bits", "128"), "key versions"),
        (("emit", "c", str(ASCON), "--strategy", "compiled", "--key", "00"), "strategies for one key"),
    ):
        ran = assay(capsys, *words)
        assert (ran.code, ran.err) == (2, f"error[U038]: {what} {for_ciphers}"), words


@pytest.mark.parametrize("processor", ["pa8500", "cortex-a53", "sifive-e31"])
@pytest.mark.parametrize("file", [ASCON, GIMLI])
def test_kernels_give_known_answers(processor: str, file: Path) -> None:
    cipher = load(str(file))
    kernel = best(cipher, "permute", processors.load(processor), strategy="straight")
    assert check(kernel, cipher, inputs=1, answers=1).answers >= 1


def test_a_variant_as_kernel() -> None:
    ascon = load(str(ASCON))
    whole, short = (
        best(ascon, "inverse", processors.load("cortex-a53"), variant=variant, strategy="straight")
        for variant in ("", "6-rounds")
    )
    assert check(short, ascon, inputs=1, answers=2).answers >= 2
    assert short.cycles < whole.cycles < 2.2 * short.cycles


def test_operations_that_are_not_there(capsys: Capture) -> None:
    for operation, processor, text in (
        ("inverse", "pa8500", "[M200]: the program has no function `inverse`\n   = help: known: permute\n"),
        ("encrypt", "pa8500", "[M200]: the program has no function `encrypt`\n   = help: known: permute\n"),
        ("key_setup_both", "pa8500",
         "[M200]: the program has no function `key_schedule`\n   = help: known: permute\n"),
        ("inverse", "pentium-ii", "[X004]: there is no `inverse` in Gimli\n   = help: permute\n"),
    ):  # fmt: skip
        ran = assay(capsys, "measure", str(GIMLI), "--operation", operation, "-p", processor)
        assert (ran.code, ran.err) == (3 if text.startswith("[M2") else 2, f"error{text}")


def test_titles_name_no_key(capsys: Capture) -> None:
    for processor in ("pa8500", "pentium-ii"):
        ran = assay(capsys, "measure", str(GIMLI), "--operation", "permute", "-p", processor)
        assert ran.out.splitlines()[0].split("on ")[0] == "Gimli permute, "
    ran = assay(capsys, "show", str(GIMLI))
    assert "\noperations\n" in ran.out
    assert "key" not in ran.out


def test_measured_rows_have_no_key_size(
    capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The strategy that is chosen first is kept, but not in this checkout.
    monkeypatch.setenv("ASSAY_KEPT", str(tmp_path))
    words = ("--inputs", "2", "--repeats", "1", "--accept-unstable", "--json")
    ran = assay(capsys, "measure", str(ASCON), *words)
    rows = json.loads(ran.out)["rows"]
    assert {(row["operation"], row["key_bits"]) for row in rows} == {("permute", None), ("inverse", None)}
    assert all("--key-bits" not in row["command"] for row in rows)


def test_the_report_has_a_table_of_its_own() -> None:
    known = {"cipher": "P", "strategy": "unrolled", "level": "native", "unit": "cycles", "basis": "measured"}
    rows = [
        Row(operation=operation, metric="cycles", value=value, **known)
        for operation, value in (("permute", 80.0), ("inverse", 200.0))
    ]
    other = [Row(operation="encrypt", key_bits=128, metric="cycles", value=9.0, **known | {"cipher": "C"})]
    data = ReportData([*rows, *other], strategies={"P": "unrolled", "C": "unrolled"}, block_bytes={"P": 40, "C": 16})
    assert (data.ciphers, data.permutations) == (["C"], ["P"])
    made = section(data)
    assert made is not None
    (table,) = made.tables
    assert [[one.text for one in line] for line in table.lines] == [
        ["P", "", "unrolled", "80", "200", "2"],
    ]
    assert section(ReportData(other, strategies={"C": "unrolled"})) is None


def test_every_strategy_computes_the_same() -> None:
    ascon = load(str(ASCON))
    file = read_vectors(ASCON.with_suffix(".kat.txt"), 40)
    names = [name for name in strategies.applicable(ascon) if not strategies.load(name).for_each_key]
    assert {"unrolled", "bit-sliced"} < set(names)
    for name in names:
        backend = EvaluatorBackend(ascon, program=partial(passed, ascon, name))
        assert check_file(file, backend, key_bits=ascon.key_bits).ok, name


def passed(cipher: Cipher, strategy: str, key_bits: int) -> Program:
    return strategies.program(cipher, key_bits, strategy)


def test_a_function_that_no_description_has() -> None:
    with pytest.raises(AssayError) as caught:
        load(str(GIMLI)).compile().passes(["fold", "reassociate:function=mix"])
    assert str(caught.value) == (
        "error[S015]: the option `function` of a pass names no function: `mix`\n   = help: known: permute"
    )
