"""The report's pages: whole, offline, linked, the same bytes each time."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import pytest

from cipherassay.errors import UsageError
from cipherassay.report.data import ReportData
from cipherassay.report.elements.section import Section, all_sections
from cipherassay.report.page.writing import write_report
from cipherassay.report.pages import pages
from support.report_sample import sample_data

OVERVIEW_BYTES = 500_000
ADDRESSES = {"href", "src"}


class Links(HTMLParser):
    """Collects the addresses and the anchors of a page."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.addresses: list[str] = []
        self.anchors: list[str] = []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ADDRESSES and value is not None:
                self.addresses.append(value)
            if name == "id" and value is not None:
                self.anchors.append(value)


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_report(tmp_path_factory.mktemp("report"), sample_data()).parent


@pytest.fixture(scope="module")
def links(report: Path) -> dict[Path, Links]:
    return {path: Links(path) for path in sorted(report.rglob("*.html"))}


def test_every_link_leads_to_a_file_and_a_place_in_it(report: Path, links: dict[Path, Links]) -> None:
    rows = _row_count(report)
    broken = []
    for page, found in links.items():
        for address in found.addresses:
            if address == "data:,":
                continue
            name, _, anchor = unquote(address).partition("#")
            target = (page.parent / name).resolve() if name else page
            if not target.is_relative_to(report.resolve()) or not target.is_file():
                broken.append((page.name, address))
            elif anchor.isdigit() and target.name == "rows.html":
                if int(anchor) >= rows:
                    broken.append((page.name, address))
            elif anchor and anchor not in links.get(target, found).anchors:
                broken.append((page.name, address))
    assert broken == []


def test_anchors_of_a_page_differ(links: dict[Path, Links]) -> None:
    for page, found in links.items():
        assert len(found.anchors) == len(set(found.anchors)), page.name


def test_nothing_is_loaded_from_elsewhere(report: Path) -> None:
    for path in report.rglob("*"):
        if path.suffix in (".html", ".css", ".js"):
            text = path.read_text(encoding="utf-8")
            assert "@import" not in text, path.name
            assert not re.search(r'(?:href|src)="(?:https?:)?//|fetch\(|XMLHttpRequest', text), path.name


def test_the_overview_is_small(report: Path) -> None:
    shared = sum((report / "assets" / name).stat().st_size for name in ("site.css", "site.js"))
    assert (report / "index.html").stat().st_size + shared < OVERVIEW_BYTES


def _row_count(report: Path) -> int:
    text = (report / "rows" / "manifest.js").read_text(encoding="utf-8")
    count: int = json.loads(text.removeprefix("window.rowsManifest = ").rstrip(";\n"))["count"]
    return count


def test_every_number_leads_to_its_row(report: Path, links: dict[Path, Links]) -> None:
    """All rows of ours come first, in the order of rows.json: the number of a row is its place there."""
    ours = json.loads((report / "rows.json").read_text(encoding="utf-8"))["rows"]
    assert _row_count(report) >= len({json.dumps(row) for row in ours})
    addresses = [a for found in links.values() for a in found.addresses if re.search(r"rows\.html#\d+$", a)]
    assert len(addresses) > 100


def test_sections_stand_on_pages_that_exist() -> None:
    where = {section.name: section.page for section in all_sections(sample_data())}
    assert where["summary"] == "native"
    assert where["hp-paper"] == "worley2000"
    assert where["known-answers"] == "conditions"
    with pytest.raises(ValueError, match="section x stands on page 'nowhere'; there are: .*native"):
        pages([Section("x", "X", [], page="nowhere")])


def test_files(report: Path) -> None:
    tables = {path.name for path in (report / "tables").iterdir()}
    assert {"hp-encrypt.md", "hp-encrypt.csv", "hp-encrypt.tex", "ntt-table-1.md"} <= tables
    figures = {path.name for path in (report / "figures").iterdir()}
    assert {"costs.svg", "costs.png", "costs.csv", "hp-encrypt-histograms.svg", "hp-ratios.png"} <= figures
    for path in (report / "figures").glob("*.png"):
        assert path.read_bytes().startswith(b"\x89PNG"), path.name
    for path in (report / "figures").glob("*.svg"):
        assert path.read_text().startswith("<svg"), path.name
        if path.with_suffix(".png").is_file():
            assert 'fill="#ffffff"' in path.read_text()[:2000], f"{path.name} has no ground of its own"


def test_hp_table_has_the_papers_figures(report: Path) -> None:
    lines = (report / "tables" / "hp-key-setup.csv").read_text().splitlines()
    mars = next(line for line in lines if line.startswith("MARS")).split(",")
    assert mars[6:11] == ["1797.0", "1804.65", "1799.0", "1879.0", "8.97"]
    assert float(mars[11]) == pytest.approx(float(mars[1]) / 1797)


def test_same_data_same_bytes(report: Path, tmp_path: Path) -> None:
    write_report(tmp_path, sample_data())
    first = {p.relative_to(report): p.read_bytes() for p in report.rglob("*") if p.is_file()}
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
