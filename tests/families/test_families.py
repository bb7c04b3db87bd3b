"""All modelled processors as one list: shown, checked, and what `assay measure` does with small ones."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from cipherassay import families
from cipherassay.cli.measure import small_details
from cipherassay.families import _facts, pentiums, small
from cipherassay.java.measuring import TARGETS
from cipherassay.results import Row
from cipherassay.x86 import model
from support.command import assay

CLOCKS = {
    "alpha-21164a": 600, "pentium-pro": 200, "pentium-ii": 450, "h8-300": 5, "avr": 20, "mcs51": 12,
}  # fmt: skip


def test_every_processor_that_code_is_made_for_is_there() -> None:
    from cipherassay import processors
    from cipherassay.embedded import processors as small_ones

    assert families.names() == sorted(processors.names() + model.names() + small_ones.names())


def test_the_list_has_the_clocks_of_the_files(capsys: pytest.CaptureFixture[str]) -> None:
    entries = {one["name"]: one for one in assay(capsys, "list", "processors", "--json").json["processors"]}
    assert {name: entries[name]["mhz"] for name in CLOCKS} == CLOCKS
    assert entries["pentium-pro"]["order"] == "out of order"
    assert (entries["h8-300"]["isa"], entries["h8-300"]["issue"]) == ("h8-300", 1)


def test_a_pentium_is_shown_with_its_sources(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")  # nothing in the tables is wrapped
    shown = assay(capsys, "show", "pentium-ii").words
    assert shown.startswith("pentium-ii: Pentium II, 450 MHz (x86-32, builds on pentium-pro) ")
    for part in (
        "16384 bytes, 4 ways, lines of 32 bytes; 12 cycles if missed",
        "alu m,r",
        "p2 p01 p3 p4",
        "450 MHz",
    ):
        assert part in shown
    known = assay(capsys, "show", "pentium-ii", "--json").json
    assert known["limits"]["decoders"] == [4, 1, 1]
    assert all(" ".join(source.split()) in shown for source in (known["cache"]["source"], known["limits"]["source"]))


def test_a_small_processor_is_shown_with_its_instructions(capsys: pytest.CaptureFixture[str]) -> None:
    shown = assay(capsys, "show", "h8-300").words
    assert "5 MHz, a cycle is a clock" in shown
    known = assay(capsys, "show", "h8-300", "--json").json
    states = {(one["name"], one["mode"]): one["states"] for one in known["instructions"]}
    assert (states["load.b", "absolute8"], states["mulxu.b", ""]) == (4, 14)
    assert "12 MHz, a cycle is 12 clocks" in assay(capsys, "show", "mcs51").words


@pytest.mark.parametrize(
    ("given", "error"),
    [
        (
            ["show", "avr", "--width", "3"],
            "error[M006]: the processor `avr` has no parameter `width`\n   = help: it has none\n",
        ),
        (
            ["measure", "rc6", "--operation", "encrypt", "-p", "pentium-4"],
            "error[M002]: there is no processor `pentium-4`\n   = help: did you mean `pentium-ii`? "
            f"(known: {', '.join(sorted([*families.names(), *TARGETS, 'native']))})\n",
        ),
        (
            ["measure", "rc6", "--operation", "encrypt", "-p", "avr", "--prove", "3"],
            "error[M719]: `--prove` says nothing for `avr`\n   = help: it is for processors of issue slots: see "
            "`assay list processors`\n",
        ),
        (
            ["measure", "rc6", "--operation", "encypt", "-p", "mcs51"],
            "error[E143]: unknown operation `encypt`\n   = help: did you mean `encrypt`? "
            "(known: decrypt, encrypt, key_setup_both, key_setup_decrypt, key_setup_encrypt)\n",
        ),
    ],
)
def test_errors_of_names_and_options(
    capsys: pytest.CaptureFixture[str], given: list[str], error: str
) -> None:
    ran = assay(capsys, *given)
    assert (ran.code, ran.err) == (2, error)


def test_a_verb_of_issue_slots_refuses_others(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "one.toml").write_text("[[instruction]]\n")
    ran = assay(capsys, "study", "what-if", "-p", "avr", "--instruction", str(tmp_path / "one.toml"))
    assert ran.code == 2
    assert ran.err.splitlines()[0] == "error[M703]: `avr` is not modelled by ports and issue slots"


def test_what_is_wrong_in_a_file_of_facts(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text('title = "Mine"\nsource = "a"\nconfidence = "sure"\n[clock]\nmhz = 0\n')
    found = _facts.contradictions(
        _facts.read(file), {"": ("title", "isa"), "clock": ("mhz",), "memory": ()}, file
    )
    assert [(one.code, one.message) for one in found] == [
        ("M050", "there is no `isa`"),
        ("M051", "the confidence `sure` is unknown"),
        ("M051", "the confidence `sure` in [clock] is unknown"),
        ("M052", "`mhz` in [clock] is 0, not above zero"),
        ("M073", "there is no section [memory]"),
    ]


def test_a_pentium_with_contradictions(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for file in (model.file("pentium-pro"), model.file("pentium-ii")):
        shutil.copy(file, tmp_path)
    changed = tmp_path / "pentium-pro.toml"
    changed.write_text(changed.read_text().replace("[4, 1, 1]", "[3, 1, 1]").replace("8192", "8200"))
    monkeypatch.setattr(model, "_FOLDER", tmp_path)
    sets = f"\n  --> {changed}\n   = 8200 bytes, lines of 32 bytes, 4 ways"
    decoder = f" has 4 micro-operations, the first decoder takes 3\n  --> {model.INSTRUCTIONS}"
    assert [str(one) for one in pentiums.FAMILY.check("pentium-pro")] == [
        "error[M054]: the data cache is not of whole sets" + sets.replace("4 ways", "2 ways"),
        "error[M054]: the instruction cache is not of whole sets" + sets,
        "error[M055]: `alu m,r`" + decoder,
        "error[M055]: `alu m,i`" + decoder,
    ]


def test_an_instruction_that_takes_no_time(monkeypatch: pytest.MonkeyPatch) -> None:
    one = {"name": "nop", "cycles": 0}
    monkeypatch.setattr(type(small.processors.load("avr")), "instructions", lambda _: [one])
    assert [str(found) for found in small.FAMILY.check("avr")] == [
        f"error[M053]: the instruction `nop` takes no time\n  --> {small.processors.folder('avr') / 'processor.toml'}"
    ]


def test_a_file_that_cannot_be_read(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "processor.toml").write_text("title = \n")
    monkeypatch.setattr(small.processors, "folder", lambda _: tmp_path)
    with pytest.raises(families.AssayError, match="the file cannot be read") as caught:
        small.FAMILY.check("avr")
    assert caught.value.code == "M001"


def test_the_papers_cycles_stand_beside() -> None:
    row = Row(
        cipher="E2", operation="encrypt", key_bits=128, level="embedded", target="H8/300",
        metric="cycles", value=6000, basis="simulated",
    )  # fmt: skip
    found = small_details.published(row, "h8-300")
    assert found is not None
    assert found.value == 6374
    keys = small_details.published(replace(row, operation="key_setup_both", key_bits=192), "h8-300")
    assert keys is not None
    assert keys.value == 15284
    assert small_details.published(row, "avr") is None


@pytest.mark.skipif(shutil.which("h8300-hms-as") is None, reason="missing: binutils-h8300-hms")
def test_a_small_processor_is_scheduled(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("measure", "rijndael", "-p", "h8-300", "--loop", "--operation")
    (known,) = assay(capsys, *words, "encrypt", "--json").json["kernels"]
    assert (known["form"], known["inside"]) == ("rounds in loops", "without saving registers")
    assert known["cycles_inside"] < known["cycles"] <= known["cycles_average"]
    assert known["kbit_per_second"] == pytest.approx(128 * 5e3 / known["cycles"], abs=0.01)
    shown = assay(capsys, *words, "key_setup_encrypt")
    assert (shown.code, "rounds in loops" in shown.words) == (0, True)
    assert "checked by GNU assembler" in shown.words
