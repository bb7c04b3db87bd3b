"""Schedules with what is known of them: bounds, certificates, and the stored results of long searches."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from cipherassay import keeping
from cipherassay._engine import Graph
from cipherassay.errors import VerificationError

KIND = "schedules"
"""The kind of kept artefacts; a folder per cipher."""

KINDS = ("critical-path", "cap", "langevin-cerny", "matching", "recurrence", "resource", "solver", "none")
"""Kinds of certificates: the bound that equals the cycles, or who says that nothing is shorter."""


@dataclass(frozen=True)
class Schedule:
    """The cycle of every operation, from 0."""

    cycles: tuple[int, ...]
    interval: int | None = None
    """Initiation interval of a software pipeline."""

    @property
    def length(self) -> int:
        """Cycles from the first issue to the last, both counted."""
        return max(self.cycles, default=-1) + 1

    @property
    def value(self) -> int:
        """What is made small: the interval of a pipeline, otherwise the length."""
        return self.length if self.interval is None else self.interval

    def json(self) -> str:
        """Return the schedule as the engine reads it."""
        return json.dumps({"cycles": self.cycles, "interval": self.interval})

    @staticmethod
    def of(document: Mapping[str, Any]) -> Schedule:
        """Read what the engine writes."""
        return Schedule(tuple(document["cycles"]), document["interval"])


@dataclass(frozen=True)
class Certificate:
    """What is known below a schedule: the best lower bound, its argument, and why the search ended."""

    kind: str
    """One of ``KINDS``; ``none`` where the schedule exceeds the bound and nobody proved it shortest."""
    bound: int
    """No schedule has fewer cycles (a pipeline: no smaller interval)."""
    why: str
    """The argument in words."""
    stop: str
    """Why the search ended: ``bound reached``, ``restarts spent``, ``solver: …``."""


@dataclass(frozen=True)
class SolvedSchedule:
    """A schedule with its certificate and how it was found."""

    schedule: Schedule
    certificate: Certificate
    solver: str = ""
    """Name and version of the solver; empty for list and modulo scheduling."""
    seconds: float = 0.0
    command: str = ""

    @property
    def proved(self) -> bool:
        """No schedule is shorter: the cycles equal a bound, or the solver says so."""
        return self.certificate.kind != "none"


def bound(graph: Graph, resources: str, *, looped: bool = False) -> tuple[int, str, str]:
    """Return the best lower bound of the engine: cycles, kind and argument in words."""
    found = json.loads(graph.bound(resources, looped))
    return found["cycles"], found["kind"], found["why"]


def listed(
    graph: Graph,
    resources: str,
    *,
    restarts: int = 400,
    seed: int = 1,
    registers: Mapping[int, int] | None = None,
) -> SolvedSchedule:
    """Schedule straight-line code by list scheduling with restarts.

    Parameters
    ----------
    registers : mapping of register class to number
        Values that may live at once; without it there is no limit.
    """
    found = json.loads(graph.list_schedule(resources, restarts, seed, sorted((registers or {}).items())))
    schedule = Schedule.of(found["schedule"])
    stop = "bound reached" if schedule.length == found["bound"]["cycles"] else "restarts spent"
    return SolvedSchedule(schedule, _certificate(schedule, found["bound"], stop))


def pipelined(
    graph: Graph, resources: str, *, attempts: int = 50, seed: int = 1, branch: int | None = None
) -> SolvedSchedule:
    """Pipeline a loop by modulo scheduling; the operation ``branch`` issues last in an interval."""
    found = json.loads(graph.modulo_schedule(resources, attempts, seed, branch))
    schedule = Schedule.of(found["schedule"])
    stop = "bound reached" if schedule.interval == found["bound"]["cycles"] else "restarts spent"
    return SolvedSchedule(schedule, _certificate(schedule, found["bound"], stop))


def _certificate(schedule: Schedule, found: Mapping[str, Any], stop: str) -> Certificate:
    kind = found["kind"] if schedule.value == found["cycles"] else "none"
    return Certificate(kind, found["cycles"], found["why"], stop)


def digest(graph: Graph, resources: str) -> str:
    """Return the SHA-256 of a graph and the caps that it is scheduled under; names do not count."""
    operations, caps = json.loads(graph.json()), json.loads(resources)["caps"]
    held = [filter(None, [cap.get("holds"), cap.get("keeps")]) for cap in caps]
    limits = [[cap["takes"], cap["limit"], *more] for cap, more in zip(caps, held, strict=True)]
    text = json.dumps([operations, limits], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def file_of(cipher: str, name: str) -> str:
    """Return the name of a stored schedule's file."""
    return f"{cipher}/{name}.json"


