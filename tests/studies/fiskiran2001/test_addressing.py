"""The study of addressing modes: look-ups as the paper counts them, speedups, schedules, refusals."""

import json
from dataclasses import replace
from itertools import pairwise

import pytest

from cipherassay import ciphers
from cipherassay.errors import UsageError
from cipherassay.results.published import published_rows
from cipherassay.studies.fiskiran2001 import addressing, fit, single_pass
from cipherassay.studies.fiskiran2001.addressing import MODES, Assumptions, Study
from cipherassay.studies.fiskiran2001.verbs.addressing import assumed

ASSUMED = Assumptions()
SMALL = ((1, 1), (8, 1), (8, 2))


@pytest.fixture(scope="module")
def rijndael() -> Study:
    """Return Rijndael on three processors."""
    return addressing.study(ciphers.load("rijndael"), ASSUMED, SMALL)


def test_a_look_up_takes_the_instructions_of_the_paper() -> None:
    rows = [row for row in published_rows() if (row.reference_source or "").startswith("fiskiran2001")]
    printed = {row.configuration: row.value for row in rows if row.metric == "instructions"}
    ours = {name: sum(addressing.instructions(mode).values()) for mode, name in MODES.items()}
    ours["indexed, one mask"] = sum(addressing.instructions("indexed", "cheapest").values())
    assert ours == printed


def test_look_ups_of_a_mode_use_its_instructions() -> None:
    # of two forms of four instructions: shift, mask, add and load; the mask leaves the index scaled
    assert addressing.instructions("indexed") == {"add": 1, "and.i": 1, "load": 1, "shr.i": 1}
    assert addressing.instructions("indexed", "cheapest") == {"and.i": 1, "load.x": 1, "shr.i": 1}
    assert addressing.instructions("scaled-indexed") == {"and.i": 1, "load.4": 1, "shr.i": 1}
    assert addressing.instructions("scaled-indexed-extract") == {"extract": 1, "load.4": 1}
    assert addressing.instructions("load-extract-scale") == {"load.2b.4": 1}


def test_rijndael_has_sixteen_look_ups_a_round_and_each_mode_saves_one_instruction(rijndael: Study) -> None:
    operations = [rijndael.cells[1, 1, mode].operations for mode in MODES]
    assert rijndael.look_ups == 10 * 16
    saved = [before - after for before, after in pairwise(operations)]
    assert saved[1:] == [160, 160]
    assert 160 <= saved[0] <= 164  # with indexed addressing the addresses of tables are made twice, or not
    assert rijndael.share(1, 1) == pytest.approx(4 * 160 / operations[0], abs=0.005)


def test_a_more_powerful_mode_is_not_slower_and_the_port_bounds(rijndael: Study) -> None:
    for width, ports in SMALL:
        speedups = [rijndael.speedup(width, ports, mode) for mode in MODES]
        assert speedups[0] == 1
        assert all(before <= after for before, after in pairwise(speedups))
    accesses = 160 + 44 + 4 + 4  # look-ups, round keys, the block's words in and out
    for mode in MODES:
        assert rijndael.cells[8, 1, mode].cycles >= accesses
        assert rijndael.cells[8, 2, mode].cycles <= rijndael.cells[8, 1, mode].cycles


def test_an_instruction_that_makes_code_slower_is_left_unused() -> None:
    # list scheduling of Twofish's code with load.ex.sc takes 0.8 % more cycles than of its code without
    study = addressing.study(
        ciphers.load("twofish"), ASSUMED, ((1, 1), (8, 1)), modes=("load-extract-scale",)
    )
    without_it = tuple(MODES)[:3]
    without = addressing.study(ciphers.load("twofish"), ASSUMED, ((1, 1), (8, 1)), modes=without_it)
    found = study.cells[8, 1, "load-extract-scale"]
    assert found.cycles == min(without.cells[8, 1, mode].cycles for mode in without_it)
    assert found.operations in {without.cells[8, 1, mode].operations for mode in without_it}


