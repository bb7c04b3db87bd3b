"""Certificates: what was proved of a box's circuits, how to remake it, and what the checker said.

``stored/circuits/proofs/<family>/<box>.<target>.<metric>.<value>.json`` says that no circuit of the box has
the metric at or below the value. Its refutations, one per count, name the clauses (which the engine writes
anew, byte for byte), the proof and the check. Short proofs lie beside it, compressed.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from cipherassay.circuits.boxes import Box
from cipherassay.circuits.engine import Bound, Problem
from cipherassay.circuits.targets import Target
from cipherassay.errors import DescriptionError, Place, UsageError

STORED = Path(__file__).parents[3] / "stored" / "circuits" / "proofs"
"""Where the repository keeps certificates; absent in an installed package."""


@dataclass(frozen=True)
class Refutation:
    """The refutation of one count; `statement` says what the clauses say."""

    count: int
    statement: str
    variables: int
    clauses: int
    clauses_sha256: str
    proof_bytes: int
    """Of the proof as the solver wrote it."""
    proof_sha256: str
    kept_bytes: int
    """Of the steps that the empty clause needs."""
    kept_sha256: str
    kept_steps: int
    """Clauses derived in them."""
    kept_reasons: int
    """Clauses named in them as reasons."""
    file: str
    """Where they lie, compressed; empty if they are too many to keep."""
    solver_seconds: float
    checker_seconds: float
    outside: dict[str, str]
    """What other checkers said of them: name and verdict."""


@dataclass(frozen=True)
class Certificate:
    """No circuit of `box` (with the values `table`) for `target` has `metric` <= `value`."""

    box: str
    table: tuple[int, ...]
    outputs: int
    target: str
    metric: str
    value: int
    least: int
    """Smaller counts are impossible at sight: a function is a gate, an AND gives one nonlinear dimension."""
    inverters: int
    """Complements that every circuit has beside the gates that the clauses count."""
    solver: str
    refutations: tuple[Refutation, ...]

    @property
    def sentence(self) -> str:
        """What is proved."""
        return f"no circuit of {self.box} for {self.target} has {self.metric} <= {self.value}"

    @property
    def command(self) -> str:
        """The command that proves it anew."""
        asked = f"--target {self.target} --metric {self.metric} --value {self.value}"
        return f"assay circuit prove {self.box} {asked}"

    def text(self) -> str:
        """Return the certificate as JSON."""
        return json.dumps({"claim": self.sentence, "command": self.command, **asdict(self)}, indent=1) + "\n"


def read(path: Path) -> Certificate:
    """Read a certificate; raises `DescriptionError` ``C312`` for what is none."""
    try:
        fields = json.loads(path.read_text(encoding="utf-8"))
        del fields["claim"], fields["command"]
        refutations = tuple(Refutation(**one) for one in fields.pop("refutations"))
        return Certificate(**{**fields, "table": tuple(fields["table"])}, refutations=refutations)
    except (OSError, ValueError, TypeError, KeyError) as error:
        message = f"`{path.name}` is no certificate"
        raise DescriptionError("C312", message, places=[Place(str(path))], notes=[str(error)]) from None


def path_of(box: Box, target: Target, metric: str, value: int, folder: Path = STORED) -> Path:
    """Return where a certificate lies."""
    return folder / box.family / f"{box.variant}.{target.file_name}.{metric}.{value}.json"


def write(path: Path, text: bytes) -> None:
    """Write a file, whole or not at all; raises `UsageError` ``C313`` where that fails."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary.write_bytes(text)
        os.replace(temporary, path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        notes = [error.strerror or str(error)]
        raise UsageError("C313", f"`{path}` cannot be written", notes=notes) from None


def stored(folder: Path = STORED) -> Iterator[tuple[Path, Certificate]]:
    """Give every stored certificate and its file, in order of file name."""
    for path in sorted(folder.glob("*/*.json")):
        yield path, read(path)


def strongest(box: Box, target: Target, metric: str, folder: Path = STORED) -> Certificate | None:
    """Return the stored certificate with the highest value, or None."""
    found = (folder / box.family).glob(f"{box.variant}.{target.file_name}.{metric}.*.json")
    return max(map(read, found), key=lambda one: one.value, default=None)


def bounds(problem: Problem, folder: Path = STORED) -> list[Bound]:
    """Return what stored certificates of the same box, target and metric say of the objective."""
    box, target = problem.box, problem.target
    found = []
    for metric in problem.objective:
        one = strongest(box, target, metric, folder)
        if one is not None and (one.table, one.outputs) == (box.data, box.outputs):
            path = path_of(box, target, metric, one.value, folder).relative_to(folder.parents[2])
            found.append(Bound(metric, one.value + 1.0, f"unsatisfiable at {one.value}, {path.as_posix()}"))
    return found
