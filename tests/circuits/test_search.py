"""Search: what the orchestration does with the engines' units, tried with engines that are told what to find."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from cipherassay.circuits import boxes, engine, library, searching, targets
from cipherassay.circuits.engine import Bound, Engine, Problem, Step
from cipherassay.errors import AssayError

OWN = boxes.Box("own", 3, (0, 1, 2, 3, 4, 5, 7, 6))
"""y0 = x0 ^ (x1 & x2): three bits, two gates."""
HEAD = "circuit own: 3 -> 3\n"
TWO = HEAD + "t1 = x1 & x2\ny0 = t1 ^ x0\ny1 = x1\ny2 = x2\n"
FOUR = HEAD + "t1 = x1 & x2\nt2 = t1 | x0\nt3 = t1 & x0\ny0 = t2 & ~t3\ny1 = x1\ny2 = x2\n"
WRONG = HEAD + "y0 = x0\ny1 = x1\ny2 = x2\n"

Unit = Callable[[int, Callable[[str], bool]], Step]


class Fake:
    """Engines whose units are functions; counts what ran."""

    def __init__(self, **engines: tuple[int, Unit]) -> None:
        self.engines = engines
        self.ran: list[tuple[str, int]] = []

    def list(self, _problem: Problem) -> list[Engine]:
        return [Engine(name, name, units) for name, (units, _) in self.engines.items()]

    def run(self, _problem: Problem, name: str, unit: int, told: Callable[[str], bool]) -> Step:
        self.ran.append((name, unit))
        return self.engines[name][1](unit, told)


@pytest.fixture
def use(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., Fake]:
    monkeypatch.setenv("CIPHERASSAY_CACHE", str(tmp_path))
    for module in (searching, library):
        monkeypatch.setattr(module, "known", lambda _problem: [])

    def make(**engines: tuple[int, Unit]) -> Fake:
        fake = Fake(**engines)
        monkeypatch.setattr(engine, "engines", fake.list)
        monkeypatch.setattr(engine, "run_unit", fake.run)
        return fake

    return make


def problem(seed: int = 1) -> Problem:
    target = targets.find("two-input")
    return Problem(OWN, target, target.full_objective(), seed)


def finds(text: str, bound: float = 0.0) -> Unit:
    bounds = (Bound("gates", bound, "exhausted"),) if bound else ()
    return lambda unit, told: Step((text,), bounds, f"made, unit {unit}")


def waits(text: str = "") -> Unit:
    """Find something at the end if it is let; stopped before, say so."""

    def run(unit: int, told: Callable[[str], bool]) -> Step:
        while not told("waiting"):
            time.sleep(0.01)
        return Step((text,) if text else (), (), "stopped", finished=False)

    return run


def test_the_best_of_all_units_wins_and_units_take_turns(use: Callable[..., Fake]) -> None:
    fake = use(a=(2, finds(FOUR)), b=(3, lambda unit, told: Step((TWO,) if unit == 2 else (), (), "b")))
    found = searching.search(problem())
    assert fake.ran == [("a", 0), ("b", 0), ("a", 1), ("b", 1), ("b", 2)]
    assert found.stop == "finished"
    assert found.document is not None
    assert found.document.metrics["gates"] == 2
    assert found.document.head["effort"] == "b; 5 units in all, 0 s on one core"
    assert found.document.head["proof"] == "best found"
    assert found.document.head["table"] == "0 1 2 3 4 5 7 6"


def test_bounds_are_stated_and_prove(use: Callable[..., Fake]) -> None:
    use(a=(1, finds(FOUR, 1)), b=(1, finds(FOUR, 2)))
    found = searching.search(problem())
    assert found.document is not None
    assert found.document.proof.text == "best found; gates >= 2 (exhausted)"
    use(a=(1, finds(TWO, 2)))
    found = searching.search(problem(seed=2))
    assert found.document is not None
    assert found.document.proof.text == "optimal: gates (exhausted)"
    assert found.document.proof.proves("gates")
    assert not found.document.proof.proves("depth")


def test_a_search_goes_on_where_it_stopped(use: Callable[..., Fake]) -> None:
    first = use(a=(4, lambda unit, told: finds(FOUR)(unit, told) if unit < 2 else waits()(unit, told)))
    found = searching.search(problem(), seconds=0.3)
    assert (found.stop, first.ran) == ("time", [("a", 0), ("a", 1), ("a", 2)])
    second = use(a=(4, finds(TWO)))
    found = searching.search(problem())
    assert second.ran == [("a", 2), ("a", 3)]
    assert found.document is not None
    assert (found.document.metrics["gates"], found.record.units) == (2, 4)
    third = use(a=(4, waits()))
    found = searching.search(problem())
    assert (third.ran, found.stop) == ([], "finished")
    assert found.document is not None
    assert found.document.metrics["gates"] == 2
    fresh = use(a=(4, finds(FOUR)))
    searching.search(problem(), fresh=True)
    assert len(fresh.ran) == 4


def test_an_unreadable_record_counts_as_none(use: Callable[..., Fake], tmp_path: Path) -> None:
    use(a=(1, finds(TWO)))
    searching.search(problem())
    (kept,) = (tmp_path / "circuits").iterdir()
    kept.write_text(kept.read_text().replace("x1 & x2", "x1 | x2"))
    again = use(a=(1, finds(TWO)))
    found = searching.search(problem())
    assert again.ran == [("a", 0)]
    assert found.document is not None


def test_ctrl_c_keeps_the_best(use: Callable[..., Fake], monkeypatch: pytest.MonkeyPatch) -> None:
    use(a=(2, lambda unit, told: finds(FOUR)(unit, told) if unit == 0 else waits(TWO)(unit, told)))
    calls = iter(range(100))

    def interrupt(_seconds: float, _line: str) -> None:
        if next(calls) == 2:
            raise KeyboardInterrupt

    found = searching.search(problem(), told=interrupt)
    assert found.stop == "interrupted"
    assert found.document is not None
    assert found.document.metrics["gates"] == 2
    assert found.record.finished == {"a": [0]}
    assert threading.active_count() < 20


def test_units_run_side_by_side(use: Callable[..., Fake]) -> None:
    meeting = threading.Barrier(2, timeout=10)

    def both(_unit: int, _told: Callable[[str], bool]) -> Step:
        meeting.wait()
        return Step((), (), "both")

    use(a=(2, both))
    assert searching.search(problem(), jobs=2).record.units == 2


def test_a_wrong_circuit_is_an_error(use: Callable[..., Fake]) -> None:
    use(bad=(1, finds(WRONG)))
    with pytest.raises(AssayError) as caught:
        searching.search(problem())
    assert str(caught.value) == (
        "error[C320]: the engine `bad` gave a circuit that is wrong\n"
        "   = the circuit does not compute the box\n"
        "   = first differing input: 6; circuit: 6; box: 7\n"
        "   = circuit own of the circuit\n"
        "   = help: this is a bug of the engine; nothing of it was kept"
    )


def test_no_engine_and_an_unknown_one(use: Callable[..., Fake]) -> None:
    use()
    with pytest.raises(AssayError) as caught:
        searching.search(problem())
    assert str(caught.value) == (
        "error[C321]: no engine searches circuits of 3 input bits for two-input with few gates\n"
        "   = help: choose another target or objective; `assay circuit list engines` lists what there is"
    )
    use(beam=(1, finds(TWO)))
    with pytest.raises(AssayError) as caught:
        searching.search(problem(), only=["beem"])
    assert str(caught.value) == (
        "error[C322]: no engine `beem` serves this problem\n   = help: did you mean `beam`? (known: beam)"
    )
