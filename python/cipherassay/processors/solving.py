"""Schedules by constraint programming (OR-tools CP-SAT): what list scheduling leaves above the bound."""

from __future__ import annotations

import json
import shlex
import sys
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version
from typing import Any, NamedTuple

from cipherassay._engine import Graph
from cipherassay.processors.schedules import Certificate, Schedule, SolvedSchedule, bound, load, store

WORKERS = 2
"""Threads of the solver."""


class Cap(NamedTuple):
    """A cap that can bind.

    Parameters
    ----------
    takes : list of int
        Of each class the slots in the cycle of its issue.
    limit : int
        Slots of a cycle.
    holds : list of int
        Of each class the cycles for which it has slots.
    keeps : list of int
        Of each class the slots in the cycles behind its issue.
    """

    takes: list[int]
    limit: int
    holds: list[int]
    keeps: list[int]

    @staticmethod
    def of(known: dict[str, Any]) -> Cap:
        """Return the cap that the engine's JSON describes."""
        takes = known["takes"]
        return Cap(takes, known["limit"], known.get("holds") or [1] * len(takes), known.get("keeps") or takes)


@dataclass(frozen=True)
class Problem:
    """A graph and its resources as the models need them."""

    classes: list[int]
    edges: list[tuple[int, int, int, int]]
    """From, to, latency, distance."""
    caps: list[Cap]
    earliest: list[int]
    tail: list[int]

    @staticmethod
    def of(graph: Graph, resources: str) -> Problem:
        """Read a graph; caps that the whole graph cannot exceed are left out."""
        document = json.loads(graph.json())
        classes = document["classes"]
        edges = [(e["from"], e["to"], e["latency"], e["distance"]) for e in document["edges"]]
        caps = [Cap.of(one) for one in json.loads(resources)["caps"]]
        caps = [cap for cap in caps if sum(cap.takes[c] for c in classes) > cap.limit]
        earliest, tail = graph.windows(resources)
        return Problem(classes, edges, caps, earliest, tail)


def solver_name() -> str:
    """Return name and version of the solver."""
    return f"OR-tools CP-SAT {version('ortools')}"


def solve(
    graph: Graph, resources: str, known: SolvedSchedule, *, seconds: float, seed: int = 1
) -> SolvedSchedule:
    """Search for a shorter schedule of straight-line code than the known one, or a proof that there is none.

    The solver looks for schedules with at least the bound's and fewer than the known cycles; if it says that
    there is none, the known schedule is shortest. A search that ends early, by its time limit or by Ctrl-C,
    keeps the best.

    Parameters
    ----------
    known : Solved
        A legal schedule of the graph.
    seconds : float
        Time limit of the solver.
    """
    least, kind, why = bound(graph, resources)
    if known.schedule.length <= least:
        return replace(known, certificate=Certificate(kind, least, why, "bound reached"))
    model, starts = _straight(Problem.of(graph, resources), least, known.schedule)
    result = _run(model, starts, seconds, seed)
    schedule = Schedule(tuple(result.values)) if result.values is not None else known.schedule
    if result.exhausted and schedule.length > least:
        reason = f"{solver_name()} says that there is no schedule of {schedule.length - 1} cycles"
        certificate = Certificate("solver", schedule.length, reason, result.stop)
    else:
        reached = schedule.length == least
        certificate = Certificate(kind if reached else "none", least, why, result.stop)
    return SolvedSchedule(schedule, certificate, solver_name(), result.seconds, command())


def solve_interval(
    graph: Graph, resources: str, interval: int, *, seconds: float, branch: int | None = None, seed: int = 1
) -> tuple[Schedule | None, str]:
    """Search for a software pipeline of a given interval.

    Returns
    -------
    Schedule or None, str
        The pipeline, and why the search ended; ``solver: infeasible``: the solver says that there is none.
    """
    model, cycles = _modulo(Problem.of(graph, resources), interval, branch)
    result = _run(model, cycles, seconds, seed)
    if result.values is None:
        return None, "solver: infeasible" if result.exhausted else result.stop
    first = min(value for op, value in enumerate(result.values) if op != branch) // interval * interval
    values = [value - first for value in result.values]
    if branch is not None:
        last = max((value for op, value in enumerate(values) if op != branch), default=0)
        values[branch] = last // interval * interval + interval - 1
    schedule = Schedule(tuple(values), interval)
    return Schedule.of(json.loads(graph.shortened(resources, schedule.json(), branch))), result.stop


