"""What `assay simulate` prints and writes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from cipherassay.console.output import output, show_table, write_file, write_json
from cipherassay.console.progress import say
from cipherassay.errors import UsageError

if TYPE_CHECKING:
    from cipherassay.processors.distributions import CycleSample
    from cipherassay.processors.simulating import Simulation

MEMORY = 0x10000
"""Bytes of memory for a text of its own; every argument points to an eighth of it."""


@dataclass(frozen=True)
class SimulateOptions:
    """What the caller asked for."""

    functional: bool
    timeline: bool
    rows: int
    html: Path | None
    memory_out: Path | None
    json: bool

    @property
    def mode(self) -> str:
        """How to run."""
        return "functional" if self.functional else "cycles"

    @property
    def events(self) -> bool:
        """Whether what happens to every operation is kept."""
        return not self.functional and (self.timeline or self.html is not None or self.json)


def arguments_of(given: list[str] | None, size: int) -> list[int]:
    """Return the values of argument registers: pointers to eighths of the memory if none is given.

    Raises
    ------
    UsageError
        ``M728``: one is no number.
    """
    from cipherassay.processors.simulating import BASE

    if given is None:
        return [BASE + k * (size // 8 & -16) for k in range(8)]
    try:
        return [int(value, 0) for value in given]
    except ValueError as error:
        raise UsageError("M728", f"an argument is no number: {error}", help="decimal or 0x…") from None


def tell(
    run: Simulation,
    wanted: SimulateOptions,
    title: str,
    named: dict[str, Any],
    sampled: CycleSample | None = None,
) -> None:
    """Print a run and its distribution, and write the files that are wanted."""
    from cipherassay.processors.simulating import START_STATE
    from cipherassay.processors.timeline import text

    if wanted.memory_out is not None:
        write_file(wanted.memory_out, run.memory)
    if wanted.html is not None:
        write_page(wanted.html, run, title, START_STATE)
    if wanted.json:
        known = {} if sampled is None else {"distribution": distribution_document(sampled)}
        write_json({**named, **document(run), **known})
        return
    show(run, title)
    if sampled is not None:
        show_distribution(sampled)
    if wanted.timeline:
        typer.echo(text(run, rows=wanted.rows), nl=False)


def text_of(file: Path) -> str:
    """Read an assembly text; raises UsageError M726."""
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise UsageError("M726", f"`{file}` cannot be read", notes=[reason]) from None


def memory_of(file: Path | None) -> bytes:
    """Return the contents of a memory image, or zeros; raises UsageError M726."""
    if file is None:
        return bytes(MEMORY)
    try:
        return file.read_bytes()
    except OSError as error:
        raise UsageError("M726", f"`{file}` cannot be read", notes=[error.strerror or str(error)]) from None


def document(simulation: Simulation) -> dict[str, Any]:
    """Return a run as a document, without its memory."""
    from cipherassay.processors.simulating import START_STATE

    return {
        "cycles": simulation.cycles,
        "operations": simulation.operations,
        "useful": simulation.useful,
        "stalls": dict(simulation.stalls),
        "assumed": START_STATE,
        "events": [
            {
                "line": event.line, "text": event.text, "active": event.active, "insert": event.insert,
                "issue": event.issue, "finish": event.finish, "retire": event.retire, "reason": event.reason,
            }
            for event in simulation.events
        ],
    }  # fmt: skip


def distribution_document(sampled: CycleSample) -> dict[str, Any]:
    """Return a distribution as a document."""
    found = sampled.distribution
    return {
        "seed": sampled.seed, "cause": sampled.cause,
        "inputs": found.count, "min": found.min, "average": found.average, "mode": found.mode,
        "max": found.max, "sigma": found.sigma,
        "histogram": {
            "start": found.histogram.start, "width": found.histogram.width,
            "counts": list(found.histogram.counts),
        },
        "normality": {
            "p": found.normality.p, "anderson": found.normality.anderson,
            "anderson_critical": found.normality.anderson_critical, "verdict": found.normality.verdict,
        },
    }  # fmt: skip


def show(simulation: Simulation, title: str) -> None:
    """Print a run in one table."""
    from cipherassay.processors.simulating import START_STATE

    rate = simulation.useful / simulation.cycles if simulation.cycles else None
    lost = ", ".join(f"{kind} {cycles}" for kind, cycles in simulation.stalls.items()) or "none"
    show_table(
        ("cycles", "operations", "with an effect", "per cycle", "stalls"),
        [(simulation.cycles, simulation.operations, simulation.useful, rate, lost)],
        title=title,
    )
    output().print(f"Assumed: {START_STATE}.")


def show_distribution(sampled: CycleSample) -> None:
    """Print a distribution in one table."""
    found = sampled.distribution
    columns = ("inputs", "min", "average", "mode", "max", "σ", "normality", "caused by")
    verdict, p = found.normality.verdict, found.normality.p
    told = verdict if p is None else f"{verdict} (p = {p:.2g})"
    numbers = (found.count, int(found.min), round(found.average, 2), int(found.mode), int(found.max))
    show_table(columns, [(*numbers, round(found.sigma, 2), told, sampled.cause or "nothing")])


def write_page(file: Path, simulation: Simulation, title: str, subtitle: str) -> None:
    """Write the timeline as a page of its own; raises UsageError M727 if it would be too large."""
    from cipherassay.processors.timeline import html

    limit = 20_000
    if len(simulation.events) > limit:
        raise UsageError(
            "M727",
            f"a page of {len(simulation.events):,} operations is too large: {limit:,} at most",
            help="the text's own loops can be shortened; `--timeline` prints the first operations",
        )
    write_file(file, html(simulation, title=title, subtitle=subtitle))
    say(f"wrote {file}")
