"""Schedules: bound, solver, list and brute force agree; stored ones are checked again."""

import itertools
import json
import random
from pathlib import Path

import pytest

from cipherassay import keeping
from cipherassay._engine import Graph
from cipherassay.errors import DescriptionError, VerificationError
from cipherassay.processors import schedules, solving
from cipherassay.processors.schedules import Certificate, Schedule, SolvedSchedule

CLASSES = ["A", "LD", "ISHF"]
RESOURCES = json.dumps(
    {
        "classes": CLASSES,
        "caps": [
            {"name": "issue", "takes": [1, 1, 1], "limit": 3},
            {"name": "M0 M1", "takes": [0, 1, 0], "limit": 2},
            {"name": "I0", "takes": [0, 0, 1], "limit": 1},
        ],
    }
)


def random_graph(seed: int, ops: int, looped: bool = False) -> Graph:
    source = random.Random(seed)
    edges = [
        {"from": source.randrange(to), "to": to, "latency": source.randint(0, 3), "distance": 0}
        for to in range(1, ops)
        for _ in range(source.randrange(3))
    ]
    if looped:
        edges.append({"from": ops - 1, "to": 0, "latency": source.randint(1, 4), "distance": 1})
    classes = [source.randrange(3) for _ in range(ops)]
    return Graph.parse(json.dumps({"classes": classes, "edges": edges}))


def legal(graph: Graph, cycles: tuple[int, ...], interval: int | None = None) -> bool:
    try:
        graph.check(RESOURCES, Schedule(cycles, interval).json())
    except VerificationError:
        return False
    return True


def loose(solved: SolvedSchedule) -> SolvedSchedule:
    """Return the schedule with each operation in a cycle of its own, far apart: something to improve."""
    count = len(solved.schedule.cycles)
    order = sorted(range(count), key=lambda op: (solved.schedule.cycles[op], op))
    cycles = [0] * count
    for place, op in enumerate(order):
        cycles[op] = 3 * place
    return SolvedSchedule(Schedule(tuple(cycles)), Certificate("none", 0, "", "restarts spent"))


@pytest.mark.parametrize("seed", range(6))
def test_bound_solver_and_list_stand_in_order(seed: int) -> None:
    graph = random_graph(seed, 24)
    least, _, _ = schedules.bound(graph, RESOURCES)
    listed = schedules.listed(graph, RESOURCES, restarts=0)
    solved = solving.solve(graph, RESOURCES, loose(listed), seconds=2)
    assert legal(graph, solved.schedule.cycles)
    assert least <= solved.schedule.length <= listed.schedule.length
    assert solved.proved


@pytest.mark.parametrize("seed", range(8))
def test_the_solver_finds_the_shortest_of_tiny_graphs(seed: int) -> None:
    graph = random_graph(seed, 4)
    solved = solving.solve(graph, RESOURCES, loose(schedules.listed(graph, RESOURCES)), seconds=2)
    length = solved.schedule.length
    assert solved.proved
    assert not any(legal(graph, cycles) for cycles in itertools.product(range(length - 1), repeat=4))


@pytest.mark.parametrize("seed", range(8))
def test_the_solver_finds_the_smallest_interval_of_tiny_loops(seed: int) -> None:
    graph = random_graph(seed, 3, looped=True)
    known = SolvedSchedule(Schedule((0, 10, 20), 40), Certificate("none", 1, "", "restarts spent"))
    solved = solving.pipeline(graph, RESOURCES, known, seconds=4)
    interval = solved.schedule.interval
    assert interval is not None
    assert solved.proved
    assert legal(graph, solved.schedule.cycles, interval)
    assert schedules.pipelined(graph, RESOURCES).schedule.interval == interval
    if interval > 1:
        tried = itertools.product(range(3 * interval + 8), repeat=3)
        assert not any(legal(graph, cycles, interval - 1) for cycles in tried)


def test_the_branch_closes_the_interval() -> None:
    classes = [0, 1, 0, 0]
    edges = [{"from": op, "to": 3, "latency": 0, "distance": 0} for op in range(3)]
    edges += [
        {"from": 0, "to": 1, "latency": 2, "distance": 0},
        {"from": 1, "to": 2, "latency": 2, "distance": 0},
    ]
    graph = Graph.parse(json.dumps({"classes": classes, "edges": edges}))
    found, stop = solving.solve_interval(graph, RESOURCES, 2, seconds=2, branch=3)
    assert stop == "solver: optimal"
    assert found is not None
    assert found.cycles[3] % 2 == 1
    assert legal(graph, found.cycles, 2)
    assert solving.solve_interval(graph, RESOURCES, 1, seconds=2, branch=3) == (None, "solver: infeasible")


def test_a_bound_that_is_reached_needs_no_solver() -> None:
    graph = random_graph(3, 30)
    listed = schedules.listed(graph, RESOURCES)
    solved = solving.solve(graph, RESOURCES, listed, seconds=2)
    assert listed.proved
    assert (solved.schedule, solved.solver) == (listed.schedule, "")
    assert solved.certificate.stop == "bound reached"


def test_the_best_schedule_is_stored_once_it_is_proved(own_kept: Path) -> None:
    graph = random_graph(1, 16)
    known = loose(schedules.listed(graph, RESOURCES))
    first, origin = solving.best(graph, RESOURCES, known, cipher="toy", name="encrypt")
    assert (first, origin) == (known, "scheduled now (no stored schedule toy/encrypt)")
    found, origin = solving.best(graph, RESOURCES, known, cipher="toy", name="encrypt", seconds=3)
    assert found.proved
    assert origin == "solved now"
    again, origin = solving.best(graph, RESOURCES, known, cipher="toy", name="encrypt")
    assert again.schedule == found.schedule
    assert origin == "stored, checked again"


