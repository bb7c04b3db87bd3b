import json
from pathlib import Path

import pytest

from cipherassay import keeping
from cipherassay.circuits import boxes, exhaustion
from cipherassay.circuits.engine import Problem
from cipherassay.circuits.targets import find
from cipherassay.errors import AssayError, DescriptionError, VerificationError

GIFT, SKINNY = boxes.find("gift.S"), boxes.find("skinny.S4")


def test_what_is_found_and_what_is_not(tmp_path: Path) -> None:
    file = tmp_path / "nine.jsonl"
    steps: list[tuple[int, int]] = []
    work = exhaustion.exhaust([GIFT, SKINNY], 9, jobs=2, file=file, told=lambda *step: steps.append(step))
    assert work.impossible() == ["gift.S"]
    assert steps[-1] == (work.units, work.units)
    # A circuit of 8 gates for SKINNY is met with a ninth that is idle, or in another form of the box.
    assert 8 <= len(set(work.found()["skinny.S4"])) <= 9
    assert exhaustion.read(file) == work


def test_it_goes_on_where_it_stopped_and_counts_the_same(tmp_path: Path) -> None:
    file = tmp_path / "nine.jsonl"
    whole = exhaustion.exhaust([GIFT], 9, file=file)
    lines = file.read_text().splitlines()
    changed = json.loads(lines[1])
    file.write_text("\n".join([lines[0], json.dumps({**changed, "seconds": 77.0})]) + "\n")
    again = exhaustion.exhaust([GIFT], 9, file=file)
    assert again.done[changed["unit"]]["seconds"] == 77.0
    counts = lambda work: {n: {**unit, "seconds": 0} for n, unit in work.done.items()}  # noqa: E731
    assert counts(again) == counts(whole)


def test_the_check_meets_a_wrong_count_and_a_missing_unit(tmp_path: Path) -> None:
    work = exhaustion.exhaust([GIFT], 9)
    exhaustion.check(work, again=[work.units - 1])
    last = work.done[work.units - 1]
    work.done[work.units - 1] = {**last, "completions": last["completions"] + 1}
    with pytest.raises(VerificationError) as error:
        exhaustion.check(work, again=[work.units - 1])
    assert error.value.notes == (f"unit {work.units - 1}, done again, gives other counts than are stored",)
    del work.done[0]
    with pytest.raises(VerificationError) as error:
        exhaustion.check(work)
    assert error.value.notes == (f"1 of {work.units} units are not done, unit 0 the first",)
    work.counts[2] = (15, 736, 0)
    with pytest.raises(VerificationError) as error:
        exhaustion.check(work)
    assert error.value.notes == ("sets of 2 gates: stored 736, counted one by one 735",)


def test_files_of_other_work_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "nine.jsonl"
    exhaustion.exhaust([GIFT], 8, file=file)
    with pytest.raises(VerificationError, match="the file is of other boxes"):
        exhaustion.exhaust([GIFT], 9, file=file)
    file.write_text("{}")
    with pytest.raises(DescriptionError, match=r"C340.*this is no file of an exhaustion: 'schema'"):
        exhaustion.read(file)


def test_boxes_that_it_cannot_serve() -> None:
    with pytest.raises(AssayError, match="C318"):
        exhaustion.exhaust([boxes.find("rijndael.S")], 9)
    with pytest.raises(AssayError, match="C319"):
        exhaustion.exhaust([GIFT], 13)


@pytest.mark.parametrize(
    "file", sorted((keeping.PACKAGE / "exhaustion").glob("*.jsonl")), ids=lambda file: file.stem
)
def test_stored_exhaustions(file: Path) -> None:
    work = exhaustion.read(file)
    exhaustion.check(work)
    assert all(boxes.find(name).data == values for name, values in work.boxes.items())
    for name in work.impossible():
        problem = Problem(boxes.find(name), find("two-input"), ("gates",), 1)
        assert max(bound.value for bound in exhaustion.bounds(problem)) >= work.gates + 1
