"""Tables 1 and 2 of the HP paper from the published equation sets: how much of them comes out as printed."""

import pytest

from cipherassay.circuits import boxes, engine, equation_sets, targets
from cipherassay.studies.worley2000 import equation_counts

AGREEING = {
    ("table-1", "AES submission"): {"ops": 16, "cycles": 15, "width": 16, "temporaries": 0},
    ("table-1", "Gladman"): {"ops": 16, "cycles": 16, "width": 16, "temporaries": 0},
    ("table-1", "Osvik"): {"ops": 15, "cycles": 13, "width": 11, "temporaries": 3},
    ("table-2", "AES submission"): {"ops": 16, "cycles": 16, "temporaries": 0},
    ("table-2", "Gladman"): {"ops": 16, "cycles": 16, "temporaries": 0},
    ("table-2", "Osvik"): {"ops": 16, "cycles": 14, "temporaries": 0},
}


def test_the_agreeing_cells_are_as_many_as_before() -> None:
    expected = {(*which, metric): n for which, counts in AGREEING.items() for metric, n in counts.items()}
    assert equation_counts.agreement() == expected


def test_what_differs_is_known() -> None:
    differing = {
        (row.table, row.configuration, row.variant, metric): (row.ours[metric], row.printed[metric])
        for row in equation_counts.rows()
        for metric in ("ops", "cycles")
        if not row.agrees(metric)
    }
    assert differing == {
        ("table-1", "AES submission", "S1", "cycles"): (8, 9),
        ("table-1", "Osvik", "S3", "ops"): (17, 21),
        ("table-1", "Osvik", "S3", "cycles"): (8, 4),
        ("table-1", "Osvik", "S7", "cycles"): (10, 8),
        ("table-1", "Osvik", "I3", "cycles"): (9, 8),
        ("table-2", "Osvik", "S7", "cycles"): (11, 10),
        ("table-2", "Osvik", "I2", "cycles"): (9, 10),
    }


def test_the_best_set_is_taken_for_each_machine() -> None:
    older = {
        (row.table, row.variant) for row in equation_counts.rows() if row.equations == "gladman-simpson-older"
    }
    assert older == {("table-1", "S6"), ("table-1", "I6"), ("table-2", "I6")}


@pytest.mark.parametrize("name", [file for files in equation_counts.SETS.values() for file in files])
def test_every_set_has_every_box(name: str) -> None:
    found = equation_sets.equations(name)
    assert list(found) == [
        box.variant for box in sorted(boxes.boxes_of("serpent"), key=lambda b: "SI".index(b.variant[0]))
    ]


def test_rows_are_flat_and_no_schedule_is_longer_than_the_greedy_one() -> None:
    rows = equation_counts.tables()
    assert len(rows) == 2 * 3 * 16
    first = {"table": "table-1", "part": "S0", "variant": "S0", "configuration": "AES submission"}
    assert rows[0].items() >= {**first, "ops": 18, "printed_ops": 18, "cycles": 9, "width": 6}.items()
    assert all(row.exact_cycles <= row.ours["cycles"] for row in equation_counts.rows())


def test_sequences_for_x86_are_counted_with_their_moves() -> None:
    target = targets.find("x86-5")
    found = {
        variant: engine.measure(document.text(), target)
        for variant, document in equation_sets.equations("osvik").items()
    }
    published = {  # operations and moves
        "S0": (17, 1), "S1": (17, 1), "S2": (14, 2), "S3": (17, 2), "S4": (19, 1), "S5": (18, 1), "S6": (17, 1),
        "S7": (19, 1), "I0": (18, 1), "I1": (18, 1), "I2": (18, 1), "I3": (17, 1), "I4": (19, 1), "I5": (18, 1),
        "I6": (16, 1), "I7": (18, 1),
    }  # fmt: skip
    counted = {v: (m["instructions"] - m["moves"], m["moves"]) for v, m in found.items()}
    assert counted == published
