"""The report's tables: numbers with the digits they deserve, the same table in every text form."""

from __future__ import annotations

import csv
import io
import subprocess
from pathlib import Path

import pytest

from cipherassay import tools
from cipherassay.report.elements.section import all_sections
from cipherassay.report.elements.tables import EMPTY, Cell, Column, Table, number_text, ratio_cell, row_cell
from cipherassay.report.page.text_forms import comma_separated, latex, markdown
from cipherassay.results import Row
from support.golden import golden
from support.report_sample import sample_data


def row(value: float, **more: object) -> Row:
    return Row(cipher="RC6", operation="encrypt", metric="cycles", value=value, basis="measured", **more)  # type: ignore[arg-type]


TABLE = Table(
    "sample",
    "Cycles of one block_test & more",
    [
        Column("cipher", text=True),
        Column("min", "cycles", "here"),
        Column("σ", "cycles", "here"),
        Column("ratio"),
    ],
    [
        [Cell("RC6|32"), row_cell(row(161.04)), row_cell(row(1.236)), ratio_cell(row(161.04), row(580))],
        [Cell("E2"), row_cell(row(1356.4)), EMPTY, ratio_cell(row(356), None)],
    ],
    ["Ratio: ours / theirs; 100 % is equal."],
)


def test_a_table_says_whether_a_number_is_unsteady() -> None:
    column = [Column("min", "cycles")]
    assert not Table("steady", "Steady", column, [[row_cell(row(1.0))], [row_cell(row(2.0, stable=True))]]).unsteady
    assert Table("unsteady", "Unsteady", column, [[row_cell(row(1.0))], [row_cell(row(2.0, stable=False))]]).unsteady


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (580, "580"), (161.04, "161.0"), (1879.3, "1,879"), (8.973, "8.97"), (0.401, "0.40"),
        (28800.0, "28,800"), (0.0, "0"), (99.999, "100.0"), (14041, "14,041"), (999.99, "1,000"),
    ],
)  # fmt: skip
def test_number_text(value: float, text: str) -> None:
    assert number_text(value, "cycles") == text


def test_ratio_needs_equal_units() -> None:
    assert ratio_cell(row(100), row(200)).text == "0.50"
    assert ratio_cell(row(100), row(200, unit="ticks")) is EMPTY


def test_a_ragged_table_is_a_defect() -> None:
    with pytest.raises(ValueError, match="a line of 1 cells under 2 columns"):
        Table("x", "x", [Column("a"), Column("b")], [[Cell("1")]])


@pytest.mark.golden
def test_text_forms() -> None:
    golden("report/sample.md", markdown(TABLE))
    golden("report/sample.csv", comma_separated(TABLE))
    golden("report/sample.tex", latex(TABLE))


@pytest.mark.golden
def test_every_table_of_a_report() -> None:
    tables = [table for section in all_sections(sample_data(40)) for table in section.tables]
    golden("report/tables.md", "\n".join(markdown(table) for table in tables))


def test_columns_of_the_papers_have_published_numbers_and_ours_have_none() -> None:
    """A published cell among ours, or the other way round, is a number in the wrong column."""
    data = sample_data(40)
    seen = set()
    for table in [table for section in all_sections(data) for table in section.tables]:
        for n, column in enumerate(table.columns):
            theirs = column.group == "theirs" or column.group.endswith("paper")
            ours = column.group in ("ours", "ours, same processor") or column.group.endswith(", ours")
            for row in [line[n].row for line in table.lines] if theirs or ours else []:
                if row is not None:
                    assert (row.basis == "published") == theirs, f"{table.name}: {column.heading}"
                    seen.add((table.name, theirs))
    assert {
        ("ntt-table-1", True),
        ("ntt-table-1", False),
        ("ntt-table-2", True),
        ("ntt-table-2", False),
    } <= seen


def test_csv_keeps_full_precision() -> None:
    lines = list(csv.reader(io.StringIO(comma_separated(TABLE))))
    assert float(lines[1][1]) == 161.04
    assert lines[2][2] == ""


@pytest.mark.skipif(not tools.find("pdflatex").place, reason="pdflatex is not here: the LaTeX is not typeset")
def test_latex_is_typeset(tmp_path: Path) -> None:
    data = sample_data(20)
    bodies = [latex(table) for section in all_sections(data) for table in section.tables]
    document = ["\\documentclass{article}", "\\usepackage{booktabs}", "\\begin{document}"]
    (tmp_path / "all.tex").write_text("\n".join([*document, *bodies, "\\end{document}", ""]))
    command = [tools.require("pdflatex"), "-interaction=nonstopmode", "-halt-on-error", "all.tex"]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout[-2000:]
    assert "Missing character" not in (tmp_path / "all.log").read_text(errors="replace")
