"""The page in a browser, as a user works with it: edit, make an error, mend it, compare, hand on."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from cipherassay import families, tools
from support.browser import Browser
from support.explorer import Running, explorer
from support.small_cipher import TEXT

CITED = re.sub(r"^(@small\.\w+)$", r"\1  # section 1", TEXT.replace("for use.", "for use: tests."), flags=re.M)
"""The small cipher with its sources, so that only known answers are missing."""
LINE = CITED.splitlines().index("        A = A ^ S[i]") + 1


@pytest.fixture(scope="module")
def own(built_page: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    path = tmp_path_factory.mktemp("own") / "small.py"
    path.write_text(CITED)
    with explorer([path]) as running:
        yield running


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    if not tools.find("chromium").place:
        pytest.skip("chromium is not here: the page is not tested in a browser")
    made = Browser(tmp_path_factory.mktemp("profile"))
    yield made
    made.close()


def write(browser: Browser, line: int, text: str) -> None:
    """Replace a line of the description as typing does."""
    browser.value(
        "(() => { const view = document.querySelector('.editor .cm-content').cmTile.view;"
        f"const line = view.state.doc.line({line});"
        f"view.dispatch({{changes: {{from: line.from, to: line.to, insert: {json.dumps(text)}}}}}); }})()"
    )


def choose(browser: Browser, tab: str) -> None:
    browser.value(f"document.getElementById('tab-{tab}').click()")


def press(browser: Browser, button: str) -> None:
    browser.value(f"[...document.querySelectorAll('button')].find(b => b.textContent === '{button}').click()")


def point_at(browser: Browser, line: int) -> None:
    """Put the cursor on a line of the description, from another one."""
    browser.value(
        "(() => { const view = document.querySelector('.editor .cm-content').cmTile.view;"
        f"for (const line of [{line - 1}, {line}]) view.dispatch({{selection: {{anchor: view.state.doc.line(line).from}}}}); }})()"
    )


def status(browser: Browser) -> str:
    return str(browser.value("document.querySelector('.status').textContent"))


def settled(browser: Browser) -> None:
    """Wait until no panel is being made."""
    browser.until("!document.querySelector('[role=tab][data-state=running]:not(#tab-costs)')")


def test_a_user_edits_errs_mends_and_compares(own: Running, browser: Browser) -> None:
    browser.visit(own.url)
    browser.until("document.querySelector('.status').textContent === 'no known answers'")
    settled(browser)
    assert browser.value("document.querySelectorAll('.verdict.pass').length") >= 3

    # An error stands at its place, with its help, in the list and in the editor.
    write(browser, LINE, "        A = B if A else A")
    browser.until("!!document.querySelector('.status .fail')")
    settled(browser)
    said = browser.value("document.querySelector('.verdict.fail .said').textContent")
    assert "cannot decide a Python condition" in said
    assert f"small.py:{LINE}" in browser.value("document.querySelector('.verdict.fail .place').textContent")
    assert browser.value("document.querySelectorAll('.cm-lint-marker-error').length") == 1
    choose(browser, "program")
    assert "error[" in browser.until("document.querySelector('.report')?.textContent")
    browser.value("document.querySelector('.report .place').click()")
    chosen = "document.querySelector('.editor .cm-content').cmTile.view.state"
    assert browser.value(f"{chosen}.doc.lineAt({chosen}.selection.main.head).number") == LINE

    # It is mended, and a line shows what comes of it.
    write(browser, LINE, "        A = A ^ S[i]")
    browser.until("document.querySelector('.status').textContent === 'no known answers'")
    settled(browser)
    assert browser.value("document.querySelectorAll('.cm-lint-marker-error').length") == 0
    for tab in ("program", "assembly", "rtl", "c"):
        choose(browser, tab)
        point_at(browser, LINE)
        assert browser.until("document.querySelectorAll('.text .cm-tied, .text .cm-tied-weakly').length") >= 1, tab
    said = browser.value("document.querySelector('.line').textContent")
    assert said.startswith(f"Line {LINE} 6 operations")
    assert "instructions" in said
    assert "cycles" in said

    # The version is kept, another written, and both stand side by side with what changes.
    press(browser, "Keep as base")
    write(browser, LINE, "        A = A ^ S[i] ^ 1")
    browser.until("document.querySelectorAll('.merge .cm-changedText').length")
    browser.until("[...document.querySelectorAll('.tables td.worse')].some(one => one.textContent.includes('%'))")
    row = "[...document.querySelectorAll('.tables tr')].find(r => r.textContent.startsWith('operations, encrypt'))"
    cells = browser.value(f"[...{row}.cells].map(cell => cell.textContent)")
    assert int(cells[2]) == int(cells[1]) + 3
    browser.until("document.querySelectorAll('.costs td.number:not(.waiting):not(.none)').length > 3")
    assert browser.complaints == []
    outside = [url for url in browser.requests if not url.startswith((own.url, "about:", "data:", "blob:"))]
    assert outside == []


@pytest.mark.parametrize(("processor", "mnemonic"), [("pentium-ii", "xorl"), ("avr", "eor"), ("mcs51", "xrl"), ("h8-300", "xor")])
def test_a_line_shows_its_instructions_on_processors_without_a_schedule(
    own: Running, browser: Browser, processor: str, mnemonic: str
) -> None:
    browser.visit(own.url)
    choose(browser, "assembly")
    chosen = "document.querySelector('select[aria-label=Processor]')"
    browser.until(f"!!{chosen}")
    browser.value(f"(() => {{ {chosen}.value = '{processor}'; {chosen}.dispatchEvent(new Event('change')); }})()")
    title = families.family_of(processor).entry(processor).title
    assert title in browser.value(f"{chosen}.selectedOptions[0].textContent")
    browser.until(f"document.querySelector('.text')?.textContent.includes('{mnemonic}')", seconds=60)
    settled(browser)
    point_at(browser, LINE)
    browser.until("document.querySelectorAll('.text .cm-tied').length > 0")
    tied = browser.value("[...document.querySelectorAll('.text .cm-tied')].map(one => one.textContent)")
    assert any(line.split()[0].startswith(mnemonic) for line in tied), tied
    said = browser.value("document.querySelector('.line').textContent")
    assert re.search(r"[\d.]+ instructions · [\d.,]+ cycles", said), said
    assert browser.complaints == []


def test_what_a_user_writes_is_never_markup(own: Running, browser: Browser) -> None:
    evil = "<img src=x onerror=\"document.title='taken'\">"
    browser.visit(own.url)
    settled(browser)
    write(browser, LINE, f"        raise ValueError({json.dumps(evil)})")
    browser.until("!!document.querySelector('.status .fail')")
    settled(browser)
    choose(browser, "program")
    assert evil in browser.until("document.querySelector('.report')?.textContent")
    assert browser.value("document.querySelectorAll('img').length") == 0
    assert browser.value("document.title") == "Cipherassay explorer"
    assert browser.complaints == []


def test_a_saved_page_opens_from_the_disk(own: Running, browser: Browser, tmp_path: Path) -> None:
    browser.visit(own.url)
    browser.until("document.querySelector('.status').textContent === 'no known answers'")
    settled(browser)
    browser.value(
        "window.saved = null; const make = URL.createObjectURL;"
        "URL.createObjectURL = (blob) => { blob.text().then((text) => { window.saved = text; }); return make(blob); }; 0"
    )
    press(browser, "Save page")
    text = str(browser.until("window.saved"))
    assert own.url.split("/")[3] not in text
    path = tmp_path / "saved.html"
    path.write_text(text, encoding="utf-8")
    browser.requests.clear()
    for width, dark in ((1280, False), (390, True)):
        browser.open(path, width=width, dark=dark)
        assert status(browser) == "no known answers"
        choose(browser, "assembly")
        assert browser.until("document.querySelectorAll('.text .cm-line').length") > 5
        assert browser.value("document.documentElement.scrollWidth") <= width
    assert [url for url in browser.requests if not url.startswith(("file:", "about:", "data:"))] == []
    assert browser.complaints == []


@pytest.mark.parametrize("width", [1280, 390])
def test_nothing_is_wider_than_the_window(own: Running, browser: Browser, width: int) -> None:
    browser.visit(own.url, width=width)
    settled(browser)
    for tab in ("checks", "program", "operations", "c", "assembly", "rtl", "costs", "compare"):
        choose(browser, tab)
        assert browser.value("document.documentElement.scrollWidth") <= width, tab
