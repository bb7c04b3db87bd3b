"""Machine code: `measure -p` and `emit asm`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cipherassay.ciphers import load
from cipherassay.processors import library
from support.command import assay

EMITTED = ("rc6", "encrypt", "-p", "ia64pp")
RC6 = ("rc6", "--operation", "encrypt", "-p", "ia64pp")


def kernel(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    """Return what `assay measure` knows of the one kernel that the arguments name."""
    ran = assay(capsys, "measure", *arguments, "--json")
    assert ran.code == 0, ran.err
    (known,) = ran.json["kernels"]
    return known


def test_what_is_known_of_a_kernel(capsys: pytest.CaptureFixture[str]) -> None:
    found = kernel(capsys, *RC6)
    assert found["bound"] <= found["cycles"]
    assert found["ipc"] == round(found["operations"] / found["cycles"], 4)
    assert found["published"]["cycles"] == 150
    assert found["published"]["difference"] == found["cycles"] - 150
    assert found["code_bytes"] == 16 * found["bundles"]
    assert found["proved"] == all(one["certificate"] != "none" for one in found["regions"])
    assert sum(found["instructions"].values()) == found["operations"]
    shown = assay(capsys, "measure", *RC6)
    lines = {line.split()[0]: line for line in shown.out.splitlines() if line.startswith("  ")}
    assert lines["cycles"].split()[1] == str(found["cycles"])
    assert f"{found['published']['difference']:+g}" in lines["published"]
    assert found["strategy"] in lines["chosen"]


def test_fewer_ports_cost_cycles(capsys: pytest.CaptureFixture[str]) -> None:
    cycles = [
        kernel(capsys, "rijndael", "--operation", "encrypt", "-p", name)["cycles"]
        for name in ("mckinley-paper-infinite", "mckinley-paper")
    ]
    assert cycles[0] < cycles[1]


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (
            ("rc6", "--operation", "encipher", "-p", "ia64pp"),
            "error[M710]: unknown operation `encipher`\n"
            "   = help: did you mean `encrypt`? (known: decrypt, encrypt, key_setup_both, key_setup_decrypt, key_setup_encrypt)\n",
        ),
        (
            (*RC6, "--select", "serch"),
            "error[M729]: `--select serch` is unknown\n   = help: did you mean `search`? (known: kept, search)\n",
        ),
        (
            (*RC6, "--prove", "-1"),
            "error[U004]: `--prove` cannot be -1.0\n   = help: --prove takes a number of 0 or more\n",
        ),
        (
            ("serpent", "--operation", "encrypt", "-p", "ia64pp", "--function", "M"),
            "error[M715]: Serpent has no part `M`\n   = help: known: L, S0, S1, S2, S3, S4, S5, S6, S7\n",
        ),
        (
            (*RC6, "--key-bits", "100"),
            "error[N051]: RC6 has no keys of 100 bits\n   = help: its key sizes: 128, 192, 256\n",
        ),
    ],
)
def test_mistakes(capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], error: str) -> None:
    ran = assay(capsys, "measure", *arguments)
    assert (ran.code, ran.out, ran.err) == (2, "", error)


def test_emitted_text(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "kernel.s"
    ran = assay(capsys, "emit", "asm", *EMITTED, "-o", str(file), "--json")
    assert ran.code == 0, ran.err
    text = file.read_text(encoding="utf-8")
    assert text.startswith(f"// {ran.json['cycles']} cycles; ")
    assert "// r32 -> parameter S: 44 words of 32 bits\n" in text
    assert list(tmp_path.iterdir()) == [file]
    printed = assay(capsys, "emit", "asm", *EMITTED)
    assert printed.out == text


def test_nothing_is_written_where_nothing_can_be(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    ran = assay(capsys, "emit", "asm", *EMITTED, "-o", str(tmp_path / "missing" / "kernel.s"))
    assert ran.code == 2
    assert ran.err.startswith("error[U032]: the file `")
    assert list(tmp_path.iterdir()) == []


def test_a_part_alone(capsys: pytest.CaptureFixture[str]) -> None:
    """The HP paper's Figures 1 and 2: 7 and 5 cycles where nothing limits issue."""
    found = {}
    for operation in ("encrypt", "decrypt"):
        arguments = ("measure", "serpent", "--operation", operation, "-p", "pa8500-infinite", "--function", "L")
        (known,) = assay(capsys, *arguments, "--json").json["kernels"]
        found[known["part"]] = known["cycles"]
        assert known["certificate"] == "critical-path"
        assert len(known["operations"]) == 16
    assert found == {"L": 7, "inverse L": 5}
    shown = assay(capsys, *arguments)
    assert shown.out.startswith("Serpent inverse L alone, on pa8500-infinite\n  cycles 5, bound 5 (")


