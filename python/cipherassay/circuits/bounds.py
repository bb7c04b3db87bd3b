"""What is known of every circuit of a box, whatever it looks like: by counting, and from stored proofs."""

from __future__ import annotations

from collections.abc import Sequence

from cipherassay.circuits import certificates, exhaustion
from cipherassay.circuits.boxes import Box
from cipherassay.circuits.engine import Bound, Problem
from cipherassay.circuits.metrics import COUNTS_OF_GATES

KIND = "counted"


def known(problem: Problem) -> list[Bound]:
    """Return every bound of the objective's metrics that needs no search: counted, exhausted, refuted."""
    return [*counted(problem), *exhaustion.bounds(problem), *certificates.bounds(problem)]


def counted(problem: Problem) -> list[Bound]:
    """Return a bound of each metric of the objective that counts gates.

    Take the output gate that comes first. It depends on s inputs, and a gate of a operands joins a of them,
    so that ceil((s - 1) / (a - 1)) gates, this one among them, come up to it; every other output that differs
    comes later and is a gate of its own.
    """
    outputs = _outputs(problem.box)
    if not outputs:
        return []
    most = max((operation.arity for operation in problem.target.operations), default=2)
    support = min(_support(problem.box, table) for table in outputs)
    first = max(1, -(-(support - 1) // max(1, most - 1)))
    value = float(first + len(outputs) - 1)
    return [Bound(metric, value, KIND) for metric in problem.objective if metric in COUNTS_OF_GATES]


def _outputs(box: Box) -> set[int]:
    """Return the different truth tables of the outputs that are no input and no constant."""
    size = len(box.data)
    tables = {sum((y >> k & 1) << v for v, y in enumerate(box.data)) for k in range(box.outputs)}
    inputs = {sum((v >> k & 1) << v for v in range(size)) for k in range(box.inputs)}
    return tables - inputs - {0, (1 << size) - 1}


def _support(box: Box, table: int) -> int:
    """Return how many inputs a truth table depends on."""
    values: Sequence[int] = [table >> v & 1 for v in range(len(box.data))]
    return sum(any(values[v] != values[v ^ 1 << k] for v in range(len(values))) for k in range(box.inputs))
