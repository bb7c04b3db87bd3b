"""Libraries of cells: Liberty files read and mended, technologies checked, defects found with cell and line."""

from __future__ import annotations

from pathlib import Path

import pytest

from cipherassay.errors import DescriptionError, ToolError, UsageError
from cipherassay.hardware.characterization import technology_check
from cipherassay.hardware.libraries import fixing, liberty, physical, technology
from support.command import assay

TIMED = [name for name in technology.names() if technology.load(name).liberty is not None]


def source(name: str) -> str:
    one = technology.load(name)
    known, _ = one.timed()
    if not one.here():
        pytest.skip(f"{known.file} is not here: {one.obtain.how()}")
    return one.library_text()


@pytest.mark.parametrize("name", TIMED)
def test_a_library_has_no_defect_once_mended(name: str) -> None:
    source(name)
    assert technology_check.check(technology.load(name)) == []


def test_the_mended_text_has_the_lines_of_the_file() -> None:
    text = source("osu050")
    mended = fixing.fixed(technology.load("osu050"))
    assert mended.count("\n") == text.count("\n")
    lines = [n for n, (a, b) in enumerate(zip(text.split("\n"), mended.split("\n"), strict=True)) if a != b]
    cells = {cell.name: cell for cell in liberty.read(mended, "").of_kind("cell")}
    assert cells["OAI21X1"].text("area") == "288"
    assert cells["LATCH"].text("area") == "504"
    assert not {"PADINC", "TBUFX1", "CLKBUF1"} & set(cells)
    assert len(lines) < 1200  # the removed cells, a few areas, a few tables


@pytest.mark.parametrize(
    ("old", "new", "cell", "message"),
    [
        ('time_unit : "1ns"', 'time_unit : "1ps"', "", "time_unit is 1ps, expected 1ns"),
        ("(1,pf)", "(1,ff)", "", "capacitive_load_unit is 1ff, expected 1pf"),
        ("cell (XOR2X1)", "cell (XOR3X1)", "XOR2X1", "the library lacks this cell"),
        ('"(!(A B))"', '"(!(A+B))"', "NAND2X1", "function of Y is (!(A+B)), expected ~(A & B)"),
        ("area : 432;", "area : 430;", "MUX2X1", "area 430 µm², by the LEF outline 432.0"),
        (
            '"0.291301, 0.32078,',
            '"9.291301, 0.32078,',
            "LATCH",
            "cell_rise: it falls in 1 places as the load rises",
        ),
    ],
)
def test_a_defect_is_found_with_its_cell_and_line(old: str, new: str, cell: str, message: str) -> None:
    text = source("osu050")
    assert old in text
    found = technology_check.check(technology.load("osu050"), text.replace(old, new, 1))
    assert (cell, message) in [(one.cell, one.message) for one in found]
    one = next(one for one in found if one.message == message)
    assert one.place.line
    if not message.startswith(("the library lacks", "cell_rise")):
        assert new.split(";")[0] in text.replace(old, new, 1).split("\n")[one.place.line - 1]


def test_an_arc_from_every_input_is_asked_for() -> None:
    text = source("osu050")
    begin = text.index("cell (AOI21X1)")
    missing = text[:begin] + text[begin:].replace('related_pin : "C"', 'related_pin : "B"', 1)
    (one,) = technology_check.check(technology.load("osu050"), missing)
    assert one.cell == "AOI21X1"
    assert one.message == "the arc from C to Y lacks cell_rise, cell_fall, rise_transition, fall_transition"


def test_a_fix_that_does_not_fit() -> None:
    text = source("osu050").replace("area : 207;", "area : 290;")
    with pytest.raises(DescriptionError) as caught:
        fixing.fixed(technology.load("osu050"), text)
    line = text[: text.index("area : 290;")].count("\n") + 1
    assert str(caught.value) == (
        "error[H606]: a fix does not fit the Liberty file: `area` of `OAI21X1` is 290, not 207\n"
        f"  --> /usr/share/qflow/tech/osu050/osu05_stdcells.lib:{line}\n"
        "   = the fix: The LEF outline is as wide as AOI21X1's; with the smaller area, mapping for area prefers the "
        "cell where it saves nothing.\n"
        "   = help: another release of the library: mend the fix list of the technology's file"
    )


