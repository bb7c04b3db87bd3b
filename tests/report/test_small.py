"""Small processors in the report: rows kept, tables beside published code."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from cipherassay.ciphers import load
from cipherassay.embedded import processors
from cipherassay.embedded import rows as small
from cipherassay.errors import DescriptionError, ToolError
from cipherassay.jobs import RowCache, run
from cipherassay.report.sections import small_processors
from cipherassay.results import Store
from cipherassay.studies.aoki1999.sections import ntt
from support.report_sample import sample_data


def test_tables_stand_beside_published_code() -> None:
    section = small_processors.section(sample_data())
    assert section is not None
    tables = {table.name: table for table in section.tables}
    assert list(tables) == ["small-h8-300", "small-avr"]
    avr = tables["small-avr"]
    (rijndael,) = [line for line in avr.lines if line[0].text == "Rijndael"]
    texts = [cell.text for cell in rijndael]
    # Of the published AES those with tables in flash and round keys kept, though others are quicker or smaller.
    assert texts[-4:] == ["4.01", "1.42", "1.12", "210"]
    assert avr.notes == [
        "Assembled and run by: an assembler; a simulator.",
        "Published: gancarz2020, README, Normal, S-boxes in flash.",
    ]
    (e2,) = [line for line in tables["small-h8-300"].lines if line[0].text == "E2"]
    assert [cell.text for cell in e2[-4:-1]] == ["0.21", "0.47", "–"]
    assert e2[-4].note == "3,000 / 14,041"
    assert small_processors.section(replace(sample_data(), embedded=[])) is None


def test_the_ntt_tables_show_ours_on_their_processor() -> None:
    section = ntt.section(sample_data())
    assert section is not None
    keys, blocks = section.tables[:2]
    (line,) = [line for line in blocks.lines if line[0].text.startswith("H8/300")]
    # 128 bits in 3000 cycles at 5 MHz.
    assert [cell.text for cell in line[2:7]] == ["6,374", "0.1005", "3,000", "0.213", "0.47"]
    (line,) = [line for line in keys.lines if line[0].text.startswith("H8/300")]
    assert [cell.text for cell in line[2:9]] == ["14,041", "15,284", "16,518", "3,000", "–", "–", "0.21"]


def test_what_is_asked_for() -> None:
    asked = small.jobs([load("rc6"), load("e2")])
    names = [one.name for one in asked]
    loops = [name for name in names if name.endswith("loops")]
    # What papers print comes first.
    first = [f"embedded/h8-300/e2-{bits}-straight" for bits in (128, 192, 256)]
    assert names[: len(first) + len(loops)] == [*first, *loops]
    assert len(names) == 2 * len(loops)
    for name in processors.names():
        assert [one for one in loops if f"{name}/rc6" in one] == [f"embedded/{name}/rc6-128-loops"]
        assert {f"embedded/{name}/e2-{bits}-loops" for bits in (128, 192, 256)} <= set(loops)


def test_a_missing_tool_leaves_its_processor_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(tool: str) -> None:
        raise ToolError("T002", "no assembler", help="get one")

    monkeypatch.setattr(small, "require", missing)
    jobs = small.jobs([load("rc6")])
    outcome = run(jobs, RowCache(Store(tmp_path)))
    assert not outcome.results
    assert set(outcome.failed) == {job.name for job in jobs}
    assert {error.message for error in outcome.failed.values()} == {"no assembler"}


def test_what_cannot_be_made_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    def make(*given: object, **named: object) -> None:
        raise DescriptionError("E101", "no such shift", notes=["in line 3"])

    monkeypatch.setattr("cipherassay.embedded.target.make", make)
    (row,) = small.jobs([load("rc6")])[0].work().rows
    assert (row.metric, row.certificate) == ("refused", "E101: no such shift; in line 3")
