"""Rows of results from measurements of Java."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cipherassay.java.measuring import MEANINGS, OURS, RIVAL, Benchmark, Target, Times, tools_of
from cipherassay.results import Row
from cipherassay.strategies import preferred

if TYPE_CHECKING:
    from cipherassay.native.session import Session

BASIS = "cycles: the least time of JMH's iterations by the core's clock, found by dependent additions"


@dataclass(frozen=True)
class OperationComparison:
    """One operation: the times in Java, and the cycles of the cipher's C in the same session."""

    times: Times
    c_cycles: float
    c_described: str
    stable: bool


def rows_of(
    benchmark: Benchmark,
    target: Target,
    session: Session,
    compared: OperationComparison,
    command: str,
    variant: str = "",
) -> list[Row]:
    """Return the rows of one operation: Java by C, C, and Bouncy Castle by Java.

    The ratio of our row is to our C, that of Bouncy Castle's to our row: above 1 it is slower.
    """
    times, made = compared.times, benchmark.made
    ours = times.cycles(OURS)
    shared: dict[str, Any] = {
        "cipher": benchmark.cipher.name, "variant": variant or None, "operation": times.operation,
        "key_bits": times.key_bits or None, "level": "native", "target": session.target, "basis": "measured",
        "stable": compared.stable, "command": command,
    }  # fmt: skip
    where = f"{target}, {MEANINGS[target]}"
    tools = f"{tools_of(benchmark)}; {BASIS}"
    compiler = str(target)
    rows = [
        Row(
            **shared, strategy=made.strategy, configuration=where, compiler=compiler, metric="cycles",
            value=ours,
            reference=compared.c_cycles, reference_source=f"our C, {compared.c_described}", tools=tools,
        ),
        Row(
            **shared, strategy=made.strategy, configuration=where, compiler=compiler, metric="time_ns",
            value=min(times.nanoseconds[OURS]), tools=tools,
        ),
        Row(
            **shared, strategy=preferred(benchmark.cipher), metric="cycles", value=compared.c_cycles,
            configuration=f"our C, {compared.c_described}", compiler=compared.c_described,
        ),
    ]  # fmt: skip
    if benchmark.rival:
        engine = f"Bouncy Castle {benchmark.rival['version']} {benchmark.rival['engine']}"
        rows.append(
            Row(
                **shared, strategy=None, configuration=f"{engine}, {where}", implementation=engine,
                compiler=compiler,
                metric="cycles", value=times.cycles(RIVAL), reference=ours,
                reference_source=f"our class, {where}", tools=tools,
            )
        )  # fmt: skip
    return rows
