"""Certificates: what was proved of a box's circuits, how to remake it, and what the checker said.

``kept/proofs/<family>/<box>.<target>.<metric>.<value>.json`` says that no circuit of the box has
the metric at or below the value. Its refutations, one per count, name the clauses (which the engine writes
anew, byte for byte), the proof and the check. Short proofs lie beside it, compressed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from cipherassay import keeping
from cipherassay.circuits.boxes import Box
from cipherassay.circuits.engine import Bound, Problem
from cipherassay.circuits.targets import Target

KIND = "proofs"
"""The kind of kept artefacts; a folder per family of boxes."""


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
        head = {"schema": keeping.SCHEMAS[KIND], "claim": self.sentence, "command": self.command}
        return json.dumps({**head, **asdict(self)}, indent=1) + "\n"


def read(path: Path) -> Certificate | None:
    """Read a certificate; None if it follows another version of the schema.

    Raises
    ------
    DescriptionError
        ``A001``: the file is damaged.
    """
    fields = keeping.read(KIND, path)
    if fields is None:
        return None
    try:
        del fields["schema"], fields["claim"], fields["command"]
        refutations = tuple(Refutation(**one) for one in fields.pop("refutations"))
        return Certificate(**{**fields, "table": tuple(fields["table"])}, refutations=refutations)
    except (ValueError, TypeError, KeyError) as error:
        raise keeping.damaged(KIND, path, error) from None


def file_of(box: Box, target: Target, metric: str, value: int) -> str:
    """Return the name of a certificate's file."""
    return f"{box.family}/{box.variant}.{target.file_name}.{metric}.{value}.json"


def stored() -> Iterator[tuple[Path, Certificate]]:
    """Give every kept certificate and its file, in order of file name."""
    for path in keeping.files(KIND, "*/*.json"):
        if (found := read(path)) is not None:
            yield path, found


def strongest(box: Box, target: Target, metric: str) -> Certificate | None:
    """Return the kept certificate with the highest value, or None."""
    paths = keeping.files(KIND, f"{box.family}/{box.variant}.{target.file_name}.{metric}.*.json")
    return max(filter(None, map(read, paths)), key=lambda one: one.value, default=None)


def bounds(problem: Problem) -> list[Bound]:
    """Return what kept certificates of the same box, target and metric say of the objective."""
    box, target = problem.box, problem.target
    found = []
    for metric in problem.objective:
        one = strongest(box, target, metric)
        if one is not None and (one.table, one.outputs) == (box.data, box.outputs):
            file = f"kept/{KIND}/{file_of(box, target, metric, one.value)}"
            found.append(Bound(metric, one.value + 1.0, f"unsatisfiable at {one.value}, {file}"))
    return found
