"""Kernels that cannot be made, named or verified: in which words."""

from __future__ import annotations

from pathlib import Path

import pytest

from cipherassay import ciphers, processors
from cipherassay._engine import Program
from cipherassay.errors import DescriptionError, UsageError, VerificationError
from cipherassay.processors import checking, making
from cipherassay.processors.again import KeptKernel
from cipherassay.processors.exploring import best
from cipherassay.processors.kernel import Choice
from cipherassay.processors.making import make, selected
from support.command import assay
from support.refusals import refusal


def test_an_instruction_whose_feature_is_switched_off(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(
        'source = "made up"\nconfidence = "hypothetical"\n[[instruction]]\nname = "rotx"\nclass = "alu"\n'
        'feature = "rotate"\nform = "d:gr = a:gr, b:gr"\nassembly = "rotx {d} = {a}, {b}"\n'
        'semantics = "d = rotl(a, b, 32)"\n'
    )
    ran = assay(capsys, "study", "what-if", "-p", "epic", "--instruction", str(file))
    assert (ran.code, ran.out, ran.err) == (
        3,
        "",
        f"error[M714]: `{file}` adds no instruction to epic\n"
        "   = help: its records need a `feature` that is switched off: switch it on with --set\n",
    )


@pytest.mark.parametrize("name", ["rc6", "rc6 encode 128 unrolled", "rc6 encrypt long unrolled"])
def test_a_kept_kernel_with_a_wrong_name(name: str) -> None:
    assert refusal(VerificationError, KeptKernel("pa8500", name, Choice("straight")).request) == (
        f"error[M725]: `{name}` names no kernel that could be made again\n"
        "   = help: a name is CIPHER VARIANT OPERATION BITS FORM, the form `unrolled` or `loop`"
    )


def test_a_kernel_that_gives_no_known_answer() -> None:
    """Its program is what is wrong: the text computes what that says."""
    made = make(ciphers.load("rc6"), "encrypt", processors.load("ia64pp"), Choice("straight"), restarts=0)
    lines = refusal(VerificationError, checking.check, made, ciphers.load("rijndael"), inputs=1).splitlines()
    assert lines[0] == "error[M731]: rc6 encrypt for ia64pp does not give a known answer"
    assert lines[1].startswith("   = key 0000") or lines[1].startswith("   = key 8000")
    assert " instead of " in lines[1]
    assert len(lines) == 2


HEAD = 'title = "Mine"\ninherits = "epic"\nsource = "made up"\nconfidence = "assumed"\n'
ROTATION = (
    '[[instruction]]\nname = "rotx"\nclass = "alu"\nfeature = "rotat"\nform = "d:gr = a:gr, b:gr"\n'
    'assembly = "rotx {d} = {a}, {b}"\nsemantics = "d = rotl(a, b, 32)"\n'
)
FILES = {
    "M009": (
        '[ports]\ngroups = { G = "two" }\n',
        'error[M009]: `two` is not a number\n  --> FILE:6:16\n   = help: write 2 or "$parameter"',
    ),
    "M016": (
        "[ports]\ngroups = { G = 65 }\n",
        "error[M016]: there are 65 ports, at most 64 are possible\n  --> FILE:5:1",
    ),
    "M021": (
        ROTATION,
        "error[M021]: no parameter of the processor switches the feature `rotat`\n  --> FILE:8:11\n"
        "   = help: did you mean `rotate`? (known: extract, load-extract-scale, rotate, scaled-indexed)",
    ),
}


@pytest.mark.parametrize("case", FILES)
def test_files_of_processors_that_are_wrong(case: str, tmp_path: Path) -> None:
    text, error = FILES[case]
    (tmp_path / "mine.toml").write_text(HEAD + text)
    found = refusal(DescriptionError, processors.load, "mine", path=tmp_path)
    assert found == error.replace("FILE", str(tmp_path / "mine.toml"))


@pytest.mark.parametrize(
    ("step", "what"),
    [
        ("odd = add x, y", "has no step that defines `result`"),
        ("result = add x, y, z", "gives `add` another number of operands than it has"),
        ("result = add x, q", "uses `q`, which is not defined"),
    ],
)
def test_recipes_that_are_wrong(step: str, what: str, tmp_path: Path) -> None:
    recipe = f'[[recipe]]\nname = "odd"\ncomputes = "x + y"\nsteps = ["{step}"]\n'
    (tmp_path / "mine.toml").write_text(HEAD + recipe)
    mine, rc6 = processors.load("mine", path=tmp_path), ciphers.load("rc6")
    found = refusal(DescriptionError, make, rc6, "encrypt", mine, Choice("straight"), restarts=0)
    assert found == f"error[M210]: the recipe `odd` {what}"


def test_strategies_that_are_not_for_what_is_asked() -> None:
    pa, rc6 = processors.load("pa8500"), ciphers.load("rc6")
    assert refusal(UsageError, best, rc6, "encrypt", pa, among=("nothing",)) == (
        "error[M711]: no strategy for processors makes unrolled code of RC6 encrypt"
    )
    assert refusal(UsageError, making._makes, ciphers.load("rijndael"), "straight", "key_setup_both") == (
        "error[M735]: strategy `straight` does not make the keys of both directions of Rijndael at once\n"
        "   = help: `--strategy straight-both-keys`, or the operation `key_setup_encrypt`"
    )


def _selection(text: str, processor: str, *avoid: str) -> list[str]:
    program = Program.parse(f'program "p" {{\n}}\n\n{text}')
    return refusal(
        DescriptionError, selected, program, "f", processors.load(processor), Choice("straight", avoid=avoid)
    ).splitlines()


def test_a_word_wider_than_a_register_is_fitted_by_a_pass() -> None:
    text = "func @f(%a: u64, %b: u64) -> (u64) {\n  %c: u64 = add %a, %b\n  return %c\n}\n"
    found = _selection(text, "cortex-m3")
    assert found[0] == "error[M202]: a word of 64 bits does not fit a register of 32"
    assert found[-1] == "   = help: the pass `machine-words:width=32` makes it from words that do"


def test_a_parameter_that_is_returned_lies_where_it_was_given() -> None:
    text = "func @f(%a: u32[2]) -> (u32[2]) {\n  return %a\n}\n"
    assert _selection(text, "sifive-e31") == [
        "error[M207]: the array `a` is a parameter that is returned, or returned twice"
    ]


def test_what_no_instruction_computes_is_said_with_the_record_for_it() -> None:
    text = "func @f(%a: u32, %b: u32) -> (u32) {\n  %c: u32 = shl %a, %b\n  return %c\n}\n"
    found = _selection(text, "pa8500", "shift left by mtsarcm")
    assert found[0] == "error[M204]: the processor `pa8500` has no instruction for `x << y`"
    assert found[-1] == (
        '   = help: add an [[instruction]] with semantics "d = x << y", or a [[recipe]] with computes = "x << y"'
    )
