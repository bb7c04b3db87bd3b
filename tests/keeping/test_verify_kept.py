"""The verb `verify kept`: what holds, is stale, damaged or false, of every kind; verifying nothing fails."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from cipherassay import keeping
from cipherassay.console.output import nothing_verified
from cipherassay.keeping import verification
from support.command import CommandResult, assay

PACKAGE = keeping.PACKAGE


def test_every_kind_has_a_verifier() -> None:
    assert all(verification.units(kind) for kind in keeping.SCHEMAS)
    for kind in keeping.SCHEMAS:
        assert verification.units(kind), kind


@pytest.mark.parametrize("kind", ["layouts", "exhaustion", "key_jumps"])
def test_what_the_package_keeps_holds(capsys: pytest.CaptureFixture[str], kind: str) -> None:
    ran = assay(capsys, "verify", "kept", kind, "--json", "--quiet")
    assert ran.code == 0, ran.err
    counts = ran.json["counts"][kind]
    assert counts["holds"] == len(keeping.every(kind, "*.json*"))
    assert sum(counts.values()) == counts["holds"]


@pytest.mark.slow
def test_all_that_the_package_keeps_holds(capsys: pytest.CaptureFixture[str]) -> None:
    ran = assay(capsys, "verify", "kept", "--json", "--quiet")
    assert ran.code == 0, ran.err
    assert all(one["holds"] and one["holds"] == sum(one.values()) for one in ran.json["counts"].values())


def put(kind: str, name: str, **fields: object) -> Path:
    """Keep a copy of a file of the package, some of its fields changed."""
    text = (PACKAGE / kind / name).read_text()
    return keeping.write(kind, name, json.dumps(json.loads(text) | fields) if fields else text)


def verified(capsys: pytest.CaptureFixture[str], *arguments: str) -> CommandResult:
    return assay(capsys, "verify", "kept", *arguments, "--json", "--quiet")


def states(ran: CommandResult) -> dict[str, str]:
    return {one["name"]: one["state"] for one in ran.json["artefacts"]}


def test_stale_and_damaged_files_are_removed_on_request(
    capsys: pytest.CaptureFixture[str], own_kept: Path
) -> None:
    put("key_jumps", "serpent.json")
    document = json.loads((PACKAGE / "key_jumps" / "serpent.json").read_text())
    (technology,) = document["results"]
    forms = document["results"][technology]
    changed = {name: form | {"verilog": "0"} for name, form in forms.items()}
    stale = keeping.write(
        "key_jumps", "other.json", json.dumps(document | {"results": {technology: changed}})
    )
    old = keeping.write("key_jumps", "old.json", '{"schema": 0}')
    damaged = keeping.write("key_jumps", "torn.json", '{"schema": 1')
    ran = verified(capsys, "key_jumps")
    assert states(ran) == {
        "kept/key_jumps/serpent.json": "holds",
        "kept/key_jumps/other.json": "stale",
        "kept/key_jumps/old.json": "stale",
        "kept/key_jumps/torn.json": "damaged",
    }
    assert ran.code == 4
    assert ran.err.startswith(
        "error[A005]: 1 of 4 kept artefacts are damaged or false\n   = kept/key_jumps/torn.json: damaged: "
    )
    assert stale.exists()
    assert verified(capsys, "key_jumps", "--prune").code == 4
    assert not stale.exists()
    assert not old.exists()
    assert not damaged.exists()
    assert verified(capsys, "key_jumps").code == 0


def test_a_false_sum_is_not_removed(capsys: pytest.CaptureFixture[str], own_kept: Path) -> None:
    document = json.loads((PACKAGE / "key_jumps" / "serpent.json").read_text())
    document["rows"][5] = document["rows"][5][1:]
    path = keeping.write("key_jumps", "serpent.json", json.dumps(document))
    ran = verified(capsys, "key_jumps", "--prune")
    assert (ran.code, states(ran)) == (4, {"kept/key_jumps/serpent.json": "false"})
    assert path.exists()


def test_a_proof_that_is_not_one(capsys: pytest.CaptureFixture[str], own_kept: Path) -> None:
    shutil.copytree(PACKAGE / "proofs" / "gift", own_kept / "proofs" / "gift")
    (own_kept / "proofs" / "gift" / "S.ternary.gates.4.lrat.xz").write_bytes(b"no proof")
    lost = own_kept / "proofs" / "gift" / "S.nothing.lrat.xz"
    lost.write_bytes(b"of no certificate")
    ran = verified(capsys, "proofs", "--prune")
    found = states(ran)
    assert found["kept/proofs/gift/S.ternary.gates.5.json"] == "false"
    assert found["kept/proofs/gift/S.nothing.lrat.xz"] == "stale"
    assert "holds" in found.values()
    assert ran.code == 4
    assert not lost.exists()


def test_an_entry_is_taken_out_of_its_file(capsys: pytest.CaptureFixture[str], own_kept: Path) -> None:
    first, second = json.loads((PACKAGE / "simulations" / "verilator.json").read_text())["records"][:2]
    records = [first, second | {"verilog": "0"}, first | {"cipher": "mine", "design": "mine"}]
    path = keeping.write("simulations", "verilator.json", json.dumps({"schema": 1, "records": records}))
    ran = verified(capsys, "simulations", "--prune")
    assert ran.code == 0, ran.err
    assert [one["state"] for one in ran.json["artefacts"]] == ["holds", "stale", "not checked"]
    left = json.loads(path.read_text())["records"]
    assert sorted(one["design"] for one in left) == sorted([first["design"], "mine"])


def test_a_circuit_with_other_metrics_is_false(capsys: pytest.CaptureFixture[str], own_kept: Path) -> None:
    (name, *_) = sorted((PACKAGE / "circuits" / "skinny").glob("*.gates.txt"))
    text = name.read_text()
    assert "gates=" in text
    keeping.write("circuits", f"skinny/{name.name}", text.replace("metrics gates=", "metrics gates=1"))
    keeping.write("circuits", "skinny/torn.txt", "no circuit")
    ran = verified(capsys, "circuits")
    assert set(states(ran).values()) == {"false", "damaged"}
    assert ran.code == 4


def test_orders_of_the_pentiums(capsys: pytest.CaptureFixture[str], own_kept: Path) -> None:
    every = json.loads((PACKAGE / "x86" / "choices.json").read_text())["choices"]
    mine = {title: one for title, one in every.items() if title.startswith("rc6 encrypt")}
    stale = next(title for title in mine if "pentium-ii" in title)
    mine[stale] = mine[stale] | {"candidates": "others"}
    path = keeping.write("x86", "choices.json", json.dumps({"schema": 1, "choices": mine}))
    (order,) = (PACKAGE / "x86").glob("rc6-encrypt-*.json")
    document = json.loads(order.read_text())
    keeping.write("x86", order.name, json.dumps(document | {"order": document["order"][::-1]}))
    keeping.write("x86", "rc6-encrypt-000000000000.json", '{"schema":1,"order":[0]}')
    keeping.PACKAGE.mkdir()
    (keeping.PACKAGE / "circuits").symlink_to(PACKAGE / "circuits")
    ran = verified(capsys, "x86", "--prune")
    assert sorted(states(ran).values()) == ["false", "holds", "stale", "stale"]
    assert list(json.loads(path.read_text())["choices"]) == [title for title in mine if title != stale]
    assert ran.code == 4


def test_a_schedule_of_no_kernel(capsys: pytest.CaptureFixture[str], own_kept: Path) -> None:
    name = next(
        path.relative_to(PACKAGE / "schedules").as_posix() for path in (PACKAGE / "schedules").glob("e2/*")
    )
    put("schedules", name)
    ran = verified(capsys, "schedules")
    assert states(ran) == {f"kept/schedules/{name}": "stale"}
    assert ran.err.startswith("error[A004]: nothing was verified: there are no kept artefacts that hold\n")
    assert ran.code == 4


def test_what_an_installed_package_brings_stays(capsys: pytest.CaptureFixture[str], own_kept: Path) -> None:
    put("key_jumps", "serpent.json")
    old = keeping.PACKAGE / "key_jumps" / "old.json"
    old.parent.mkdir(parents=True)
    old.write_text('{"schema": 0}')
    ran = verified(capsys, "key_jumps", "--prune")
    assert (ran.code, old.exists()) == (0, True)
    assert [one["removed"] for one in ran.json["artefacts"]] == [False, False]


def test_an_unknown_kind(capsys: pytest.CaptureFixture[str]) -> None:
    ran = assay(capsys, "verify", "kept", "schedule")
    assert ran.code == 2
    assert ran.err.startswith(
        "error[A003]: no artefacts are of the kind `schedule`\n   = help: did you mean `schedules`?"
    )


@pytest.mark.parametrize(
    ("arguments", "what", "why"),
    [
        (("verify", "circuits"), "circuits", "in the library there are none"),
        (("verify", "circuits", "gift", "--proofs"), "proofs", "none are kept of gift"),
        (("verify", "schedules"), "kept kernels", "the options leave none"),
    ],
)
def test_verifying_nothing_fails(
    capsys: pytest.CaptureFixture[str], own_kept: Path, arguments: tuple[str, ...], what: str, why: str
) -> None:
    ran = assay(capsys, *arguments)
    assert (ran.code, ran.out) == (4, "")
    assert ran.err == f"error[A004]: nothing was verified: there are no {what}\n   = {why}\n"


def test_verifying_no_kept_artefact_fails(capsys: pytest.CaptureFixture[str], own_kept: Path) -> None:
    ran = assay(capsys, "verify", "kept", "layouts", "proofs")
    expected = nothing_verified(
        "kept artefacts of the kind layouts, proofs", f"looked in {own_kept}, {keeping.PACKAGE}"
    )
    assert (ran.code, ran.err) == (4, f"{expected}\n")


def test_a_cipher_without_kept_kernels_fails(capsys: pytest.CaptureFixture[str]) -> None:
    ran = assay(capsys, "verify", "schedules", "--cipher", "gift")
    assert ran.code == 4
    assert "nothing was verified" in ran.err
