"""The library: every stored circuit is as stated; nothing wrong or worse ever enters."""

from __future__ import annotations

from pathlib import Path

import pytest

from cipherassay import keeping
from cipherassay.circuits import boxes, documents, library, targets
from cipherassay.circuits.documents import Proof
from cipherassay.errors import AssayError
from support.small_circuits import S3

LONGER = S3.replace("y3 = t14 ^ t9\n", "t16 = t14 | t9\nt17 = t14 & t9\ny3 = t16 & ~t17\n")
WRONG = S3.replace("t14 ^ t9", "t14 | t9")


@pytest.mark.parametrize("family", sorted({path.parent.name for path in keeping.files("circuits", "*/*.txt")}))
def test_every_stored_circuit_is_as_stated(family: str) -> None:
    wrong = {str(item.path): library.verify(item) for item in library.stored(family)}
    assert wrong
    assert {path: problems for path, problems in wrong.items() if problems} == {}


def test_a_circuit_is_kept_checked_and_measured(tmp_path: Path) -> None:
    kept = library.keep(S3, target="and-complement", folder=tmp_path, effort="by hand", origin="a test")
    assert (kept.stored, kept.reason) == (True, "new")
    assert kept.path == tmp_path / "serpent" / "S3.and-complement.gates.txt"
    item = library.read(kept.path)
    assert item.document.head["objective"] == "gates depth"
    assert (item.document.metrics["gates"], item.document.metrics["depth"]) == (15, 7)
    assert item.document.head["published"] == "gates=16 (Gladman and Simpson, January 2000)"
    assert item.document.head["effort"] == "by hand"
    assert library.verify(item) == []
    assert [s.path for s in library.stored(folder=tmp_path)] == [kept.path]


def test_what_is_not_better_is_not_kept_and_what_is_better_is(tmp_path: Path) -> None:
    first = library.keep(LONGER, target="and-complement", folder=tmp_path)
    assert library.keep(LONGER, target="and-complement", folder=tmp_path).reason == "not better"
    assert library.keep(S3, target="and-complement", folder=tmp_path).reason == "better"
    before = first.path.read_bytes()
    assert not library.keep(LONGER, target="and-complement", folder=tmp_path).stored
    assert first.path.read_bytes() == before


def test_a_proof_makes_an_equal_circuit_better_known_and_stays(tmp_path: Path) -> None:
    library.keep(LONGER, target="and-complement", folder=tmp_path, proof="best found; gates >= 13 (a reason)")
    better = library.keep(S3, target="and-complement", folder=tmp_path)
    assert library.read(better.path).document.head["proof"] == "best found; gates >= 13 (a reason)"
    proved = library.keep(
        S3, target="and-complement", folder=tmp_path, proof="optimal: gates (unsatisfiable at 14, FILE)"
    )
    assert proved.reason == "better known"
    item = library.read(proved.path)
    assert item.document.proof.optimal
    assert library.keep(S3, target="and-complement", folder=tmp_path).reason == "not better"


def test_a_wrong_circuit_is_never_kept(tmp_path: Path) -> None:
    with pytest.raises(AssayError) as caught:
        library.keep(WRONG, target="and-complement", folder=tmp_path)
    assert str(caught.value).startswith(
        "error[C104]: the circuit does not compute the box\n   = first differing input: "
    )
    assert caught.value.exit_code == 4
    assert list(tmp_path.rglob("*.txt")) == []


def test_a_circuit_that_its_machine_cannot_run_is_not_kept(tmp_path: Path) -> None:
    with pytest.raises(AssayError) as caught:
        library.keep(S3, target="x86-5", folder=tmp_path)
    message = str(caught.value)
    assert message.startswith(
        "error[C509]: a circuit of serpent.S3 has no instructions on x86-5\n   = instructions: "
    )
    assert list(tmp_path.rglob("*.txt")) == []


