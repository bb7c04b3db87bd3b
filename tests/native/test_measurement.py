"""Measuring: what a known number of cycles measures as, what is refused, what an interrupt leaves."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from cipherassay.errors import MeasurementError
from cipherassay.jobs import Job, Place, run
from cipherassay.native import harness
from cipherassay.native.environment import (
    assess_calibrations,
    check_environment,
    machine_name,
    pinned,
    require_stable,
)
from cipherassay.native.harness import FOLDER
from cipherassay.native.loaded import LoadedCipher
from cipherassay.native.measurement import (
    Measurement,
    Settings,
    measure,
    measure_together,
    random_inputs,
    typical_cycles,
)
from cipherassay.native.measuring import steady_session
from cipherassay.native.rows import Subject, cycles_per_input, rows_of
from cipherassay.native.samples import best_pass, conversions, smooth_calibrations
from cipherassay.native.selection import select
from cipherassay.native.session import Session, Tolerance
from cipherassay.results import Store
from cipherassay.tools.compiler import build_shared_library
from support.command import assay

Capture = pytest.CaptureFixture[str]

CLOCKWORK = """
#include "timer.h"
#include "assay.h"
#include <string.h>

uint32_t assay_cycle_counter;
static volatile uint64_t opaque_zero;

/* Operations that take a known number of cycles: chains of dependent additions. */
static int key(void *ctx, const uint8_t *key, size_t key_bits)
{
    ((uint64_t *)ctx)[0] = assay_add_chain(100) + key[0] + key_bits;
    return 0;
}
static void step(const uint8_t *in, uint8_t *out, uint64_t steps)
{
    uint64_t x, zero = opaque_zero;
    memcpy(&x, in, sizeof x);
    /* The chain's length, and so its beginning, waits for the input. */
    x = assay_add_chain(steps + (x & zero)) + x;
    memcpy(out, &x, sizeof x);
    memcpy(out + 8, &x, sizeof x);
}
static void fast(const void *ctx, const uint8_t *in, uint8_t *out)
{
    (void)ctx;
    step(in, out, 10);
}
static void slow(const void *ctx, const uint8_t *in, uint8_t *out)
{
    (void)ctx;
    step(in, out, 100);
}
const struct assay_cipher assay_clockwork = {64, 16, key, key, fast, slow, 0};
"""
FEW = Settings(inputs=12, repeats=12)


@pytest.fixture(autouse=True, scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    patch = pytest.MonkeyPatch()
    patch.setenv("CIPHERASSAY_CACHE", str(tmp_path_factory.mktemp("cache")))
    yield
    patch.undo()


@pytest.fixture(scope="module")
def clockwork() -> LoadedCipher:
    sources = {
        "clockwork.c": CLOCKWORK,
        **{name: (FOLDER / name).read_text() for name in ("assay.h", "timer.h")},
    }
    return LoadedCipher(build_shared_library("clockwork", sources), "assay_clockwork")


def test_calibration_is_plausible() -> None:
    per_add = harness.calibrate() / harness.calibration_adds()
    assert 0.001 < per_add < 20, "ticks per cycle: counters run between some MHz and the core clock"


@pytest.mark.parametrize(
    ("operation", "adds"), [("encrypt", 320), ("decrypt", 3200), ("key_setup_encrypt", 3200)]
)
def test_known_cycles_are_found(clockwork: LoadedCipher, operation: Any, adds: int) -> None:
    with pinned():
        found = typical_cycles(measure(clockwork, operation, 128, FEW))
    # The call and the loop around it cost some cycles more, and other programs' load only adds; key setups,
    # which do not wait for each other, overlap by the length of the core's window (some hundred additions).
    least = 0.8 if operation.startswith("key") else 0.97
    assert adds * least < found < adds * 1.25 + 40


def test_difference_of_two_operations(clockwork: LoadedCipher) -> None:
    with pinned():
        fast, slow = (typical_cycles(measure(clockwork, name, 128, FEW)) for name in ("encrypt", "decrypt"))
    assert slow - fast == pytest.approx(2880, rel=0.1)


def test_taking_turns_uses_the_same_inputs(clockwork: LoadedCipher) -> None:
    with pinned():
        found = measure_together({"a": clockwork, "b": clockwork}, "encrypt", 128, FEW)
    assert list(found) == ["a", "b"]
    assert typical_cycles(found["a"]) == pytest.approx(typical_cycles(found["b"]), rel=0.1)


def test_inputs_are_seeded() -> None:
    assert random_inputs(1, "encrypt", 128, 16, 4) == random_inputs(1, "encrypt", 128, 16, 4)
    assert random_inputs(1, "encrypt", 128, 16, 4) != random_inputs(2, "encrypt", 128, 16, 4)
    key, keys = random_inputs(1, "key_setup_encrypt", 192, 16, 3)
    assert (len(key), len(keys)) == (24, 72)


def test_pinned_to_one_core_and_back() -> None:
    before = os.sched_getaffinity(0)
    with pinned() as core:
        assert os.sched_getaffinity(0) == {core}
    assert os.sched_getaffinity(0) == before


def made(cycles: list[float], **changes: Any) -> Measurement:
    """A measurement of given cycles by a counter of two ticks a cycle."""
    count = len(cycles)
    two = np.full(count, 2.0)
    fields: dict[str, Any] = {
        "operation": "encrypt", "key_bits": 128, "dependence": "chained", "chain": 10, "repeats": 30,
        "ticks": 2 * np.array(cycles), "calibration_before": two, "calibration_after": two,
        "ticks_per_cycle": two,
    }  # fmt: skip
    return Measurement(**{**fields, **changes})


def test_outliers_of_the_calibration_are_removed() -> None:
    samples = np.full((20, 5), 1000.0)
    samples[7, 1] = 4000.0
    samples[12, 1:3] = 900.0
    assert np.all(smooth_calibrations(samples) == 1000.0)
    samples[10:, 1:3] = 2000.0
    assert smooth_calibrations(samples)[-1, 0] == 2000.0  # a change of the clock is none


def test_a_faster_clock_is_believed_a_slower_one_is_not() -> None:
    clock = np.full((3, 2), 1000.0)
    raw = np.array([[0, 1000, 995, 0, 0], [0, 930, 1000, 0, 0], [0, 1000, 4000, 0, 0]], dtype=np.float64)
    assert list(conversions(raw, clock)) == [1000.0, 930.0, 1000.0]


def test_a_time_that_stands_alone_does_not_count() -> None:
    cycles = np.array([[100.0, 93.0, 150.0], [101.0, 100.0, 120.0], [130.0, 100.5, 119.0]])
    assert list(best_pass(cycles)) == [0, 1, 2]


def test_repeated_blocks_are_moved_to_the_chained_median() -> None:
    chained, repeated = made([100.0, 101.0, 102.0]), made([110.0, 111.0, 115.0], dependence="repeated")
    assert list(cycles_per_input(chained, repeated)) == [100.0, 101.0, 105.0]
    assert list(cycles_per_input(chained, None)) == [100.0, 101.0, 102.0]


def test_rows_hold_ticks_and_conversion() -> None:
    subject = Subject("RC6", "direct", "a machine", "gcc 12 -O2", "gcc", "assay measure rc6")
    rows, sample = rows_of(subject, made([100.0, 101.0, 104.0]), None, stable=False)
    values = {row.metric: row.value for row in rows}
    assert (values["cycles"], values["cycles_min"], values["cycles_max"]) == (101.0, 100.0, 104.0)
    assert (values["ticks"], values["cycles_per_tick"], values["repeats"]) == (202.0, 0.5, 300.0)
    assert "normality_p" not in values  # three values are too few
    assert not any(row.stable for row in rows)
    assert (list(sample.cycles), list(sample.ticks)) == ([100.0, 101.0, 104.0], [200.0, 202.0, 208.0])


def test_steady_machine() -> None:
    found = assess_calibrations([[1000, 1010], [1005, 1300]], 500, core=1, counter="time-stamp counter")
    assert found.stable
    assert (found.ticks_per_cycle, found.drift, found.disturbed) == (2.0, 0.005, 0.25)
    require_stable(found, accept_unstable=False)


def test_unsteady_machine_is_refused() -> None:
    found = assess_calibrations(
        [[1000, 1500], [1200, 1250], [1700, 1800]], 500, core=1, counter="time-stamp counter"
    )
    with pytest.raises(MeasurementError) as caught:
        require_stable(found, accept_unstable=False)
    assert str(caught.value) == (
        "error[N020]: the measurement is refused: this machine is not steady enough now\n"
        "   = the clock of core 1 drifts: 70.0 % between windows of 10 ms (limit 3 %)\n"
        "   = core 1 is busy with other work: 83 % of the calibrations were slowed (limit 50 %)\n"
        "   = help: try again when less runs, or add --accept-unstable (the rows are then marked unstable)"
    )
    assert caught.value.exit_code == 6
    require_stable(found, accept_unstable=True)


def test_a_report_waits_a_few_times_for_a_steady_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    unsteady = assess_calibrations([[1000], [1200]], 500, core=0, counter="time-stamp counter")
    monkeypatch.setattr("cipherassay.native.session.check_environment", lambda core: unsteady)
    monkeypatch.setattr("cipherassay.native.measuring._last", threading.local())
    monkeypatch.setattr("cipherassay.jobs.runner.PAUSE_SECONDS", 0.0)
    tolerance = Tolerance(after=3)

    def work() -> bool:
        with steady_session(tolerance) as steady:
            return steady.environment.stable

    works = [Job(name, name, work, place=Place.ALONE, tries=tolerance.tries) for name in "abc"]
    assert list(run(works).results.values()) == [False] * 3
    assert tolerance.refused >= 3
    for refusing in (Tolerance.of(False), Tolerance(after=1)):
        with pytest.raises(MeasurementError, match="N020"), steady_session(refusing):
            raise AssertionError("not refused")
    with steady_session(Tolerance.of(True)) as steady:
        assert steady.accept_unstable


def test_disturbed_measurement_is_refused_or_marked(monkeypatch: pytest.MonkeyPatch) -> None:
    steady = assess_calibrations([[1000]], 500, core=0, counter="time-stamp counter")
    disturbed = made([100.0] * 10, unstable=4, disagreement=0.2, crowded=5)
    monkeypatch.setattr(
        "cipherassay.native.session.measure_together", lambda *a, **k: {"": disturbed, "far": made([900.0])}
    )
    with pytest.raises(MeasurementError) as caught:
        Session(steady).measure({}, "key_setup_encrypt", 192, FEW)
    assert str(caught.value) == (
        "error[N021]: the measurement of key setup, encrypt (192-bit keys) is refused: "
        "it was disturbed all the time\n"
        "   = the clock changed during 4 of 10 inputs (by more than 2 %)\n"
        "   = passes over the same inputs differ by 20 %\n"
        "   = a busy neighbour shared the core during 5 of 10 inputs\n"
        "   = help: try again when less runs, or add --accept-unstable (the rows are then marked unstable)"
    )
    assert Session(steady, accept_unstable=True).measure({}, "encrypt", 128, FEW)[1] == {""}


def test_a_slow_rival_may_be_disturbed(monkeypatch: pytest.MonkeyPatch) -> None:
    steady = assess_calibrations([[1000]], 500, core=0, counter="time-stamp counter")
    found = {"": made([100.0]), "slow": made([300.0], disagreement=0.5)}
    monkeypatch.setattr("cipherassay.native.session.measure_together", lambda *a, **k: found)
    assert Session(steady).measure({}, "encrypt", 128, FEW)[1] == {"slow"}


def test_the_machine_has_a_name() -> None:
    assert machine_name()
    with pinned() as core:
        assert check_environment(core).ticks_per_cycle > 0


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> list[str]:
    """Operations asked of a session that measures nothing; the fifth is interrupted."""
    monkeypatch.setenv("ASSAY_STORE", str(tmp_path / "store"))
    asked: list[str] = []

    def pretend(self: Session, cipher: Any, operation: Any, bits: int, *rest: Any) -> Any:
        asked.append(f"{operation} {bits}")
        if len(asked) == 3:
            raise KeyboardInterrupt
        return made([100.0, 101.0], operation=operation, key_bits=bits), None, True

    monkeypatch.setattr(Session, "measure_distribution", pretend)
    return asked


def test_interrupt_keeps_what_is_finished(measured: list[str], capsys: Capture) -> None:
    arguments = ("measure", "rc6", "--strategy", "direct", "--key-bits", "128", "--accept-unstable")
    ran = assay(capsys, *arguments, "--json")
    assert (ran.code, ran.out) == (130, "")
    assert ran.err.endswith("interrupted; what was finished is kept\n")
    assert len({row.operation for row in Store().rows()}) == 2
    rows = assay(capsys, *arguments, "--json").json["rows"]
    assert measured == [
        "key_setup_encrypt 128", "key_setup_decrypt 128", "encrypt 128", "encrypt 128", "decrypt 128",
    ]  # fmt: skip
    assert len({row["operation"] for row in rows}) == 4
    assay(capsys, *arguments, "--json")
    assert len(measured) == 5, "nothing is measured twice"
    assay(capsys, *arguments, "--json", "--fresh")
    assert len(measured) == 9


def test_table(measured: list[str], capsys: Capture) -> None:
    measured += ["", "", ""]  # past the interrupt
    ran = assay(capsys, "measure", "rc6", "--strategy", "direct", "--key-bits", "128", "--accept-unstable")
    assert ran.code == 0
    assert "RC6 key setup encrypt 128 direct 100.5 100" in ran.words
    assert "cycles: blocks chained, the median of the inputs" in ran.err


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (
            ("rc6", "--key-bits", "129"),
            "error[N051]: RC6 has no keys of 129 bits\n   = help: its key sizes: 128, 192, 256\n",
        ),
        (
            ("--inputs", "0"),
            "error[N050]: --inputs and --repeats must be at least 1, --seed at least 0\n",
        ),
    ],
)
def test_wrong_options(arguments: tuple[str, ...], text: str, capsys: Capture) -> None:
    ran = assay(capsys, "measure", *arguments)
    assert (ran.code, ran.err) == (2, text)


def test_plan_takes_what_was_asked() -> None:
    jobs = select(["serpent", "rc6"], [256])
    assert [(job.cipher.slug, job.key_bits) for job in jobs] == [("serpent", (256,)), ("rc6", (256,))]


def test_plan_takes_the_strategy_of_the_target() -> None:
    def chosen(target: str, strategy: str = "") -> list[str]:
        return [job.strategy for job in select(["e2", "rc6"], [], strategy, target=target)]

    assert chosen("native") == ["merged-tables-32-ordered", "shortest-chains"]
    assert chosen("java-jit") == ["word-tables", "looped"]
    assert chosen("java-interpreted") == ["two-rounds", "looped"]
    assert chosen("java-interpreted", "direct") == ["direct", "direct"]


def samples(count: int, cycles: float, *, calibration: float = 1000.0, crowding: float = 500.0) -> Any:
    """A pass over inputs as the loop returns it: chains of 10 calls, calibrations of 500 additions."""
    wide = crowding * calibration / 1000
    one = [10 * cycles * calibration / 500, calibration, calibration, wide, wide]
    return np.tile(np.array(one, dtype=np.uint64), (count, 1))


@pytest.fixture
def scripted(monkeypatch: pytest.MonkeyPatch, clockwork: LoadedCipher) -> Any:
    """Measures `clockwork` with given passes in the place of real ones; returns the result and how many were taken."""
    from cipherassay.native import measurement, samples

    monkeypatch.setattr(measurement, "choose_chain", lambda *rest: 10)
    monkeypatch.setattr(harness, "calibration_adds", lambda: 500)
    monkeypatch.setattr(measurement, "PAUSES", (0.0, 0.0))
    monkeypatch.setattr(samples, "_least", [])

    def run(*passes: Any) -> tuple[Measurement, int]:
        left = list(passes)
        monkeypatch.setattr(
            harness, "measure_samples", lambda *a, **k: left.pop(0) if len(left) > 1 else left[0]
        )
        found = measure(clockwork, "encrypt", 128, Settings(inputs=12, repeats=3))
        return found, len(passes) - len(left)

    return run


def test_the_best_pass_counts(scripted: Any) -> None:
    found, _ = scripted(samples(12, 200), samples(12, 100), samples(12, 101), samples(12, 999))
    assert np.allclose(found.cycles, 100)
    assert found.problems == []
    assert found.disagreement == pytest.approx(0.01)


def test_the_clock_may_differ_between_passes(scripted: Any) -> None:
    found, _ = scripted(
        samples(12, 100), samples(12, 100, calibration=2000.0), samples(12, 100), samples(12, 1)
    )
    assert np.allclose(found.cycles, 100)


def test_more_passes_are_taken_of_what_was_disturbed(scripted: Any) -> None:
    disturbed = [samples(12, 200), samples(12, 150), samples(12, 120), samples(12, 100)]
    found, taken = scripted(*disturbed, samples(12, 100), samples(12, 1))
    assert taken == 5
    assert found.problems == []
    assert np.allclose(found.cycles, 100)


def test_a_neighbour_in_some_passes_does_no_harm(scripted: Any) -> None:
    crowded, free = samples(12, 130, crowding=800.0), samples(12, 100)
    assert scripted(crowded, free, free, free)[0].problems == []
    half = np.concatenate([free[:6], crowded[6:]])
    other = np.concatenate([crowded[:6], free[6:]])
    assert scripted(half, other, free, free)[0].crowded == 0


def test_a_neighbour_in_all_passes_is_named(scripted: Any) -> None:
    free, crowded = samples(12, 100), samples(12, 130, crowding=800.0)
    scripted(free, free, free, free)  # the core by itself has been seen
    found, _ = scripted(crowded, crowded)
    assert found.problems == ["a busy neighbour shared the core during 12 of 12 inputs"]