def test_a_choice_searched_anew_is_kept(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, own_kept: Path
) -> None:
    text = Path(load("rc6").file).read_text()
    assert "rounds(1, r + 1)" in text
    (tmp_path / "short.py").write_text(text.replace("rounds(1, r + 1)", "rounds(1, 3)"))
    of = (str(tmp_path / "short.py"), *RC6[1:])
    found = kernel(capsys, *of, "--select", "search")
    (file,) = (own_kept / "kernels").glob("*.json")
    (kept,) = library.choices("ia64pp").values()
    assert str(kept) == found["choice"]
    assert file.name == "ia64pp.json"


def test_code_for_one_key(capsys: pytest.CaptureFixture[str]) -> None:
    key = "00112233445566778899aabbccddeeff"
    found = kernel(capsys, *RC6, "--key", key)
    assert f"key {key}" in found["choice"]
    for arguments, text in [
        (("encrypt", "--key", "0x"), "error[M734]: `0x` is not a key"),
        (("key_setup_both", "--key", key), "error[M718]: code for one key has no key setup"),
    ]:
        refused = assay(capsys, "measure", "rc6", "--operation", arguments[0], "-p", "ia64pp", *arguments[1:])
        assert refused.code == 2
        assert refused.err.startswith(text)


def test_near_constants_can_be_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    command = ("serpent", "--operation", "key_setup_both", "-p", "ia64pp", "--strategy", "straight")
    shared = kernel(capsys, *command)
    alone = kernel(capsys, *command, "--without", "near constants")
    assert shared["cycles"] <= alone["cycles"]
    assert shared["instructions"]["movl"] == 1
    assert alone["instructions"]["movl"] > 100


def test_what_each_pass_saves(capsys: pytest.CaptureFixture[str]) -> None:
    command = ("twofish", "--operation", "encrypt", "-p", "mckinley-paper", "--strategy", "height-reduced")
    known = kernel(capsys, *command, "--savings")
    saved = {one["name"]: one for one in known["savings"]}
    assert saved["single-bits"]["cycles"] > 0
    without = kernel(capsys, *command, "--without", "single-bits")
    assert without["cycles"] - known["cycles"] == saved["single-bits"]["cycles"]
    assert without["avoided"] == ["single-bits"]


def test_what_is_of_one_kernel(capsys: pytest.CaptureFixture[str]) -> None:
    ran = assay(capsys, "measure", "serpent", "rc6", "-p", "ia64pp", "--function", "L")
    assert (ran.code, ran.err) == (
        2, "error[M747]: `--function` is of one cipher and one operation\n   = help: name them\n",
    )  # fmt: skip
    ran = assay(capsys, "measure", "rc6", "-p", "ia64pp", "--layout", "aligned")
    assert ran.err == (
        "error[M719]: `--layout` says nothing for `several operations`\n"
        "   = help: name one cipher and one --operation\n"
    )


def test_what_simulate_asks_for(capsys: pytest.CaptureFixture[str]) -> None:
    assert assay(capsys, "simulate", "rc6", "encrypt").err == (
        "error[M745]: what is to be simulated, where?\n   = help: code: assay simulate CIPHER OPERATION -p NAME; "
        "hardware: assay simulate CIPHER --rtl\n"
    )
    assert assay(capsys, "simulate", "rc6", "encrypt", "-p", "pa8500", "--key-bits", "3in1").err == (
        "error[M746]: `--key-bits 3in1` is no size of keys\n   = help: a number of bits: 128\n"
    )
    assert assay(capsys, "simulate", "rc6", "encrypt", "-p", "avr").err.splitlines()[-1] == (
        "   = help: `assay measure CIPHER -p avr` makes its code and counts cycles in its simulator"
    )
    refused = assay(capsys, "simulate", "rc6", "--rtl", "-p", "pa8500")
    assert refused.err.startswith("error[M719]: `--processor` says nothing for `--rtl`\n")
    refused = assay(capsys, "simulate", "rc6", "encrypt", "-p", "pa8500", "--simulator", "icarus")
    assert refused.err.startswith("error[M719]: `--simulator` says nothing for `pa8500`\n")


def test_rows_are_kept_and_asked_for(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSAY_STORE", str(tmp_path))
    many = assay(capsys, "measure", "rc6", "rijndael", "-p", "ia64pp", "--operation", "encrypt", "--json").json
    one = assay(capsys, "measure", *RC6, "--json").json
    assert "kernels" not in many
    assert [row for row in many["rows"] if row["cipher"] == "RC6"] == one["rows"]
    sql = "select cipher, value from valid where metric = 'cycles' and target = 'ia64pp' order by cipher"
    cycles = {row["cipher"]: row["value"] for row in many["rows"] if row["metric"] == "cycles"}
    asked = assay(capsys, "query", sql.replace("valid", "results") , "--json").json["rows"]
    assert {row["cipher"]: row["value"] for row in asked if row["value"] in cycles.values()} == cycles
    shown = assay(capsys, "measure", "rc6", "rijndael", "-p", "ia64pp", "--operation", "encrypt")
    assert f"{cycles['RC6']:g}" in shown.out
    assert max(map(len, shown.out.splitlines())) <= 80
