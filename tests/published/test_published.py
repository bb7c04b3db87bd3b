"""The published tables: how many rows, anchors, and every printed number against the papers' text."""

from __future__ import annotations

import re
from collections import Counter
from decimal import Decimal

import pytest

from cipherassay import published
from cipherassay.published import PublishedRow
from support.places import SHARED

PAPERS = SHARED / "papers"
TEXTS = {
    "aoki1999": "aoki1999-e2.txt",
    "fiskiran2001": "fiskiran2001.txt",
    "weeks2000": "weeks2000.txt",
    "worley2000": "worley2000-paper.txt",
    "worley2000-slides": "worley2000-slides.txt",
}

ROWS = {
    "aoki1999": {
        "platforms": 6, "table-1": 9, "table-2": 12, "abstract": 4, "parallelism": 2, "p-function": 5,
        "substitution-permutation": 31, "pair-table": 1, "table-3": 14, "ram": 4, "setup": 3,
    },
    "fiskiran2001": {"table-1": 18, "table-2": 18, "lookup": 5, "text": 4},
    "gancarz2020": {"normal": 18, "tiny": 2},
    "kwon2021": {"ecb": 1},
    "lightweight2017": {"area": 10, "clocks": 2},
    "luo2015": {"scenario-1": 4},
    "papagiannopoulos2013": {"speed": 1},
    "sbox-circuits": {
        "serpent-two-input": 16, "serpent-and-complement": 16, "serpent-ternary": 16,
        "serpent-two-alu-cycles": 16, "serpent-two-alu-ops": 16, "serpent-infinite-cycles": 16,
        "serpent-infinite-ops": 16, "serpent-x86-5": 16, "rijndael": 10, "small-boxes": 3,
    },
    "schwabe2016": {"tables": 4},
    "stoffelen2019": {"tables": 1},
    "welschenbach2005": {"platforms": 1, "table-11-18": 3},
    "weatherley2017": {"skinny-128": 9, "skinny-64": 9, "speck-128": 6},
    "weeks2000": {
        "table-1": 36, "table-2": 36, "table-3": 36, "table-4": 36, "table-5": 82, "table-6": 38,
        "table-7": 4, "table-8": 36, "table-9": 88, "table-10": 40, "table-11": 45, "table-12": 45,
        "table-13": 54, "table-14": 42, "table-15": 45, "table-16": 45, "table-17": 30, "table-18": 30,
        "figure-6": 3, "figure-7": 4, "figure-12": 2, "figure-16": 6, "figure-21": 2, "figure-22": 3,
        "figure-24": 3, "figure-25": 3, "figure-39": 2, "figure-41": 2, "figure-26": 2, "figure-36": 2,
        "figure-43": 1, "rounds": 7,
    },
    "worley2000": {
        "mars-performance": 24, "rc6-performance": 18, "rijndael-performance": 24, "serpent-performance": 18,
        "twofish-performance": 18, "gains": 38, "table-1": 192, "table-2": 144, "appendix-a": 242,
        "ranking": 20, "text": 39, "primitives": 14, "twofish-keying": 24, "twofish-tables": 10,
        "twofish-round": 8,
    },
    "worley2000-slides": {
        "keying": 25, "encryption": 25, "decryption": 25, "inputs": 2, "ia64": 15, "ia64pp": 22,
        "ranking": 20,
    },
}  # fmt: skip


def test_every_table_has_its_rows() -> None:
    found = {paper.id: {table.id: len(table.rows) for table in paper.tables} for paper in published.load()}
    assert found == ROWS


def test_pictures_without_values_are_named() -> None:
    figures = " ".join(omitted.number for paper in published.load() for omitted in paper.omitted)
    for number in ("Figures 1 to 3", "Figures 4 to 23", "Figures 24 to 43", "Figures 1 and 2", "Figure 4"):
        assert number in figures
    assert all(omitted.why for paper in published.load() for omitted in paper.omitted)


def test_every_paper_is_cited() -> None:
    for paper in published.load():
        assert all((paper.citation.authors, paper.citation.title, paper.citation.venue))
        assert paper.citation.year >= 1999


def test_every_row_is_complete() -> None:
    for row in published.rows():
        assert all((row.where, row.level, row.obtained, row.place.line))
        assert row.unit == published.METRICS[row.base_metric]
        assert row.unit == "registers" or row.value == float(row.printed)


DISTRIBUTIONS = {
    ("key_setup_both", "MARS"): (1797, 1804.65, 1799, 1879, 8.97),
    ("key_setup_both", "Twofish"): (2846, 2901.79, 2897, 2964, 16.73),
    ("encrypt", "RC6"): (580, 590.76, 591, 597, 1.24),
    ("encrypt", "Serpent"): (580, 580, 580, 580, 0),
    ("decrypt", "Rijndael"): (168, 175.88, 174, 192, 2.64),
}
STATISTICS = ("cycles", "cycles_average", "cycles_mode", "cycles_max", "cycles_sigma")


