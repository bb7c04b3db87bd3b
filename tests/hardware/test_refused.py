"""Ciphers that hardware cannot serve are refused with the line, whatever the architecture."""

from pathlib import Path

import pytest

from cipherassay.ciphers import load
from cipherassay.hardware.rtl import build
from support.command import assay

SOURCE = load("rc6").file
# What is changed in RC6's file, and what the command says of it.
CASES = {
    "a number of rounds that depends on data": (
        "for i in rounds(1, r + 1):",
        "for i in rounds(1, r + (A & 1)):",
        "error[D002]: a word that depends on the key or the data cannot be made a Python number\n"
        "  --> {place}:28:14\n      for i in rounds(1, r + (A & 1)):\n"
        "   = help: index a table or array with it (`T[x]`), or take a field of it with `bits(x, low, width)`\n",
    ),
    "a loop that ends by data": (
        "for i in rounds(1, r + 1):",
        "while A != 0:",
        "error[D042]: a comparison of words that depend on the key or the data has no Python answer\n"
        "  --> {place}:28:11\n      while A != 0:\n"
        "   = help: use `equal(a, b)` or `less(a, b)`, which give a one-bit word for `select`\n",
    ),
}


@pytest.mark.parametrize("architecture", build.WITH_INTERFACE)
@pytest.mark.parametrize("case", CASES)
def test_the_line_is_named(
    case: str, architecture: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before, after, expected = CASES[case]
    text = Path(SOURCE).read_text()
    assert text.count(before) == 1
    place = tmp_path / "changed.py"
    place.write_text(text.replace(before, after))
    folder = tmp_path / "out"
    done = assay(capsys, "emit", "rtl", str(place), "--architecture", architecture, "-o", str(folder))
    assert (done.code, done.err) == (3, expected.format(place=place))
    assert not folder.exists()
