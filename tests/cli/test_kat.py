"""`assay kat check`: what it prints, its document, its exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cipherassay.cli import main
from cipherassay.vectors.kept import FOLDER
from support.other_shapes import FILES
from support.places import EXAMPLES


def run(*arguments: str) -> int:
    with pytest.raises(SystemExit) as end:
        main(["kat", "check", *arguments])
    assert isinstance(end.value.code, int)
    return end.value.code


RECORD = "T=KAT SET=rc6paper KS=128 I=1 KEY={0} PT={0} CT=8FC3A53656B1F778C129DF4E9848A41E\n"
LINE = RECORD.format("00" * 16)


def test_a_file_that_passes(capsys: pytest.CaptureFixture[str]) -> None:
    path = FOLDER / "mars_round_1" / "ecb_vt.txt"
    assert run(str(path)) == 0
    words = " ".join(capsys.readouterr().out.split())
    assert words.startswith(f"pass {path}: MARS, variant round-1 by evaluator: 384 of 384 single blocks ecb_vt 384 [")


def test_a_file_that_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "rc6.txt"
    path.write_text(LINE + LINE.replace("A41E", "A41F"))
    assert run(str(path)) == 4
    out, err = capsys.readouterr()
    assert " ".join(out.split()).startswith(f"FAIL {path}: RC6 by evaluator: 1 of 2 single blocks ")
    assert err == (
        "error[K020]: RC6 gives another answer than the file: rc6paper 128-bit key I=1\n"
        f"  --> {path}:2\n"
        "   = computed by evaluator: encrypt\n"
        "   = expected CT=8FC3A53656B1F778C129DF4E9848A41F\n"
        "   = found    CT=8FC3A53656B1F778C129DF4E9848A41E\n"
        "   = 1 of 2 records of this file fail\n"
        "   = the cipher agrees with the kept intermediate values: the record itself may be wrong\n"
    )


def test_all_files_are_checked_and_one_document_tells(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad, good = tmp_path / "rc6_bad.txt", tmp_path / "rc6_good.txt"
    bad.write_text(LINE.replace("A41E", "A41F"))
    good.write_text(LINE)
    assert run(str(bad), str(good), "--json") == 4
    document = json.loads(capsys.readouterr().out)
    assert document["ok"] is False
    assert [file["ok"] for file in document["files"]] == [False, True]
    failure = document["files"][0]["failures"]
    assert failure == [
        {
            "line": 1,
            "set": "rc6paper",
            "key_bits": 128,
            "index": 1,
            "computed": "encrypt",
            "field": "CT",
            "expected": "8FC3A53656B1F778C129DF4E9848A41F",
            "found": "8FC3A53656B1F778C129DF4E9848A41E",
        }
    ]
    good_file = document["files"][1]
    assert {key: good_file[key] for key in ("cipher", "variant", "backend", "total", "passed", "error")} == {
        "cipher": "rc6",
        "variant": None,
        "backend": "evaluator",
        "total": {"KAT": 1},
        "passed": {"KAT": 1},
        "error": None,
    }


LISTING = FOLDER / "rc6" / "ecb_iv.txt"


def test_intermediate_values_that_agree(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(str(LISTING)) == 0
    words = " ".join(capsys.readouterr().out.split())
    assert words.startswith(f"pass {LISTING}: RC6 by python: 3 of 3 listings of intermediate values ")


def test_intermediate_values_that_differ(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "rc6_iv.txt"
    lines = LISTING.read_text().splitlines()
    at = next(n for n, line in enumerate(lines) if line.startswith("i=3 t="))
    right, lines[at] = lines[at][-8:], "i=3 t=00000000"
    path.write_text("\n".join(lines))
    assert run(str(path)) == 4
    out, err = capsys.readouterr()
    assert " ".join(out.split()).startswith(f"FAIL {path}: RC6 by python: 2 of 3 listings of intermediate values ")
    assert err == (
        "error[K022]: RC6 computes other intermediate values than the listing\n"
        f"  --> {path}:14\n"
        f"   = first difference: encrypt, i = 3: `t` expected 00000000, found {right}"
        f" ({tmp_path.name}/rc6_iv.txt:{at + 1})\n"
        "   = 1 of 3 listings of this file differ\n"
    )
    lines[lines.index("KEYSIZE=192") + 2] = "KEY=0011"
    path.write_text("\n".join(lines))
    assert run(str(path)) == 3
    assert capsys.readouterr().err.startswith("error[K007]: KEY has the wrong length\n")


def test_the_cipher_may_be_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "v.txt"
    path.write_text(LINE)
    assert run(str(path), "--cipher", "rc6", "--backend", "python") == 0
    assert run(str(path), "--cipher", "serpent") == 4
    capsys.readouterr()
    assert run(str(path)) == 2
    assert capsys.readouterr().err == (
        f"error[K012]: nothing says which cipher the vectors in `{path}` are of\n"
        "   = looked beside it for a cipher's file, at its header, its name and its folder's name\n"
        "   = help: say --cipher NAME, or --cipher FILE (`assay list ciphers` shows the names)\n"
    )


@pytest.mark.parametrize(
    ("text", "arguments", "code", "expected"),
    [
        ("", (), 3, "error[K024]: the file has no record"),
        (LINE.replace("KS=128", "KS=192"), (), 3, "error[K007]: KEY has the wrong length"),
        (LINE, ("--backend", "d"), 2, "error[K013]: there is no back end `d`"),
        (LINE, ("--cipher", "rc5"), 2, "error[U014]: unknown cipher `rc5`"),
        (LINE, ("--variant", "round-1"), 2, "error[U011]: RC6 has no variant `round-1`"),
        (LINE, ("--strategy", "fastest", "--backend", "c"), 2, "error[S030]: unknown strategy `fastest`"),
    ],
)
def test_wrong_requests(
    text: str,
    arguments: tuple[str, ...],
    code: int,
    expected: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = tmp_path / "rc6.txt"
    path.write_text(text)
    assert run(str(path), *arguments) == code
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(expected)


def test_a_key_size_that_the_cipher_lacks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "rc6.txt"
    path.write_text(LINE.replace("KS=128", "KS=160").replace("KEY=", "KEY=00112233"))
    assert run(str(path)) == 3
    assert capsys.readouterr().err == (
        f"error[K011]: the cipher has no key of 160 bits\n  --> {path}:1\n   = expected one of 128, 192, 256\n"
    )


def test_blocks_of_another_size() -> None:
    description = FILES["xtea"]
    arguments = [str(description.with_suffix(".kat.txt")), "--cipher", str(description)]
    for backend in ("evaluator", "python", "c"):
        assert run(*arguments, "--backend", backend) == 0


def test_a_file_that_is_not_there(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("none.txt") == 2
    assert capsys.readouterr().err.startswith("error[K001]: the file `none.txt` cannot be read")


def test_a_cipher_file_beside_the_vectors_is_found(capsys: pytest.CaptureFixture[str]) -> None:
    path = EXAMPLES / "present.kat.txt"
    assert run(str(path), "--backend", "python") == 0
    words = " ".join(capsys.readouterr().out.split())
    assert words.startswith(f"pass {path}: PRESENT by python: 4 of 4 single blocks ")