def test_the_printed_speedups_are_met_as_far_as_the_report_says(rijndael: Study) -> None:
    found = fit.differences(rijndael)
    assert len(found) == 9  # of the paper's four processors three
    assert fit.root_mean_square(found) < 0.06


def test_an_overhead_is_spread_over_the_slots(rijndael: Study) -> None:
    more = rijndael.with_overhead(ASSUMED.overhead + 16)
    for key, cell in more.cells.items():
        before = rijndael.cells[key].cycles
        assert cell.cycles - before in (16 // cell.width, 16 // cell.width + 1)


def test_a_cipher_without_look_ups_gains_nothing() -> None:
    study = addressing.study(ciphers.load("rc6"), ASSUMED, [(2, 1)])
    assert study.look_ups == 0
    assert {study.speedup(2, 1, mode) for mode in MODES} == {1.0}


def test_rows_carry_the_printed_number_and_its_place(rijndael: Study) -> None:
    rows = fit.rows_of(rijndael)
    (row,) = [
        r
        for r in rows
        if r.metric == "speedup" and r.target == "epic-8g2m" and r.configuration == "load.ex.sc"
    ]
    assert (row.reference, row.reference_source) == (1.41, "fiskiran2001, section 5, Table 2")
    assert "load_latency 1" in (row.tools or "")


GRAPH = {
    "classes": [0, 0, 1, 0],
    "edges": [
        {"from": 0, "to": 2, "latency": 1, "distance": 0},
        {"from": 2, "to": 3, "latency": 3, "distance": 0},
        {"from": 3, "to": 0, "latency": 2, "distance": 1},
    ],
}
RESOURCES = {
    "classes": ["ALU", "LOAD"],
    "caps": [{"name": "issue", "limit": 1, "takes": [1, 1]}, {"name": "M", "limit": 1, "takes": [0, 1]}],
}


def test_a_single_pass_takes_the_longest_way_first() -> None:
    region = single_pass.region(json.dumps(GRAPH))
    limits = single_pass.Limits.parse(json.dumps(RESOURCES))
    assert list(region.ways) == [4, 0, 3, 0]
    cycles = single_pass.schedule(region, limits)
    assert cycles == [0, 2, 1, 4]
    assert single_pass.length(region, cycles) == 6  # the next iteration's first operation waits for the last


def test_ties_go_by_the_place_in_the_code() -> None:
    region = single_pass.region(json.dumps({"classes": [0, 0, 0], "edges": []}))
    limits = single_pass.Limits.parse(json.dumps(RESOURCES))
    assert single_pass.schedule(region, limits) == [0, 1, 2]
    assert single_pass.schedule(region, limits, last_first=True) == [2, 1, 0]


def test_the_search_tries_each_set_once() -> None:
    sets = fit.sets()
    assert len(sets) == len(set(sets))
    assert replace(ASSUMED, overhead=sets[0].overhead) in sets


def refused(*settings: str) -> str:
    """Return the text of the refusal of assumptions."""
    with pytest.raises(UsageError) as caught:
        assumed(settings)
    return str(caught.value)


def test_refusals() -> None:
    assert refused("load_latency") == (
        "error[M701]: `load_latency` is not a setting\n   = help: write --assume NAME=VALUE"
    )
    assert refused("load_latency=9") == (
        "error[M721]: `load_latency` cannot be `9`\n   = help: possible: 1, 2, 3, 4"
    )
    assert refused("latency=2").startswith("error[M720]: unknown assumption `latency`\n   = help: ")
    with pytest.raises(UsageError) as caught:
        addressing.processor(ASSUMED, 2, 4, "indexed")
    assert str(caught.value) == (
        "error[M722]: a processor that issues 2 cannot have 4 memory ports\n"
        "   = help: the width includes the memory ports"
    )
