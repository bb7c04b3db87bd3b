"""Programs as rows of results: one `configuration` each, a row for each thing that is counted."""

from __future__ import annotations

from collections.abc import Iterator

from cipherassay.linear.program import Program
from cipherassay.linear.searching import BestProgram, LinearResult
from cipherassay.results import Row


def rows(found: LinearResult, cipher: str, command: str) -> list[Row]:
    """Return the rows of what was found; no program of the space that `certificate` states beats `bound`."""
    made = list(_bytes(found, cipher, command))
    for best in found.best:
        if best.program is not None:
            made += _words(found, best, best.program, cipher, command)
    return made


def _bytes(found: LinearResult, cipher: str, command: str) -> Iterator[Row]:
    sums = found.sums
    for metric, count in sums.program.counted().items():
        if metric in ("xors", "doublings"):
            bound = sums.xor_bound if metric == "xors" else None
            yield _row(found, cipher, command, "bytes", metric, count, bound, sums.reason if bound else "")


def _words(
    found: LinearResult, best: BestProgram, program: Program, cipher: str, command: str
) -> Iterator[Row]:
    order = "free" if found.is_free else "fixed"
    configuration = f"words of {found.word_bits} bits, {order} order, fewest {best.aim}"
    counted = program.counted() | {"ops": len(program.steps)}
    if best.aim == "cycles" and best.value is not None:
        counted["cycles"] = best.value
    aim = "ops" if best.aim == "operations" else "cycles"
    bounds = {"xors": found.xor_bound, aim: best.bound}
    spaces = "; ".join(f"{e.space}: {e.end}" for e in best.efforts)
    for metric, count in counted.items():
        certificate = f"{best.certificate} ({spaces})" if metric == aim else ""
        yield _row(found, cipher, command, configuration, metric, count, bounds.get(metric), certificate)


def _row(
    found: LinearResult,
    cipher: str,
    command: str,
    configuration: str,
    metric: str,
    value: int,
    bound: int | None,
    why: str,
) -> Row:
    return Row(
        cipher=cipher or None,
        part=found.matrix.name,
        target=found.machine.name if configuration != "bytes" else "bytes",
        configuration=configuration,
        metric=metric,
        value=value,
        unit=None if metric == "cycles" else "operations",
        basis="synthesized",
        bound=bound,
        certificate=why or None,
        command=command,
    )
