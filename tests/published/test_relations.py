"""Relations between printed numbers: all hold or are errata, and each of these checks can fail."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cipherassay import published
from cipherassay.errors import AssayError
from cipherassay.published import PublishedPaper, PublishedRow
from cipherassay.published._relation import ExpressionError, holds, sides

INSTANCES = {
    "aoki1999": 28,
    "fiskiran2001": 25,
    "weeks2000": 959,
    "worley2000": 365,
    "worley2000-slides": 151,
}


def test_every_contradiction_is_a_recorded_erratum() -> None:
    assert [str(problem) for problem in published.problems(published.load())] == []


def test_instances_per_paper() -> None:
    found = Counter(one.paper for one in published.check())
    assert found == INSTANCES


def test_broken_ones_are_exactly_those_with_errata() -> None:
    for one in published.check():
        assert one.holds is (not one.errata), one


CONTRADICTIONS = {
    "worley2000": {
        "appendix-table-sizes", "rijndael-ia64", "serpent-pentium-keying", "mars-ipc", "serpent-ipc",
        "rijndael-forward-bytes", "twofish-pa-gain", "rc6-ia64-slowdown", "gladman-faster", "mars-weak-keys",
        "mars-data-sets", "formulas",
    },
    "worley2000-slides": {"rc6-ia64-keying", "serpent-plus-encryption"},
    "fiskiran2001": {"rijndael-gain"},
    "aoki1999": {"h8-throughput", "abstract-platforms"},
    "weeks2000": {
        "mars-128-block", "mars-3in1-block-slowest", "rc6-128-block-slowest", "rc6-pipelined-size",
        "serpent-block", "serpent-jump", "twofish-decrypt-slowest", "twofish-setup", "twofish-128-setup",
        "rijndael-iterative-speed", "rijndael-pipelined-speed", "rijndael-128-decrypt",
        "rijndael-pipelined-transistors", "per-area-13-fastest", "per-area-14-fastest", "per-area-17-fastest",
        "per-area-18-fastest", "increase", "rijndael-tradeoff-area", "reminder", "references",
        "mars-decrypt-setup", "rijndael-iterative-size", "rc6-area-reduction", "mars-improvement",
        "mars-not-rising", "serpent-increase", "rc6-pads",
    },
}  # fmt: skip


@pytest.mark.parametrize("paper", CONTRADICTIONS)
def test_known_contradictions_are_recorded(paper: str) -> None:
    assert CONTRADICTIONS[paper] <= {erratum.id for erratum in published.paper(paper).errata}


def test_rows_carry_their_errata() -> None:
    (row,) = published.lookup(
        paper="worley2000-slides", table="ia64", cipher="RC6", operation="key_setup_both"
    )
    assert (row.value, row.errata) == (1057, ("rc6-ia64-keying",))


def changed(paper: PublishedPaper, table: str, number: int, value: float) -> PublishedPaper:
    """The paper with another number in one row of a table."""
    tables = []
    for one in paper.tables:
        rows = list(one.rows)
        if one.id == table:
            rows[number] = replace(rows[number], value=value, printed=f"{value:g}")
        tables.append(replace(one, rows=tuple(rows)))
    return replace(paper, tables=tuple(tables))


@pytest.mark.parametrize(
    ("paper", "table", "relation"),
    [
        ("aoki1999", "table-2", "throughput"),
        ("aoki1999", "table-3", "calls"),
        ("fiskiran2001", "table-1", "order"),
        ("weeks2000", "table-7", "table-7"),
        ("weeks2000", "table-13", "change-13"),
        ("worley2000", "twofish-round", "twofish-round-sum"),
        ("worley2000", "rc6-performance", "same-cell"),
        ("worley2000-slides", "keying", "distribution-order"),
    ],
)
def test_a_wrong_number_breaks_a_relation(paper: str, table: str, relation: str) -> None:
    others = tuple(one for one in published.load() if one.id != paper)
    wrong = changed(published.paper(paper), table, 0, 1234567)
    found = [str(problem) for problem in published.problems((*others, wrong))]
    assert any("B008" in text and f": {relation} (" in text or f": {relation}:" in text for text in found), (
        found
    )


def test_an_erratum_removed_is_missed() -> None:
    slides = published.paper("worley2000-slides")
    found = published.problems((published.paper("worley2000"), replace(slides, errata=())))
    assert [error.code for error in found] == ["B008", "B008"]
    with pytest.raises(AssayError, match="1581 .worley2000, rc6-performance. and"):
        published.check((published.paper("worley2000"), replace(slides, errata=())))


def test_an_erratum_whose_relation_holds_is_refused() -> None:
    aoki = published.paper("aoki1999")
    rows = [row for row in aoki.table("table-2").rows if row.target == "h8-300"]
    number = aoki.table("table-2").rows.index(rows[1])
    (problem,) = published.problems(
        (changed(changed(aoki, "table-2", number, 0.1004), "abstract", 0, 0.1004),)
    )
    assert problem.code == "B009"
    assert problem.message == (
        "erratum `h8-throughput` names a relation that holds: throughput (target=h8-300): 0.1004 == 0.100408"
    )


def test_a_lost_row_is_missed() -> None:
    aoki = published.paper("aoki1999")
    tables = tuple(replace(one, rows=one.rows[1:]) if one.id == "table-1" else one for one in aoki.tables)
    with pytest.raises(AssayError) as caught:
        published.problems((replace(aoki, tables=tables),))
    assert caught.value.code == "B010"
    assert caught.value.message == "relation `longer-keys-cost-more` has 2 instances"


def test_intervals_of_printed_numbers() -> None:
    def row(printed: str, unit: str) -> PublishedRow:
        return PublishedRow("p", "t", "w", "c", "m", float(printed), unit, printed, "measured")

    assert row("540", "cycles").interval() == (540, 540)
    assert row("9553", "ns").interval() == (9552.5, 9553.5)
    assert row("9553", "ns").interval(cut=True) == (9552, 9554)
    assert row("563.01", "cycles").interval() == pytest.approx((563.005, 563.015))
    assert row("8.03E+3", "Mbit/s").interval() == (8025, 8035)


def test_comparisons_of_intervals() -> None:
    values = {"a": [(1.15, 1.25)], "b": [(1.24, 1.26)], "many": [(1.0, 1.0), (2.0, 2.0), (4.0, 4.0)]}
    assert holds("a == b", values)
    assert holds("a <= b <= 2", values)
    assert not holds("a >= 1.3", values)
    assert holds("sum(many) == 7", values)
    assert holds("max(many) / min(many) - 1 == 3", values)
    assert holds("count(many) == 3", values)
    assert holds("ceil(16 / floor((104 - 56) / 16)) == 6", values)
    assert holds("abs(a - b) <= 0", values)
    assert sides("a == 2 * b", values) == "1.2 == 2.5"


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        ("a +", "not an expression: invalid syntax"),
        ("a", "not a comparison"),
        ("a == c", "`c` is not bound"),
        ("many == 1", "`many` is 2 rows"),
        ("a / zero == 1", "division by zero"),
        ("a % 2 == 1", "only + - * / compute"),
        ("a < 1", "only ==, <= and >= compare"),
        ("open(a) == 1", "unknown function `open` of 1"),
        ("a.real == 1", "`a.real` is not arithmetic"),
        ("sum(c) == 1", "`c` is not bound"),
    ],
)
def test_expressions_that_cannot_be_evaluated(expression: str, text: str) -> None:
    with pytest.raises(ExpressionError) as caught:
        holds(expression, {"a": [(1, 1)], "zero": [(-1, 1)], "many": [(1, 1), (2, 2)]})
    assert str(caught.value) == text


NUMBER = st.floats(-100, 100, allow_nan=False)
POSITIVE = st.floats(0.5, 100, allow_nan=False)
WIDTH = st.floats(0, 1, allow_nan=False)


@settings(derandomize=True, deadline=None)
@given(x=NUMBER, y=POSITIVE, left=WIDTH, right=WIDTH)
def test_intervals_enclose_what_numbers_give(x: float, y: float, left: float, right: float) -> None:
    values = {"x": [(x - left, x + right)], "y": [(y - left / 4, y + right)]}
    assert holds(f"x + y == {x + y!r}", values)
    assert holds(f"x - y == {x - y!r}", values)
    assert holds(f"x * y == {x * y!r}", values)
    assert holds(f"x / y == {x / y!r}", values)
    assert holds(f"abs(x) == {abs(x)!r}", values)
