"""The report's section of processors: its tables from rows, its figures from schedules."""

from __future__ import annotations

from dataclasses import replace

from cipherassay import ciphers
from cipherassay.processors import document, load, names, report_list
from cipherassay.published import lookup
from cipherassay.report.elements.section import Section
from cipherassay.report.elements.tables import Table
from cipherassay.results import Row
from cipherassay.studies.worley2000 import kernel_comparisons, kernel_studies, part_figures
from cipherassay.studies.worley2000.kernels_shown import Kernels
from cipherassay.studies.worley2000.sections import processors
from support.report_sample import sample_data


def _row(target: str, metric: str, value: float, **more: object) -> Row:
    known = {
        "cipher": "RC6", "operation": "encrypt", "key_bits": 128, "level": "processor", "target": target,
        "basis": "simulated", "configuration": "unrolled",
    } | more  # fmt: skip
    return Row(metric=metric, value=value, **known)  # type: ignore[arg-type]


ROWS = [
    _row(
        "mckinley-paper", "cycles", 427, bound=427, certificate="proved; langevin-cerny: why", reference=490
    ),
    _row(
        "mckinley-paper", "cycles", 480, configuration="loop", certificate="regions: 20 × 24", reference=490
    ),
    _row("mckinley-paper", "ops", 742),
    _row("mckinley-paper", "code_bytes", 4000),
    _row("mckinley-paper", "code_bytes", 500, configuration="loop"),
    _row("mckinley-paper", "registers", 16, certificate="gr 13/3"),
    _row("pa8500", "cycles", 489, bound=475, certificate="restarts spent; cap: why", reference=480),
    _row("ia64pp", "cycles", 146, bound=146, certificate="proved; cap: why", reference=150),
    _row("ia64pp", "cycles", 286, configuration="unrolled, multiplication alone"),
    _row("mckinley", "refused", 1, certificate="M401: too few registers"),
]


def _section() -> Section:
    made = processors.section(replace(sample_data(20), kernels=ROWS, kernels_left=3))
    assert made is not None
    return made


def _lines(table: Table) -> list[list[str]]:
    return [[cell.text for cell in line] for line in table.lines]


def test_without_kernels_there_is_no_section() -> None:
    assert processors.section(sample_data(20)) is None


def test_words_are_computed() -> None:
    words, left = [block for block in _section().blocks if isinstance(block, str)]
    assert "5 kernels made from" in words
    assert "2 schedules are provably optimal" in words
    assert "Of 3 that can be compared" in words
    assert "2 are faster, 0 tie and 1 are slower" in words
    assert "Parameters of the models were chosen to meet 2 of the paper's figures (†" in words
    assert left.startswith("3 kernels were left out")


def test_table_of_a_cipher() -> None:
    (table,) = [one for one in _section().tables if one.name == "processor-rc6"]
    assert _lines(table) == [
        ["encryption", "PA-8500", "unrolled", "489", "475", "not proved: cap", "480 †", "+9"],
        [
            "",
            "IA-64, the paper's snapshot",
            "unrolled",
            "427",
            "427",
            "proved: langevin-cerny",
            "490 †",
            "-63",
        ],
        ["", "IA-64, one shifter", "none", "–", "–", "M401: too few registers", "–", "–"],
        ["", "IA-64++", "unrolled", "146", "146", "proved: cap", "150", "-4"],
    ]


def test_a_fitted_figure_names_its_parameter() -> None:
    (table,) = [one for one in _section().tables if one.name == "processor-rc6"]
    notes = {line[1].text: line[6].note for line in table.lines}
    assert notes["PA-8500"] == "; fitted: store_to_load"
    assert notes["IA-64, the paper's snapshot"] == "; fitted: alu_to_multimedia"
    assert notes["IA-64++"] == ""


def test_fits_name_published_figures() -> None:
    """Whatever a processor's file says that it was fitted on is printed somewhere."""
    count = 0
    for name in names():
        for parameter in document(load(name))["parameters"]:
            for fit in parameter["fitted"]:
                for cipher in fit["ciphers"] or [None]:
                    for operation in fit["operations"] or [None]:
                        chosen = {"target": fit["target"], "cipher": cipher, "operation": operation}
                        known = {field: value for field, value in chosen.items() if value}
                        assert lookup(paper=fit["paper"], **known), (name, parameter["name"], known)
                        count += 1
    assert count > 0