def test_a_circuit_that_contradicts_a_proof_is_not_kept(tmp_path: Path) -> None:
    with pytest.raises(AssayError) as caught:
        library.keep(S3, target="and-complement", folder=tmp_path, proof="best found; gates >= 16 (wrong)")
    assert str(caught.value) == (
        "error[C503]: a circuit of serpent.S3 contradicts its proof\n"
        "   = it has gates 15\n"
        "   = the proof: best found; gates >= 16 (wrong)"
    )
    library.keep(LONGER, target="and-complement", folder=tmp_path, proof="optimal: gates (wrong)")
    with pytest.raises(AssayError) as caught:
        library.keep(S3, target="and-complement", folder=tmp_path)
    assert str(caught.value) == (
        "error[C511]: a circuit of serpent.S3 contradicts the proof of the one that is kept\n"
        "   = it has gates 15, the kept one 17\n"
        "   = the proof: optimal: gates (wrong)"
    )


def test_the_checks_of_a_stored_circuit(tmp_path: Path) -> None:
    path = library.keep(S3, target="and-complement", folder=tmp_path).path
    text = path.read_text()

    def problems(changed: str, place: Path = path) -> list[str]:
        place.write_text(changed)
        return library.verify(library.read(place))

    assert "its metrics are gates=15 " in problems(text.replace("gates=15 ", "gates=14 "))[0]
    assert problems(text.replace("table 0 15", "table 15 0")) == ["its table is not that of the box"]
    assert problems(text.replace("gates=16", "gates=17")) == [
        "the published count is gates=16 (Gladman and Simpson, January 2000)"
    ]
    assert (
        "evaluated by itself, it does not compute the box"
        in problems(text.replace("t14 ^ t9", "t14 | t9"))[0]
    )
    assert "its place is serpent/S3.and-complement.gates.txt" in problems(
        text, path.with_name("S4.and-complement.gates.txt")
    )


def test_what_the_library_lacks(tmp_path: Path) -> None:
    box, target = boxes.find("serpent.S3"), targets.find("two-alu")
    library.keep(S3, target="and-complement", folder=tmp_path)
    with pytest.raises(AssayError) as caught:
        library.best(box, target, folder=tmp_path)
    assert str(caught.value) == (
        "error[C501]: the library has no circuit of serpent.S3 for two-alu with few cycles\n"
        "   = it has: and-complement (gates)\n"
        "   = help: assay circuit search serpent.S3 --target two-alu --objective cycles --keep"
    )
    found = library.best(box, targets.find("and-complement"), folder=tmp_path)
    assert found.value == 15


def test_heads_are_read_as_they_are_written() -> None:
    text = (
        "circuit own: 4 -> 4\nobjective gates depth\nmetrics gates=15 depth=8 area_um2=12.5\n"
        "proof best found; gates >= 12 (exhausted (twice))\npublished gates=16 (A (B), 2000)\n"
        "registers r0 r1\nr0 ^= r1\ny0 = r0\n"
    )
    document = documents.one("# a comment\n" + text)
    assert document.text() == text
    assert document.objective == ("gates", "depth")
    assert document.metrics == {"gates": 15, "depth": 8, "area_um2": 12.5}
    assert document.published == {"gates": 16}
    assert document.equations == ("r0 ^= r1", "y0 = r0")
    assert document.proof.bound("gates") == 12
    assert document.proof.state == "best found; gates >= 12"
    assert document.proof.reason("gates") == "exhausted (twice)"


def test_proofs() -> None:
    proof = Proof("optimal: cycles (closure), ops (exhausted); temps >= 2 (counted)")
    assert [proof.proves(m) for m in ("cycles", "ops", "temps", "optimal")] == [True, True, False, False]
    assert (proof.bound("temps"), proof.reason("ops"), proof.reason("temps")) == (2, "exhausted", "counted")


def test_a_text_without_a_circuit() -> None:
    with pytest.raises(AssayError) as caught:
        documents.one("y0 = x0\n", "mine.txt")
    assert str(caught.value) == (
        "error[C505]: mine.txt holds no circuit\n  --> mine.txt\n"
        "   = help: a circuit begins with a line `circuit NAME: 4 -> 4`"
    )
