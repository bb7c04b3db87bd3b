"""What every pass makes of a small program, kept as text.

A file of ``tests/golden/passes`` holds the passes in its first line, a program, the line `BECOMES`, and the program that it
becomes. Its functions say what they show: one that begins with ``left_alone`` stays as it is, some other does not.
"""

from __future__ import annotations

import re

import pytest

from cipherassay import _engine
from cipherassay._engine import Program
from support.golden import FOLDER, golden

BECOMES = "# becomes\n"
FILES = sorted(path.name for path in (FOLDER / "passes").glob("*.program"))


def given(name: str) -> tuple[list[str], str]:
    """Return the passes and the program of a file; in the grammar of programs its head is a comment."""
    text = (FOLDER / "passes" / name).read_text(encoding="utf-8").partition(BECOMES)[0].rstrip("\n")
    found = re.match(r"# passes: (.+)\n", text)
    assert found, f"{name} does not begin with `# passes: …`"
    return found[1].split(", "), text


def functions(program: Program) -> dict[str, str]:
    """Return the text of each function."""
    return {text.split("(")[0]: text.rstrip("\n") for text in program.text().split("\nfunc @")[1:]}


def nameless(text: str) -> str:
    """Return a function with its values numbered: passes may name them anew."""
    numbers: dict[str, str] = {}
    return re.sub(r"%[\w.]+", lambda name: numbers.setdefault(name[0], f"%{len(numbers)}"), text)


@pytest.mark.golden
@pytest.mark.parametrize("name", FILES)
def test_what_a_program_becomes(name: str) -> None:
    passes, text = given(name)
    before = Program.parse(text)
    after = before.passes(passes)
    old, new = functions(before), functions(after)
    left = {one for one in old if one.startswith("left_alone")}
    assert left, f"{name} has no function that stays"
    assert {one: nameless(new[one]) for one in left} == {one: nameless(old[one]) for one in left}
    assert old != new, f"{name} shows no change"
    assert Program.parse(after.text()).text() == after.text()
    golden(f"passes/{name}", f"{text}\n\n{BECOMES}{after.text()}")


def test_every_pass_has_a_file() -> None:
    shown = {one.partition(":")[0] for name in FILES for one in given(name)[0]}
    assert sorted({name for name, _ in _engine.available_passes()} - shown) == []
