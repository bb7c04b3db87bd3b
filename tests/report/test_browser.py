"""The report in a browser: offline, without complaints, in both themes, on narrow windows, by keyboard."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from cipherassay import tools
from cipherassay.report.page.writing import write_report
from support.browser import Browser
from support.report_sample import COSTS, sample_data

SECONDS = 1.0
"""The overview stands within this time on an idle machine."""


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_report(tmp_path_factory.mktemp("report"), sample_data()).parent


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    found = tools.find("chromium")
    if not found.place:
        pytest.skip(f"the report is not opened in a browser: {tools.missing(found.tool).message}")
    made = Browser(tmp_path_factory.mktemp("profile"))
    yield made
    made.close()


def _pages(report: Path) -> list[Path]:
    return sorted(report.rglob("*.html"))


def _wait(browser: Browser, condition: str) -> None:
    found = browser.value(
        "new Promise((done) => { const end = Date.now() + 20000; const look = () => "
        f"({condition}) || Date.now() > end ? done(!!({condition})) : setTimeout(look, 50); look(); }})"
    )
    assert found, condition


@pytest.mark.parametrize("dark", [False, True])
def test_pages_open_without_network_and_complaints(browser: Browser, report: Path, dark: bool) -> None:
    for page in _pages(report):
        browser.requests.clear()
        browser.complaints.clear()
        browser.open(page, dark=dark)
        assert [one for one in browser.requests if not one.startswith((report.as_uri(), "data:"))] == []
        assert browser.complaints == [], page.name
        paper = browser.value("getComputedStyle(document.body).backgroundColor")
        assert paper == ("rgb(20, 24, 29)" if dark else "rgb(255, 255, 255)")


def test_the_overview_stands_soon(browser: Browser, report: Path) -> None:
    """The processor time that the page takes, not that of others on a shared machine."""
    browser.open(report / "index.html")
    browser.call("Performance.enable")
    metrics = {one["name"]: one["value"] for one in browser.call("Performance.getMetrics")["metrics"]}
    assert metrics["TaskDuration"] < SECONDS


def test_charts_show_every_cipher_in_the_page_colours(browser: Browser, report: Path) -> None:
    browser.open(report / "levels" / "native.html", dark=True)
    shown = browser.value("document.querySelector('#figure-costs').textContent")
    assert [name for name in COSTS if name not in shown] == []
    colour = "getComputedStyle(document.querySelector('#figure-costs svg text')).fill"
    assert browser.value(colour) == "rgb(230, 233, 238)"


@pytest.mark.parametrize("width", [390, 800, 1280])
def test_nothing_is_wider_than_the_window(browser: Browser, report: Path, width: int) -> None:
    for page in _pages(report):
        browser.open(page, width=width)
        assert browser.value("document.documentElement.scrollWidth") <= width, page.name


def test_a_narrow_table_shows_its_first_column_and_a_number(browser: Browser, report: Path) -> None:
    browser.open(report / "levels" / "native.html", width=390)
    table = "document.querySelector('#table-summary .wide')"
    right = f"{table}.querySelector('tbody td:not(.words)').getBoundingClientRect().right"
    assert browser.value(f"{right} <= 390")
    browser.value(f"{table}.scrollLeft = 200")
    first = f"{table}.querySelector('tbody th').getBoundingClientRect().left"
    assert browser.value(f"{first} === {table}.getBoundingClientRect().left")


def test_the_theme_is_kept(browser: Browser, report: Path) -> None:
    browser.open(report / "index.html")
    browser.value("document.getElementById('theme').click()")
    browser.open(report / "conditions.html")
    assert browser.value("document.documentElement.dataset.theme") == "dark"
    browser.value("document.getElementById('theme').click()")
    assert browser.value("document.documentElement.dataset.theme") == "light"
    browser.value("localStorage.clear()")


def test_a_number_shows_its_evidence(browser: Browser, report: Path) -> None:
    browser.complaints.clear()
    browser.open(report / "papers" / "worley2000.html")
    browser.value("document.querySelector('#table-hp-encrypt tbody td a').click()")
    _wait(browser, "!document.getElementById('evidence').hidden")
    shown = browser.value("document.getElementById('evidence').textContent")
    number = browser.value("document.querySelector('#table-hp-encrypt tbody td a').textContent")
    assert f"value{number}" in shown.replace(" ", "")
    assert "assay measure mars" in shown
    assert browser.value("document.activeElement.textContent") == "Close"
    escape = "document.dispatchEvent(new KeyboardEvent('keydown', {key: 'Escape', bubbles: true}))"
    browser.value(escape.replace("document.", "document.body.", 1))
    assert browser.value("document.getElementById('evidence').hidden")
    assert browser.value("document.activeElement.textContent") == number
    assert browser.complaints == []


def test_a_table_is_sorted_by_a_column(browser: Browser, report: Path) -> None:
    browser.open(report / "levels" / "native.html")
    browser.value("document.querySelectorAll('#table-summary thead .sort')[3].click()")
    column = "[...document.querySelectorAll('#table-summary tbody tr')].map((l) => parseFloat(l.cells[3].textContent))"
    values = json.loads(browser.value(f"JSON.stringify({column})"))
    assert values == sorted(values)
    browser.value("document.querySelectorAll('#table-summary thead .sort')[3].click()")
    assert json.loads(browser.value(f"JSON.stringify({column})")) == values[::-1]


def test_search_finds_tables_and_leads_there(browser: Browser, report: Path) -> None:
    browser.open(report / "index.html")
    browser.value(
        "(() => { const f = document.getElementById('search'); f.value = 'known answers passed'; "
        "f.dispatchEvent(new Event('input')); })()"
    )
    _wait(browser, "document.querySelectorAll('#found a').length > 1")
    address = browser.value("document.querySelector('#found a').href")
    assert address.startswith(report.as_uri())
    assert "conditions.html" in address


@pytest.mark.parametrize("dark", [False, True])
def test_axe_finds_nothing_serious(browser: Browser, report: Path, dark: bool) -> None:
    found = importlib.util.find_spec("axe_core_python")
    if found is None or found.origin is None:
        pytest.skip("the pages are not checked by axe-core: pip install axe-core-python")
    axe = (Path(found.origin).parent / "axe.min.js").read_text(encoding="utf-8")
    wanted = "v.impact === 'serious' || v.impact === 'critical'"
    for page in _pages(report):
        browser.open(page, dark=dark)
        browser.value(axe + "; 0")
        said = browser.value(
            f"axe.run().then((r) => JSON.stringify(r.violations.filter((v) => {wanted})"
            ".map((v) => [v.id, v.nodes.length, v.nodes[0].html.slice(0, 200)])))"
        )
        assert json.loads(said) == [], page.name


def test_rows_are_filtered_and_the_address_says_how(browser: Browser, report: Path) -> None:
    browser.complaints.clear()
    browser.open(report / "rows.html")
    _wait(browser, "document.documentElement.dataset.rows")
    browser.value(
        "(() => { const f = document.getElementById('filters'); f.elements.cipher.value = 'E2'; "
        "f.elements.metric.value = 'cycles'; f.dispatchEvent(new Event('input')); })()"
    )
    assert browser.value("location.hash") == "#cipher=E2&metric=cycles"
    cells = "[...document.querySelectorAll('table.rows tbody tr')].map((l) => l.cells[1].textContent)"
    assert set(json.loads(browser.value(f"JSON.stringify({cells})"))) == {"E2"}
    ours = json.loads((report / "rows.json").read_text(encoding="utf-8"))["rows"]
    least = sum(row["cipher"] == "E2" and row["metric"] == "cycles" for row in ours)
    assert int(browser.value("document.getElementById('state').textContent").split()[0]) >= least
    assert browser.complaints == []