def pipeline(
    graph: Graph,
    resources: str,
    known: SolvedSchedule,
    *,
    seconds: float,
    branch: int | None = None,
    seed: int = 1,
) -> SolvedSchedule:
    """Search for smaller intervals than the known pipeline's one after the other, or for a proof of none."""
    least, kind, why = bound(graph, resources, looped=True)
    best, begun, stop = known.schedule, time.monotonic(), known.certificate.stop
    while best.value > least:
        left = max(seconds - (time.monotonic() - begun), 0.1)
        wanted = best.value - 1
        found, stop = solve_interval(graph, resources, wanted, seconds=left, branch=branch, seed=seed)
        if found is None:
            break
        best = found
    spent = time.monotonic() - begun
    if best.value == least:
        certificate = Certificate(kind, least, why, "bound reached")
    elif stop == "solver: infeasible":
        reason = f"{solver_name()} says that no pipeline has an interval of {best.value - 1}"
        certificate = Certificate("solver", best.value, reason, stop)
    else:
        certificate = Certificate("none", least, why, stop)
    return SolvedSchedule(best, certificate, solver_name(), spent, command())


def command() -> str:
    """Return the command line of this process, as a user would type it."""
    return shlex.join(["assay", *sys.argv[1:]])


@dataclass(frozen=True)
class _Result:
    values: list[int] | None
    exhausted: bool
    stop: str
    seconds: float


def _run(model: Any, variables: Sequence[Any], seconds: float, seed: int) -> _Result:
    from ortools.sat.python import cp_model

    solver = cp_model.CpSolver()
    solver.parameters.max_time_in_seconds = seconds
    solver.parameters.num_workers = WORKERS
    solver.parameters.random_seed = seed
    status = solver.solve(model)
    values = None
    if status in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        values = [solver.value(variable) for variable in variables]
    exhausted = status in (cp_model.OPTIMAL, cp_model.INFEASIBLE)
    stops = {cp_model.OPTIMAL: "solver: optimal", cp_model.INFEASIBLE: "solver: infeasible"}
    # The solver ends by itself only with an answer; before its time, Ctrl-C ended it.
    late = solver.wall_time >= 0.98 * seconds
    early = f"solver: time limit of {seconds:.0f} s" if late else "solver: interrupted"
    return _Result(values, exhausted, stops.get(status, early), solver.wall_time)


def _straight(problem: Problem, least: int, known: Schedule) -> tuple[Any, list[Any]]:
    """Model: a start per operation, a cumulative per cap, the length as objective."""
    from ortools.sat.python import cp_model

    model = cp_model.CpModel()
    most = known.length - 1
    length = model.new_int_var(least, max(most, least), "length")
    starts = []
    for op in range(len(problem.classes)):
        first, last = problem.earliest[op], most - 1 - problem.tail[op]
        if first > last:
            model.add_bool_or([])
            last = first
        starts.append(model.new_int_var(first, last, f"s{op}"))
        model.add(starts[op] + problem.tail[op] + 1 <= length)
        model.add_hint(starts[op], min(max(known.cycles[op], first), last))
    for source, target, latency, distance in problem.edges:
        if distance == 0:
            model.add(starts[target] >= starts[source] + latency)
    _caps(model, problem, starts)
    for twins in _twins(problem):
        for one, other in zip(twins, twins[1:], strict=False):
            model.add(starts[one] <= starts[other])
    model.minimize(length)
    return model, starts


