"""Texts whose lines are tied to lines of the description."""

from __future__ import annotations

from pathlib import Path

import pytest

from cipherassay import strategies
from cipherassay.ciphers import load
from cipherassay.explorer import lines
from support.places import EXAMPLES
from support.small_cipher import TEXT

NAMES = ("speck.py", "gimli.py")


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("lines") / "small.py"
    path.write_text(TEXT)
    return path


def test_places_of_a_program() -> None:
    files = ("mine.py", "other.py")
    text = "\n".join(["func", "  %1: u8 = not %0    @3:5", "  %2: u8 = not %1  @1:4:2<7:9<12:1", '  meta "a" = "b@1:2"'])
    assert lines.of_program(text, files, "mine.py") == [[], [3], [7, 12], []]


def test_every_operation_of_a_program_keeps_its_line(small: Path) -> None:
    program = load(small).compile(128)
    tied = lines.of_program(program.text(), program.mirror().files, "small.py")
    number = TEXT.splitlines().index("        A = A ^ S[i]") + 1
    texts = [text.split("@")[0] for text, at in zip(program.text().splitlines(), tied, strict=True) if at[:1] == [number]]
    assert len([text for text in texts if "= xor " in text]) == 1
    assert len([text for text in texts if "= load " in text]) == 1


def test_comments_hold_until_the_next() -> None:
    text = "\n".join([
        "int f(void) {", "    a = b;  /* mine.py:7 */", "    c = d;", "    e = f;  /* other.py:3 */", "    g = h;  /* mine.py:9 */",
        "}", "// mine.py:4-6, 12, with other.py:3; mine.py:20", "assign x = y;", "", "assign z = y;",
    ])  # fmt: skip
    assert lines.of_comments(text, "mine.py") == [
        [], [7], [7], [7], [9], [], [4, 5, 6, 12, 20], [4, 5, 6, 12, 20], [], [],
    ]  # fmt: skip


def test_c_cites_lines_with_operations(small: Path) -> None:
    cipher = load(small)
    _, text = strategies.emit_c(cipher, [128], strategies.preferred(cipher))[-1]
    tied = {line for at in lines.of_comments(text, "small.py") for line in at}
    by_line = lines.operations_by_line(cipher.compile(128).mirror(), "small.py")
    round_line = TEXT.splitlines().index("        A = A ^ S[i]") + 1
    assert round_line in tied & set(by_line["encrypt"])
    assert max(tied) <= len(TEXT.splitlines())


@pytest.mark.parametrize("name", NAMES)
def test_operations_by_line_are_those_of_the_statistics(name: str) -> None:
    cipher = load(EXAMPLES / name)
    program = cipher.compile(cipher.key_bits[0])
    counted = lines.operations_by_line(program.mirror(), name)
    for function in program.functions():
        statistics = program.statistics(function["name"])
        whole = sum(one["dynamic"] for kind, one in statistics.items() if kind not in ("rounds", "steps", "call"))
        assert 0 < sum(counted[function["name"]].values()) <= whole
    direction = cipher.directions[0]
    unplaced = _unplaced(program.mirror().functions[direction].ops)
    whole = sum(one["dynamic"] for kind, one in program.statistics(direction).items() if kind not in ("rounds", "steps", "call"))
    assert sum(counted[direction].values()) + unplaced == whole


def _unplaced(ops: object, times: int = 1) -> int:
    found = 0
    for op in ops:  # type: ignore[attr-defined]
        if op.loop is not None:
            found += sum(
                _unplaced(body.ops, times * len(op.loop.iterations(n))) for n, body in enumerate(op.loop.bodies)
            )
        elif not op.places and op.kind != "call":
            found += times
    return found
