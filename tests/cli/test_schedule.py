"""The verbs `schedule` and `emit asm`."""

from __future__ import annotations

from pathlib import Path

import pytest

from cipherassay.ciphers import load
from cipherassay.processors import library
from support.command import assay

RC6 = ("rc6", "encrypt", "-p", "ia64pp")


def test_what_schedule_prints(capsys: pytest.CaptureFixture[str]) -> None:
    known = assay(capsys, "schedule", *RC6, "--json")
    assert known.code == 0, known.err
    found = known.json
    assert found["bound"] <= found["cycles"]
    assert found["ipc"] == round(found["operations"] / found["cycles"], 4)
    assert found["published"]["cycles"] == 150
    assert found["published"]["difference"] == found["cycles"] - 150
    assert found["code_bytes"] == 16 * found["bundles"]
    assert found["proved"] == all(one["certificate"] != "none" for one in found["regions"])
    assert sum(found["instructions"].values()) == found["operations"]
    shown = assay(capsys, "schedule", *RC6)
    lines = {line.split()[0]: line for line in shown.out.splitlines() if line.startswith("  ")}
    assert lines["cycles"].split()[1] == str(found["cycles"])
    assert f"{found['published']['difference']:+g}" in lines["published"]
    assert found["strategy"] in lines["chosen"]


def test_fewer_ports_cost_cycles(capsys: pytest.CaptureFixture[str]) -> None:
    cycles = [
        assay(capsys, "schedule", "rijndael", "encrypt", "-p", name, "--json").json["cycles"]
        for name in ("mckinley-paper-infinite", "mckinley-paper")
    ]
    assert cycles[0] < cycles[1]


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (
            ("rc6", "encipher", "-p", "ia64pp"),
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
            ("serpent", "encrypt", "-p", "ia64pp", "--function", "M"),
            "error[M715]: Serpent has no part `M`\n   = help: known: L, S0, S1, S2, S3, S4, S5, S6, S7\n",
        ),
        (
            (*RC6, "--key-bits", "100"),
            "error[U010]: RC6 has no key size of 100 bits\n   = help: its key sizes: 128, 192, 256\n",
        ),
    ],
)
def test_mistakes(capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], error: str) -> None:
    ran = assay(capsys, "schedule", *arguments)
    assert (ran.code, ran.out, ran.err) == (2, "", error)


def test_emitted_text(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "kernel.s"
    ran = assay(capsys, "emit", "asm", *RC6, "-o", str(file), "--json")
    assert ran.code == 0, ran.err
    text = file.read_text(encoding="utf-8")
    assert text.startswith(f"// {ran.json['cycles']} cycles; ")
    assert "// r32 -> parameter S: 44 words of 32 bits\n" in text
    assert list(tmp_path.iterdir()) == [file]
    printed = assay(capsys, "emit", "asm", *RC6)
    assert printed.out == text


def test_nothing_is_written_where_nothing_can_be(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    ran = assay(capsys, "emit", "asm", *RC6, "-o", str(tmp_path / "missing" / "kernel.s"))
    assert ran.code == 2
    assert ran.err.startswith("error[U032]: the file `")
    assert list(tmp_path.iterdir()) == []


def test_a_part_alone(capsys: pytest.CaptureFixture[str]) -> None:
    """The HP paper's Figures 1 and 2: 7 and 5 cycles where nothing limits issue."""
    found = {}
    for operation in ("encrypt", "decrypt"):
        arguments = ("schedule", "serpent", operation, "-p", "pa8500-infinite", "--function", "L")
        known = assay(capsys, *arguments, "--json").json
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
    ran = assay(capsys, "schedule", *of, "--select", "search", "--json")
    assert ran.code == 0, ran.err
    (file,) = (own_kept / "kernels").glob("*.json")
    (kept,) = library.choices("ia64pp").values()
    assert str(kept) == ran.json["choice"]
    assert file.name == "ia64pp.json"


def test_code_for_one_key(capsys: pytest.CaptureFixture[str]) -> None:
    key = "00112233445566778899aabbccddeeff"
    found = assay(capsys, "schedule", "rc6", "encrypt", "-p", "ia64pp", "--specialize-key", key, "--json")
    assert found.code == 0, found.err
    assert f"key {key}" in found.json["choice"]
    for arguments, text in [
        (("encrypt", "--specialize-key", "0x"), "error[M734]: `0x` is not a key"),
        (("key_setup_both", "--specialize-key", key), "error[M718]: code for one key has no key setup"),
    ]:
        refused = assay(capsys, "schedule", "rc6", arguments[0], "-p", "ia64pp", *arguments[1:])
        assert refused.code == 2
        assert refused.err.startswith(text)


def test_near_constants_can_be_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    command = ("schedule", "serpent", "key_setup_both", "-p", "ia64pp", "--strategy", "straight", "--json")
    shared = assay(capsys, *command).json
    alone = assay(capsys, *command, "--without", "near constants").json
    assert shared["cycles"] <= alone["cycles"]
    assert shared["instructions"]["movl"] == 1
    assert alone["instructions"]["movl"] > 100


def test_what_each_pass_saves(capsys: pytest.CaptureFixture[str]) -> None:
    command = ("schedule", "twofish", "encrypt", "-p", "mckinley-paper", "--strategy", "height-reduced")
    known = assay(capsys, *command, "--savings", "--json").json
    saved = {one["name"]: one for one in known["savings"]}
    assert saved["single-bits"]["cycles"] > 0
    without = assay(capsys, *command, "--without", "single-bits", "--json").json
    assert without["cycles"] - known["cycles"] == saved["single-bits"]["cycles"]
    assert without["avoided"] == ["single-bits"]
