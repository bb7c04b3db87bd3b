"""`assay compare`: our generated code beside other libraries, our devices beside the hardware paper's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from cipherassay.cli._common import Json, format_cell, progress, say, show_table, write_json

if TYPE_CHECKING:
    from cipherassay.cli.measure import Job
    from cipherassay.native.comparison import Comparison, Ours, Peers
    from cipherassay.native.compiler import Compiler
    from cipherassay.native.measurement import Settings
    from cipherassay.native.session import Session
    from cipherassay.results import Store

INPUTS, REPEATS = 100, 30
QUICK_INPUTS, QUICK_REPEATS = 15, 12


def register(app: typer.Typer) -> None:
    """Add the verb and its parts."""
    from cipherassay.cli._compare_hardware import hardware

    compare = typer.Typer(
        no_args_is_help=True, help="Our code beside other libraries, our devices beside a paper's."
    )
    compare.callback()(_group)
    compare.command("libraries")(libraries)
    compare.command("hardware")(hardware)
    app.add_typer(compare, name="compare")


def _group() -> None:
    """Our code beside other libraries, our devices beside a paper's."""


def libraries(
    cipher: Annotated[list[str] | None, typer.Option(help="Cipher; all without it.")] = None,
    key_bits: Annotated[list[int] | None, typer.Option(help="Key size; all without it.")] = None,
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
    """Measure our code and the libraries that are installed, by turns, through one loop on one core.

    Each block is the output of the last; key set-up repeats a key. AES instructions and vector code of the
    libraries are switched off. Every implementation is checked against the reference evaluator first.
    """
    from cipherassay.cli.measure import plan
    from cipherassay.native.comparison import load_peers
    from cipherassay.native.measurement import Settings

    jobs = plan(cipher or [], key_bits or [], strategy)
    peers = load_peers(library)
    settings = Settings(QUICK_INPUTS if quick else INPUTS, QUICK_REPEATS if quick else REPEATS)
    comparisons = run_comparison(
        jobs, peers, settings, accept_unstable=accept_unstable, fresh=fresh, quiet=json
    )
    if json:
        rows = [row.as_dict() for one in comparisons for row in (one.ours, *one.others)]
        skipped = [{"name": s.name, "reason": s.reason, "help": s.help} for s in peers.skipped]
        write_json({"rows": rows, "skipped": skipped})
    else:
        _show(comparisons, peers)


def run_comparison(
    jobs: list[Job],
    peers: Peers,
    settings: Settings,
    *,
    accept_unstable: bool = False,
    fresh: bool = False,
    quiet: bool = False,
) -> list[Comparison]:
    """Compile ours, and compare each cipher and key size; what is finished is kept in the store at once.

    Raises
    ------
    MeasurementError
        The machine is not steady, and that is not accepted.
    """
    from cipherassay.native.compiler import find_compiler
    from cipherassay.native.session import session
    from cipherassay.results import Store

    compiler, store = find_compiler("c"), Store()
    total = float(sum(len(job.key_bits) for job in jobs))
    results: list[Comparison] = []
    with progress("compare", total, quiet=quiet) as bar, session(accept_unstable=accept_unstable) as steady:
        for job in jobs:
            ours = _build(job, compiler)
            for bits in job.key_bits:
                bar.advance(0, f"{job.cipher.name} {bits}")
                results += _one(ours, bits, peers, steady, settings, store, fresh=fresh)
                bar.advance()
    return results


def _build(job: Job, compiler: Compiler) -> Ours:
    from cipherassay.native.comparison import Ours
    from cipherassay.native.generated import build, generate

    code = generate(job.cipher, strategy=job.strategy)
    return Ours(job.cipher, job.strategy, code, build(code, compiler=compiler), compiler)


def _one(
    ours: Ours, bits: int, peers: Peers, steady: Session, settings: Settings, store: Store, *, fresh: bool
) -> list[Comparison]:
    from cipherassay.native.comparison import compare, grouped, run_inputs, run_name

    name, inputs = run_name(ours, bits), run_inputs(ours, bits, peers, steady, settings)
    kept = None if fresh else store.find(name, inputs)
    if kept and all(one.ours.stable for one in grouped(kept)):
        return grouped(kept)
    found = list(compare(ours, bits, peers, steady, settings))
    store.put(name, inputs, [row for one in found for row in (one.ours, *one.others)])
    return found


def _show(comparisons: list[Comparison], peers: Peers) -> None:
    columns = ("cipher", "operation", "key", "ours", "best library", "its", "ratio", "others")
    show_table(columns, [_line(one) for one in comparisons], title=_title(comparisons))
    for one in peers.skipped:
        say(f"left out: {one.name}: {one.reason}{f' ({one.help})' if one.help else ''}")
    missed = [one for one in comparisons if one.ours.ratio is not None and one.ours.ratio > 1.02]
    if comparisons:
        say(f"slower than the best library by more than 2 %: {len(missed)} of {len(comparisons)} rows")


def _title(comparisons: list[Comparison]) -> str:
    if not comparisons:
        return ""
    ours = comparisons[0].ours
    return f"{ours.target}; ours: {ours.configuration}"


def _line(one: Comparison) -> list[Any]:
    best, others = one.ours.reference_source, []
    for row in one.others:
        if row.configuration != best:
            mark = "" if row.stable else " (unstable)"
            others.append(f"{row.configuration} {format_cell(round(row.value, 1))}{mark}")
    ours = one.ours
    return [
        ours.cipher, (ours.operation or "").replace("_", " "), ours.key_bits, round(ours.value, 1), best,
        None if ours.reference is None else round(ours.reference, 1),
        None if ours.ratio is None else round(ours.ratio, 3), ", ".join(others) or None,
    ]  # fmt: skip
