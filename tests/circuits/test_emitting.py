"""Circuits in other languages: kept texts, proofs in each language's own form, wrong texts found out."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from cipherassay.circuits import boxes, documents, emitting, library, targets
from cipherassay.circuits.boxes import Box
from cipherassay.circuits.documents import Document
from cipherassay.circuits.emitted.counting import vector_instructions
from cipherassay.circuits.emitting import EmittedText
from cipherassay.errors import DescriptionError, ToolError, UsageError, VerificationError
from support.golden import golden

CHI = """circuit chi.three: 3 -> 3
table 0 3 6 1 5 4 2 7
metrics gates=6 depth=2
origin own search
t1 = x2 & ~x1
t2 = x0 & ~x2
t3 = x1 & ~x0
y0 = x0 ^ t1
y1 = x1 ^ t2
y2 = x2 ^ t3
"""
CHI_BOX = Box("chi.three", 3, (0, 3, 6, 1, 5, 4, 2, 7))
ODD = """circuit mixed: 4 -> 5
t1 = lut(0xca, x0, x1, x2)
t2 = lut(0x6996, x0, x1, t1, x3)
t3 = ~(t2 & x3)
t4 = ~(t3 ^ t1)
t5 = lut(0x1ee1, t1, t2, t3, t4)
t6 = x1 | ~t5
y0 = ~t2
y1 = t6
y2 = x1
y3 = 1
y4 = t6
"""
LANGUAGES = list(emitting.languages())


def box_of(text: str) -> Box:
    """Evaluate a circuit's equations as Python does."""
    document = documents.one(text)
    values = []
    for v in range(1 << document.inputs):
        known = {f"x{k}": v >> k & 1 for k in range(document.inputs)}

        def lut(table: int, *operands: int) -> int:
            return table >> sum(bit << n for n, bit in enumerate(operands)) & 1

        for line in document.equations:
            result, _, value = line.partition(" = ")
            known[result] = eval(value, {"lut": lut}, known) & 1
        values.append(sum(known[f"y{k}"] << k for k in range(document.outputs)))
    return Box(document.name, document.outputs, tuple(values))


def random_text(seed: int, inputs: int, gates: int) -> str:
    """A circuit of random gates of one to four operands."""
    choose = random.Random(seed)
    wires = [f"x{k}" for k in range(inputs)]
    lines = []
    for n in range(gates):
        operands = [choose.choice(wires[-7:]) for _ in range(choose.randint(2, 4))]
        table = choose.randrange(1, (1 << (1 << len(operands))) - 1)
        two = [f"{operands[0]} ^ {operands[1]}", f"~({operands[0]} | {operands[1]})"]
        listed = f"lut({table:#x}, {', '.join(operands)})" if len(operands) > 2 else choose.choice(two)
        lines.append(f"t{n} = {listed}")
        wires.append(f"t{n}")
    outputs = [f"y{k} = {choose.choice(wires[inputs:])}" for k in range(choose.randint(1, 8))]
    return "\n".join([f"circuit random.n{seed}: {inputs} -> {len(outputs)}", *lines, *outputs]) + "\n"


def skip_if_not_run(proof: emitting.Proof) -> None:
    if not proof.proved:
        pytest.skip("; ".join(proof.skipped))


@pytest.mark.golden
@pytest.mark.parametrize("language", LANGUAGES)
def test_kept_texts(language: str) -> None:
    suffix = emitting.languages()[language].suffix
    golden(f"circuits/chi.{language}.{suffix}", emitting.emit(CHI, language))


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_text_computes_its_box(language: str) -> None:
    texts = [CHI, ODD, *(random_text(seed, 3 + seed % 6, 4 + 3 * seed % 20) for seed in range(10))]
    items = [EmittedText(emitting.emit(text, language), language, box_of(text)) for text in texts]
    proofs = emitting.check_all(items)
    skip_if_not_run(proofs[0])
    assert [proof.box for proof in proofs] == [item.box.name for item in items]
    assert proofs[0].inputs == 8


