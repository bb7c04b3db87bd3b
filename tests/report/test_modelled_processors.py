"""Processors as files in the report: tables beside published cycles, with what of the timing is assumed."""

from __future__ import annotations

from dataclasses import replace

from cipherassay.processors import library
from cipherassay.report.sections import modelled_processors
from cipherassay.results import Row
from support.report_sample import sample_data


def _rows(target: str, form: str, cycles: float, reference: float | None) -> list[Row]:
    common = {
        "cipher": "Rijndael", "key_bits": 128, "level": "processor", "target": target, "basis": "simulated",
        "configuration": form,
    }  # fmt: skip
    paper = {"reference": reference, "reference_source": "a paper, Table 1"} if reference else {}
    return [
        Row(**common, operation="encrypt", metric="cycles", value=cycles, bound=cycles, certificate="proved", **paper),
        Row(**common, operation="encrypt", metric="code_bytes", value=2000.0),
        Row(**common, operation="key_setup_both", metric="cycles", value=400.0),
        Row(**common, operation="key_setup_encrypt", metric="cycles", value=300.0),
    ]  # fmt: skip


def test_a_table_stands_beside_published_cycles() -> None:
    kernels = [
        *_rows("sifive-e31", "loop", 1000.0, None),
        *_rows("sifive-e31", "unrolled", 800.0, 912.0),
        *_rows("mckinley-paper", "unrolled", 128.0, 125.0),
    ]
    section = modelled_processors.section(replace(sample_data(), kernels=kernels))
    assert section is not None
    (table,) = section.tables
    assert table.name == "processor-sifive-e31"
    straight, loops = ([cell.text for cell in line] for line in table.lines)
    assert straight == [
        "Rijndael", "straight", "800", "300", "800", "2,000", "50", "912", "0.88",
    ]  # fmt: skip
    headings = [column.heading for column in table.columns]
    assert headings[2:5] == ["cycles: encrypt", "cycles: key setup", "bound: encrypt"]  # no empty columns
    assert loops[:2] == ["Rijndael", "loops"]
    assert loops[-3:] == ["62.50", "–", "–"]
    assert table.notes[0].startswith("Assumed: ALU; MUL; LOAD; LOADN; STORE; BRANCH (SiFive: ")
    assert table.notes[-1] == "Published: a paper, Table 1."


def test_processors_of_studies_have_their_own_sections() -> None:
    kernels = _rows("mckinley-paper", "unrolled", 128.0, 125.0)
    assert modelled_processors.section(replace(sample_data(), kernels=kernels)) is None
    assert modelled_processors.section(sample_data()) is None


def test_every_cipher_is_kept_straight_and_in_loops() -> None:
    for processor in ("sifive-e31", "cortex-m3", "cortex-m4"):
        known = library.choices(processor)
        for cipher in sample_data().strategies:
            for operation in ("encrypt", "decrypt"):
                for form in ("unrolled", "loop"):
                    assert f"{cipher.lower()} {operation} 128 {form}" in known
