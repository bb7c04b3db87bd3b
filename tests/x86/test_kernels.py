"""x86-32 kernels: text, micro-operations, oracles; what the Pentium Pro's and II's models say of NTT's recipe."""

from __future__ import annotations

import json
import random
import subprocess
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from cipherassay._engine import X86Code, X86Forms
from cipherassay.ciphers import load
from cipherassay.errors import DescriptionError, ToolError, UsageError, VerificationError
from cipherassay.x86 import checking, fitting, kept, kernel, model, oracle
from cipherassay.x86.rows import rows
from support.command import assay
from support.pentium_kernels import PRO, SECOND, average, checked, made
from support.refusals import refusal

RECIPE = "two-operand-tables"


LINES = {
    "movl %eax, %esi": 2,
    "movl $5, %ecx": 5,
    "movl table(,%eax,4), %ebx": 7,
    "movl 8(%esp), %ebx": 4,
    "movl words, %eax": 5,
    "movl %edx, words+4": 6,
    "xorl table(,%esi,4), %edi": 7,
    "xorl words+12, %ebp": 6,
    "xorl $127, %ebx": 3,
    "andl $16776960, %edx": 6,
    "andl $16776960, %eax": 5,
    "movzbl %ah, %ebp": 3,
    "movzbl words, %ecx": 7,
    "movzbl table(%ecx), %ecx": 7,
    "roll $1, %ecx": 2,
    "rorl $8, %ecx": 3,
    "roll %cl, %edx": 2,
    "imull words, %eax": 7,
    "imull %esi, %eax": 3,
    "imull $9, %esi, %eax": 3,
    "imull $900, %esi, %eax": 6,
    "leal 1(%eax,%eax,1), %edx": 4,
    "leal 1000(%eax,%ebx,2), %edx": 7,
    "leal (,%eax,4), %edx": 7,
    "notl %eax": 2,
    "bswap %edi": 2,
}


def test_lengths_are_those_of_the_assembler(tmp_path: Path) -> None:
    code = X86Code.parse(list(LINES), model.forms())
    assert dict(zip(LINES, code.lengths(), strict=True)) == LINES
    if why := oracle.available():
        pytest.skip(f"missing: {why}")
    source = "\n".join([*LINES, ".bss", "table: .zero 1024", "words: .zero 64", ""])
    (tmp_path / "a.s").write_text(source, encoding="utf-8")
    subprocess.run(["as", "--32", "-o", "a.o", "a.s"], cwd=tmp_path, check=True)
    shown = subprocess.run(
        ["objdump", "-d", "--insn-width=16", "a.o"], cwd=tmp_path, check=True, capture_output=True, text=True
    )
    lengths = [
        len(line.split("\t")[1].split()) for line in shown.stdout.splitlines() if line.count("\t") == 2
    ]
    assert lengths == list(LINES.values())


@pytest.mark.parametrize(
    "line", ["pushl %eax", "xorl %eax", "movl (%eax", "addb %al, %bl", "movl %eax, %ymm0"]
)
def test_a_line_that_the_simulator_does_not_know(line: str) -> None:
    with pytest.raises(DescriptionError) as caught:
        X86Code.parse(["notl %eax", line], model.forms())
    assert caught.value.code == "X201"
    assert caught.value.message == f"`{line}` is no instruction that the simulator knows"
    assert caught.value.notes == ("assembly text, line 2",)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('forms = "p01"', "invalid type: string"),
        ('[forms]\n"not r" = "q1"', "`q1` of `not r` are no micro-operations such as `p2 p01`"),
    ],
)
def test_a_file_of_forms_that_cannot_be_read(text: str, message: str) -> None:
    with pytest.raises(DescriptionError) as caught:
        X86Forms.parse(text)
    assert caught.value.code == "M305"
    assert message in caught.value.message


@pytest.mark.parametrize(
    ("line", "code", "message"),
    [
        (
            "movl here+16, %eax",
            "X202",
            "`movl here+16, %eax` in line 1 accesses address 0x110, outside of the memory",
        ),
        (
            "movl there, %eax",
            "X205",
            "`movl there, %eax` in line 1 names `there`, which is no object of the memory",
        ),
    ],
)
def test_an_access_outside_of_the_memory(line: str, code: str, message: str) -> None:
    text = X86Code.parse([line], model.forms())
    with pytest.raises(DescriptionError) as caught:
        text.execute([bytes(16)], {"here": 0x100}, 0x100)
    assert (caught.value.code, caught.value.message) == (code, message)


