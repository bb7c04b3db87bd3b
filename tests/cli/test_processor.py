"""The verb `processor` and the package `cipherassay.processors`."""

from __future__ import annotations

from pathlib import Path

import pytest

from cipherassay import processors
from cipherassay.errors import DescriptionError
from support.command import assay

MODELS = {
    "alpha-21164a", "cortex-a53", "cortex-m3", "cortex-m4", "sifive-e31", "sifive-e31-zbb", "epic", "four-banger", "ia64pp", "mckinley", "mckinley-paper", "merced", "pa8200", "pa8500",
}  # fmt: skip
OTHERS = {"avr", "h8-300", "mcs51", "pentium-ii", "pentium-pro"}
ALL = ", ".join(sorted(MODELS | OTHERS))
WHAT_IF = """\
title = "Rotation by a field"
inherits = "mckinley-paper"
source = "made up"
confidence = "hypothetical"

[[instruction]]
name = "rotx"
class = "ISHF"
form = "d:gr = a:gr, b:gr"
assembly = "rotx {d} = {a}, {b}"
semantics = "d = rotl(a, field(b, 27, 5), 32)"
"""


def test_names() -> None:
    assert set(processors.names()) == MODELS
    assert {"epic-infinite", "epic"} < set(processors.names(infinite=True))


@pytest.mark.parametrize("name", sorted(MODELS))
def test_show_names_every_class_and_source(capsys: pytest.CaptureFixture[str], name: str) -> None:
    shown, known = (
        assay(capsys, "show", name),
        assay(capsys, "show", name, "--json"),
    )
    assert (shown.code, known.code) == (0, 0), shown.err
    for entry in known.json["classes"] + known.json["isa"]["instructions"]:
        assert f" {entry['name']} " in shown.words
        assert " ".join(entry["source"].split()) in shown.words
        assert entry["confidence"] in shown.out
    assert known.json["name"] == name


def test_show_with_settings(capsys: pytest.CaptureFixture[str]) -> None:
    options = [
        "--width",
        "8",
        "--memory-ports",
        "2",
        "--addressing",
        "scaled-indexed",
        "--set",
        "rotate=present",
    ]
    known = assay(capsys, "show", "epic", *options, "--json").json
    assert known["issue"]["width"] == 8
    names = [i["name"] for i in known["isa"]["instructions"]]
    assert {"load.4", "rotl"} < set(names)
    assert "extract" not in names
    limits = {cap["name"]: cap["limit"] for cap in known["caps"]}
    assert limits == {"G0 G1": 2, "issue": 8}


def test_infinite_has_no_limits(capsys: pytest.CaptureFixture[str]) -> None:
    known = assay(capsys, "show", "mckinley-infinite", "--json").json
    assert (known["caps"], known["infinite"]) == ([], True)
    assert "no limit" in assay(capsys, "show", "mckinley-infinite").out


def test_check_finds_nothing_in_the_models(capsys: pytest.CaptureFixture[str]) -> None:
    ran = assay(capsys, "check", "processors")
    assert ran.code == 0
    assert ran.out == "".join(f"{name}: no contradiction\n" for name in sorted(MODELS | OTHERS))


def test_list(capsys: pytest.CaptureFixture[str]) -> None:
    assert {entry["name"] for entry in assay(capsys, "list", "processors", "--json").json["processors"]} == MODELS | OTHERS
    assert "Itanium 2 (McKinley)" in assay(capsys, "list", "processors").out


def test_a_processor_of_the_user(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(WHAT_IF)
    known = assay(capsys, "show", "mine", "--path", str(tmp_path), "--json").json
    assert known["inherits"] == "mckinley-paper"
    assert "rotx" in [i["name"] for i in known["isa"]["instructions"]]
    mine = processors.load("mine", path=tmp_path)
    assert mine.execute("rotx", [0x80000001, 4 << 27])[0] == [0x18]
    assert assay(capsys, "check", "mine", "--path", str(tmp_path)).code == 0


def test_an_instruction_in_addition(tmp_path: Path) -> None:
    file = tmp_path / "rotx.toml"
    file.write_text(WHAT_IF.replace('inherits = "mckinley-paper"\n', ""))
    more = processors.load("mckinley-infinite", instructions=file)
    known = processors.document(more)
    assert (known["name"], known["inherits"]) == ("mckinley+rotx-infinite", "mckinley")
    assert known["infinite"]
    assert more.execute("rotx", [0x80000001, 4 << 27])[0] == [0x18]
    file.write_text(WHAT_IF.replace('inherits = "mckinley-paper"\n', "").replace("a:gr, b:gr", "a:gr, b:hr"))
    with pytest.raises(DescriptionError) as caught:
        processors.load("mckinley", instructions=file)
    assert str(caught.value) == (
        "error[M011]: the form of `rotx` is wrong: there is no register class `hr`\n"
        f"  --> {file}:8:8\n"
        "   = help: known: gr, fr, pr, br, lc, ec"
    )


def test_a_contradiction_names_the_user_s_file(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(WHAT_IF.replace("field(b, 27, 5)", "1"))
    ran = assay(capsys, "check", "mine", "--path", str(tmp_path))
    assert ran.code == 4
    assert ran.out == (
        f"mine: error[M064]: the semantics of `rotx` does not read the operand `b`\n  --> {file}:6:1\n"
    )
    assert ran.err == "error[M702]: 1 contradiction: mine\n"


def test_an_unknown_field_names_the_user_s_file(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(WHAT_IF.replace("assembly", "asembly"))
    with pytest.raises(DescriptionError) as caught:
        processors.load("mine", path=tmp_path)
    assert str(caught.value) == (
        "error[M001]: the file cannot be read: unknown field `asembly`, expected one of `name`, `class`, `form`, "
        "`assembly`, `semantics`, `control`, `where`, `size`, `select`, `feature`, `expansion`, `source`, `confidence`\n"
        f"  --> {file}:10:1"
    )


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (
            ["show", "mckinly"],
            "error[U017]: no cipher, paper, processor or technology is called `mckinly`\n"
            "   = help: did you mean `mckinley`? (`assay list` shows all)\n",
        ),
        (
            ["check", "mckinly"],
            "error[U017]: no cipher, paper, processor or technology is called `mckinly`\n"
            "   = help: did you mean `mckinley`? (`assay list` shows all)\n",
        ),
        (
            ["show", "epic", "--width", "3"],
            "error[M007]: the parameter `width` of `epic` cannot be `3`\n   = help: values: 1, 2, 4, 8\n",
        ),
        (
            ["show", "pa8500", "--set", "load_latncy=2"],
            "error[M006]: the processor `pa8500` has no parameter `load_latncy`\n   = help: did you mean "
            "`load_latency`? (known: load_latency, store_to_load)\n",
        ),
        (
            ["show", "epic", "--set", "width"],
            "error[M701]: `width` is not a setting\n   = help: write --set NAME=VALUE\n",
        ),
        (
            ["show", "epic", "--path", "/nowhere"],
            "error[M700]: `/nowhere` is not a folder\n   = help: name the folder that holds the files of "
            "processors\n",
        ),
    ],
)
def test_errors(capsys: pytest.CaptureFixture[str], arguments: list[str], error: str) -> None:
    ran = assay(capsys, *arguments)
    assert (ran.code, ran.err) == (2, error)


def test_more_memory_ports_than_slots(capsys: pytest.CaptureFixture[str]) -> None:
    ran = assay(capsys, "show", "epic", "--width", "2", "--memory-ports", "4")
    assert ran.code == 3
    assert "error[M049]: `G:4` asks for 4 of the 2 ports of `G`\n" in ran.err
