"""What `assay simulate` prints and writes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from cipherassay.cli._common import output, say, show_table, write_file
from cipherassay.errors import UsageError

if TYPE_CHECKING:
    from cipherassay.native.statistics import Distribution
    from cipherassay.processors.simulating import Simulation

MEMORY = 0x10000
"""Bytes of memory for a text of its own; every argument points to an eighth of it."""


def text_of(file: Path) -> str:
    """Read an assembly text; raises UsageError M720."""
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise UsageError("M720", f"`{file}` cannot be read", notes=[reason]) from None


def memory_of(file: Path | None) -> bytes:
    """Return the contents of a memory image, or zeros; raises UsageError M720."""
    if file is None:
        return bytes(MEMORY)
    try:
        return file.read_bytes()
    except OSError as error:
        raise UsageError("M720", f"`{file}` cannot be read", notes=[error.strerror or str(error)]) from None


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


def distribution_document(found: Distribution) -> dict[str, Any]:
    """Return a distribution as a document."""
    return {
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


def show_distribution(found: Distribution, title: str) -> None:
    """Print a distribution in one table."""
    columns = ("inputs", "min", "average", "mode", "max", "σ", "normality")
    verdict = found.normality.verdict
    p = found.normality.p
    told = verdict if p is None else f"{verdict} (p = {p:.2g})"
    row = (found.count, int(found.min), found.average, int(found.mode), int(found.max), found.sigma, told)
    show_table(columns, [row], title=title)


def write_page(file: Path, simulation: Simulation, title: str, subtitle: str) -> None:
    """Write the timeline as a page of its own; raises UsageError M721 if it would be too large."""
    from cipherassay.processors.timeline import html

    limit = 20_000
    if len(simulation.events) > limit:
        raise UsageError(
            "M721",
            f"a page of {len(simulation.events):,} operations is too large: {limit:,} at most",
            help="the text's own loops can be shortened; `--timeline` prints the first operations",
        )
    write_file(file, html(simulation, title=title, subtitle=subtitle))
    say(f"wrote {file}")