def test_many_inputs_at_once_are_one_after_the_other() -> None:
    """Every input has registers and memory of its own."""
    lines = ["movl words, %eax", "movzbl %ah, %ecx", "roll %cl, %eax", "imull $77, %eax, %edx", "movb %dl, words+7",
             "bswap %edx", "subl words+4, %edx", "negl %edx", "notl %ecx", "leal 5(%edx,%ecx,4), %esi", "andl $7, %eax",
             "movl %edx, words+8(%eax)", "movzbl words+8(%eax), %edi", "movl %edi, words", "movl %esi, words+4"]  # fmt: skip
    code = X86Code.parse(lines, model.forms())
    numbers = random.Random(3)
    given = [numbers.randbytes(24) for _ in range(9)]

    def done(contents: list[bytes]) -> tuple[list[bytes], list[list[int]]]:
        _, addresses, left = code.execute(contents, {"words": 0x100}, 0x100)
        return left, addresses

    together = done(given)
    apart = [done([one]) for one in given]
    assert together == ([r for (r,), _ in apart], [a for _, (a,) in apart])
    assert {a[0] for a in together[1]} == {0x100}
    assert len({a[11] for a in together[1]}) > 1


def test_a_branch_that_parts_the_inputs() -> None:
    code = X86Code.parse([".L1:", "subl $1, words", "jne .L1"], model.forms())
    with pytest.raises(DescriptionError) as caught:
        code.execute([bytes([2, 0, 0, 0]), bytes([3, 0, 0, 0])], {"words": 0}, 0)
    assert (caught.value.code, caught.value.message) == ("X204", "`jne .L1` in line 3 depends on the input")


def test_unknown_words() -> None:
    assert refusal(UsageError, model.load, "pentium-iv") == (
        "error[X001]: unknown processor `pentium-iv`\n"
        "   = help: did you mean `pentium-ii`? (known: pentium-ii, pentium-pro)"
    )
    with pytest.raises(UsageError, match="unknown operation `encypt`"):
        kernel.make(load("e2"), "encypt", PRO, RECIPE)


KERNELS = [
    ("e2", "encrypt", RECIPE),
    ("e2", "decrypt", RECIPE),
    ("rijndael", "encrypt", "two-operands"),
    ("rijndael", "key_setup_encrypt", "two-operands"),
    ("twofish", "decrypt", "two-operands"),
    ("rc6", "decrypt", "two-operands"),
    ("mars", "encrypt", "two-operands"),
    ("serpent", "encrypt", "two-operands"),
]


@pytest.mark.parametrize(("cipher", "operation", "strategy"), KERNELS)
def test_checked(cipher: str, operation: str, strategy: str) -> None:
    one = made(cipher, operation, strategy)
    runs = checked(one, 16)
    # The text alone takes the cycles that the search saw, but for what accesses depend on.
    assert abs(min(run["cycles"] for run in runs) - one.fitted.cycles) <= one.fitted.cycles // 50
    assert all(run["operations"] == one.fitted.operations for run in runs)


def test_a_wrong_text_is_found() -> None:
    one = made("rc6", "encrypt")
    lines = list(one.fitted.lines)
    at = next(k for k, line in enumerate(lines) if line.startswith("xorl"))
    lines[at] = lines[at].replace("xorl", "orl")
    with pytest.raises(VerificationError) as caught:
        checking.checked(replace(one, fitted=replace(one.fitted, lines=tuple(lines))), 4)
    assert caught.value.code == "X310"