@pytest.mark.parametrize("language", LANGUAGES)
def test_circuits_of_the_library(language: str) -> None:
    """A dozen stored circuits of different families and targets, one run of each tool for all."""
    every = list(library.stored())
    items = []
    for stored in every[:: max(1, len(every) // 12)]:
        target = targets.find(stored.target)
        text = emitting.emit(stored.text, language, target=target)
        if language == "x86" and stored.metric == "instructions":
            made = re.search(r"written as (\d+) operations? and (\d+) move", text)
            assert made
            assert int(made[1]) + int(made[2]) == stored.value
        items.append(EmittedText(text, language, boxes.find(stored.box)))
    if items:
        skip_if_not_run(emitting.check_all(items)[0])


@pytest.mark.parametrize(("target", "language", "options"), [("two-alu", "pa-risc", {}), ("infinite", "ia64", {"width": "96"})])
def test_streams_take_the_cycles_that_the_library_states(target: str, language: str, options: dict[str, str]) -> None:
    for stored in library.stored(target=target, metric="cycles"):
        text = emitting.emit(stored.text, language, **options)
        made = re.search(r"written as (\d+) operations? in (\d+) cycle", text)
        assert made
        metrics = stored.document.metrics
        assert (int(made[1]), int(made[2])) == (metrics["ops"], metrics["cycles"]), stored.path.name


def test_joined_gates_are_what_the_compiler_makes() -> None:
    """Two-input circuits joined into ternary logic: gcc finds nothing left to join."""
    every = [s for s in library.stored("serpent", "two-input", "gates") if s.box in ("serpent.S7", "serpent.S2")]
    for stored in every:
        text = emitting.emit(stored.text, "c-avx512")
        made = re.search(r"written as (\d+) operations", text)
        assert made
        try:
            counts = vector_instructions(text)
        except ToolError as error:
            pytest.skip(error.message)
        assert counts["logic"] == int(made[1]) <= 8


@pytest.mark.parametrize(
    ("language", "reason"),
    [
        ("c", "C compiler: neither gcc nor clang is on this machine (apt-get install gcc)"),
        ("verilog", "iverilog: not on this machine (apt-get install iverilog)"),
        ("vhdl", "ghdl: not on this machine (apt-get install ghdl)"),
        ("ia64", "ia64-linux-gnu-as: not on this machine (apt-get install binutils-ia64-linux-gnu)"),
    ],
)
def test_a_missing_tool_is_named(
    language: str, reason: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    text = emitting.emit(CHI, language)
    monkeypatch.setenv("PATH", str(tmp_path))
    proof = emitting.check(text, language, CHI_BOX)
    assert proof.skipped == (reason,)
    assert proof.proved == (language == "ia64")
    assert str(proof).endswith(f"skipped: {reason}")


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_text_of_another_box_is_found_out(language: str) -> None:
    wrong = Box("chi.three", 3, (*CHI_BOX.data[:5], 5, *CHI_BOX.data[6:]))
    text = emitting.emit(CHI, language)
    skip_if_not_run(emitting.check(text, language, CHI_BOX))
    with pytest.raises(VerificationError) as caught:
        emitting.check(text, language, wrong)
    assert caught.value.code == "C410"
    assert caught.value.message == f"the {language} text of chi.three does not compute the box"
    assert caught.value.notes[0] == "first differing input: 5; text: 4; box: 5"


def test_the_box_names_what_is_written() -> None:
    box = boxes.find("serpent.S3.inverse")
    text = emitting.emit(CHI, "c", name=box.name)
    assert "void serpent_S3_inverse(const uint64_t x[3], uint64_t y[3])" in text
    assert emitting.identifier("x1") == "sbox_x1"
    assert emitting.identifier("my box (2)") == "my_box_2"
    assert emitting.identifier("module") == "sbox_module"


def test_the_word_of_c() -> None:
    text = emitting.emit(CHI, "c", word="32")
    assert "uint64_t" not in text
    assert emitting.check(text, "c", CHI_BOX).proved


@pytest.mark.parametrize(
    ("language", "options", "message"),
    [
        ("veriog", {}, "error[C401]: circuits are not written in `veriog`\n   = help: did you mean `verilog`?"),
        ("c", {"word": "16"}, "error[C406]: `16` is no value of the option `word`\n   = help: bits of a word: 64, 32"),
        ("c", {"words": "32"}, "error[C402]: `words` is no option of the language c\n   = help: did you mean `word`?"),
        ("verilog", {"word": "32"}, "error[C402]: `word` is no option of the language verilog\n   = help: none is known"),
    ],
)
def test_what_is_not_known(language: str, options: dict[str, str], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        emitting.emit(CHI, language, **options)
    assert str(caught.value) == message
    assert caught.value.exit_code == 2


def test_an_unknown_language_to_check() -> None:
    with pytest.raises(UsageError, match=r"error\[C401\]"):
        emitting.check("", "verlog", CHI_BOX)


def test_several_circuits_are_refused() -> None:
    with pytest.raises(UsageError) as caught:
        emitting.emit(CHI + ODD, "c", file="two.txt")
    assert str(caught.value) == (
        "error[C404]: two.txt holds 2 circuits where one is expected\n   = it holds: chi.three, mixed"
    )


def test_a_wrong_circuit_is_not_written() -> None:
    with pytest.raises(VerificationError, match=r"error\[C104\]"):
        emitting.emit(CHI.replace("table 0 3", "table 3 0"), "c")


@pytest.mark.parametrize(("language", "broken"), [("c", "y[1] = y0 +;"), ("verilog", "y[1] == 1;"), ("vhdl", "y(1) = 1;")])
def test_a_text_that_a_tool_refuses(language: str, broken: str) -> None:
    text = emitting.emit(CHI, language)
    skip_if_not_run(emitting.check(text, language, CHI_BOX))
    with pytest.raises(VerificationError, match=f"refuses the {language} text") as caught:
        emitting.check(re.sub(r"y[\[(]1[\])].*;", broken, text), language, CHI_BOX)
    assert caught.value.code == "C411"


def test_the_same_text_each_time() -> None:
    document = Document("chi.three", 3, 3, {}, documents.one(CHI).equations)
    for language in LANGUAGES:
        assert emitting.emit(document.text(), language) == emitting.emit(document.text(), language)


def test_machines_keep_their_rules() -> None:
    stream = emitting.emit(CHI, "ia64")
    lines = stream.splitlines()
    stop = lines.index("        ;;")
    joined = "\n".join(lines[:stop] + lines[stop + 1 :]).replace("in 2 cycles", "in 1 cycle")
    with pytest.raises(VerificationError, match="cycle 1 reads r14, which it wrote"):
        emitting.check(joined, "ia64", CHI_BOX)
    with pytest.raises(VerificationError, match="cycle 1 has 3 instructions, not 1 to 2"):
        emitting.check(stream.replace("up to 6", "up to 2"), "ia64", CHI_BOX)
    with pytest.raises(VerificationError, match="the head states 2 cycles, the text has 1"):
        emitting.check(joined.replace("in 1 cycle", "in 2 cycles"), "ia64", CHI_BOX)
    pairs = emitting.emit(CHI, "pa-risc")
    once = re.sub(r"^; cycle [23]\n", "", pairs, flags=re.M)
    once = once.replace("in 3 cycles of up to 2", "in 1 cycle of up to 6")
    with pytest.raises(VerificationError, match="depends on another of the same cycle"):
        emitting.check(once, "pa-risc", CHI_BOX)


def test_operands_of_and_complement() -> None:
    """``t1 = x2 & ~x1``: PA-RISC and IA-64 complement the second operand, the vector instructions the first."""
    assert "andcm   %r24,%r25," in emitting.emit(CHI, "pa-risc")
    assert re.search(r"andcm   r\d+ = r34, r33 ", emitting.emit(CHI, "ia64"))
    assert "t1 = _mm256_andnot_si256(x1, x2);" in emitting.emit(CHI, "c-avx2")


def test_ternary_constants() -> None:
    majority = "circuit m: 3 -> 2\ny0 = lut(0xe8, x0, x1, x2)\ny1 = lut(0xca, x2, x1, x0)\n"
    text = emitting.emit(majority, "c-avx512")
    assert "_mm512_ternarylogic_epi64(x0, x1, x2, 0xe8)" in text
    # lut(0xca, a, b, c) is c ? b : a; the immediate counts its first operand highest.
    assert "_mm512_ternarylogic_epi64(x2, x1, x0, 0xd8)" in text


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_the_compiler_makes_no_more_instructions_than_gates(compiler: str) -> None:
    try:
        counts = vector_instructions(emitting.emit(CHI, "c-avx512"), compiler=compiler)
    except ToolError as error:
        pytest.skip(error.message)
    assert counts["logic"] == 3
    assert counts["vpternlogq"] == 3


def test_large_boxes_find_room() -> None:
    """A circuit that keeps more values alive than x86 has registers."""
    text = random_text(77, 8, 60)
    lines = text.splitlines()
    sums = [f"s{k} = t{k} ^ t{59 - k}" for k in range(24)]
    more = [f"q{k} = s{k} & s{23 - k}" for k in range(12)]
    body = lines[1:61] + sums + more
    outputs = [f"y{k} = q{k} ^ s{k + 8}" for k in range(8)]
    whole = "\n".join(["circuit large: 8 -> 8", *body, *outputs]) + "\n"
    for language in ("x86", "ia64"):
        skip_if_not_run(emitting.check(emitting.emit(whole, language), language, box_of(whole)))
    with pytest.raises(DescriptionError) as caught:
        emitting.emit(whole, "pa-risc")
    assert str(caught.value) == (
        "error[C403]: the circuit needs more than the 28 registers of PA-RISC\n"
        "   = 91 of 147 operations have one\n"
        "   = help: write it as C, or split the box's outputs over several circuits"
    )


def test_five_registers() -> None:
    text = emitting.emit(CHI, "x86")
    assert "written as 8 operations and 2 moves in 5 registers" in text
    assert "moves in 8 registers" not in emitting.emit(CHI, "x86", registers="8")
