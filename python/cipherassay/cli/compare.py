"""`assay compare`: our generated code beside other libraries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from cipherassay.console.help import MEASURE
from cipherassay.console.kernel import CipherNames, KeySizes
from cipherassay.console.output import Json, format_cell, show_table, write_json
from cipherassay.console.progress import job_progress, say

if TYPE_CHECKING:
    from cipherassay.native.comparison import Comparison, Peers
    from cipherassay.results import Row

QUICK_INPUTS, QUICK_REPEATS = 15, 12
MARK = "°"
"""After a name or number: that code is constant time."""


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("compare", rich_help_panel=MEASURE)(compare)


def compare(
    ciphers: CipherNames = None,
    key_bits: KeySizes = None,
    library: Annotated[list[str] | None, typer.Option(help="Library; all that are here without it.")] = None,
    strategy: Annotated[str, typer.Option(help="Strategy of our code; else each cipher's own.")] = "",
    quick: Annotated[bool, typer.Option("--quick", help="Fewer inputs and runs.")] = False,
    accept_unstable: Annotated[
        bool, typer.Option("--accept-unstable", help="Measure on an unsteady machine; rows are marked.")
    ] = False,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Measure also what is kept from an earlier run.")
    ] = False,
    json: Json = False,
) -> None:
    """Measure our C beside other libraries, by turns, on one core.

    Those that are installed, through one loop. Each block is the output of the last; key setup repeats a
    key. AES instructions and vector code of the libraries are switched off. Every implementation is checked
    against the reference evaluator first. Ours stands beside the fastest library, and beside the fastest of
    those that are constant time as ours is, or not as ours is not.
    """
    from cipherassay import tools
    from cipherassay.jobs import RowCache, run
    from cipherassay.native import comparison_jobs
    from cipherassay.native.comparison import load_peers
    from cipherassay.native.measurement import Settings
    from cipherassay.native.selection import select
    from cipherassay.native.session import Tolerance
    from cipherassay.results import Store

    tools.require_packages(*tools.MEASURING)
    peers = load_peers(library)
    settings = Settings(
        QUICK_INPUTS if quick else comparison_jobs.INPUTS, QUICK_REPEATS if quick else comparison_jobs.REPEATS
    )
    jobs = comparison_jobs.jobs(
        select(ciphers or [], key_bits or [], strategy), peers, settings, Tolerance.of(accept_unstable)
    )
    with job_progress("compare", quiet=json) as bar:
        found = run(jobs, RowCache(Store()), fresh=fresh, progress=bar).results.values()
    comparisons = [pair for one in found for pair in comparison_jobs.grouped(one.rows)]
    if json:
        rows = [row.as_dict() for one in comparisons for row in (one.ours, *one.others)]
        skipped = [{"name": s.name, "reason": s.reason, "help": s.help} for s in peers.skipped]
        write_json({"rows": rows, "skipped": skipped})
    else:
        _show(comparisons, peers)


def _show(comparisons: list[Comparison], peers: Peers) -> None:
    columns = (
        "cipher", "operation", "key", "ours", "best library", "its", "ratio", "of our kind", "its", "ratio",
        "others",
    )  # fmt: skip
    show_table(columns, [_line(one) for one in comparisons], title=_title(comparisons))
    for one in peers.skipped:
        say(f"left out: {one.name}: {one.reason}{f' ({one.help})' if one.help else ''}")
    missed = [one for one in comparisons if one.ours.ratio is not None and one.ours.ratio > 1.02]
    if comparisons:
        say(f"{MARK}: constant time; our kind: constant time as ours is, or not as ours is not")
        say(f"slower than the best library by more than 2 %: {len(missed)} of {len(comparisons)} rows")


def _title(comparisons: list[Comparison]) -> str:
    if not comparisons:
        return ""
    ours = comparisons[0].ours
    return f"{ours.target}; ours: {ours.configuration}"


def _line(one: Comparison) -> list[Any]:
    ours, best, like = one.ours, one.ours.reference_source, one.fastest_of_kind()
    others = [
        f"{_name(row)} {format_cell(round(row.value, 1))}{'' if row.stable else ' (unstable)'}"
        for row in one.others
        if row.configuration != best
    ]
    first = next((row for row in one.others if row.configuration == best), None)
    return [
        ours.cipher, (ours.operation or "").replace("_", " "), ours.key_bits,
        f"{ours.value:.1f}{_mark(ours)}",
        _name(first) if first else None, *_beside(ours, first),
        _name(like) if like else None, *_beside(ours, like), ", ".join(others) or None,
    ]  # fmt: skip


def _beside(ours: Row, other: Row | None) -> tuple[float | None, float | None]:
    return (round(other.value, 1), round(ours.value / other.value, 3)) if other else (None, None)


def _name(row: Row) -> str:
    return f"{row.configuration}{_mark(row)}"


def _mark(row: Row) -> str:
    return MARK if row.constant_time else ""