def test_the_recipe_of_the_paper() -> None:
    """NTT: 375 cycles on the Pentium Pro, 355 and 2.45 micro-operations a cycle on the Pentium II, 8 KB of tables."""
    encrypt, decrypt = made("e2", "encrypt", RECIPE), made("e2", "decrypt", RECIPE)
    assert encrypt.table_bytes == 8 << 10
    second = average(checking.checked(encrypt, 128)[0])
    pro = average(checking.checked(replace(encrypt, model=PRO), 128)[0])
    assert 0.95 * 355 <= second <= 355
    assert 0.95 * 375 <= pro <= 375
    assert encrypt.fitted.operations / second == pytest.approx(2.45, rel=0.1)
    assert average(checking.checked(decrypt, 128)[0]) == pytest.approx(second, rel=0.05)


def test_the_smaller_cache_costs() -> None:
    one = made("e2", "encrypt", RECIPE)
    _, addresses = kernel.run(one, checking.inputs(one, 128))
    on = {m.name: average(kernel.simulate(replace(one, model=m), addresses)) for m in (PRO, SECOND)}
    never = average(kernel.simulate(one, addresses, cache=False))
    assert on["pentium-pro"] > on["pentium-ii"] + 10 > never + 5


def test_a_kept_order_is_taken_only_for_its_steps(own_kept: Path) -> None:
    folder = own_kept / "x86"
    little = fitting.Effort(moves=50)
    first = kernel.make(load("rc6"), "encrypt", SECOND, "two-operands", effort=little)
    (path,) = folder.glob("*.json")
    again = kernel.make(load("rc6"), "encrypt", SECOND, "two-operands")
    assert again.fitted == first.fitted
    assert (
        kernel.make(load("rc6"), "encrypt", SECOND, "two-operands", effort=kept.NONE).fitted != first.fitted
    )
    assert list(folder.iterdir()) == [path]
    document = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(
        json.dumps(document | {"order": document["order"][::-1]}), encoding="utf-8"
    )  # against what must come first
    assert kernel.make(load("rc6"), "encrypt", SECOND, "two-operands").fitted.cycles < 2 * first.fitted.cycles


def test_a_kept_choice_is_taken_only_for_its_candidates(own_kept: Path) -> None:
    one = partial(kernel.best, load("rc6"), "key_setup_encrypt", SECOND)
    assert one(effort=fitting.Effort(moves=20)).strategy == "two-operands"
    path = own_kept / "x86" / kept.CHOICES
    ((title, known),) = kept.read_choices(path).items()
    assert title == "rc6 key_setup_encrypt, 128 bits, on pentium-ii of two-operands, two-operands-looped"
    other = kernel._prepare(
        load("rc6"), "key_setup_encrypt", SECOND, "two-operands-looped", "two-alu", 128, ""
    ).digest
    path.write_text(kept.choices_text({title: known | {"best": other}}), encoding="utf-8")
    assert one().strategy == "two-operands-looped"
    path.write_text(kept.choices_text({title: {"candidates": "others", "best": other}}), encoding="utf-8")
    assert one().strategy == "two-operands"


def test_no_step_makes_what_nothing_uses() -> None:
    """A product that an address computes is not made beside it: RC6's 2 x + 1, Twofish's a + 2 b."""
    for cipher in ("rc6", "twofish"):
        one = kernel._prepare(load(cipher), "encrypt", SECOND, "two-operands", "two-alu", 128, "")
        (part,) = one.function.parts()
        steps = json.loads(kept.steps_of(part, SECOND).identity)["steps"]
        operands = [operand for step in steps for operand in step["operands"]]
        used = {one["value"] for one in operands if one["access"] != "write"}
        written = {one["value"] for one in operands if one["access"] == "write"}
        assert written
        assert written <= used


def test_rows_stand_beside_the_paper() -> None:
    found = {row.metric: row for row in rows(made("e2", "encrypt", RECIPE), 32)}
    assert found["cycles"].reference == 355
    assert found["cycles"].ratio == pytest.approx(0.96, abs=0.04)
    assert found["ops"].value == pytest.approx(2.45 * 355, rel=0.05)
    assert found["table_bytes"].value == 8192
    setup = {row.metric: row for row in rows(made("e2", "key_setup_encrypt", RECIPE), 4)}
    assert setup["cycles"].operation == "key_setup_both"
    assert setup["cycles"].reference == 1804
    assert setup["cycles"].value < 1804


