"""`assay card`: one page that needs no other file, its JSON, side by side, what an interruption leaves."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from cipherassay.ciphers import load
from cipherassay.coverage import Cell, levels
from cipherassay.hardware.timing import hold
from cipherassay.report.cards.card import Card
from cipherassay.report.cards.page import html
from cipherassay.results import Row
from support.command import assay
from support.places import ROOT, SOURCE

Capture = pytest.CaptureFixture[str]
HALVES = '''"""Twelve rounds on two words of 32 bits: no cipher for use."""

from cipherassay.lang import *

halves = Cipher("Halves <64>", key_bits=(64,), block_bits=64, structure="ARX", source="tests")

@halves.key_schedule
def key_schedule(K):
    W = le_words(K)
    S = ring(u32, 12)
    for i in rounds(12):
        S[i] = rotl(W[i % 2], 5) ^ i
    return S

@halves.encrypt
def encrypt(S, plaintext):
    A, B = le_words(plaintext)
    for i in rounds(12):
        A, B = B, A ^ rotl(B + S[i], 7)
    return le_bytes(A, B)

@halves.decrypt
def decrypt(S, ciphertext):
    A, B = le_words(ciphertext)
    for i in rounds(11, -1, -1):
        A, B = B ^ rotl(A + S[i], 7), A
    return le_bytes(A, B)
'''
FAST = ("--level", "pa8500", "--level", "circuit")


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CIPHERASSAY_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("ASSAY_STORE", str(tmp_path / "store"))
    monkeypatch.chdir(tmp_path)
    Path("halves.py").write_text(HALVES)
    return tmp_path


def demand_alone(page: str) -> None:
    """Check that a page loads nothing, leads nowhere else, and that each of its names is there once."""
    assert re.findall(r"""(?:src|href)="(?!#|data:,)[^"]*\"""", page) == []
    assert re.findall(r"@import|url\((?!#)", page) == []
    names = re.findall(r'\bid="([^"]+)"', page)
    assert sorted(names) == sorted(set(names))
    assert set(re.findall(r'href="#([^"]+)"', page)) <= set(names)


def test_a_card_is_a_page_and_a_document(capsys: Capture) -> None:
    ran = assay(capsys, "card", "./halves.py", *FAST, "--json")
    assert ran.code == 0, ran.err
    page, kept = Path("halves_64.card.html"), json.loads(Path("halves_64.card.json").read_text())
    assert ran.json == {"page": str(page), **kept}
    assert (kept["schema"], kept["schema_version"], kept["state"]) == ("cipherassay.card", 1, "finished")
    assert sorted(kept) == ["ciphers", "levels", "machine", "schema", "schema_version", "state"]
    (cipher,) = kept["ciphers"]
    assert sorted(cipher) == [
        "block_bits", "cells", "constant_time", "key_bits", "name", "operations", "ranks", "s_boxes", "slug",
        "source", "strategy", "structure", "tweak_bits", "variants",
    ]  # fmt: skip
    assert cipher["operations"]["encrypt"]["add"] == 12
    assert cipher["constant_time"]["encrypt"]["constant_time"] is True
    cells = {one["level"]: one for one in cipher["cells"]}
    assert (cells["pa8500"]["status"], cells["pa8500"]["unit"]) == ("number", "cycles")
    code = [row for row in cells["pa8500"]["rows"] if row["metric"] == "code_bytes"]
    assert code[0]["value"] > 0
    assert (cells["circuit"]["status"], cells["circuit"]["code"]) == ("bound", "C140")
    text = page.read_text()
    demand_alone(text)
    assert 'http-equiv="refresh"' not in text
    assert "Halves &lt;64&gt;" in text
    assert "Halves <64></h1>" not in text
    for heading in ("What it is", "Its structure", "Constant time", "Cost on every level", "Cost and rank"):
        assert f">{heading} <a" in text
    assert "one of 12 iterations" in text
    assert "C140" in text


def test_a_cipher_is_ranked_among_what_is_kept(capsys: Capture) -> None:
    assert assay(capsys, "card", "rc6", "--level", "pa8500").code == 0
    ran = assay(capsys, "card", "./halves.py", "--level", "pa8500", "--json")
    (rank,) = ran.json["ciphers"][0]["ranks"]
    assert (rank["rank"], rank["of"], rank["unit"]) == (1, 2, "cycles")


def test_ciphers_stand_side_by_side(capsys: Capture) -> None:
    present = ROOT / "examples" / "present.py"
    ran = assay(capsys, "card", "./halves.py", str(present), *FAST, "-o", "both.html")
    assert (ran.code, ran.out) == (0, "both.html\n")
    text = Path("both.html").read_text()
    demand_alone(text)
    assert 'id="table-card-costs"' in text
    assert re.search(r'<th scope="col">Halves &lt;64&gt;</th><th scope="col">PRESENT</th>', text)
    assert [one["name"] for one in json.loads(Path("both.json").read_text())["ciphers"]] == ["Halves <64>", "PRESENT"]
    boxes = json.loads(Path("both.json").read_text())["ciphers"][1]["s_boxes"]
    assert [(one["inputs"], len(one["values"])) for one in boxes] == [(4, 16)]


def test_two_of_one_name(capsys: Capture) -> None:
    ran = assay(capsys, "card", "./halves.py", "./halves.py", *FAST)
    assert (ran.code, ran.err) == (
        2,
        "error[U042]: two of the ciphers are called `halves_64`\n"
        "   = help: a page tells ciphers apart by their names: give each its own in `Cipher(…)`\n",
    )


def test_a_wrong_cipher_makes_nothing(capsys: Capture) -> None:
    Path("halves.kat.txt").write_text(f"T=KAT SET=own KS=64 I=1 KEY={'00' * 8} PT={'00' * 8} CT={'11' * 8}\n")
    ran = assay(capsys, "card", "./halves.py", *FAST)
    assert ran.code == 4
    assert ran.err.startswith("error[K020]: ")
    assert list(Path().glob("*.html")) == list(Path().glob("*.json")) == []


def test_an_unknown_level(capsys: Capture) -> None:
    ran = assay(capsys, "card", "./halves.py", "--level", "pa8501")
    assert (ran.code, ran.err.splitlines()[0]) == (2, "error[U041]: there is no level `pa8501`")


def test_a_place_that_cannot_be_written(capsys: Capture) -> None:
    ran = assay(capsys, "card", "./halves.py", "-o", "/proc/none/card.html")
    assert (ran.code, ran.err.splitlines()[0][:12]) == (2, "error[U030]:")


def test_an_interrupted_card_is_whole(own_folder: Path) -> None:
    command = [sys.executable, "-c", "from cipherassay.cli import main; main()", "card", "serpent", "-o", "out"]
    with subprocess.Popen(
        command, env={**os.environ, "PYTHONPATH": str(SOURCE)}, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    ) as running:
        page, end = own_folder / "out" / "serpent.card.html", time.monotonic() + 120
        while not page.exists() and time.monotonic() < end:
            time.sleep(0.1)
        first = page.read_text()
        running.send_signal(signal.SIGINT)
        running.communicate(timeout=60)
    assert running.returncode == 130
    assert '<meta http-equiv="refresh" content="5">' in first
    assert "Being made: 0 of " in first
    last = page.read_text()
    demand_alone(last)
    assert 'http-equiv="refresh"' not in last
    assert "The same command goes on from there." in last
    assert "interrupted before it was made" in last
    assert json.loads((own_folder / "out" / "serpent.card.json").read_text())["state"] == "interrupted"


def made_card(rows: Sequence[Row]) -> Card:
    """Return a finished card of a cipher with the rows of synthesis."""
    cipher = load("./halves.py")
    level = next(one for one in levels() if one.name == "synthesis")
    card = Card([cipher], [level], "finished")
    card.add(Cell(cipher, level, rows[0], rows=rows))
    return card


def device() -> Row:
    """Return the area of a device."""
    return Row(
        cipher="Halves <64>", level="hardware", target="osu050", configuration="iterative, speed 1",
        strategy="on-the-fly", metric="area_ge", value=1234, basis="synthesized",
    )  # fmt: skip


def test_devices_that_fail_hold_say_so() -> None:
    row = device()
    assert "fails hold" not in html(made_card([row]))
    text = html(made_card([hold.marked(row, 96)]))
    assert "fails hold: 96 latches: withdrawn; synthesized" in text
    assert "iterative, speed 1, fails hold: 96 latches" in text


def test_devices_that_fail_hold_say_so_side_by_side() -> None:
    card = made_card([hold.marked(device(), 96)])
    card.ciphers = [*card.ciphers, load("rc6")]
    assert '1,234</button><span class="under">fails hold</span>' in html(card)
