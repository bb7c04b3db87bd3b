"""The verb `what-if`: hypothetical instructions and what they buy."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.command import assay

ROTATION = """\
source = "made up"
confidence = "hypothetical"

[[instruction]]
name = "rotl32"
class = "ISHF"
form = "d:gr = a:gr, b:gr"
assembly = "rotl32 {d} = {a}, {b}"
semantics = "d = rotl(a, b, 32)"

[[instruction]]
name = "odd"
class = "ISHF"
form = "d:gr = a:gr"
assembly = "odd {d} = {a}"
semantics = "d = (a ^ 12345) + 777"
"""
RC6 = ("--cipher", "rc6", "--operation", "encrypt")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "rotation.toml"
    path.write_text(ROTATION)
    return path


def test_what_a_rotation_buys(capsys: pytest.CaptureFixture[str], file: Path) -> None:
    ran = assay(capsys, "study", "what-if", "-p", "mckinley-paper", "--instruction", str(file), *RC6, "--json")
    assert ran.code == 0, ran.err
    assert ran.json["instructions"] == ["rotl32", "odd"]
    assert ran.json["unused"] == ["odd"]
    (line,) = ran.json["kernels"]
    assert line["with"] < line["without"]
    assert line["difference"] == line["with"] - line["without"]
    assert line["used"] == {"rotl32": 80}  # twenty rounds: two rotations by 5, two by data
    shown = assay(capsys, "study", "what-if", "-p", "mckinley-paper", "--instruction", str(file), *RC6)
    assert "odd: unused by every kernel\n" in shown.out


def test_what_is_not_used_buys_nothing(capsys: pytest.CaptureFixture[str], file: Path) -> None:
    e2 = ("--cipher", "e2", "--operation", "encrypt")
    ran = assay(capsys, "study", "what-if", "-p", "mckinley-paper", "--instruction", str(file), *e2, "--json")
    (line,) = ran.json["kernels"]
    assert (line["used"], line["difference"], line["without"]) == ({}, 0, line["with"])


@pytest.mark.parametrize(
    ("content", "error"),
    [
        (
            None,
            "error[M713]: `{file}` is not a file\n   = help: name a file of records `[[instruction]]`\n",
        ),
        (
            'source = "made up"\nconfidence = "hypothetical"\n',
            "error[M023]: the file holds no instruction\n  --> {file}\n"
            "   = help: records `[[instruction]]`, as in the files of processors\n",
        ),
    ],
)
def test_mistakes(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, content: str | None, error: str
) -> None:
    file = tmp_path / "file.toml"
    if content is not None:
        file.write_text(content)
    ran = assay(capsys, "study", "what-if", "-p", "mckinley-paper", "--instruction", str(file), *RC6)
    assert ran.code == (2 if content is None else 3)
    assert ran.err == error.format(file=file)


def test_unknown_operation(capsys: pytest.CaptureFixture[str], file: Path) -> None:
    ran = assay(
        capsys, "study", "what-if", "-p", "mckinley-paper", "--instruction", str(file), "--operation", "encipher", "--quiet"
    )
    assert (ran.code, ran.err.splitlines()[0]) == (2, "error[M710]: unknown operation `encipher`")
