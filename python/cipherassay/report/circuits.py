"""The circuits of the library and published equation sets as rows."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from cipherassay.jobs import Job, Producer, Rows
from cipherassay.jobs.digests import digest
from cipherassay.results import Row

if TYPE_CHECKING:
    from cipherassay.circuits import tables

CIRCUITS = Producer(
    "circuits", 1, ("cipherassay.circuits.rows", "cipherassay.circuits.library"), ("circuit",)
)
EQUATIONS = Producer("equation sets", 1, ("cipherassay.circuits.tables",), ("circuit",))


def circuit_job(names: Sequence[str] = ()) -> Job[Rows]:
    """Return the job of a row per metric of stored circuits: of all, or of ciphers with these names."""
    name = "-".join(["circuits", *(one.lower() for one in sorted(names))])
    return Job(name, "circuits", partial(_circuits, names), inputs=partial(_circuit_inputs, names))


def _circuits(names: Sequence[str]) -> Rows:
    from cipherassay.circuits import library
    from cipherassay.circuits.rows import stored_rows

    rows = (row for item in library.stored() for row in stored_rows(item.document))
    return Rows([row for row in rows if not names or row.cipher in names])


def _circuit_inputs(names: Sequence[str]) -> dict[str, object]:
    from cipherassay.circuits import library

    texts = {f"{one.path.parent.name}/{one.path.name}": one.text for one in library.stored()}
    return CIRCUITS.inputs(library=digest(texts), ciphers=list(names))


def equation_job() -> Job[Rows]:
    """Return the job that measures the published equation sets; the HP paper's figures are the reference."""
    return Job("equation-sets", "equation sets", _equations, inputs=_equation_inputs)


def _equations() -> Rows:
    from cipherassay.circuits import tables

    return Rows([row for found in tables.rows() for row in _equation_rows(found)])


def _equation_inputs() -> dict[str, object]:
    from cipherassay.circuits import tables

    texts = {path.name: path.read_text(encoding="utf-8") for path in sorted(tables.FOLDER.glob("*.txt"))}
    rules = {machine.table: dict(machine.metrics) for machine in tables.MACHINES}
    return EQUATIONS.inputs(equations=digest(texts), rules=rules)


def _equation_rows(found: tables.Row) -> list[Row]:
    from cipherassay.circuits import tables

    (machine,) = [machine for machine in tables.MACHINES if machine.table == found.table]
    return [
        Row(
            cipher="Serpent",
            variant=found.variant,
            level="circuit",
            target=machine.target,
            configuration=found.configuration,
            metric=metric,
            value=value,
            basis="synthesized",
            reference=found.printed[metric],
            reference_source=f"{tables.PAPER}, Table {found.table[-1]}",
            tools=f"counted in {found.equations}.txt",
            command=f"assay circuit analyse python/cipherassay/circuits/equations/{found.equations}.txt"
            f" --target {machine.target}",
        )
        for metric, value in found.ours.items()
    ]