def test_registers_limit_what_lives() -> None:
    classes, edges = [1] * 12, []
    for op in range(12):
        classes += [0]
        edges += [{"from": op, "to": 12 + op, "latency": 1, "distance": 0}]
        edges += [{"from": 11 + op, "to": 12 + op, "latency": 2, "distance": 0}] if op else []
    graph = Graph.parse(json.dumps({"classes": classes, "edges": edges}))
    within = schedules.listed(graph, RESOURCES, registers={0: 3})
    assert graph.pressure(within.schedule.json(), 0) <= 3


def stored() -> tuple[Graph, SolvedSchedule, Path]:
    graph = random_graph(5, 20)
    solved = schedules.listed(graph, RESOURCES)
    return graph, solved, schedules.store(solved, graph, RESOURCES, "toy", "encrypt-mckinley")


def rewritten(path: Path, **fields: object) -> None:
    path.write_text(json.dumps(json.loads(path.read_text()) | fields))


def test_stored_schedules_come_back(own_kept: Path) -> None:
    graph, solved, path = stored()
    assert path == own_kept / "schedules" / "toy" / "encrypt-mckinley.json"
    loaded = schedules.load(graph, RESOURCES, "toy", "encrypt-mckinley")
    assert loaded.solved == solved
    assert loaded.reason == "stored, checked again"
    missing = schedules.load(graph, RESOURCES, "toy", "decrypt-mckinley")
    assert (missing.solved, missing.reason) == (None, "no stored schedule toy/decrypt-mckinley")


def test_a_schedule_of_another_graph_is_not_used(own_kept: Path) -> None:
    stored()
    loaded = schedules.load(random_graph(6, 20), RESOURCES, "toy", "encrypt-mckinley")
    assert loaded.solved is None
    assert (
        loaded.reason == "the stored schedule toy/encrypt-mckinley is of another graph or of other resources"
    )
    wider = json.loads(RESOURCES)
    wider["caps"][0]["limit"] = 4
    assert schedules.load(random_graph(5, 20), json.dumps(wider), "toy", "encrypt-mckinley").solved is None


def test_claims_of_stored_schedules_are_derived_anew(own_kept: Path) -> None:
    graph, solved, path = stored()
    rewritten(path, cycles=solved.schedule.length - 1)
    with pytest.raises(VerificationError) as caught:
        schedules.load(graph, RESOURCES, "toy", "encrypt-mckinley")
    length = solved.schedule.length
    assert str(caught.value) == (
        f"error[M321]: the stored schedule toy/encrypt-mckinley claims {length - 1} cycles\n"
        f"   = its operations take {length}\n"
        "   = help: remove the file and solve again"
    )
    later = [cycle + 1 for cycle in solved.schedule.cycles]
    rewritten(path, cycles=length + 1, schedule=later)
    with pytest.raises(VerificationError, match="M321.*claims a proof by"):
        schedules.load(graph, RESOURCES, "toy", "encrypt-mckinley")
    rewritten(path, schedule=[0] * 20)
    with pytest.raises(VerificationError, match="M31[12]"):
        schedules.load(graph, RESOURCES, "toy", "encrypt-mckinley")


def test_a_solvers_claim_stands_with_its_version(own_kept: Path) -> None:
    graph, solved, path = stored()
    later = [cycle + 1 for cycle in solved.schedule.cycles]
    claim = {
        "kind": "solver",
        "bound": solved.schedule.length + 1,
        "why": "it says so",
        "stop": "solver: optimal",
    }
    rewritten(
        path,
        cycles=len(later) and solved.schedule.length + 1,
        schedule=later,
        certificate=claim,
        solver="S 1",
    )
    loaded = schedules.load(graph, RESOURCES, "toy", "encrypt-mckinley").solved
    assert loaded is not None
    assert (loaded.certificate.kind, loaded.solver) == ("solver", "S 1")


def test_what_is_no_stored_schedule(own_kept: Path) -> None:
    graph, _, path = stored()
    path.write_text('{"schema": 1}')
    with pytest.raises(DescriptionError) as caught:
        schedules.load(graph, RESOURCES, "toy", "encrypt-mckinley")
    assert str(caught.value) == (
        "error[A001]: `kept/schedules/toy/encrypt-mckinley.json` is damaged\n"
        f"  --> {path}\n"
        "   = its fields are not certificate, command, cycles, hash, interval, operations, schedule, schema, "
        "seconds, solver\n"
        "   = help: `assay verify kept schedules --prune` removes it; what it held is computed anew when needed"
    )


def test_a_schedule_of_another_schema_is_stale(own_kept: Path) -> None:
    graph, _, path = stored()
    rewritten(path, schema=0)
    loaded = schedules.load(graph, RESOURCES, "toy", "encrypt-mckinley")
    assert loaded.solved is None
    assert loaded.reason == "the stored schedule toy/encrypt-mckinley follows another version of the schema"


def test_a_schedule_of_the_package_stands_in_for_a_stale_one(
    own_kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph, solved, path = stored()
    theirs = keeping.PACKAGE / "schedules" / "toy" / path.name
    theirs.parent.mkdir(parents=True)
    theirs.write_bytes(path.read_bytes())
    rewritten(path, hash="0")
    assert schedules.load(graph, RESOURCES, "toy", "encrypt-mckinley").solved == solved


def test_graphs_that_cannot_be_read() -> None:
    with pytest.raises(DescriptionError, match="M300.*the graph cannot be read"):
        Graph.parse("{}")
    with pytest.raises(DescriptionError, match="M308.*an edge joins operations 0 and 4, of 1"):
        Graph.parse('{"classes": [0], "edges": [{"from": 0, "to": 4, "latency": 1, "distance": 0}]}')
