"""Distributions on the modelled PA-8500 as rows: statistics of the samples, kept, drawn."""

from __future__ import annotations

from pathlib import Path

import pytest

from cipherassay import processors
from cipherassay.ciphers import load
from cipherassay.processors.requests import Request
from cipherassay.report.data import ReportData
from cipherassay.report.simulated import simulated_samples
from cipherassay.results import Store
from cipherassay.results.published import published_rows
from cipherassay.studies.worley2000 import distribution_rows
from cipherassay.studies.worley2000.sections import distributions as section
from support.done import done


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    monkeypatch.setattr(distribution_rows, "SIMULATED", 0)
    monkeypatch.setattr(distribution_rows, "LEAST", 100)
    return Store(tmp_path)


def test_rows_agree_with_their_samples_and_are_kept(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = processors.load("pa8500")
    names = ("rijndael", "rc6")
    cells = [distribution_rows.Cell(Request(load(name), "encrypt", model), False) for name in names]
    jobs = [cell.job() for cell in cells]
    rows, _ = done(jobs, store)
    samples = simulated_samples(store, [load(name) for name in names])
    by = {(row.cipher, row.metric): row for row in rows}
    for name, cycles in samples.items():
        assert len(cycles) == by[name[0], "inputs"].value == 100
        assert min(cycles) == by[name[0], "cycles_min"].value
        assert sum(cycles) / 100 == pytest.approx(by[name[0], "cycles_average"].value)
    assert by["RC6", "cycles_sigma"].value == 0
    assert by["Rijndael", "cycles_sigma"].certificate == "conflicts of banks of the data cache"
    monkeypatch.setattr(distribution_rows.distributions, "sample", None)
    assert done(jobs, store) == (rows, 0)

    data = ReportData(
        rows=[], published=published_rows(), studies={"distributions": rows}, simulated_samples=samples
    )
    shown = section.section(data)
    assert shown is not None
    (table,) = shown.tables
    lines = {line[0].text: [cell.text for cell in line] for line in table.lines}
    assert lines["RC6"][6:11] == ["580", "590.76", "591", "597", "1.24"]
    assert lines["RC6"][-1] == "none: all alike"
    (figure,) = shown.figures
    assert figure.name == "pa8500-encrypt-histograms"
    assert "For RC6, encryption the paper prints a spread" in str(shown.blocks[0])