def _caps(model: Any, problem: Problem, starts: Sequence[Any], interval: int = 0) -> None:
    """Add the caps; with an interval, starts are rows of a pipeline, the first behind the last."""
    issues = [model.new_fixed_size_interval_var(start, 1, f"i{op}") for op, start in enumerate(starts)]
    for cap in problem.caps:
        ops = [(op, kind) for op, kind in enumerate(problem.classes) if cap.takes[kind]]
        busy = [issues[op] for op, _ in ops]
        slots = [cap.takes[kind] for _, kind in ops]
        for op, kind in ops:
            held = cap.holds[kind] - 1
            # In a pipeline, what an iteration holds beyond its last row the next ones find in their first.
            for back in range(0, interval + held, interval) if interval else (0,):
                if held and cap.keeps[kind]:
                    start = starts[op] + (1 - back)
                    busy.append(model.new_fixed_size_interval_var(start, held, f"h{op} {back}"))
                    slots.append(cap.keeps[kind])
        model.add_cumulative(busy, slots, cap.limit)


def _twins(problem: Problem) -> list[list[int]]:
    """Return sets of operations that may be exchanged: the same class, the same producers and consumers."""
    around: dict[int, list[tuple[int, int, int, bool]]] = defaultdict(list)
    for source, target, latency, distance in problem.edges:
        around[target].append((source, latency, distance, True))
        around[source].append((target, latency, distance, False))
    alike: dict[tuple[object, ...], list[int]] = defaultdict(list)
    for op, kind in enumerate(problem.classes):
        alike[(kind, *sorted(around[op]))].append(op)
    return [ops for ops in alike.values() if len(ops) > 1]


def _modulo(problem: Problem, interval: int, branch: int | None) -> tuple[Any, list[Any]]:
    """Model: row and stage per operation, a cumulative over the rows per cap.

    Cycles may be negative: the branch stands in the last row, or else one operation in cycle 0, and any legal
    pipeline can be brought within the range by pulling its parts together.
    """
    from ortools.sat.python import cp_model

    model = cp_model.CpModel()
    longest = max((abs(latency) for _, _, latency, _ in problem.edges), default=1)
    reach = len(problem.classes) * (longest + interval) // interval + 1
    rows: list[Any] = []
    cycles: list[Any] = []
    fixed = branch if branch is not None else _busiest(problem)
    for op in range(len(problem.classes)):
        if op == fixed:
            rows.append(model.new_constant(interval - 1 if branch is not None else 0))
            cycles.append(rows[op])
            continue
        rows.append(model.new_int_var(0, interval - 1, f"r{op}"))
        stage = model.new_int_var(-reach, reach, f"k{op}")
        cycles.append(stage * interval + rows[op])
    for source, target, latency, distance in problem.edges:
        if branch is None or target != branch:
            model.add(cycles[target] + distance * interval >= cycles[source] + latency)
    _caps(model, problem, rows, interval)
    return model, cycles


def _busiest(problem: Problem) -> int:
    """Return the operation with the most dependences."""
    count = [0] * len(problem.classes)
    for source, target, _, _ in problem.edges:
        count[source] += 1
        count[target] += 1
    return max(range(len(count)), key=lambda op: count[op])


def best(
    graph: Graph,
    resources: str,
    known: SolvedSchedule,
    *,
    cipher: str,
    name: str,
    seconds: float = 0,
    branch: int | None = None,
) -> tuple[SolvedSchedule, str]:
    """Return the best schedule at hand: the known one, the stored one, or what the solver finds.

    The solver runs only if ``seconds`` is above 0 and neither the known nor the stored schedule is proved;
    what it finds or proves is stored, or how long it searched for nothing.

    Parameters
    ----------
    known : Solved
        A legal schedule of the graph: with an interval for a loop that is pipelined.
    cipher, name : str
        Where the schedule is stored.
    branch : int, optional
        The operation that issues in the last cycle of an interval.

    Returns
    -------
    Solved, str
        The schedule, and where it comes from.
    """
    stored = load(graph, resources, cipher, name)
    origin = "scheduled now"
    if known.proved:
        return known, origin
    if stored.solved and stored.solved.schedule.value <= known.schedule.value:
        known, origin = stored.solved, stored.reason
    elif not stored.solved:
        origin = f"scheduled now ({stored.reason})"
    if known.proved or seconds <= 0:
        return known, origin
    if known.schedule.interval is None:
        solved = solve(graph, resources, known, seconds=seconds)
    else:
        solved = pipeline(graph, resources, known, seconds=seconds, branch=branch)
    store(solved, graph, resources, cipher, name)
    return solved, "solved now"
