"""`assay measure --target java-jit`: the generated Java beside Bouncy Castle and our own C."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cipherassay.console.output import show_table
from cipherassay.console.progress import job_progress, say
from cipherassay.errors import UsageError, nearest

if TYPE_CHECKING:
    from cipherassay.java.measuring import Target
    from cipherassay.native.measurement import Settings
    from cipherassay.native.selection import Selection
    from cipherassay.results import Row


def java_target(name: str) -> Target:
    """Return the target of that name.

    Raises
    ------
    UsageError
        ``J001``: there is none. ``J004``: it is a processor whose cycles another verb counts.
    """
    from cipherassay import families
    from cipherassay.embedded import processors
    from cipherassay.java.measuring import TARGETS

    for target in TARGETS:
        if name == target:
            return target
    if name in families.names():
        help = f"`assay schedule CIPHER OPERATION -p {name}` makes its code and counts its cycles"
        raise UsageError("J004", f"`{name}` is a modelled processor: nothing is measured on it", help=help)
    known = ("native", *TARGETS, *processors.names())
    raise UsageError("J001", f"there is no target `{name}`", help=nearest(name, known))


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
