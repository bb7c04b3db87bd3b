"""`assay measure --strategy best`: what is tried, what is left out, what is kept and taken afterwards."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from cipherassay import keeping, strategies
from cipherassay.ciphers import load
from cipherassay.errors import MeasurementError, VerificationError
from cipherassay.native import choosing
from cipherassay.native.choosing import Choice, Tried
from cipherassay.strategies import preferences, verification
from cipherassay.tools.compiler import find_compiler
from support.command import assay
from support.small_cipher import TEXT
from support.usual import usual

TOY = '''"""Toy. [none]"""
from cipherassay.lang import *
toy = Cipher("Toy", slug="xtea", key_bits=(128,), structure="ARX", source="[none]")
@toy.key_schedule
def key_schedule(key):
    return key
@toy.encrypt
def encrypt(K, block):
    for i in rounds(4):
        block = (block ^ K).rotate(1) + K
    return block
'''


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ASSAY_KEPT", str(tmp_path / "kept"))
    return tmp_path / "kept" / "preferences"


def tried(name: str, block: float, key: float, *same: str) -> Tried:
    cycles: Mapping[Any, float] = {"key_setup_encrypt": key, "encrypt": block, "decrypt": block}
    return Tried(name, cycles, True, same)


def choice(*found: Tried, before: str = "unrolled") -> Choice:
    return Choice(load("xtea"), 128, before, list(found))


def test_the_fastest_block_is_the_best_and_the_key_setup_decides_among_equals() -> None:
    assert choice(tried("a", 100, 500), tried("b", 110, 50)).best == "a"
    assert choice(tried("a", 100, 500), tried("b", 100.5, 50)).best == "b"
    assert choice(tried("a", 100, 50), tried("unrolled", 100.5, 50)).best == "unrolled"
    assert choice(tried("a", 100, 50, "unrolled"), tried("b", 100.5, 50)).best == "unrolled"


def test_the_choice_is_taken_afterwards_and_of_this_program_only(home: Path, tmp_path: Path) -> None:
    xtea = load("xtea")
    choosing.keep(choice(tried("direct", 1, 1)))
    document = json.loads((home / "xtea.json").read_text())
    assert document == {
        "schema": 1, "strategies": {"native": "direct"},
        "programs": {"native": preferences.program_digest(xtea)},
    }  # fmt: skip
    assert strategies.preferred(xtea) == "direct"
    assert strategies.emit_c(xtea, strategy="")[0][1] == strategies.emit_c(xtea, strategy="direct")[0][1]
    (tmp_path / "toy.py").write_text(TOY)
    toy = load(tmp_path / "toy.py")
    assert strategies.preferred(toy) == "unrolled"
    kept = preferences.keep(toy, "native", "direct")
    assert kept.name == f"xtea-{preferences.program_digest(toy)[:8]}.json"
    assert strategies.preferred(toy) == "direct"


def test_a_choice_stays_where_lines_move(home: Path, tmp_path: Path) -> None:
    (tmp_path / "toy.py").write_text(TOY)
    kept = preferences.keep(load(tmp_path / "toy.py"), "native", "direct")
    moved = TOY.replace("    for i in", "\n    # a comment\n    for i in").replace("block = (block", "block  = (block")
    assert moved.count("\n") == TOY.count("\n") + 2
    (tmp_path / "moved.py").write_text(moved)
    toy = load(tmp_path / "moved.py")
    assert toy.compile().text() != load(tmp_path / "toy.py").compile().text()
    assert strategies.preferred(toy) == "direct"
    assert list(home.glob("*.json")) == [kept]
    (tmp_path / "changed.py").write_text(TOY.replace("rotate(1)", "rotate(2)"))
    assert strategies.preferred(load(tmp_path / "changed.py")) == "unrolled"


def test_choices_of_other_targets_stay(home: Path) -> None:
    keeping.write("preferences", "xtea.json", '{"schema": 1, "strategies": {"java-jit": "direct"}}')
    preferences.keep(load("xtea"), "native", "unrolled")
    assert json.loads((home / "xtea.json").read_text())["strategies"] == {
        "java-jit": "direct", "native": "unrolled",
    }  # fmt: skip


def test_a_choice_of_another_program_is_found_out(home: Path) -> None:
    text = '{"schema": 1, "strategies": {"native": "direct"}, "programs": {"native": "0"}}'
    keeping.write("preferences", "xtea.json", text)
    assert strategies.preferred(load("xtea")) == "unrolled"
    (verdict,) = verification._verify(home / "xtea.json")
    assert (verdict.state, verdict.why) == ("stale", "the choice for native is of another program")


def test_the_command_tries_all_and_says_what_it_left_out(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ran = assay(
        capsys, "measure", "speck64", "--strategy", "best", "--seconds", "20", "--accept-unstable", "--json"
    )
    assert ran.code == 0, ran.err
    (found,) = ran.json["choices"]
    names = {name for one in found["tried"] for name in (one["strategy"], *one["same"])} | set(found["left_out"])
    assert names == set(strategies.applicable(load("speck64")))
    assert found["left_out"]["compiled"] == "it makes code for one key"
    assert set(found["tried"][0]["cycles"]) == {
        "key_setup_encrypt", "key_setup_decrypt", "encrypt", "decrypt",
    }  # fmt: skip
    assert all(value > 0 for value in found["tried"][0]["cycles"].values())
    assert strategies.preferred(load("speck64")) == found["best"]
    assert (home / "speck64.json").exists()


def test_measuring_chooses_where_nothing_is_kept(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "small.py").write_text(TEXT)
    words = ["measure", str(tmp_path / "small.py"), "--inputs", "2", "--repeats", "1", "--key-bits", "192"]
    ran = assay(capsys, *words, "--accept-unstable", "--seconds", "10")
    assert ran.code == 0, ran.err
    (kept,) = home.glob("small-*.json")
    best = json.loads(kept.read_text())["strategies"]["native"]
    assert f"kept for Small: {best}, the fastest of " in ran.err
    assert f" {best} " in ran.out
    written = kept.stat().st_mtime_ns
    ran = assay(capsys, *words, "--accept-unstable", "--json")
    assert {row["strategy"] for row in ran.json["rows"]} == {best}
    assert kept.stat().st_mtime_ns == written


def test_nothing_that_can_be_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choosing, "applicable_strategies", lambda cipher: ["compiled"])
    with pytest.raises(MeasurementError) as refused:
        choosing.choose(load("xtea"), None, None, 1.0)  # type: ignore[arg-type]
    assert str(refused.value) == (
        "error[N053]: no strategy of XTEA was tried\n   = compiled: it makes code for one key\n"
        "   = help: more --seconds let it try more"
    )


def test_what_is_preferred_is_tried_however_short_the_time() -> None:
    begun = Choice(load("xtea"), 128, "unrolled")
    built, _ = choosing._build_all(begun, find_compiler("c"), choosing._Clock(0.0, lambda amount, what: None))
    assert list(built) == ["unrolled"]
    assert set(begun.left_out.values()) == {"no time was left", "it makes code for one key"}


def test_where_nothing_is_right_the_first_error_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(cipher: Any, backend: Any, bits: int) -> None:
        raise VerificationError("N030", f"{backend.name} computes {cipher.name} wrongly")

    monkeypatch.setattr(choosing, "check_implementation", wrong)
    with pytest.raises(VerificationError, match="computes XTEA wrongly"):
        choosing.choose(load("xtea"), None, find_compiler("c"), 20.0)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--strategy", "best", "--full"], "`--full` says nothing for `--strategy best`"),
        (["--strategy", "best", "-p", "java-jit"], "`--strategy best` says nothing for `java-jit`"),
        (["--strategy", "direct", "--seconds", "5"], "`--seconds` says nothing for `--strategy direct`"),
        (["-p", "java-jit", "--seconds", "5"], "`--seconds` says nothing for `java-jit`"),
    ],
)
def test_options_that_say_nothing(options: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    ran = assay(capsys, "measure", "xtea", *options)
    assert ran.code == 2
    assert ran.err.startswith(f"error[M719]: {said}\n")


SHIPPED = {
    path.stem: document["programs"]
    for path in sorted((keeping.PACKAGE / preferences.KIND).glob("*.json"))
    if "programs" in (document := json.loads(path.read_text(encoding="utf-8")))
}


@pytest.mark.parametrize("name", usual(SHIPPED, ["des", "idea", "loki97", "sm4", "tdes"]))
def test_shipped_choices_are_of_the_present_program(name: str) -> None:
    assert set(SHIPPED[name].values()) == {preferences.program_digest(load(name))}
