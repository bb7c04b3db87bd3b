"""The report's section on circuits: tables from rows, pictures from the library, folds in the page."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from cipherassay import ciphers
from cipherassay.circuits import boxes, engine, library, targets
from cipherassay.circuits.documents import one
from cipherassay.circuits.library import compose
from cipherassay.circuits.report_jobs import circuit_job
from cipherassay.circuits.rows import cipher_name, rows, stored_rows
from cipherassay.report.elements.section import Fold
from cipherassay.report.page.rendering import Site
from cipherassay.report.page.rows import RowNumbers
from cipherassay.report.pages import pages
from cipherassay.report.sections import circuits
from cipherassay.results import Store
from cipherassay.studies.worley2000.equation_jobs import equation_job
from support.done import done
from support.report_sample import sample_data
from support.small_circuits import S3


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A library of S3 for two targets."""
    library.keep(S3, target="two-input", folder=tmp_path, proof="best found; gates >= 12 (exhausted)")
    library.keep(S3, target="two-alu", folder=tmp_path)
    found = list(library.stored(folder=tmp_path))
    monkeypatch.setattr(
        library, "stored", lambda *chosen, **_: [s for s in found if chosen[1:2] in ((), (s.target,))]
    )
    return tmp_path


def test_a_row_has_its_bound_and_what_is_published(kept: Path) -> None:
    (item,) = (s for s in library.stored() if s.target == "two-input")
    gates, depth = stored_rows(item.document)
    assert (gates.cipher, gates.variant, gates.level, gates.target) == (
        "Serpent",
        "S3",
        "circuit",
        "two-input",
    )
    assert (gates.metric, gates.value, gates.bound, gates.certificate) == ("gates", 15, 12, "exhausted")
    assert (gates.reference, gates.reference_source) == (16, "Gladman and Simpson, January 2000")
    assert gates.ratio == 15 / 16
    assert gates.configuration == "gates depth"
    assert gates.command == "assay circuit search serpent.S3 --target two-input --objective gates,depth"
    assert (depth.metric, depth.value, depth.bound, depth.reference) == ("depth", 7, None, None)
    own = boxes.Box("own", 4, boxes.find("serpent.S3").data)
    assert rows(item.document, own, targets.find("two-input"))[0].cipher is None


def test_the_section(kept: Path, tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    data = replace(
        sample_data(inputs=20),
        circuits=done([circuit_job()], store)[0],
        studies={"equations": done([equation_job()], store)[0]},
    )
    assert "circuits" in store.runs()
    made = circuits.section(data)
    assert made is not None
    assert "2 can be compared with a published count: 1 are smaller, 1 tie and 0 are larger." in str(made.blocks[0])
    names = [table.name for table in made.tables]
    assert names == ["hp-table-1", "hp-table-2"]
    folds = [block for block in made.blocks if isinstance(block, Fold)]
    assert [fold.title for fold in folds] == [
        "Pictures: Serpent for two-input",
        "Pictures: Serpent for two-alu",
    ]
    first, _ = made.galleries
    assert [picture.title for picture in first.pictures] == ["S3"]
    assert list(first.files()) == ["circuit-serpent-S3-two-input-gates.svg"]
    page = next(page for page in pages([replace(made, page="circuits")]) if page.name == "circuits")
    html = Site(data, [page], RowNumbers()).page(page)
    assert html.count("<details") == 2
    assert html.count('class="circuit"') == 2
    assert html.count(".circuit .w{") == 1


def test_a_target_with_several_boxes_has_a_table(monkeypatch: pytest.MonkeyPatch) -> None:
    target = targets.find("two-input")
    proof = "best found; gates >= 12 (exhausted)"
    composed = compose(one(S3), boxes.find("serpent.S3"), target, target.objective, proof=proof)
    row = stored_rows(composed)[0]
    found = [replace(row, variant="S0", value=13), row]
    monkeypatch.setattr(library, "stored", lambda *_, **__: [])
    made = circuits.section(replace(sample_data(inputs=20), circuits=found))
    assert made is not None
    (table,) = made.tables
    assert table.name == "circuits-two-input-gates"
    texts = [[cell.text for cell in line] for line in table.lines]
    assert texts[0][:5] == ["S0", "13", "16", "0.81", "at least 12"]
    assert texts[-1][:4] == ["sum", "28", "32", "0.88"]


def test_an_area_is_also_shown_in_gate_equivalents(kept: Path) -> None:
    sky130 = targets.find("cells:sky130")
    box = boxes.find("serpent.S3")
    area, equivalents, depth = rows(compose(one(S3), box, sky130, sky130.objective), box, sky130)
    assert (area.metric, equivalents.metric, depth.metric) == ("area_um2", "area_ge", "depth")
    measured = engine.measure(S3, sky130)
    assert equivalents.value == pytest.approx(measured["gate_equivalents"], rel=1e-5)
    assert equivalents.value * 3.7536 == pytest.approx(area.value)  # the area of nand2_1
    assert targets.find("two-input").gate_equivalent is None


def test_rows_name_a_cipher_by_its_file_of_boxes() -> None:
    """Though the catalogue holds the permutation that the box is of, by a name of its own."""
    assert ciphers.load("ascon").name == "Ascon-p"
    assert [cipher_name(family) for family in ("ascon", "twofish", "sm4", "own")] == ["Ascon", "Twofish", "SM4", None]
