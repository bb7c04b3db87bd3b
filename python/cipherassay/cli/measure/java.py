"""`assay measure -p java-jit`: the generated Java beside Bouncy Castle and our own C."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cipherassay.cli.measure.asked import Asked, Measured
from cipherassay.console.kernel import refuse_options
from cipherassay.console.output import show_table
from cipherassay.console.progress import job_progress, say

if TYPE_CHECKING:
    from cipherassay.java.measuring import Target
    from cipherassay.native.measurement import Settings
    from cipherassay.native.selection import Selection
    from cipherassay.results import Row


JAVA_INPUTS = 30
"""Inputs of the C that stands beside Java, which has none of its own."""


def measure(name: str, asked: Asked) -> Measured:
    """Measure the generated Java beside Bouncy Castle and our own C, which is made for the same keys."""
    from dataclasses import replace

    from cipherassay.cli.measure import native
    from cipherassay.java.measuring import TARGETS
    from cipherassay.native.selection import select

    refuse_options(name, asked.of_code(), native.OF_CODE)
    asked.refuse_small(name)
    native.refuse_seconds({name: True}, asked)
    settings = native.settings_of(asked)
    settings = replace(settings, inputs=min(settings.inputs, JAVA_INPUTS))
    jobs = select(asked.ciphers, asked.key_bits, asked.strategy, asked.variant, name)
    (target,) = (one for one in TARGETS if one == name)
    accept = asked.timing.accept_unstable
    rows = measure_java(jobs, target, settings=settings, accept=accept, quiet=asked.json)
    return Measured(rows, lambda: show_java(rows))


def measure_java(
    selections: list[Selection], target: Target, *, settings: Settings, accept: bool, quiet: bool
) -> list[Row]:
    """Measure ciphers in Java; rows of every finished operation are kept in the store at once.

    Raises
    ------
    ToolError
        ``T002``: there is no JDK or no Maven; ``J002``, ``J003``: one of them fails.
    MeasurementError
        The machine is not steady, and that is not accepted.
    VerificationError
        ``J010``: a class gives a wrong answer.
    """
    from cipherassay import tools
    from cipherassay.java import measurement_jobs
    from cipherassay.java.measuring import Runs
    from cipherassay.jobs import RowCache, run
    from cipherassay.native.session import Tolerance
    from cipherassay.results import Store

    tools.require("java")
    tools.require("maven")
    tools.require_packages(*tools.MEASURING)
    given = (selections, target, Runs(), settings)
    with (
        job_progress("measure", quiet=quiet) as bar,
        measurement_jobs.jobs(*given, Tolerance.of(accept)) as (jobs, classes),
    ):
        found = run(jobs, RowCache(Store()), fresh=True, progress=bar).results
        for text in filter(None, (one.left_out for one in classes)):
            say(f"left out: {text}")
    return [row for one in found.values() for row in one.rows]


def show_java(rows: list[Row]) -> None:
    """Print a line for each operation: cycles of Java, of C and of Bouncy Castle, with the ratios."""
    lines: dict[tuple[object, ...], list[object]] = {}
    for row in rows:
        key = (row.cipher, (row.operation or "").replace("_", " "), row.key_bits)
        stable = "yes" if row.stable else "no"
        line = lines.setdefault(key, [row.strategy, None, None, None, None, None, stable])
        configuration = row.configuration or ""
        if row.metric != "cycles":
            continue
        if configuration.startswith("Bouncy Castle"):
            line[4], line[5] = round(row.value), round(row.ratio or 0, 2)
        elif configuration.startswith("our C"):
            line[2] = round(row.value)
        else:
            line[1], line[3] = round(row.value), round(row.ratio or 0, 2)
    columns = ["cipher", "operation", "key", "strategy", "Java", "C", "Java by C"]
    columns += ["Bouncy Castle", "by Java", "stable"]
    target = rows[0].target or "" if rows else ""
    show_table(columns, [[*key, *line] for key, line in lines.items()], title=target)
    if rows:
        say(f"cycles of one call, {rows[0].configuration}; {rows[0].tools}")