@pytest.mark.parametrize(("operation", "cipher"), DISTRIBUTIONS)
def test_distributions_of_the_slides(operation: str, cipher: str) -> None:
    found = [
        published.lookup(
            paper="worley2000-slides", cipher=cipher, operation=operation, target="pa8500", metric=metric
        )
        for metric in STATISTICS
    ]
    assert all(len(rows) == 1 for rows in found)
    assert tuple(rows[0].value for rows in found) == DISTRIBUTIONS[operation, cipher]


def only(**fields: str | int) -> PublishedRow:
    (row,) = published.lookup(**fields)  # type: ignore[arg-type]
    return row


def test_anchors() -> None:
    assert only(paper="aoki1999", operation="key_setup_both", key_bits=192, target="pentium-ii").value == 1991
    assert only(paper="aoki1999", operation="encrypt", target="alpha-21164a", metric="cycles").value == 587
    assert only(table="rijndael-performance", operation="key_setup_encrypt", target="ia64").value == 104
    assert (
        only(table="mars-performance", variant="round-1", operation="encrypt", metric="cycles").value == 540
    )
    assert only(paper="fiskiran2001", cipher="Rijndael", target="epic-2g1m", configuration="load.ex.sc",
                metric="speedup").printed == "2.05"  # fmt: skip
    smallest = only(paper="weeks2000", table="table-10", configuration="iterative, 128-bit",
                    metric="area_um2_min")  # fmt: skip
    assert (smallest.value, smallest.base_metric, smallest.statistic) == (9158239, "area_um2", "min")
    registers = only(table="appendix-a", cipher="RC6", operation="encrypt", target="ia64", metric="registers")
    assert (registers.printed, registers.value) == ("4/27/8", 39)


def test_a_row_speaks_the_fields_of_the_results() -> None:
    row = only(paper="worley2000-slides", table="encryption", cipher="RC6", metric="cycles_average")
    assert row.as_result() == {
        "cipher": "RC6", "variant": None, "part": None, "operation": "encrypt", "key_bits": 128,
        "strategy": None, "level": "processor", "target": "pa8500", "configuration": None,
        "metric": "cycles_average", "value": 590.76, "unit": "cycles", "basis": "published",
        "reference_source": "worley2000-slides, slide PA-RISC Performance, Encryption Distributions",
        "implementation": "worley2000-slides", "architecture": None, "key_mode": None, "speed_grade": None,
    }  # fmt: skip


def test_units_agree_with_the_results_store() -> None:
    results = pytest.importorskip("cipherassay.results.metrics")
    for name, unit in published.METRICS.items():
        assert results.METRICS[name].unit == unit, name


def numbers(text: str) -> list[Decimal]:
    """All numbers of a text, thousands separators removed."""
    return [Decimal(found) for found in re.findall(r"\d+(?:\.\d+)?", re.sub(r"(?<=\d),(?=\d{3})", "", text))]


def within(wanted: list[Decimal], line: list[Decimal]) -> bool:
    """Whether the numbers come in this order, others between them allowed."""
    rest = iter(line)
    return all(any(number == found for found in rest) for number in wanted)


OTHER_NOTATION = {
    ("worley2000", "ranking"), ("worley2000-slides", "ranking"),  # names in order, no numbers
    ("weeks2000", "figure-16"), ("weeks2000", "figure-36"), ("weeks2000", "figure-39"),  # Gbps; M
    ("aoki1999", "substitution-permutation"), ("aoki1999", "pair-table"),  # KB
}  # fmt: skip


@pytest.mark.parametrize("paper", TEXTS)
def test_every_line_is_printed_in_the_paper(paper: str) -> None:
    text = PAPERS / TEXTS[paper]
    if not text.exists():
        pytest.skip("the papers' texts are not beside the repository (../shared/papers)")
    lines = [numbers(line) for line in text.read_text(encoding="utf-8").splitlines()]
    # A table's cells may be spread over some lines of the transcription.
    windows = [[n for line in lines[at : at + 8] for n in line] for at in range(len(lines))]
    missing = [
        f"{rows[0].table}, line {rows[0].place.line}: {wanted}"
        for rows in by_line(published.paper(paper).rows)
        if not any(within(wanted := [n for row in rows for n in digits(row)], window) for window in windows)
    ]
    assert missing == []


def by_line(rows: tuple[PublishedRow, ...]) -> list[list[PublishedRow]]:
    """The rows of each line of the file, without those that the paper prints in another notation."""
    found: dict[tuple[str, int | None], list[PublishedRow]] = {}
    for row in rows:
        if (row.paper, row.table) not in OTHER_NOTATION and not row.note.startswith("printed as"):
            found.setdefault((row.place.file, row.place.line), []).append(row)
    return list(found.values())


def digits(row: PublishedRow) -> list[Decimal]:
    return numbers(row.printed if row.unit == "registers" else f"{Decimal(row.printed):f}")


def test_rows_of_a_line_are_many() -> None:
    """The comparison with the papers covers nearly all rows."""
    compared = Counter(
        row.paper for paper in published.load() for rows in by_line(paper.rows) for row in rows
    )
    total = Counter(row.paper for row in published.rows())
    assert sum(compared.values()) > 0.95 * sum(total.values())
