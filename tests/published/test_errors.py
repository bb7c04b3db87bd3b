"""Mistakes in published-data files: each names its file and line; the texts are kept to the letter."""

from __future__ import annotations

import copy
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cipherassay import published
from cipherassay.errors import AssayError, DescriptionError, UsageError
from cipherassay.published._load import read_paper
from support.published_texts import HEAD, RELATION, TABLE
from support.refusals import refusal

ERRATUM = """
[[erratum]]
id = "wrong"
where = "Table 1"
printed = "243"
follows = "226"
relation = "equal"
instances = [{ cipher = "RC6" }]
"""


def read(folder: Path, text: str) -> published.PublishedPaper:
    path = folder / "paper.toml"
    path.write_text(text, encoding="utf-8")
    return read_paper("paper", [path])


def test_a_correct_file_reads(tmp_path: Path) -> None:
    paper = read(tmp_path, HEAD + TABLE + RELATION + ERRATUM)
    assert [(row.cipher, row.operation, row.value, row.place.line) for row in paper.rows] == [
        ("RC6", "encrypt", 243, 15),
        ("RC6", "decrypt", 226, 15),
        ("MARS", "encrypt", 320, 16),
    ]
    assert published.problems((paper,)) == []


def test_a_paper_has_one_citation(tmp_path: Path) -> None:
    path, second = tmp_path / "paper.toml", tmp_path / "second.toml"
    path.write_text("schema = 1\n" + TABLE, encoding="utf-8")
    assert refusal(DescriptionError, read_paper, "paper", [path]) == (
        f"error[B017]: the paper lacks `[citation]`\n  --> {path}:1\n      schema = 1"
    )
    path.write_text(HEAD + TABLE, encoding="utf-8")
    second.write_text(HEAD, encoding="utf-8")
    assert refusal(DescriptionError, read_paper, "paper", [path, second]) == (
        f"error[B025]: the paper has a second `[citation]`\n  --> {second}:1"
    )


def test_words_of_configurations(tmp_path: Path) -> None:
    told = TABLE.replace('level = ', 'configuration = "small, speed 2", level = ', 1)
    assert told != TABLE
    word = '\n[[word]]\nword = "speed 2"\nspeed_grade = 2\nkey_mode = "one size"\n'
    found = read(tmp_path, HEAD + told + word).rows
    assert {(row.speed_grade, row.key_mode, row.architecture) for row in found} == {(2, "one size", "")}
    line = (HEAD + TABLE + word).count("\n") - 3
    assert refusal(DescriptionError, read, tmp_path, HEAD + TABLE + word) == (
        f"error[B026]: no configuration has the word `speed 2`\n  --> {tmp_path / 'paper.toml'}:{line}\n"
        "      [[word]]"
    )
    wrong = word.replace("one size", "every size")
    assert refusal(DescriptionError, read, tmp_path, HEAD + told + wrong).startswith(
        "error[B022]: unknown key_mode `every size`"
    )


