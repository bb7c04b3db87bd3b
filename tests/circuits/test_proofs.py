import json
import lzma
from pathlib import Path

import pytest

from cipherassay import keeping
from cipherassay.circuits import boxes, certificates, engine, proofs, targets
from cipherassay.circuits.proofs import FOUND, IMPOSSIBLE, UNDECIDED
from cipherassay.errors import AssayError, UsageError, VerificationError
from support.command import assay

pytestmark = pytest.mark.skipif(
    not hasattr(proofs._engine, "circuit_question"), reason="the engine was built without the SAT solver"
)
GIFT, SKINNY = boxes.find("gift.S"), boxes.find("skinny.S4")
TERNARY, TWO = targets.find("ternary"), targets.find("two-input")


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    answer = proofs.prove(GIFT, TERNARY, "gates", 4)
    assert (answer.outcome, answer.certificate.value) == (IMPOSSIBLE, 4)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(keeping.VARIABLE, str(tmp_path_factory.mktemp("kept")))
        return proofs.keep(answer, GIFT, TERNARY)


def test_a_claim_is_proved_kept_and_checked_again(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert kept.name == "S.ternary.gates.4.json"
    certificate = certificates.read(kept)
    assert certificate is not None
    assert certificate.sentence == "no circuit of gift.S for ternary has gates <= 4"
    assert certificate.command == "assay circuit prove gift.S --target ternary --metric gates --value 4"
    assert proofs.check(kept, GIFT, TERNARY) == proofs.CertificateCheck((4,), ())
    monkeypatch.setattr(keeping, "PACKAGE", kept.parents[2])
    assert certificates.strongest(GIFT, TERNARY, "gates") == certificate


def test_what_is_possible_is_found_and_checked() -> None:
    answer = proofs.prove(SKINNY, TERNARY, "gates", 4)
    assert answer.outcome == FOUND
    engine.check(answer.circuit, SKINNY, TERNARY)
    assert engine.measure(answer.circuit, TERNARY)["gates"] == 4


def test_ands_are_counted_without_exclusive_ors() -> None:
    assert proofs.prove(SKINNY, TWO, "and_count", 3).outcome == IMPOSSIBLE
    answer = proofs.prove(SKINNY, TWO, "and_count", 4)
    assert (answer.outcome, answer.certificate.value) == (FOUND, 3)
    assert engine.measure(answer.circuit, TWO)["and_count"] == 4


def test_an_open_question_says_what_is_proved() -> None:
    answer = proofs.prove(boxes.find("serpent.S3"), TERNARY, "gates", 7, seconds=0.5)
    assert (answer.outcome, answer.reason) == (UNDECIDED, "time")
    assert answer.certificate.value < 7


def test_what_cannot_be_proved_is_said() -> None:
    with pytest.raises(UsageError) as raised:
        proofs.prove(GIFT, TWO, "depth", 3)
    assert str(raised.value) == (
        "error[C311]: nothing can be proved about `depth` of target `two-input`\n"
        "   = help: `gates` can be proved for every target of gates, `and_count` for `two-input`"
    )


def refused(path: Path) -> VerificationError:
    with pytest.raises(VerificationError) as raised:
        proofs.check(path, GIFT, TERNARY)
    return raised.value


def changed(kept: Path, folder: Path, **fields: object) -> Path:
    """Copy a certificate with its proof, some fields of its refutation changed."""
    values = json.loads(kept.read_text())
    file = values["refutations"][0]["file"]
    (folder / file).write_bytes((kept.parent / file).read_bytes())
    values["refutations"][0].update(fields)
    (folder / kept.name).write_text(json.dumps(values))
    return folder / kept.name


def test_other_clauses_and_proofs_than_those_named_are_refused(kept: Path, tmp_path: Path) -> None:
    error = refused(changed(kept, tmp_path, clauses_sha256="0"))
    assert str(error).startswith("error[C328]: the clauses for gates 4 are not those of the certificate\n")
    error = refused(changed(kept, tmp_path, kept_sha256="0"))
    assert str(error).startswith("error[C328]: the proof `S.ternary.gates.4.lrat.xz` is not the one named\n")
    (tmp_path / "S.ternary.gates.4.lrat.xz").write_bytes(b"no proof")
    error = refused(tmp_path / kept.name)
    assert str(error).startswith("error[C326]: `S.ternary.gates.4.lrat.xz` cannot be read\n   = ")


def test_the_command_checks_every_claim(
    kept: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(certificates, "stored", lambda: [(kept, certificates.read(kept))])
    ran = assay(capsys, "verify", "circuits", "--proofs")
    assert (ran.code, ran.out) == (0, "")
    assert ran.err.endswith("claims verified: 1; refutations by the proof checker: 1\n")
    ran = assay(capsys, "verify", "circuits", "serpent", "--proofs")
    assert (ran.code, ran.err.splitlines()[-2:][0].startswith("error[A004]")) == (4, True), ran.err
    bad = changed(kept, tmp_path, kept_sha256="0")
    monkeypatch.setattr(certificates, "stored", lambda: [(bad, certificates.read(bad))])
    ran = assay(capsys, "verify", "circuits", "--proofs")
    assert (ran.code, ran.out) == (4, "")
    assert "error[C345]: 1 of 1 stored proofs does not hold\n" in ran.err
    assert "S.ternary.gates.4.json: the proof `S.ternary.gates.4.lrat.xz` is not the one named" in ran.err
    assert assay(capsys, "verify", "circuits", "serpnt").err.startswith("error[C127]: there are no S-boxes")


def test_a_count_left_out_is_noticed(kept: Path, tmp_path: Path) -> None:
    values = json.loads(kept.read_text())
    (tmp_path / kept.name).write_text(json.dumps({**values, "value": 5}))
    error = refused(tmp_path / kept.name)
    assert str(error).startswith("error[C325]: `S.ternary.gates.4.json` does not refute every count up to 5\n")
    assert error.notes == ("refuted: 4; first to refute: 4",)


def test_the_proof_of_other_clauses_is_not_accepted(kept: Path, tmp_path: Path) -> None:
    """A proof for one box is no proof for another, whatever the certificate says."""
    problem = engine.Problem(boxes.find("skinny.S4"), TERNARY, ("gates",))
    proofs._engine.circuit_clauses(problem.as_json(), "gates", 4, str(tmp_path / "cnf"))
    proof = lzma.decompress((kept.parent / "S.ternary.gates.4.lrat.xz").read_bytes())
    (tmp_path / "proof").write_bytes(proof)
    verdict = json.loads(
        proofs._engine.proof_check(str(tmp_path / "cnf"), str(tmp_path / "proof"), lambda _: False)
    )
    assert not verdict["accepted"]
    assert verdict["reason"].startswith("clause ")


def test_what_is_no_certificate_is_said(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text('{"schema": 1}')
    with pytest.raises(AssayError, match=r"error\[A001\]: `x.json` is damaged"):
        certificates.read(tmp_path / "x.json")
    (tmp_path / "x.json").write_text('{"schema": 0}')
    assert certificates.read(tmp_path / "x.json") is None


def test_every_stored_certificate_holds() -> None:
    """Clauses are made anew and kept proofs checked; longer proofs are remade by the command they name."""
    stored = list(certificates.stored())
    assert stored
    for path, certificate in stored:
        box, target = boxes.find(certificate.box), targets.find(certificate.target)
        name = certificates.file_of(box, target, certificate.metric, certificate.value)
        assert path == keeping.PACKAGE / "proofs" / name
        checked = proofs.check(path, box, target)
        assert checked.checked or checked.not_kept
