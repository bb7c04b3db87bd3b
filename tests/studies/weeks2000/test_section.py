"""The report's section of hardware: tables, figures and sentences from a small set of rows."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import altair
import pytest

from cipherassay.hardware.results import report_jobs as hardware_rows_of_report
from cipherassay.hardware.results.designs import Hardware, Name, names
from cipherassay.hardware.timing import hold
from cipherassay.report.data import ReportData
from cipherassay.report.elements.section import Section
from cipherassay.report.elements.tables import Table
from cipherassay.results import Row, Store
from cipherassay.studies.weeks2000 import (
    charts,
    comparisons,
    paper,
    reading,
    sweeps,
    tables,
)
from cipherassay.studies.weeks2000 import (
    compared as hardware_compared,
)
from cipherassay.studies.weeks2000.figures import figures
from cipherassay.studies.weeks2000.sections import hardware as section
from support.command import assay
from support.hardware_sample import DESIGNS, function_rows, hardware_rows
from support.report_sample import STRATEGIES, sample_data

CIPHERS = list(STRATEGIES)
ROWS = hardware_rows()
HARDWARE = Hardware(ROWS)
RC6 = Name("RC6", "iterative", "128")
E2 = Name("E2", "iterative", "128")
RIJNDAEL = Name("Rijndael", "iterative", "128")


def latched(row: Row) -> bool:
    """Whether a row is of E2's device, or of Rijndael's smallest: these have latches in `MARKED`."""
    small = (row.strategy, row.configuration) == ("small", "iterative, speed 5")
    return row.variant == "128" and (row.cipher == "E2" or (row.cipher == "Rijndael" and small))


MARKED = [hold.marked(row, 96) if latched(row) else row for row in ROWS]
"""The sample with devices that fail hold."""


def made(rows: list[Row] | None = None) -> Section:
    found = section.section(
        ReportData(rows=(), strategies=STRATEGIES, hardware=ROWS if rows is None else rows)
    )
    assert found is not None
    return found


def texts(table: Table) -> list[list[str]]:
    return [[cell.text for cell in line] for line in table.lines]


def line_of(table: Table, *words: str) -> list[str]:
    (found,) = [line for line in texts(table) if tuple(line[: len(words)]) == words]
    return found


def test_without_devices_there_is_no_section() -> None:
    assert section.section(sample_data(20)) is None


def test_grades_are_the_front_over_strategies() -> None:
    assert [point.configuration for point in HARDWARE.grades(RC6)] == [
        f"iterative, speed {number}" for number in range(1, 6)
    ]
    rijndael = Name("Rijndael", "iterative", "128")
    assert len(HARDWARE.points[rijndael]) == 10
    assert {point.strategy for point in HARDWARE.grades(rijndael)} == {"small"}
    assert {point.strategy for point in HARDWARE.literal(rijndael)} == {"on-the-fly"}


def test_devices_for_one_direction_are_another_design() -> None:
    one = [replace(row, configuration="iterative, encrypt, speed 1") for row in ROWS]
    assert Hardware(one).points == {}


def test_table_4() -> None:
    table = tables.summary(HARDWARE, "RC6", "128")
    assert table.title == "Table 4: RC6, 128-bit key"
    assert line_of(table, "Area", "mm²")[2:9] == ["", "8.88", "12.00", "35", "13.97", "19.25", "0.64"]
    assert line_of(table, "Transistors")[3:9] == ["177.6", "240.0", "35", "217.0", "307.2", "0.82"]
    assert line_of(table, "Throughput", "Mbit/s")[2:9] == [
        "128", "173.2", "484.8", "180", "59.68", "102.83", "4.72",
    ]  # fmt: skip
    block = line_of(table, "Time of a block, encryption")
    assert block[3:9] == ["288", "806.4", "180", "1244.80", "6674.62 †", "0.23"]
    assert line_of(table, "Latency, encryption")[6] == "6986.80"


def test_what_contradicts_itself_is_marked_with_what_follows() -> None:
    table = tables.summary(HARDWARE, "RC6", "128")
    (cell,) = [cell for line in table.lines for cell in line if cell.text == "6674.62 †" and line[0].text][:1]
    assert cell.note == "59.68 Mbit/s is 2145 ns"
    assert cell.row is not None
    assert cell.row.reference_source == "weeks2000, section 5, Table 4"


def test_key_sizes_have_lines_where_they_differ() -> None:
    table = tables.summary(HARDWARE, "Twofish", "3in1")
    rates = [line[2] for line in texts(table) if line[0] == "Throughput" or (not line[0] and line[2])]
    assert rates[:3] == ["128", "192", "256"]
    assert line_of(table, "Inputs, outputs")[2] == ""


def test_energy_has_a_line_where_it_is_known() -> None:
    known = next(row for row in ROWS if row.cipher == "RC6" and row.metric == "throughput_mbps")
    rows = [*ROWS, replace(known, metric="energy_pj_per_bit", unit="pJ/bit", value=12.5, basis="simulated")]
    assert line_of(tables.summary(Hardware(rows), "RC6", "128"), "Energy, encryption")[3] == "12.50"
    assert "Energy, encryption" not in [line[0] for line in texts(tables.summary(HARDWARE, "RC6", "128"))]


def test_not_run_is_said_with_the_command() -> None:
    table = tables.summary(HARDWARE, "MARS", "128")
    assert line_of(table, "Area", "mm²")[3:9] == ["–", "–", "–", "51.99", "126.83", "–"]
    command = "assay synthesize mars --architecture iterative --key-bits 128 --direction both"
    assert table.notes[0] == f"iterative: not run; `{command}` makes the rows."
    missing = tables.missing(HARDWARE, list(names(CIPHERS)))
    assert missing is not None
    assert len(missing.lines) == 24 - len(DESIGNS)
    assert line_of(missing, "MARS", "iterative", "128-bit key")[3] == command


def test_table_15_has_ours_the_paper_s_and_the_ratio() -> None:
    table = comparisons.fastest(HARDWARE, CIPHERS, "iterative", "128")
    assert table.title.startswith("Table 15: ")
    lines = texts(table)
    at = [line[0] for line in lines].index("Throughput")
    assert [line[2:6] for line in lines[at : at + 3]] == [
        ["ours", "–", "484.8", "1,908"], ["paper", "56.71", "102.83", "605.77"], ["ratio", "–", "4.72", "3.15"],
    ]  # fmt: skip


def test_throughput_per_area_printed_and_recomputed() -> None:
    table = comparisons.per_area(HARDWARE, CIPHERS, "iterative", "128")
    assert table.title.startswith("Table 17: ")
    at = [line[0] for line in texts(table)].index("RC6")
    ours, block, printed, again, ratio = texts(table)[at : at + 5]
    assert ours[2:4] == ["ours, total", "40.40"]
    assert block[2:4] == ["ours, Algorithm", "101.0"]
    assert printed[2:] == [
        "paper, printed", "5.760 †", "5.428 †", "4.893 †", "4.552 †", "3.693 †", "56",
    ]  # fmt: skip
    assert again[2:] == ["paper, recomputed, total", "5.34", "–", "–", "–", "4.27", "25"]
    assert ratio[3] == f"{40.4040 / 5.3422:.2f}"


@pytest.mark.parametrize(
    ("architecture", "fastest", "smallest"),
    [("iterative", (0.447, 5.34, 17.90, 8.69, 6.53), (0.559, 4.27, 13.07, 7.40, 6.64)),
     ("pipelined", (1.64, 4.85, 13.68, 18.31, 10.09), (1.68, 4.26, 15.99, 25.21, 11.02))],
)  # fmt: skip
def test_recomputed_values_are_those_of_the_errata(
    architecture: str, fastest: tuple[float, ...], smallest: tuple[float, ...]
) -> None:
    for end, values in (("max", fastest), ("min", smallest)):
        found = [
            comparisons.recomputed(Name(cipher, architecture, "128"), 128, end).number
            for cipher in paper.FINALISTS
        ]
        assert found == pytest.approx(values, rel=5e-3)


def test_fewer_grades_than_five_are_the_first_and_the_last() -> None:
    one, two = [tables.Cell("1")], [tables.Cell("1"), tables.Cell("5")]
    assert [cell.text for cell in comparisons.spread(one)] == ["1", "–", "–", "–", "–"]
    assert [cell.text for cell in comparisons.spread(two)] == ["1", "–", "–", "–", "5"]
    assert [cell.text for cell in comparisons.spread([])] == ["–"] * 5


def test_table_7_is_missing_or_ours() -> None:
    table = comparisons.jump(ROWS)
    assert texts(table)[1] == ["single step", "–", "–", "6.95", "12.90", "–", "–"]
    assert table.notes[2:] == ["Not run: unrolled, single step; `assay study key-jump serpent --keep` does."]
    rows = [
        Row(
            cipher="Serpent", part="last eight key words", level="hardware", target="osu050",
            basis="synthesized", configuration=f"single step, speed {number}", metric=metric, value=value,
        )
        for number, metric, value in (
            (1, "time_ns", 5.0), (1, "area_um2", 3.5e6), (2, "time_ns", 7.0), (2, "area_um2", 3e6)
        )
    ]  # fmt: skip
    table = comparisons.jump([*ROWS, *rows])
    assert texts(table)[1] == ["single step", "5", "3.50", "6.95", "12.90", "0.72", "0.27"]
    assert table.notes[2:] == ["Not run: unrolled; `assay study key-jump serpent --keep` does."]


def test_what_one_key_size_saves_by_block() -> None:
    table = comparisons.savings(HARDWARE, CIPHERS)
    assert line_of(table, "RC6", "iterative", "whole device")[3:7] == ["9.62", "8.88", "8", "13"]
    at = [line[:2] for line in texts(table)].index(["RC6", "iterative"])
    assert [line[2] for line in texts(table)[at + 1 : at + 5]] == [
        "Interface", "Controller", "Key Schedule", "Algorithm",
    ]  # fmt: skip


def test_the_literal_form_stands_apart() -> None:
    (table,) = [one for one in made().tables if one.name == "hardware-literal"]
    (line,) = texts(table)
    assert line[:6] == ["Rijndael", "iterative", "128-bit key", "15.54", "7.03", "20.74"]
    others = [row for row in ROWS if row.strategy != "on-the-fly"]
    assert not [one for one in made(others).tables if one.name == "hardware-literal"]


def test_words_are_computed() -> None:
    words = [block for block in made().blocks if isinstance(block, str)]
    assert words[0].startswith("9 of 24 designs, made from the cipher files alone")
    assert "The results of 9 are cached (their RTL is unchanged); 0 were synthesized in this run." in words[0]
    assert "8 of 8 smallest designs are smaller" in words[0]
    assert "7 of 8 smallest designs have fewer transistors" in words[0]
    assert "Serpent, iterative, 128-bit key: transistors 1.05 times the paper's" in words[1]
    assert words[2].startswith("The cells differ too: our smallest devices come to 50 µm² a transistor")
    reasons = reading.reasons(HARDWARE, CIPHERS)
    assert reasons[0].startswith("RC6, iterative, 3-in-1: the fastest takes 22 cycles of 12.5 ns for a block")
    assert "its critical path runs from the Controller to the Algorithm" in reasons[0]
    assert "of the smallest, the Key Schedule takes 55 % of the area" in reasons[0]


def test_a_design_without_rows_of_a_block_s_time_is_no_point() -> None:
    assert Hardware([row for row in ROWS if row.metric != "throughput_mbps"]).points == {}


def test_every_kind_of_chart_is_drawn() -> None:
    drawn = list(figures(HARDWARE, CIPHERS, "128"))
    assert len(drawn) == 8
    files = drawn[0].files()
    assert files["hardware-area-128.png"].startswith(b"\x89PNG")


@pytest.mark.slow
def test_every_chart_is_a_valid_specification() -> None:
    for figure in figures(HARDWARE, CIPHERS, "128"):
        altair.VConcatChart.from_dict(figure.chart)


def test_key_versions_without_devices_have_no_figures() -> None:
    assert list(figures(Hardware([]), CIPHERS, "128")) == []


def test_bars_that_leave_the_scale_carry_their_sum() -> None:
    points = [
        {"panel": "p", "cipher": cipher, "whose": "ours", "part": part, "ns": ns}
        for cipher, times in {"RC6": (10, 90), "MARS": (9000, 2000), "E2": (0, 80)}.items()
        for part, ns in zip(charts.PARTS, times, strict=True)
    ]
    (row,) = charts.latency(points, ["RC6", "MARS", "E2"])["vconcat"]
    bars, words = row["hconcat"][0]["layer"][:2]
    assert bars["encoding"]["x"]["scale"]["domain"] == [0, pytest.approx(108)]
    assert [value["total"] for value in words["data"]["values"]] == [11000]


def test_devices_that_fail_hold_are_no_points() -> None:
    hardware = Hardware(MARKED)
    assert (hardware.grades(E2), len(hardware.withdrawn(E2)), hardware.not_run(E2)) == ([], 5, False)
    assert [point.configuration for point in hardware.withdrawn(RIJNDAEL)] == ["iterative, speed 5"]
    whole, left = HARDWARE.grades(RIJNDAEL), hardware.grades(RIJNDAEL)
    assert [point.configuration for point in left] == [point.configuration for point in whole[:-1]]
    assert {point.withdrawn for point in hardware.withdrawn(E2)} == {"fails hold: 96 latches"}


def test_devices_that_fail_hold_are_marked_in_the_table_of_grades() -> None:
    table = tables.grades(Hardware(MARKED), [E2, RIJNDAEL])
    lines = [line[3:6] for line in texts(table)]
    assert lines[:5] == [["–", "small", "fails hold"]] * 5
    assert table.lines[0][5].note == "fails hold: 96 latches"
    assert lines[5:] == [*([str(n), "small", ""] for n in range(1, 5)), lines[0]]
    assert table.notes[-1] == hold.WHY
    # The clocks of a block are read behind the mark.
    assert {line[11] for line in texts(table)[:5]} == {"15"}
    assert hold.WHY not in tables.grades(HARDWARE, [E2]).notes


def test_devices_that_fail_hold_are_in_no_ratio_count_or_figure() -> None:
    """A smaller area in a row that is marked changes nothing but the marked row."""
    tiny = [
        replace(row, value=row.value / 100) if hold.fails(row) and row.metric != "period_ns" else row
        for row in MARKED
    ]
    seen = [made(MARKED), made(tiny)]
    for before, after in zip(seen[0].tables, seen[1].tables, strict=True):
        if before.name != "hardware-grades":
            assert texts(before) == texts(after)
    assert [f.chart for f in seen[0].figures] == [f.chart for f in seen[1].figures]
    words = [[block for block in one.blocks if isinstance(block, str)] for one in seen]
    assert words[0] == words[1]
    assert words[0][0].startswith("8 of 24 designs")
    assert words[0][1] == (
        "6 speed grades of 2 designs fail hold (Rijndael, iterative, 128-bit key: 1; E2, iterative, 128-bit "
        f"key: 5). {hold.WHY} They stand, marked, in the table of all speed grades, and in no ratio, count, "
        "best value or figure."
    )
    compared = list(hardware_compared.compared(Hardware(tiny), [E2, RIJNDAEL]))
    assert compared
    assert not any(hold.fails(row) for row in compared)


def test_a_design_of_which_all_fails_hold_was_run() -> None:
    hardware = Hardware(MARKED)
    assert tables.summary(hardware, "E2", "128").notes == [
        "iterative: 5 speed grades left out: fails hold.",
        "pipelined: not run; `assay synthesize e2 --architecture pipelined --key-bits 128 --direction both` makes "
        "the rows.",
        "The paper has no such design.",
    ]
    missing = tables.missing(hardware, [E2, RIJNDAEL, Name("MARS", "iterative", "128")])
    assert missing is not None
    assert [line[0] for line in texts(missing)] == ["MARS"]
    alone = [row for row in MARKED if row.cipher == "E2"]
    assert any(table.name == "hardware-grades" for table in made(alone).tables)


def test_every_table_of_ratios_says_what_the_numbers_include() -> None:
    found = [table for table in made().tables if has_ratios(table)]
    assert found
    for table in found:
        assert paper.COMPARABLE in table.notes, table.name


def has_ratios(table: Table) -> bool:
    columns = [n for n, one in enumerate(table.columns) if "ratio" in (one.title, one.group)]
    lines = [line for line in table.lines for cell in line[:3] if cell.text.startswith("ratio")]
    cells = [line[n] for line in table.lines for n in columns] + [cell for line in lines for cell in line[3:]]
    return any(cell.number is not None or cell.text in ("=", ">") for cell in cells)


def test_names_of_tables_are_distinct() -> None:
    found = [table.name for table in made().tables] + [figure.name for figure in made().figures]
    assert len(found) == len(set(found))


def test_functions_swept() -> None:
    assert list(sweeps.figures(ROWS, CIPHERS)) == []
    rows = [*ROWS, *function_rows()]
    curves = sweeps.swept(rows, "RC6")
    assert list(curves) == ["round", "rc6_iterative_128_key_schedule", "add_32"]
    (figure,) = sweeps.figures(rows, CIPHERS)
    altair.VConcatChart.from_dict(figure.chart)
    assert figure.chart is not None
    dots = figure.chart["vconcat"][0]["hconcat"][0]["layer"][1]["data"]["values"]
    assert {dot["recipe"]: dot["picked"] for dot in dots if dot["function"] == "round"} == {
        "A": True, "M": True, "N": False, "D": True,
    }  # fmt: skip
    assert {dot["function"] for dot in dots} == {"round", "key schedule", "add 32"}
    assert Hardware(rows).points.keys() == HARDWARE.points.keys()


def test_compared_rows_have_the_paper_s_best_as_reference() -> None:
    rows = {
        (row.metric, row.operation, row.part): row
        for row in hardware_compared.compared(HARDWARE, [RC6])
    }  # fmt: skip
    rate = rows["throughput_mbps", "encrypt", None]
    assert (round(rate.value, 1), rate.reference, rate.configuration) == (484.8, 102.83, "iterative, speed 1")
    assert rate.reference_source == "weeks2000, section 5, Table 4"
    area = rows["area_um2", None, None]
    assert (area.reference, area.configuration) == (13966637, "iterative, speed 5")
    latency = rows["time_ns", "encrypt", "key setup and one block"]
    assert latency.reference_source == "weeks2000, section 5, Table 4: 5742.00 + 1244.80"
    assert rows["area_ge", None, None].reference is None


def test_compare_hardware(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSAY_STORE", str(tmp_path))
    monkeypatch.setattr("cipherassay.hardware.results.report_jobs.kept_rows", lambda technology: ROWS)
    ran = assay(capsys, "study", "hardware", "rc6", "mars", "--key-bits", "128", "--architecture", "iterative")
    assert ran.code == 0
    assert "RC6, iterative, 128-bit key" in ran.out
    assert ran.err.splitlines()[-1] == (
        "not run: MARS, iterative, 128-bit key: "
        "assay synthesize mars --architecture iterative --key-bits 128 --direction both"
    )
    ran = assay(capsys, "study", "hardware", "rc6", "--json")
    assert {row["cipher"] for row in ran.json["rows"]} == {"RC6"}
    assert [one["design"] for one in ran.json["missing"]] == ["RC6, pipelined, 3-in-1"]
    assert (ran.json["withdrawn"], ran.json["note"]) == ([], paper.COMPARABLE)
    ran = assay(capsys, "study", "hardware", "--architecture", "systolic")
    assert (ran.code, ran.err.splitlines()[0]) == (2, "error[H306]: there is no architecture `systolic`")


def test_compare_hardware_lists_what_fails_hold_apart(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cipherassay.hardware.results.report_jobs.kept_rows", lambda technology: MARKED)
    monkeypatch.setenv("COLUMNS", "2000")
    chosen = ("study", "hardware", "rijndael", "e2", "--key-bits", "128", "--architecture", "iterative")
    out = assay(capsys, *chosen).out
    assert "Rijndael, iterative, 128-bit key" in out
    assert paper.COMPARABLE in out
    before, _, after = out.partition("Withdrawn: compared with nothing")
    assert "fails hold" not in before
    assert "E2" not in before
    assert after.count("fails hold: 96 latches") == 6
    assert after.rstrip().endswith(hold.WHY)
    found = assay(capsys, *chosen, "--json").json
    assert {row["cipher"] for row in found["rows"]} == {"Rijndael"}
    assert {row["cipher"] for row in found["withdrawn"]} == {"Rijndael", "E2"}
    assert not any(row["reference"] for row in found["withdrawn"])
    assert found["missing"] == []


def test_kept_rows_are_those_of_the_technology(tmp_path: Path, own_kept: Path) -> None:
    store = Store(tmp_path)
    other = [replace(row, target="osu018") for row in ROWS[:3]]
    store.put("hardware/osu050/rc6", {}, ROWS[:5])
    store.put("hardware/osu018/rc6", {}, other)
    found = hardware_rows_of_report.kept_rows("osu018", store)
    assert found == other
