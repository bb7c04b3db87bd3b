"""The overview: one number per cipher and platform, ranks, ratios; data sheets; histograms that show the middle."""

from __future__ import annotations

from dataclasses import replace

from cipherassay.report.comparing import Platform, Reference, platforms
from cipherassay.report.drawings.histograms import histograms
from cipherassay.report.elements.figures import chart_points
from cipherassay.report.sections import matrix
from cipherassay.report.sheets import sheet_pages
from cipherassay.results import Row
from support.report_sample import COSTS, sample_data


def _row(cipher: str, value: float, **more: object) -> Row:
    fields = {"operation": "encrypt", "key_bits": 128, "metric": "cycles", "basis": "simulated", **more}
    return Row(cipher=cipher, value=value, **fields)  # type: ignore[arg-type]


def _platform(better: str) -> Platform:
    rows = {name: _row(name, value) for name, value in (("A", 10.0), ("B", 30.0), ("C", 10.0))}
    references = {"B": Reference(60.0, "a paper")}
    return Platform("p", "P", "cycles", "cycles", rows, "native", references, better=better)


def test_ranks_follow_the_direction_and_equals_share_one() -> None:
    lower, higher = _platform("lower"), _platform("higher")
    assert [lower.rank(name) for name in "ABCD"] == [(1, 3), (3, 3), (1, 3), None]
    assert [higher.rank(name) for name in "ABC"] == [(2, 3), (1, 3), (2, 3)]
    assert lower.ratio("B") == 0.5
    assert lower.ratio("A") is None


def test_a_platform_has_the_fewest_cycles_of_any_code() -> None:
    """Not those of a call, of one key, of a longer key or of a paper's recipe."""
    common = {"level": "processor", "target": "pa8500"}
    kernels = [
        _row("RC6", 500.0, configuration="unrolled", **common),
        _row("RC6", 490.0, configuration="loop", **common),
        _row("RC6", 400.0, configuration="unrolled, for one key", **common),
        _row("RC6", 300.0, configuration="unrolled", **{**common, "key_bits": 192}),
        _row("MARS", 600.0, configuration="loop", **common),
    ]
    data = replace(sample_data(20), kernels=kernels)
    found = {one.name: one for one in platforms(data, data.ciphers)}
    assert {name: row.value for name, row in found["pa8500"].rows.items()} == {"MARS": 600.0, "RC6": 490.0}
    assert found["pa8500"].title == "PA-8500"
    assert found["pa8500"].references["RC6"].value == 580
    assert found["pa8500"].ratio("RC6") == 490 / 580


def test_the_matrix_has_ranks_and_ratios() -> None:
    data = sample_data(20)
    section = matrix.section(data)
    assert section is not None
    (table,) = section.tables
    assert [line[0].text for line in table.lines] == list(COSTS)
    native = {line[0].text: line[1] for line in table.lines}
    fastest = min(native.values(), key=lambda cell: cell.number or 0)
    assert fastest.rank == (1, len(COSTS))
    assert native["Rijndael"].under == "0.99×", "of the fastest library of the same run"
    assert str(section.blocks[0]).startswith("Rijndael leads on")


def test_there_is_a_data_sheet_for_each_cipher() -> None:
    sheets = list(sheet_pages(sample_data(20)))
    assert [page.path for page in sheets] == [f"ciphers/{name.lower()}.html" for name in COSTS]
    for page in sheets:
        boxes = [] if page.path in ("ciphers/rc6.html", "ciphers/mars.html") else ["boxes"]
        names = ["identity", "structure", "constant-time", *boxes, "ranks", "levels"]
        assert [section.name for section in page.sections] == names
        operations = page.sections[0].tables[1]
        sums = [cell.number for cell in operations.lines[-1][1:]]
        for column, total in enumerate(sums, 1):
            assert total == sum(line[column].number or 0 for line in operations.lines[:-1])


def test_one_outlier_does_not_squeeze_a_histogram() -> None:
    cycles = [100.0 + n % 7 for n in range(999)] + [90_000.0]
    (row,) = histograms({"RC6": cycles})["vconcat"]
    (panel,) = row["hconcat"]
    bars = [point for point in chart_points(panel) if "from" in point]
    assert max(bar["to"] for bar in bars) < 120
    assert sum(bar["percent"] for bar in bars) == 99.9
    assert panel["title"]["subtitle"].endswith("; 1 beyond, up to 90,000")
