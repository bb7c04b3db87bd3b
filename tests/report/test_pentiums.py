"""The Pentiums in the report: rows kept or left, the tables, ours in the NTT paper's tables."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

from cipherassay.ciphers import load
from cipherassay.jobs import Place, Rows
from cipherassay.report.sections import pentiums
from cipherassay.results import Row, Store
from cipherassay.studies.aoki1999.sections import ntt
from cipherassay.x86 import report_list
from support.done import done
from support.report_sample import sample_data


def _row(operation: str, metric: str, value: float, bits: int = 128) -> Row:
    return Row(
        cipher="E2", operation=operation, key_bits=bits, level="processor", target="pentium-ii",
        strategy="two-operand-tables", metric=metric, value=value, basis="simulated",
        command="assay measure e2 --processor pentium-ii",
    )  # fmt: skip


ROWS = [_row("encrypt", "cycles", 340), _row("encrypt", "ops", 870), _row("key_setup_both", "cycles", 1100)]


def test_a_table_of_each_processor() -> None:
    section = pentiums.section(replace(sample_data(), elsewhere=ROWS))
    assert section is not None
    (table,) = section.tables
    (line,) = table.lines
    assert [cell.text for cell in line[:9]] == ["E2", "128", "1,100", "340", "–", "–", "870", "–", "–"]
    assert pentiums.section(sample_data()) is None


def test_a_recipe_stands_apart() -> None:
    recipe = replace(_row("encrypt", "cycles", 350), configuration="the paper's recipe")
    section = pentiums.section(replace(sample_data(), elsewhere=[*ROWS, recipe]))
    assert section is not None
    lines = [[cell.text for cell in line[:4]] for line in section.tables[0].lines]
    assert lines == [["E2", "128", "1,100", "340"], ["E2, the paper's recipe", "128", "–", "350"]]


def test_ours_stand_in_the_tables_of_ntt() -> None:
    section = ntt.section(replace(sample_data(), elsewhere=ROWS))
    assert section is not None
    tables = {table.name: table for table in section.tables}
    (line,) = [line for line in tables["ntt-table-2"].lines if line[0].text.startswith("Pentium II")]
    assert [cell.text for cell in line[2:7]] == ["355", "162.3", "340", "169.4", "0.96"]
    assert any(line[0].text == "Pentium II" for line in tables["ntt-platforms"].lines)


def test_what_is_asked_for() -> None:
    names = [one.name for one in report_list.requests([load("rc6"), load("e2")])]
    assert "processor/pentium-pro/rc6-key-setup-encrypt-128" in names
    assert "processor/pentium-ii/e2-key-setup-encrypt-256" in names
    assert len(names) == len(set(names)) == 2 * (3 + 5 + 2)
    assert "processor/pentium-pro/e2-decrypt-128-recipe" in names


def test_rows_are_kept_or_left(tmp_path: Path) -> None:
    made = []

    def work(name: str) -> Rows:
        made.append(name)
        return Rows(ROWS)

    jobs = [
        replace(one.job(), work=partial(work, one.name), place=Place.THREAD)
        for one in report_list.requests([load("rc6")])[:2]
    ]
    store = Store(tmp_path)
    assert done(jobs, store, seconds=0) == ([], 2)
    assert done(jobs, store)[1] == 0
    assert len(made) == 2
    found, left = done(jobs, store, seconds=0)
    assert (len(found), left, len(made)) == (2 * len(ROWS), 0, 2)
