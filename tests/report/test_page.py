"""The report's page: whole, offline, without complaints, readable in both themes and on a narrow window."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from cipherassay import tools
from cipherassay.errors import UsageError
from cipherassay.report.data import ReportData
from cipherassay.report.section import all_sections
from cipherassay.report.writing import write_report
from support.browser import Browser
from support.report_sample import COSTS, sample_data


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_report(tmp_path_factory.mktemp("report"), sample_data())


def test_page_refers_to_nothing_outside(report: Path) -> None:
    text = re.sub(r"<script.*?</script>", "", report.read_text(), flags=re.S)
    addresses = re.findall(r'(?:href|src)="([^"]*)"', text)
    assert [a for a in addresses if not a.startswith(("#", "data:"))] == []
    assert "@import" not in text


def test_every_number_leads_to_its_row(report: Path) -> None:
    text = report.read_text()
    linked, there = set(re.findall(r'href="#(row-\d+)"', text)), set(re.findall(r'id="(row-\d+)"', text))
    assert len(linked) > 100
    assert linked == there


def test_sections_and_files(report: Path) -> None:
    names = " ".join(section.name for section in all_sections(sample_data()))
    assert names == (
        "summary hp-paper ntt-paper small-processors key-sizes strategies libraries known-answers conditions"
    )
    tables = {path.name for path in (report.parent / "tables").iterdir()}
    assert {"hp-encrypt.md", "hp-encrypt.csv", "hp-encrypt.tex", "ntt-table-1.md"} <= tables
    figures = {path.name for path in (report.parent / "figures").iterdir()}
    assert {"costs.svg", "costs.png", "hp-encrypt-histograms.svg", "hp-ratios.png"} <= figures
    for path in (report.parent / "figures").glob("*.png"):
        assert path.read_bytes().startswith(b"\x89PNG"), path.name
    for path in (report.parent / "figures").glob("*.svg"):
        assert path.read_text().startswith("<svg"), path.name


def test_hp_table_has_the_papers_figures(report: Path) -> None:
    lines = (report.parent / "tables" / "hp-key-setup.csv").read_text().splitlines()
    mars = next(line for line in lines if line.startswith("MARS")).split(",")
    assert mars[6:11] == ["1797.0", "1804.65", "1799.0", "1879.0", "8.97"]
    assert float(mars[11]) == pytest.approx(float(mars[1]) / 1797)


def test_same_data_same_bytes(report: Path, tmp_path: Path) -> None:
    write_report(tmp_path, sample_data())
    first = {p.relative_to(report.parent): p.read_bytes() for p in report.parent.rglob("*") if p.is_file()}
    second = {p.relative_to(tmp_path): p.read_bytes() for p in tmp_path.rglob("*") if p.is_file()}
    assert sorted(first) == sorted(second)
    assert [name for name in first if first[name] != second[name]] == []


def test_a_report_of_nothing_is_a_page(tmp_path: Path) -> None:
    assert "<h1>" in write_report(tmp_path, ReportData(rows=())).read_text()


def test_a_folder_that_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "tables").write_text("")
    with pytest.raises(UsageError) as caught:
        write_report(tmp_path, ReportData(rows=()))
    assert str(caught.value) == (
        f"error[U031]: `{tmp_path}/tables` is a file, not a folder\n   = help: name a folder with -o DIR"
    )


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    found = tools.find("chromium")
    if not found.place:
        pytest.skip(f"the report is not opened in a browser: {tools.missing(found.tool).message}")
    made = Browser(tmp_path_factory.mktemp("profile"))
    yield made
    made.close()


@pytest.mark.parametrize("dark", [False, True])
def test_browser_draws_it_without_network_and_complaints(browser: Browser, report: Path, dark: bool) -> None:
    browser.requests.clear()
    browser.complaints.clear()
    browser.open(report, dark=dark)
    assert browser.requests == [report.as_uri()]
    assert browser.complaints == []
    assert browser.value("document.querySelectorAll('.chart svg').length") == 3
    assert browser.value("document.querySelectorAll('.drawing svg').length") == 3
    paper = browser.value("getComputedStyle(document.body).backgroundColor")
    assert paper == ("rgb(20, 24, 29)" if dark else "rgb(255, 255, 255)")


def test_charts_show_every_cipher(browser: Browser, report: Path) -> None:
    browser.open(report)
    shown = browser.value("document.querySelector('[data-chart=costs]').textContent")
    assert [name for name in COSTS if name not in shown] == []
    bars = browser.value("document.querySelectorAll('[data-chart=hp-ratios] .mark-rect path').length")
    assert bars == 15, "five finalists, three operations"


@pytest.mark.parametrize("width", [420, 800, 1280])
def test_nothing_is_wider_than_the_window(browser: Browser, report: Path, width: int) -> None:
    browser.open(report, width=width)
    assert browser.value("document.documentElement.scrollWidth") <= width


def test_the_theme_can_be_switched(browser: Browser, report: Path) -> None:
    browser.open(report)
    browser.value("document.getElementById('theme').click()")
    assert browser.value("document.documentElement.dataset.theme") == "dark"
    assert browser.complaints == []


def test_a_row_can_be_reached(browser: Browser, report: Path) -> None:
    browser.open(report)
    target = browser.value("document.querySelector('#table-hp-encrypt td a').hash")
    browser.value(f"location.hash = '{target}'")
    assert (
        browser.value(f"getComputedStyle(document.querySelector('{target}')).backgroundColor")
        == "rgb(255, 243, 196)"
    )