def test_appendix_has_straight_code_loops_and_paper() -> None:
    (table,) = [one for one in _section().tables if one.name == "appendix-a"]
    lines = [line for line in _lines(table) if line[2] in ("unrolled", "loop", "paper")]
    ia64 = lines[[line[1] for line in lines].index("IA-64, the paper's snapshot") :][:3]
    assert [line[2:6] for line in ia64] == [
        ["unrolled", "427", "742", "–"],
        ["loop", "480", "–", "–"],
        ["paper", "490", "826", "1.69"],
    ]
    assert ia64[0][6] == "13/3"


def test_straight_code_beside_loops() -> None:
    table = kernel_studies.forms(Kernels(ROWS), ["RC6"])
    (line,) = [line for line in _lines(table) if line[2] == "IA-64, the paper's snapshot"]
    assert line == [
        "RC6", "encryption", "IA-64, the paper's snapshot", "427", "4,000", "480", "500", "1.12", "0.12",
        "–", "–", "490", "480",
    ]  # fmt: skip


def test_longer_keys() -> None:
    assert kernel_studies.key_sizes(Kernels(ROWS), ["RC6"]) == []
    longer = _row("mckinley-paper", "cycles", 450, bound=450, key_bits=192)
    (table,) = kernel_studies.key_sizes(Kernels([*ROWS, longer]), ["RC6"])
    assert _lines(table) == [
        ["RC6", "encryption", "IA-64, the paper's snapshot", "427", "427", "4,000", "450", "450", "–"]
    ]


def test_the_recipe_stands_apart() -> None:
    assert kernel_studies.recipes(Kernels(ROWS), ["RC6"]) == []
    row = _row("mckinley-paper", "cycles", 500, configuration="the paper's recipe", reference=490)
    kernels = Kernels([*ROWS, row])
    (table,) = kernel_studies.recipes(kernels, ["RC6"])
    (line,) = _lines(table)
    assert line[3] == "500"
    assert line[6:9] == ["490 †", "+10", "+2.0"]
    assert line[-1] == "427"
    assert "500" not in [cell for line in _lines(kernel_studies.forms(kernels, ["RC6"])) for cell in line[:6]]


def test_limits_of_data_flow() -> None:
    free = _row("mckinley-paper-infinite", "cycles", 300)
    table = kernel_studies.limits(Kernels([*ROWS, free]), ["RC6"])
    assert _lines(table)[0][:5] == ["RC6", "encryption", "427", "300", "0.70"]


def test_longer_keys_only_where_the_code_differs() -> None:
    chosen = [ciphers.load(name) for name in ("rijndael", "twofish", "rc6")]
    longer = {(one.cipher.slug, one.operation) for one in report_list.kernels(chosen) if one.key_bits == 256}
    assert longer == {
        ("rijndael", "encrypt"), ("rijndael", "decrypt"), ("rijndael", "key_setup_both"),
        ("rijndael", "key_setup_encrypt"), ("twofish", "key_setup_both"), ("rc6", "key_setup_both"),
    }  # fmt: skip


def test_worth_of_instructions() -> None:
    table = kernel_comparisons.worth(Kernels(ROWS), ["RC6"])
    first = _lines(table)[0]
    assert first[:3] == ["RC6", "encryption", "427"]
    assert first[7:11] == ["286", "-141", "146", "-281"]
    assert first[11:] == ["490", "150"]


def test_ranking_rule_gives_the_paper_s_ranks() -> None:
    table = kernel_comparisons.ranking(Kernels(ROWS), ["MARS", "RC6", "Rijndael", "Serpent", "Twofish", "E2"])
    assert len(table.lines) == 5  # E2 was no finalist
    assert "gives the paper's two rankings" in table.notes[0]


def test_serpent_s_transforms() -> None:
    found = {key: one.cycles for key, one in part_figures.schedules().items()}
    assert found[False, "pa8500-infinite"] == 7
    assert found[True, "pa8500-infinite"] == 5
    assert found[False, "pa8500"] == found[True, "pa8500"] == 8
    assert found[False, "mckinley-paper"] <= 12
    assert found[True, "mckinley-paper"] <= 12
    files = {name for figure in part_figures.figures() for name in figure.files()}
    assert files == {
        "serpent-linear-transform.svg", "serpent-linear-transform.png",
        "serpent-inverse-linear-transform.svg", "serpent-inverse-linear-transform.png",
    }  # fmt: skip
