"""The documents as a site: it builds without a warning, opens from the disk, asks no network, and finds things."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from cipherassay import cli, tools
from support.browser import Browser
from support.command import verbs
from support.places import ROOT, SOURCE

READY = "document.readyState === 'complete' && document.documentElement.classList.contains('js')"
QUERY = """(() => {
  const input = document.querySelector("[data-md-component=search-query]");
  input.focus();
  input.value = "%s";
  input.dispatchEvent(new KeyboardEvent("keyup", { bubbles: true }));
})()"""
FOUND = "[...document.querySelectorAll('.md-search-result__link')].map((one) => one.href).join(' ')"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    for module in ("mkdocs", "material", "mkdocstrings"):
        pytest.importorskip(module, reason="the site's builder is not here: pip install --group docs")
    folder = tmp_path_factory.mktemp("documents") / "site"
    ran = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)],
        cwd=ROOT, capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": str(SOURCE), "NO_MKDOCS_2_WARNING": "1"},
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    return folder


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    if tools.find("chromium") is None:
        pytest.skip("chromium is not here: it opens the site")
    opened = Browser(tmp_path_factory.mktemp("profile"))
    yield opened
    opened.close()


def test_every_verb_and_option_is_in_the_reference(site: Path) -> None:
    for words, verb in verbs():
        if verb.hidden:
            continue
        page = (site / "reference" / "command" / f"{words[0]}.html").read_text(encoding="utf-8")
        assert f"assay {' '.join(words)}" in page
        names = [name for one in verb.params for name in one.opts if name.startswith("--")]
        assert [name for name in names if f"<code>{name}</code>" not in page and name != "--help"] == [], words


def test_the_reference_has_what_the_code_has(site: Path) -> None:
    pages = {path.stem: path.read_text(encoding="utf-8") for path in (site / "reference").glob("*.html")}
    import cipherassay
    from cipherassay import ciphers, families
    from cipherassay.results import FIELDS
    from cipherassay.results.metrics import METRICS
    from cipherassay.results.tables import OF_ROWS

    public = {name for name in cipherassay.__all__ if not name.startswith("_")}
    assert [n for n in public if f'id="cipherassay.api.{n}"' not in pages["library"]] == []
    named = [*FIELDS, *METRICS, *OF_ROWS, "samples", "metrics"]
    assert [name for name in named if f"<code>{name}</code>" not in pages["rows"]] == []
    slugs = [ciphers.argument(ciphers.load(name)) for name in ciphers.names()]
    assert [name for name in slugs if f"<code>{name}</code>" not in pages["ciphers"]] == []
    assert [name for name in families.names() if f"<code>{name}</code>" not in pages["processors"]] == []
    assert re.search(r"<code>U001</code></td>\s*<td>there is no <code>… …</code></td>", pages["errors"])
    assert f"<li>{cli.EXIT_CODES.split(': ')[1].split(';')[0]}</li>" in (
        site / "reference" / "command" / "index.html"
    ).read_text(encoding="utf-8")


@pytest.mark.parametrize(("width", "dark"), [(1280, False), (390, True)])
def test_pages_open_from_the_disk(site: Path, browser: Browser, width: int, dark: bool) -> None:
    for name in ("index", "recipes/designer", "data", "reference/errors", "reference/command/measure"):
        browser.open(site / f"{name}.html", width=width, dark=dark, ready=READY)
        assert browser.value("document.documentElement.scrollWidth") <= width, name
        broken = "[...document.images].filter((one) => one.complete && !one.naturalWidth).length"
        assert browser.value(broken) == 0, name
    assert browser.complaints == []
    assert [url for url in browser.requests if not url.startswith(("file:", "data:", "about:"))] == []


def test_the_search_works_from_the_disk(site: Path, browser: Browser) -> None:
    browser.open(site / "index.html", ready=READY)
    browser.value(QUERY % "accept-unstable")
    found = browser.until(FOUND)
    assert "reference/command/measure.html" in found
    assert browser.complaints == []
