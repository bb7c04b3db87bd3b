"""The published equation sets, measured, as rows beside the paper's Tables 1 and 2."""

from __future__ import annotations

from cipherassay.circuits import equation_sets
from cipherassay.jobs import Job, Producer, Rows
from cipherassay.jobs.digests import digest
from cipherassay.results import Row
from cipherassay.studies.worley2000 import equation_counts

EQUATIONS = Producer("equation sets", 1, ("cipherassay.studies.worley2000.equation_counts",), ("circuit",))


def equation_job() -> Job[Rows]:
    """Return the job that measures the published equation sets; the paper's figures are the reference."""
    return Job("equation-sets", "equation sets", _equations, inputs=_equation_inputs)


def _equations() -> Rows:
    return Rows([row for found in equation_counts.rows() for row in _equation_rows(found)])


def _equation_inputs() -> dict[str, object]:
    texts = {
        path.name: path.read_text(encoding="utf-8") for path in sorted(equation_sets.FOLDER.glob("*.txt"))
    }
    rules = {machine.table: dict(machine.metrics) for machine in equation_counts.MACHINES}
    return EQUATIONS.inputs(equations=digest(texts), rules=rules)


def _equation_rows(found: equation_counts.Row) -> list[Row]:
    (machine,) = [machine for machine in equation_counts.MACHINES if machine.table == found.table]
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
            reference_source=f"{equation_counts.PAPER}, Table {found.table[-1]}",
            tools=f"counted in {found.equations}.txt",
            command=f"assay circuit analyse python/cipherassay/circuits/equations/{found.equations}.txt"
            f" --target {machine.target}",
        )
        for metric, value in found.ours.items()
    ]
