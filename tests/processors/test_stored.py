"""Stored schedules of kernels: found, used, refused, stale."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cipherassay import ciphers, processors
from cipherassay.errors import VerificationError
from cipherassay.processors import making, proving, schedules, stored
from cipherassay.processors.kernel import Choice, Kernel


def made(**settings: str) -> Kernel:
    """Make a kernel whose bound no schedule reaches: a solver says that there is none."""
    model = processors.load("mckinley-paper", parameters=settings)
    return making.make(ciphers.load("twofish"), "decrypt", model, Choice("straight"), restarts=0)


@pytest.fixture(scope="module")
def unproved() -> Kernel:
    found = made()
    assert not found.proved
    return found


@pytest.fixture
def folder(own_kept: Path) -> Path:
    return own_kept / "schedules"


def claim(one: Kernel, **fields: object) -> Path:
    """Store the kernel's own schedule with other fields."""
    code = making.selected(one.program, one.function, one.processor, one.choice)
    (graph,) = code.graphs()
    (known,) = json.loads(one.schedules)
    solved = schedules.SolvedSchedule(
        schedules.Schedule.of(known), proving.certificate(one.parts[0]), "solver 1"
    )
    name = stored.name_of(one, 0)
    path = schedules.store(solved, graph, one.processor.resources(), "twofish", name)
    path.write_text(json.dumps(json.loads(path.read_text()) | fields))
    return path


def solver(cycles: int) -> dict[str, object]:
    return {"kind": "solver", "bound": cycles, "why": "it says so", "stop": "solver: infeasible"}


def test_a_proof_of_the_solver_is_read(unproved: Kernel, folder: Path) -> None:
    claim(unproved, certificate=solver(unproved.cycles))
    found = made()
    assert (found.cycles, found.bound, found.proved) == (unproved.cycles, unproved.cycles, True)
    (part,) = found.parts
    assert (part.bound_kind, part.stop, part.origin) == (
        "solver", "solver: infeasible", "stored, checked again",
    )  # fmt: skip


def test_a_search_that_found_nothing_says_how_long(unproved: Kernel, folder: Path) -> None:
    certificate = {"kind": "none", "bound": 1, "why": "", "stop": "solver: time limit of 60 s"}
    claim(unproved, certificate=certificate)
    (part,) = made().parts
    assert (part.bound, part.proved, part.stop) == (
        unproved.bound, False, "solver: time limit of 60 s",
    )  # fmt: skip


def test_another_kernel_makes_it_stale(unproved: Kernel, folder: Path) -> None:
    claim(unproved, certificate=solver(unproved.cycles), hash="0")
    found = made()
    assert not found.proved
    assert "is of another graph or of other resources" in found.parts[0].origin


def test_settings_have_schedules_of_their_own(unproved: Kernel, folder: Path) -> None:
    claim(unproved, certificate=solver(unproved.cycles))
    other = made(alu_to_multimedia="2")
    assert other.parts[0].origin == "scheduled now"
    assert stored.name_of(other, 0).startswith("decrypt-128-mckinley-paper-alu_to_multimedia=2-straight-")


def test_a_shorter_schedule_refutes_a_proof(unproved: Kernel, folder: Path) -> None:
    code = making.selected(unproved.program, unproved.function, unproved.processor, unproved.choice)
    (known,) = json.loads(unproved.schedules)
    later = [cycle + 1 for cycle in known["cycles"]]
    code.graphs()[0].check(unproved.processor.resources(), json.dumps({"cycles": later, "interval": None}))
    longer = unproved.cycles + 1
    path = claim(unproved, certificate=solver(longer), cycles=longer, schedule=later)
    with pytest.raises(VerificationError) as error:
        made()
    assert str(error.value) == (
        f"error[M322]: the stored schedule twofish/{path.stem} claims that the solver proved {longer} cycles\n"
        f"   = list scheduling takes {unproved.cycles}\n"
        "   = help: remove the file and solve again"
    )


def test_the_solver_s_result_is_stored_and_read(folder: Path) -> None:
    found = made()
    told = proving.prove(found, ciphers.load("twofish"), 0.5)
    assert [path.parent.name for path in folder.glob("*/*.json")] == ["twofish"]
    again = made()
    assert again.cycles == told.cycles <= found.cycles
    assert again.parts[0].stop == told.parts[0].stop
    assert again.parts[0].origin == "stored, checked again"


def test_every_stored_schedule_is_a_kept_kernel_s() -> None:
    from cipherassay.processors.again import kept, unused

    assert unused(kept()) == []
