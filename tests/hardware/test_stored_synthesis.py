"""Kept results of synthesis: figures from clocks, rows, staleness, errors to the letter."""

from __future__ import annotations

import copy
import json
from pathlib import Path

import pytest

from cipherassay import jobs, keeping
from cipherassay.ciphers import load
from cipherassay.errors import DescriptionError, VerificationError
from cipherassay.hardware.libraries import technology
from cipherassay.hardware.results import figures, remembered, rows, stored
from cipherassay.hardware.results.documents import Document
from cipherassay.hardware.rtl import build
from cipherassay.hardware.rtl.hashes import verilog_hash
from cipherassay.hardware.simulation import counts, own
from cipherassay.hardware.simulation.counts import Counts
from cipherassay.hardware.simulation.vectors import Vector
from cipherassay.hardware.synthesis import exploring
from cipherassay.hardware.timing import hold, signoff
from support.command import assay
from support.small_cipher import TEXT


@pytest.fixture(autouse=True)
def cache(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    monkeypatch.setenv("CIPHERASSAY_CACHE", str(tmp_path_factory.getbasetemp() / "cache"))


@pytest.fixture
def small(tmp_path: Path) -> Path:
    path = tmp_path / "small.py"
    path.write_text(TEXT)
    return path


def document(cipher: Path, strategy: str = "on-the-fly") -> Document:
    """A document as synthesis would give it, with sizes and periods made up."""
    device = build.build(load(str(cipher)), strategy_name=strategy)
    clocks = [
        {"key_bits": 128, "operation": operation, "key_setup": 0, "latency": 7, "per_block": 5, "key_switch": 5}
        for operation in ("encrypt", "decrypt")
    ]  # fmt: skip
    grade = {
        "strategy": strategy, "period_ns": {"128": 2.0}, "area_um2": 1000.0, "transistors": 100,
        "blocks": {"Algorithm": [600.0, 70], "Interface": [400.0, 30]}, "cells": {}, "latches": 0,
        "split": "operators", "recipes": {"top": "A"}, "path": ["a", "b"], "shares": {"top": 2.0},
    }  # fmt: skip
    slow = {**grade, "period_ns": {"128": 3.0}, "area_um2": 900.0, "blocks": {"Algorithm": [900.0, 100]}}
    return {
        "schema": keeping.SCHEMAS["grades"], "design": device.name, "cipher": str(cipher), "title": "Small",
        "architecture": "iterative", "key": "128", "direction": "both", "technology": "osu050",
        "library": "0", "tools": "yosys 0; opensta 0; library 0", "recipes": ["A"], "splits": ["operators"],
        "designs": 1, "area_unit": "µm²", "gate_equivalent_um2": 216.0,
        "strategies": {strategy: {
            "verilog": verilog_hash(device), "io_pads": 394, "registers": {}, "clocks": clocks,
        }},
        "grades": [grade, slow], "literal": [], "points": [],
        "functions": {strategy: {"operators": {"top": [["A", 2.0, 1000.0, 100]]}}},
    }  # fmt: skip


def test_figures_of_clocks() -> None:
    found = figures.figures(
        Counts(key_setup=11, latency=13, per_block=11, key_switch=22, block_bits=128), 10.0
    )
    assert found.throughput_mbps == pytest.approx(128 / 110e-9 / 1e6)
    assert found.feedback_mbps == pytest.approx(128 / 130e-9 / 1e6)
    assert (found.block_ns, found.key_setup_ns, found.key_switch_ns) == (130, 110, 220)
    assert found.latency_ns == 240
    assert found.blocks_in_flight == pytest.approx(13 / 11)


def test_figures_that_contradict_each_other_are_refused() -> None:
    wrong = figures.Figures(1000.0, 1000.0, 100.0, 0.0, 0.0, 100.0, 1.0)
    with pytest.raises(VerificationError) as caught:
        figures.demand(wrong, 128)
    assert str(caught.value) == (
        "error[H720]: throughput and block time contradict each other\n"
        "   = 1000 Mbit/s for 100 ns are 100 bits\n"
        "   = 1 blocks in flight hold 128 bits"
    )


@pytest.mark.parametrize("architecture", build.WITH_INTERFACE)
def test_throughput_and_block_time_are_those_of_the_blocks_inside(small: Path, architecture: str) -> None:
    """Counted clock by clock in a simulation, from what goes in and comes out alone."""
    device = build.build(load(str(small)), architecture, strategy_name="on-the-fly")
    found = counts.confirmed(device)
    for (bits, decrypt), clocks in found.items():
        made = figures.figures(clocks, 1.0)
        key, number = bytes(bits // 8), 24
        program = device.programs[bits]
        (words,) = program.evaluate("key_schedule", [list(key)])
        tests = []
        for n in range(number):
            block = bytes([n]) * 16
            (result,) = program.evaluate("decrypt" if decrypt else "encrypt", [words, list(block)])
            # an iterative device holds a block that it takes early back: alone, none waits
            alone = architecture == "iterative"
            tests.append(Vector("flow", n, key, decrypt, block, bytes(result), n == 0, alone, False, n == 0))
        events = own.simulate(device, tests)
        assert all(events.results[n][1] == tests[n].expected for n in range(number))
        inside = [
            sum(events.blocks[n] <= clock < events.results[n][0] for n in range(number))
            for clock in range(events.clocks)
        ]
        bits_for_blocks = made.throughput_mbps * made.block_ns / 1000
        if architecture == "pipelined":
            assert max(inside) == made.blocks_in_flight == bits_for_blocks / 128
        else:
            assert max(inside) == 1
            assert sum(inside) / number == made.block_ns
            assert bits_for_blocks / 128 == pytest.approx(sum(inside) / number / clocks.per_block)


def test_key_agility_is_seen_in_the_simulation(small: Path) -> None:
    cipher = load(str(small))
    flight = counts.confirmed(build.build(cipher, "pipelined", strategy_name="on-the-fly"))
    assert {one.key_switch for one in flight.values()} == {1}
    literal = counts.confirmed(build.build(cipher, "pipelined", strategy_name="rounds"))
    for one in literal.values():
        assert one.key_switch == one.latency + one.key_setup


def test_rows_of_a_document(small: Path) -> None:
    made = list(rows.device_rows(document(small), stored=True, command="assay synthesize"))
    whole = {(r.configuration, r.metric, r.part, r.operation, r.key_bits): r.value for r in made}
    fast = "iterative, speed 1"
    assert whole[fast, "period_ns", None, None, 128] == 2.0
    assert whole[fast, "area_um2", "Algorithm", None, None] == 600.0
    assert whole["iterative, speed 2", "area_um2", None, None, None] == 900.0
    assert whole[fast, "area_ge", None, None, None] == pytest.approx(1000 / 216)
    assert whole[fast, "throughput_mbps", None, "encrypt", 128] == 12800.0
    assert whole[fast, "throughput_mbps", "feedback modes", "decrypt", 128] == pytest.approx(128000 / 14)
    assert whole[fast, "time_ns", None, "encrypt", 128] == 14.0
    assert whole[fast, "time_ns", None, "key_setup_encrypt", 128] == 0.0
    assert whole[fast, "time_ns", "key switch", "key_setup_decrypt", 128] == 10.0
    assert whole[fast, "time_ns", "key setup and one block", "encrypt", 128] == 14.0
    assert whole[fast, "time_ns", "algorithm setup", None, None] == 0.0
    assert whole[fast, "throughput_per_area", "Algorithm", "encrypt", 128] == pytest.approx(12800e6 / 600)
    assert whole[fast, "io_pads", None, None, None] == 394
    assert {r.tools for r in made} == {"yosys 0; opensta 0; library 0; stored"}
    assert {r.variant for r in made} == {"128"}
    (delay, area, equivalents, transistors) = rows.function_rows(document(small), "assay synthesize")
    assert (delay.part, delay.configuration, delay.value) == ("top", "iterative, function by A", 2.0)
    assert (area.value, transistors.value) == (1000.0, 100)
    assert equivalents.metric == "area_ge"


def test_area_without_the_registers_of_the_interface(small: Path) -> None:
    one = document(small)
    assert not [r for r in rows.device_rows(one) if r.metric == "area_ge_without_interface"]  # unknown, not zero
    one["grades"][0]["interface_registers"] = [432.0, 40]
    (row,) = (r for r in rows.device_rows(one) if r.metric == "area_ge_without_interface")
    assert (row.configuration, row.basis) == ("iterative, speed 1", "synthesized")
    assert row.value == pytest.approx((1000 - 432) / 216)
    assert row.certificate == "less 2 GE of flip-flops that hold what the pins bring"


def test_rows_of_a_grade_with_latches_say_that_it_fails_hold(small: Path) -> None:
    one = document(small)
    one["grades"][1]["latches"] = 96
    made = list(rows.device_rows(one))
    assert {hold.fails(row) for row in made if row.configuration == "iterative, speed 1"} == {False}
    marked = [row for row in made if row.configuration == "iterative, speed 2"]
    assert marked
    assert all((row.certificate or "").startswith("fails hold: 96 latches") for row in marked)
    (period,) = [row for row in marked if row.metric == "period_ns"]
    assert period.certificate == "fails hold: 96 latches; a to b; operators: top:A"


def test_no_kept_grade_fails_hold() -> None:
    documents_ = stored.kept_documents()
    cells = technology.load("osu050")
    with_latches = set()
    for one in documents_:
        for grade in [*one["grades"], *one["literal"]]:
            assert grade["latches"] == 0  # those that fail
            if hold.latches(grade["cells"], cells):
                with_latches.add(one["design"])
            for _, worst, _unit in grade.get("gates", {"sign_off": {}})["sign_off"].values():
                assert worst > -signoff.EXACT_NS
    assert {"rc6_iterative_128", "mars_iterative_3in1", "e2_iterative_128"} <= with_latches
    assert not any("pipelined" in name or "serpent" in name for name in with_latches)


def keep(one: Document) -> Path:
    return keeping.write("grades", "osu050/small-iterative-128.json", stored.text_of(one))


def test_what_is_kept_is_read_again(small: Path, own_kept: Path) -> None:
    one = document(small)
    path = keep(one)
    assert stored.load(path) == one == json.loads(stored.text_of(one))
    assert stored.stale() == {}
    assert len(stored.rows()) == len(list(rows.device_rows(one)))
    assert len(stored.curves()) == 4
    assert stored.rows("osu035") == []


def test_results_of_another_design_are_refused(small: Path, own_kept: Path) -> None:
    one = document(small)
    keep(one)
    was = one["strategies"]["on-the-fly"]["verilog"]
    small.write_text(TEXT.replace("rotl(D, 3)", "rotl(D, 5)").replace("rotr(D, 3)", "rotr(D, 5)"))
    now = verilog_hash(build.build(load(str(small)), strategy_name="on-the-fly"))
    with pytest.raises(VerificationError) as caught:
        stored.verify(one)
    assert str(caught.value) == (
        "error[H743]: the kept results of small_iterative_128 are of another design than the generator writes now\n"
        f"   = strategy on-the-fly: the Verilog was {was[:12]} and is {now[:12]}\n"
        f"   = help: make them anew: assay synthesize {small} --architecture iterative --key-bits 128 "
        "--direction both --technology osu050 --strategy on-the-fly "
        "--split operators --points 1 --designs 1 --keep"
    )
    assert list(stored.stale()) == ["small_iterative_128"]
    assert stored.rows() == []


def test_blocks_that_do_not_add_up_are_refused(small: Path) -> None:
    one = copy.deepcopy(document(small))
    one["grades"][1]["blocks"]["Algorithm"] = [800.0, 100]
    with pytest.raises(VerificationError) as caught:
        stored.verify(one)
    assert str(caught.value) == (
        "error[H744]: the blocks of small_iterative_128, speed 2, do not add up\n"
        "   = they have 800 µm² and 100 transistors together\n"
        "   = the whole 900 µm² and 100"
    )


def test_a_damaged_file_is_refused(small: Path, own_kept: Path) -> None:
    path = keep(document(small))
    path.write_text(path.read_text()[:-9])
    with pytest.raises(DescriptionError, match=r"error\[A001\]: `kept/grades/.*` is damaged"):
        stored.load(path)
    path.write_text('{"schema": 0}')
    assert stored.load(path) is None
    path.write_text('{"schema": 2}')
    with pytest.raises(DescriptionError) as caught:
        stored.load(path)
    assert str(caught.value) == (
        "error[A001]: `kept/grades/osu050/small-iterative-128.json` is damaged\n"
        f"  --> {path}\n"
        "   = there is no field 'design'\n"
        "   = help: `assay verify kept grades --prune` removes it; what it held is computed anew when needed"
    )


def test_the_package_keeps_no_results_of_other_designs() -> None:
    for one in stored.kept_documents():
        for number, grade in enumerate([*one["grades"], *one["literal"]], 1):
            stored._adds_up(one, number, grade)


def test_only_the_packages_devices_are_kept(capsys: pytest.CaptureFixture[str], small: Path) -> None:
    ran = assay(capsys, "synthesize", str(small), "--keep")
    assert ran.code == 2
    assert ran.err == (
        "error[H804]: `small iterative 128` is not kept in the package\n"
        "   = help: --keep is for the package's ciphers in both directions; write others with -o DIR\n"
    )
    assert (
        "`--direction encrypt` is not kept"
        in assay(capsys, "synthesize", "rc6", "--keep", "--direction", "encrypt").err
    )
    assert "no architecture `flat`" in assay(capsys, "synthesize", "rc6", "--architecture", "flat").err
    assert "no hardware strategy `rondo`" in assay(capsys, "synthesize", "rc6", "--strategy", "rondo").err


def test_what_a_sweep_tries() -> None:
    rijndael, rc6 = load("rijndael"), load("rc6")
    every = exploring.wanted(["best"], rc6, "iterative")
    assert every[0] == build.LITERAL
    assert {"fast", "small"} <= set(every) < set(build.strategies())
    assert exploring.wanted(["small", "best", "on-the-fly"], rc6, "iterative")[:2] == ["small", "on-the-fly"]
    assert exploring.wanted(["best"], rijndael, "iterative") == [*every, "word-serial"]
    assert exploring.wanted(["best"], rijndael, "pipelined") == every


def test_what_was_synthesized_before_is_there_at_once(
    small: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("CIPHERASSAY_CACHE", str(tmp_path / "cache"))
    settled: list[exploring.Settings] = []

    def explored(
        devices: dict[str, build.Device], known: technology.Technology, place: jobs.Executor,
        settings: exploring.Settings, watch: jobs.Progress,
    ) -> exploring.Exploration:  # fmt: skip
        settled.append(settings)
        return real(devices, known, place, settings, watch)

    real = exploring.explored
    monkeypatch.setattr(exploring, "explored", explored)

    def found(most: int) -> Document:
        settings = exploring.Settings(names=("A",), most=most, repair=False)
        with jobs.executor("local", workers=1, memory_mb=2000) as place:
            return remembered.document(
                load(small), technology.load("generic"), place, architecture="iterative", key="128",
                direction="both", strategies=["rounds"], variant="", settings=settings,
            )  # fmt: skip

    first = found(1)
    assert found(1) == first
    assert [one.most for one in settled] == [1]
    found(2)
    assert [one.most for one in settled] == [1, 2]