def test_emitted_files_are_the_same_again(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    ran = assay(capsys, "emit", "asm", "rc6", "--processor", "pentium-pro", "-o", str(tmp_path), "--json")
    assert ran.code == 0
    assert [Path(name).name for name in ran.json["files"]] == ["rc6.s", "main.c", "README.md"]
    again = tmp_path / "again"
    assert assay(capsys, "emit", "asm", "rc6", "-p", "pentium-pro", "-o", str(again)).code == 0
    assert (again / "rc6.s").read_bytes() == (tmp_path / "rc6.s").read_bytes()


def test_errors_of_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    ran = assay(capsys, "emit", "asm", "rc6", "encrypt", "--processor", "pentium-ii")
    assert (ran.code, ran.err.splitlines()[0]) == (
        2,
        "error[X003]: `pentium-ii` takes no operation, not `encrypt`",
    )
    ran = assay(capsys, "measure", "rc6", "--operation", "encypt", "-p", "pentium-ii")
    assert (ran.code, ran.err.splitlines()[0]) == (2, "error[X002]: unknown operation `encypt`")


def test_a_missing_oracle_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(oracle, "available", lambda: "GCC for 32-bit code (Debian: gcc-multilib)")
    monkeypatch.setattr(checking, "available", oracle.available)
    _, checked_by = checking.checked(made("rc6", "encrypt"), 4)
    assert checked_by == "own execution of the text: 16 known answers, 4 random inputs"
    with pytest.raises(ToolError) as caught:
        oracle.native(made("rc6", "encrypt"), [])
    assert str(caught.value) == (
        "error[X301]: x86-32 code cannot be checked here: GCC for 32-bit code (Debian: gcc-multilib) is missing\n"
        "   = help: cycles are simulated without it"
    )


@pytest.mark.skipif(bool(oracle.available()), reason=f"missing: {oracle.available()}")
def test_an_oracle_that_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    rc6 = made("rc6", "encrypt")
    monkeypatch.setattr(oracle, "source", lambda _: "\tno instruction\n")
    text = refusal(ToolError, oracle.native, rc6, [])
    assert text.splitlines()[0] == "error[X302]: the assembler refuses x86-32 code"
    assert "no such instruction: `no instruction'" in text
    assert text.splitlines()[-1] == "   = help: this is a bug: please report it"
    size = sum(piece.size for piece in rc6.results)
    monkeypatch.undo()
    monkeypatch.setattr(oracle, "_built", lambda *_: "false")
    assert refusal(VerificationError, oracle.native, rc6, []) == (
        "error[X303]: RC6 encrypt for x86-32 ends with status 1 here\n"
        "   = bytes of results: 0; expected: 0\n"
        "   = help: this is a bug of the kernel or of the oracle: please report it"
    ), size


def test_code_that_no_decoder_takes() -> None:
    code = X86Code.parse(["xorl words, %eax"], model.forms())
    limits = json.dumps(json.loads(PRO.limits) | {"decoders": [1]})
    with pytest.raises(DescriptionError, match="instruction 0 has 2 micro-operations, not 1 to 1"):
        code.simulate(model.forms(), limits, 3, [0], [])
    with pytest.raises(DescriptionError, match=r"error\[M307\]: the order names instruction 1, of 1"):
        code.simulate(model.forms(), PRO.limits, 3, [1], [])


SMALL = '''"""Small: tests."""

from cipherassay.lang import *

small = Permutation("Small", state_bits=128, structure="other", source="tests")

@small.permute
def permute(data):
{body}
'''


@pytest.mark.parametrize(
    "body",
    [
        # A complement of bytes leaves the other bits of a register alone: the shift shows them.
        "    s = vec(*data)\n    return vec(*[(~x & y) >> 1 for x, y in zip(s, s.rotate(5))])",
        # The upper half of a product of words that fit no register.
        "    a, b = le_words(data, 64)\n    return le_bytes(a * b, a * 0x9E3779B97F4A7C15)",
    ],
    ids=["complement", "product"],
)
def test_words_that_are_no_registers(body: str, tmp_path: Path) -> None:
    path = tmp_path / "small.py"
    path.write_text(SMALL.format(body=body))
    checked(kernel.best(load(path), "permute", SECOND), 64)