def store(solved: SolvedSchedule, graph: Graph, resources: str, cipher: str, name: str) -> Path:
    """Keep a schedule, with the hash of what it is a schedule of; return its file."""
    graph.check(resources, solved.schedule.json())
    document = {
        "schema": keeping.SCHEMAS[KIND],
        "operations": len(solved.schedule.cycles),
        "hash": digest(graph, resources),
        "cycles": solved.schedule.value,
        "certificate": asdict(solved.certificate),
        "solver": solved.solver,
        "seconds": round(solved.seconds, 1),
        "command": solved.command,
        "interval": solved.schedule.interval,
        "schedule": list(solved.schedule.cycles),
    }
    lines = [f" {json.dumps(key)}: {json.dumps(value)}" for key, value in document.items()]
    return keeping.write(KIND, file_of(cipher, name), "{\n" + ",\n".join(lines) + "\n}\n")


@dataclass(frozen=True)
class StoredSchedule:
    """A stored schedule, or why there is none to use."""

    solved: SolvedSchedule | None
    reason: str


def load(graph: Graph, resources: str, cipher: str, name: str) -> StoredSchedule:
    """Read a stored schedule and check it again.

    Edges and caps are checked and the bound is derived anew; what only the solver said stands as its claim. A
    schedule of another graph or of other resources is not used, and the reason says so.

    Raises
    ------
    DescriptionError
        A001: the file is damaged.
    VerificationError
        M310 to M312: the schedule is not legal. M321: it claims other cycles, or a bound that nobody derives.
    """
    found = StoredSchedule(None, f"no stored schedule {cipher}/{name}")
    for path in keeping.candidates(KIND, file_of(cipher, name)):
        found = load_file(graph, resources, path)
        if found.solved is not None:
            break
    return found


def load_file(graph: Graph, resources: str, path: Path) -> StoredSchedule:
    """Read and check one file as `load` does."""
    title = f"the stored schedule {path.parent.name}/{path.stem}"
    document = _read(path)
    if document is None:
        return StoredSchedule(None, f"{title} follows another version of the schema")
    if document["hash"] != digest(graph, resources):
        return StoredSchedule(None, f"{title} is of another graph or of other resources")
    schedule = Schedule(tuple(document["schedule"]), document["interval"])
    graph.check(resources, schedule.json())
    if schedule.value != document["cycles"]:
        _refuse(path, f"claims {document['cycles']} cycles", f"its operations take {schedule.value}")
    certificate = Certificate(**document["certificate"])
    found, kind, why = bound(graph, resources, looped=schedule.interval is not None)
    fact = f"the bound is {found}, the schedule takes {schedule.value}"
    if certificate.kind == "solver":
        if certificate.bound != schedule.value or certificate.bound < found:
            _refuse(path, f"claims that the solver proved {certificate.bound}", fact)
    else:
        if certificate.kind != "none" and schedule.value != found:
            _refuse(path, f"claims a proof by {certificate.kind}", fact)
        kind = kind if schedule.value == found else "none"
        certificate = Certificate(kind, found, why, certificate.stop)
    solved = SolvedSchedule(
        schedule, certificate, document["solver"], document["seconds"], document["command"]
    )
    return StoredSchedule(solved, "stored, checked again")


def _read(path: Path) -> dict[str, Any] | None:
    document = keeping.read(KIND, path)
    if document is None:
        return None
    wanted = {"schema", "operations", "hash", "cycles", "certificate", "solver", "seconds", "command"}
    wanted |= {"interval", "schedule"}
    if set(document) != wanted:
        raise keeping.damaged(KIND, path, f"its fields are not {', '.join(sorted(wanted))}")
    try:
        Certificate(**document["certificate"])
    except TypeError as error:
        raise keeping.damaged(KIND, path, error) from None
    return document


def _refuse(path: Path, claim: str, fact: str) -> None:
    message = f"the stored schedule {path.parent.name}/{path.stem} {claim}"
    raise VerificationError("M321", message, notes=[fact], help="remove the file and solve again")