@pytest.mark.parametrize(
    ("text", "message", "line"),
    [
        ("library(a) {\n  cell (b) {\n", "it ends within a group", 3),
        ("library(a) {\n  area 7;\n}\n", "`:` or `(` is expected after `area`", 2),
        ("library(a) {\n  unit (1, {\n}\n", "`)` is expected, `{` is found", 2),
        ("other(a) { }\n", "it holds no library", 1),
    ],
)
def test_what_is_no_liberty_text(text: str, message: str, line: int) -> None:
    with pytest.raises(DescriptionError) as caught:
        liberty.read(text, "x.lib")
    assert caught.value.message == f"the Liberty file cannot be read: {message}"
    assert caught.value.places[0].line == line


def test_a_missing_library_names_its_package(tmp_path: Path) -> None:
    text = (technology.FOLDER / "osu050.toml").read_text().replace("/usr/share/qflow", "/nowhere")
    (tmp_path / "mine.toml").write_text(text)
    with pytest.raises(ToolError) as caught:
        technology_check.check(technology.load(str(tmp_path / "mine.toml")))
    assert str(caught.value) == (
        "error[H605]: `/nowhere/tech/osu050/osu05_stdcells.lib` of the technology `mine` cannot be read\n"
        "   = No such file or directory\n"
        "   = help: apt-get install qflow-tech-osu050"
    )


@pytest.mark.parametrize(
    ("old", "new", "message", "help"),
    [
        (
            "load_ff = 60 ",
            "load_pf = 60 ",
            "[synthesis] has an unknown field `load_pf`",
            "did you mean `load_ff`?",
        ),
        ('time_unit = "1ns"\n', "", "[liberty] lacks `time_unit`", ""),
        (
            'driver = "DFFPOSX1"',
            'driver = "DFFPOSX2"',
            "there is no cell `DFFPOSX2`",
            "did you mean `DFFPOSX1`?",
        ),
    ],
)
def test_a_wrong_technology_file(tmp_path: Path, old: str, new: str, message: str, help: str) -> None:
    text = (technology.FOLDER / "osu050.toml").read_text()
    assert old in text
    (tmp_path / "mine.toml").write_text(text.replace(old, new, 1))
    with pytest.raises(DescriptionError) as caught:
        technology.load(str(tmp_path / "mine.toml"))
    assert caught.value.code == "H601"
    assert caught.value.message == message
    assert caught.value.help.startswith(help)


def test_unknown_and_untimed_technologies() -> None:
    with pytest.raises(
        UsageError, match=r"error\[H602\]: unknown technology `osu05`\n.*did you mean `osu050`"
    ):
        technology.load("osu05")
    with pytest.raises(UsageError, match=r"error\[H603\]: the technology `ecp5` has no timing library"):
        technology.load("ecp5").timed()


def test_outlines_and_transistors() -> None:
    assert physical.lef_areas("MACRO A\n  SIZE 2.400 BY 30.000 ;\nEND A\n") == {"A": 72.0}
    netlist = "* text\n.subckt INV A Y\nM0 Y A vdd vdd p\n+ w=1\nM1 Y A gnd gnd n\n.ends INV\nM9 stray\n"
    assert physical.transistor_counts(netlist) == {"INV": 2}


def test_the_verbs(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    listed = assay(capsys, "list", "technologies", "--json").json["technologies"]
    assert [one["name"] for one in listed] == technology.names()
    shown = assay(capsys, "show", "osu050", "--json").json
    assert {one["name"]: one["transistors"] for one in shown["register"]}["DFFPOSX1"] == 22
    assert "mended area of LATCH 504 instead of 0" in assay(capsys, "show", "osu050").words
    text = source("osu050").replace('time_unit : "1ns"', 'time_unit : "1ps"')
    (tmp_path / "wrong.lib").write_text(text)
    ran = assay(capsys, "check", "osu050", "--liberty", str(tmp_path / "wrong.lib"))
    assert ran.code == 4
    assert (
        "osu050: /usr/share/qflow/tech/osu050/osu05_stdcells.lib:14: time_unit is 1ps, expected 1ns"
        in ran.out
    )
    assert "error[H607]: 1 defect: osu050" in ran.err
    assert assay(capsys, "check", "osu050", "--json").json == {"osu050": []}
