"""`assay compare`: our generated code beside other libraries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from cipherassay.console.help import MEASURE
from cipherassay.console.kernel import CipherNames, KeySizes
from cipherassay.console.output import Json, show_table, write_json
from cipherassay.console.progress import job_progress, say

if TYPE_CHECKING:
    from cipherassay.native.comparison import Comparison, Peers
    from cipherassay.results import Row

QUICK_INPUTS, QUICK_REPEATS = 15, 12
MARK = "°"
"""After a library's name, or a number of ours: that code is constant time."""
UNSTEADY = "*"
"""After a number: the machine was not steady, or the measurement was disturbed."""


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
    key. AES instructions and vector code of the libraries are switched off. Ours is compiled by gcc and by
    clang, where both are here. Every implementation is checked against the reference evaluator first. Ours
    stands beside the fastest library, and beside the fastest of those that are constant time as ours is, or
    not as ours is not.
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
        rows = [row.as_dict() for one in comparisons for row in (*one.compiled, *one.others)]
        skipped = [{"name": s.name, "reason": s.reason, "help": s.help} for s in peers.skipped]
        write_json({"rows": rows, "skipped": skipped})
    else:
        _show(comparisons, peers)


def _show(comparisons: list[Comparison], peers: Peers) -> None:
    from cipherassay.native.comparison import compiler_kinds

    kinds = compiler_kinds(comparisons)
    ours = [name for kind in kinds for name in (f"by {kind}", "ratio")]
    kind = ("of our kind", "its", "ratio")
    columns = ("cipher", "operation", "key", *ours, "best library", "its", *kind, "others")
    show_table(columns, [_line(one, kinds) for one in comparisons], title=_title(comparisons))
    for left_out in peers.skipped:
        how = f" ({left_out.help})" if left_out.help else ""
        say(f"left out: {left_out.name}: {left_out.reason}{how}")
    if comparisons:
        say(f"{MARK}: constant time; {UNSTEADY}: measured on an unsteady machine")
        say("of our kind: constant time as ours is, or not as ours is not; ratio: of our first column")
        say(f"slower than the best library by more than 2 %: {_missed(comparisons)}")


def _missed(comparisons: list[Comparison]) -> str:
    """Say how many of our rows are slower than the best library: by each compiler, and by the better one."""
    from cipherassay.native.comparison import EQUAL, compared_rows

    compared = compared_rows(comparisons)
    slower = {how: sum((row.ratio or 0) > EQUAL for row in rows) for how, rows in compared.items()}
    return ", ".join(f"{count} of {len(compared[how])} rows by {how}" for how, count in slower.items())


def _title(comparisons: list[Comparison]) -> str:
    if not comparisons:
        return ""
    compilers = dict.fromkeys(row.compiler for one in comparisons for row in one.compiled)
    return f"{comparisons[0].ours.target}; ours: {', '.join(filter(None, compilers))}"


def _line(one: Comparison, kinds: list[str]) -> list[Any]:
    ours, best, like = one.ours, one.ours.reference_source, one.fastest_of_kind()
    others = [f"{_name(row)} {_cycles(row)}" for row in one.others if row.configuration != best]
    first = next((row for row in one.others if row.configuration == best), None)
    compiled = [one.by(kind) for kind in kinds]
    return [
        ours.cipher, (ours.operation or "").replace("_", " "), ours.key_bits,
        *(cell for row in compiled for cell in ((_own(row), _rounded(row.ratio)) if row else (None, None))),
        _name(first) if first else None, _cycles(first) if first else None,
        _name(like) if like else None, _cycles(like) if like else None,
        _rounded(ours.value / like.value) if like else None, ", ".join(others) or None,
    ]  # fmt: skip


def _rounded(ratio: float | None) -> float | None:
    return None if ratio is None else round(ratio, 3)


def _own(row: Row) -> str:
    return f"{_cycles(row)}{MARK if row.constant_time else ''}"


def _cycles(row: Row) -> str:
    return f"{row.value:.1f}{'' if row.stable else UNSTEADY}"


def _name(row: Row) -> str:
    return f"{row.configuration}{MARK if row.constant_time else ''}"