CASES = {
    "toml": (
        TABLE.replace("[243, 226]", "[243, 226"),
        "error[B001]: paper.toml is not TOML\n  --> PATH:15\n"
        '      { cipher = "RC6", values = [243, 226 },\n'
        "   = the words of the library",
    ),
    "field of a table": (
        TABLE.replace("title =", "titel ="),
        'error[B002]: table `one` has an unknown field `titel`\n  --> PATH:10\n      titel = "One"\n'
        "   = help: did you mean `title`? (known: columns, conditions, defaults, grid, id, number, rows, "
        "summary, title, where)",
    ),
    "field of a row": (
        TABLE.replace('cipher = "MARS"', 'ciper = "MARS"'),
        "error[B002]: row has an unknown field `ciper`\n  --> PATH:16\n"
        '      { ciper = "MARS", values = [320, "-"] },\n'
        "   = help: did you mean `cipher`? (known: architecture, cipher, configuration, implementation, "
        "key_bits, key_mode, level, metric, note, obtained, operation, part, speed_grade, statistic, strategy, "
        "target, unit, variant, where)",
    ),
    "missing": (
        TABLE.replace('title = "One"\n', ""),
        "error[B003]: table `one` lacks `title`\n  --> PATH:8\n      [[table]]",
    ),
    "metric": (
        TABLE.replace('"cycles", unit', '"cyles", unit'),
        "error[B019]: unknown metric `cyles`\n  --> PATH:15\n"
        '      { cipher = "RC6", values = [243, 226] },\n'
        "   = help: did you mean `cycles`? (known: METRICS)",
    ),
    "unit": (
        TABLE.replace('unit = "cycles"', 'unit = "ns"'),
        "error[B020]: metric `cycles` has another unit\n  --> PATH:15\n"
        '      { cipher = "RC6", values = [243, 226] },\n'
        "   = expected `cycles`, found `ns`",
    ),
    "operation": (
        TABLE.replace('"decrypt"', '"decypher"'),
        "error[B022]: unknown operation `decypher`\n  --> PATH:8\n      [[table]]\n"
        "   = help: did you mean `decrypt`? (known: decrypt, encrypt, key_setup_both, key_setup_decrypt, "
        "key_setup_encrypt)",
    ),
    "value": (
        TABLE.replace("226", '"about 226"'),
        "error[B021]: a value is a number\n  --> PATH:15\n"
        '      { cipher = "RC6", values = [243, "about 226"] },\n'
        "   = found 'about 226'",
    ),
    "type": (
        TABLE.replace('id = "one"', "id = 1"),
        "error[B004]: `id` of [[table]] has another type\n  --> PATH:9\n      id = 1\n"
        "   = expected a string, found 1",
    ),
    "kind of a list": (
        TABLE.replace('[{ operation = "encrypt" }, { operation = "decrypt" }]', "3, 4"),
        "error[B004]: `columns` of table `one` has another type\n  --> PATH:13\n      columns = [3, 4]\n"
        "   = expected a list, found 3",
    ),
    "twice": (
        TABLE.replace('"MARS"', '"RC6"'),
        "error[B005]: table `one` states a quantity twice\n  --> PATH:16\n"
        '      { cipher = "RC6", values = [320, "-"] },\n'
        "   = the same quantity is on line 15: RC6 encrypt processor cycles",
    ),
    "columns": (
        TABLE.replace("[243, 226]", "[243, 226, 0]"),
        "error[B006]: a row has 3 values for 2 columns\n  --> PATH:15\n"
        '      { cipher = "RC6", values = [243, 226, 0] },',
    ),
    "per": (
        TABLE + RELATION.replace('per = ["cipher"]', 'per = ["chipher"]'),
        "error[B016]: relation `equal` groups by unknown field `chipher`\n  --> PATH:24\n"
        '      per = ["chipher"]\n'
        "   = help: did you mean `cipher`? (known: cipher, configuration, key_bits, level, metric, "
        "operation, part, strategy, table, target, variant)",
    ),
    "id": (
        TABLE + TABLE,
        "error[B011]: table `one` is defined twice\n  --> PATH:18\n      [[table]]\n   = first at PATH:8",
    ),
    "applies": (
        TABLE + 'ERRATUMapplies = [{ cipher = "E2" }]\n'.replace("ERRATUM", ERRATUM),
        "error[B024]: erratum `wrong` applies to no row\n  --> PATH:19\n      [[erratum]]",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_mistakes(case: str, tmp_path: Path) -> None:
    text, expected = CASES[case]
    with pytest.raises(DescriptionError) as caught:
        read(tmp_path, HEAD + text)
    found = str(caught.value).replace(str(tmp_path / "paper.toml"), "PATH")
    if caught.value.code == "B001":
        found = found.replace(caught.value.notes[0], "the words of the library")
    metrics = ", ".join(sorted(published.METRICS))
    assert found == expected.replace("METRICS", metrics)


def test_another_schema(tmp_path: Path) -> None:
    with pytest.raises(DescriptionError, match=r"error\[B018\]: schema 2 is not known"):
        read(tmp_path, HEAD.replace("schema = 1", "schema = 2"))


def test_not_text(tmp_path: Path) -> None:
    path = tmp_path / "paper.toml"
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(DescriptionError, match=r"error\[B015\]: cannot read paper.toml"):
        read_paper("paper", [path])


def test_a_relation_that_breaks(tmp_path: Path) -> None:
    (problem,) = published.problems((read(tmp_path, HEAD + TABLE + RELATION),))
    assert problem.exit_code == 4
    assert str(problem).replace(str(tmp_path / "paper.toml"), "PATH") == (
        "error[B008]: printed numbers contradict each other and no erratum says so: "
        "equal (cipher=RC6): 243 == 226\n"
        '  --> PATH:15\n      { cipher = "RC6", values = [243, 226] },\n'
        "  via PATH:19\n      [[relation]]\n"
        '   = help: correct the number, or record `[[erratum]]` with relation = "equal"'
    )


def test_an_erratum_without_instance(tmp_path: Path) -> None:
    text = HEAD + TABLE + RELATION + ERRATUM + ERRATUM.replace("wrong", "other").replace("RC6", "E2")
    (problem,) = published.problems((read(tmp_path, text),))
    assert problem.code == "B023"
    assert problem.message == "erratum `other` concerns no instance of `equal`"


def test_a_relation_that_cannot_be_evaluated(tmp_path: Path) -> None:
    paper = read(tmp_path, HEAD + TABLE + RELATION.replace("a == b", "a == c"))
    with pytest.raises(AssayError) as caught:
        published.problems((paper,))
    assert str(caught.value).replace(str(tmp_path / "paper.toml"), "PATH") == (
        "error[B007]: relation `equal` cannot be evaluated\n  --> PATH:19\n      [[relation]]\n"
        "   = a == c\n   = for cipher=RC6: `c` is not bound"
    )


def test_an_unknown_paper() -> None:
    with pytest.raises(UsageError) as caught:
        published.paper("worley200")
    assert str(caught.value) == (
        "error[B012]: unknown paper `worley200`\n   = help: did you mean `worley2000`? "
        "(known: aoki1999, fiskiran2001, gancarz2020, kwon2021, lightweight2017, luo2015, papagiannopoulos2013, sbox-circuits, "
        "schwabe2016, stoffelen2019, weatherley2017, weeks2000, welschenbach2005, worley2000, worley2000-slides)"
    )


def test_a_folder_of_ones_own(tmp_path: Path) -> None:
    (tmp_path / "mine2026").mkdir()
    (tmp_path / "mine2026" / "a.toml").write_text(HEAD, encoding="utf-8")
    (tmp_path / "mine2026" / "b.toml").write_text("schema = 1\n" + TABLE, encoding="utf-8")
    found = {paper.id: len(paper.rows) for paper in published.load((tmp_path,))}
    assert found["mine2026"] == 3
    assert "worley2000" in found


def toml(value: Any) -> str:
    """A value in TOML, tables inline."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        return "{" + ", ".join(f"{name} = {toml(one)}" for name, one in value.items()) + "}"
    if isinstance(value, list):
        return f"[{', '.join(map(toml, value))}]"
    return f'"{value}"' if isinstance(value, str) else str(value)


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths to all values within a value."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, one in inside:
        yield (*path, key)
        yield from places(one, (*path, key))


OTHERS = (3, 1.5, True, "x", [], {}, [1], [[1]], {"a": 1}, [{"a": 1}])


def test_wrong_types_never_end_in_a_traceback(tmp_path: Path) -> None:
    correct = tomllib.loads(HEAD + TABLE + RELATION + ERRATUM)
    refused = 0
    for path in places(correct):
        for other in OTHERS:
            wrong = copy.deepcopy(correct)
            block = wrong
            for key in path[:-1]:
                block = block[key]
            block[path[-1]] = other
            try:
                read(tmp_path, "\n".join(f"{name} = {toml(value)}" for name, value in wrong.items()))
            except AssayError:
                refused += 1
    assert refused > 300
