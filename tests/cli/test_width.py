"""What is printed fits 80 columns, on a terminal and in a pipe, and breaks no word."""

from __future__ import annotations

import random
import shutil
import subprocess
import sys

import pytest

from cipherassay.cli.list import KINDS
from cipherassay.console.lines import hanging
from cipherassay.console.tables import grid, table
from support.command import assay, start, verbs

WIDTH = 80
Capture = pytest.CaptureFixture[str]


@pytest.mark.parametrize("seed", range(20))
def test_tables_fit_and_keep_their_words(seed: int) -> None:
    numbers = random.Random(seed)
    count = numbers.randrange(1, 12)
    words = [[["long", "words", "rijndael", "7"][numbers.randrange(4)] for _ in range(numbers.randrange(12))] for _ in range(count * 5)]
    cells = [" ".join(one) for one in words]
    columns = [f"column {n}" for n in range(count)]
    rows = [cells[n * count : (n + 1) * count] for n in range(5)]
    lines = table(columns, rows, [numbers.random() < 0.3 for _ in columns], WIDTH)
    assert max(map(len, lines)) <= WIDTH
    shown = " ".join(lines).replace(";", " ").replace(":", " ").split()
    assert {word for cell in cells for word in cell.split()} <= set(shown)


def test_what_has_no_room_stands_below_its_row() -> None:
    long = "what a column of this width cannot hold beside the others, " * 3
    lines = table(["name", "number", "reason"], [["serpent", "1234", long]], [False, True, False], 40)
    assert lines[:3] == ["name     number  reason", "-" * 40, "serpent    1234  what a column of this"]
    lines = table(["name", "a", "b", "c", "reason"], [["x" * 20, "1" * 9, "2" * 9, "3" * 9, long]], [False] * 5, 60)
    assert lines[2] == f"{'x' * 20}  {'1' * 9}  {'2' * 9}  {'3' * 9}"
    assert lines[3].startswith("    reason: what a column of this width")


def test_a_head_of_several_words_is_wrapped() -> None:
    assert table(["bytes of RAM"], [["17"]], [True], 5) == ["bytes", "   of", "  RAM", "-----", "   17"]


def test_cells_side_by_side() -> None:
    assert grid(["aes", "rc6", "idea", "des"], 14) == ["aes   idea", "rc6   des"]
    assert grid([], 80) == []


def test_lines_go_on_below_their_text() -> None:
    assert hanging("  mended   area of one and of another cell", 26) == ["  mended   area of one and", "           of another cell"]


def test_no_summary_is_cut_and_every_verb_has_a_heading(capsys: Capture) -> None:
    groups = [(), *{path[:-1] for path, _ in verbs() if len(path) > 1}]
    for group in groups:
        shown = assay(capsys, *group, "--help").out
        listed = shown.partition("-h, --help")[2].partition("\n")[2].partition("Exit codes")[0]
        assert "…" not in listed.replace("[CIPHER]…", ""), group
        assert "..." not in listed, group
        assert max(map(len, shown.splitlines())) <= WIDTH, group
        # Each command's summary is one line: no line begins in the summaries' column.
        begins = [line for line in listed.splitlines() if line.startswith(" " * 10)]
        assert begins == [], group
    assert "Commands:" not in assay(capsys, "--help").out


def test_help_of_every_verb_fits(capsys: Capture) -> None:
    for path, _ in verbs():
        assert max(map(len, assay(capsys, *path, "--help").out.splitlines())) <= WIDTH, path


FEW = 40
"""Lines of a screen."""


@pytest.mark.parametrize("kind", KINDS)
def test_a_list_fits_a_screen(kind: str, capsys: Capture) -> None:
    lines = assay(capsys, "list", kind).out.splitlines()
    assert max(map(len, lines)) <= WIDTH
    assert len(lines) <= FEW


@pytest.mark.parametrize(
    "words",
    [
        ("show", "rijndael"), ("show", "rijndael", "--precomputation"), ("show", "worley2000"), ("show", "osu050"),
        ("circuit", "list"), ("circuit", "list", "languages"), ("doctor",), ("check", "published", "aoki1999"),
    ],
    ids=" ".join,
)  # fmt: skip
def test_output_fits(words: tuple[str, ...], capsys: Capture) -> None:
    ran = assay(capsys, *words)
    assert ran.code == 0
    assert [line for line in ran.out.splitlines() if len(line) > WIDTH] == []


def test_a_terminal_sees_the_same_lines(tmp_path: object) -> None:
    if shutil.which("script") is None:
        pytest.skip("script is not here")
    command = f"{sys.executable} -c 'from cipherassay.cli import main; main()' list processors"
    ran = subprocess.run(["script", "-qec", f"stty cols {WIDTH}; {command}", "/dev/null"], capture_output=True, text=True, check=False)
    plain = start("list", "processors").stdout.splitlines()
    seen = [line.replace("\x1b[1m", "").replace("\x1b[0m", "").rstrip() for line in ran.stdout.splitlines()]
    assert [line for line in seen if line and "so far" not in line] == [line for line in plain if line]
