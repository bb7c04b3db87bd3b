"""The main job: verify the ciphers, measure their C here, compare, and write the report.

The report is a list of jobs (`cipherassay.report.parts`): each keeps its rows in the store at once, so that
an interrupted report goes on where it stopped and a second one redoes nothing. Where something is missing,
the page is written twice: as soon as the ciphers are verified and measured, beside everything that is kept,
and when everything is done.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import fields as fields_of
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cipherassay.console.progress import job_progress, say
from cipherassay.jobs import Job, Outcome, RowCache, Rows, executor, run
from cipherassay.report.data import ReportData
from cipherassay.report.parts import Options, Part, parts
from cipherassay.results import Row, Store
from cipherassay.strategies import preferred

if TYPE_CHECKING:
    from cipherassay.ciphers import Cipher


def make_report(folder: Path, options: Options) -> Path:
    """Make the whole report in a folder and return the page's path.

    Raises
    ------
    AssayError
        A known answer that is wrong, no compiler, an unsteady machine, a folder that cannot be written.
    """
    from cipherassay.console.output import output_folder
    from cipherassay.report.page import unchanged

    output_folder(folder)  # before long work, not after it
    store, end = Store(), time.monotonic() + options.seconds
    ciphers = chosen_ciphers(options.ciphers, options.beside)
    with executor() as place, job_progress("report", quiet=options.quiet) as bar:
        made = parts(ciphers, options, place)
        # What is not cached only reads what is here.
        first = [job for part in made for job in part.jobs if job.name in part.first or job.inputs is None]
        outcome = run(first, RowCache(store), place=place, progress=bar)
        # Without time, only what is kept from before.
        outcome = _joined(outcome, run(_rest(made, outcome), RowCache(store), place=place, seconds=0))
        waiting = _waiting(made, outcome)
        if waiting:
            data = _gather(ciphers, made, replace(outcome, left=[]), store, options)
            page = unchanged.write(folder, replace(data, pending=waiting))
            say(f"first page: {page}; still to come: {', '.join(waiting)}")
            left = max(0.0, end - time.monotonic())
            rest = _rest(made, outcome)
            outcome = _joined(outcome, run(rest, RowCache(store), place=place, progress=bar, seconds=left))
    _say_unsteady(outcome)
    return unchanged.write(folder, _gather(ciphers, made, outcome, store, options))


def _say_unsteady(outcome: Outcome[Rows]) -> None:
    unsteady = sum(row.stable is False for result in outcome.results.values() for row in result.rows)
    if unsteady:
        say(f"{unsteady} rows were measured on an unsteady machine; the next report measures them again")


def _rest(made: Sequence[Part], outcome: Outcome[Rows]) -> list[Job[Rows]]:
    """Return the jobs without a result; they need only each other."""
    jobs = [job for part in made for job in part.jobs if job.name not in outcome.results]
    return [replace(job, needs=[n for n in job.needs if n not in outcome.results]) for job in jobs]


def _joined(before: Outcome[Rows], after: Outcome[Rows]) -> Outcome[Rows]:
    results = {**before.results, **after.results}
    failed = {**before.failed, **after.failed}
    return Outcome(results, after.left, {name: failed[name] for name in failed if name not in results})


def chosen_ciphers(names: Sequence[str], beside: Sequence[str] = ()) -> list[Cipher]:
    """Return the ciphers asked for (without names those of the papers, and those beside) in their order."""
    from cipherassay import ciphers

    known = ciphers.of_papers()
    found = [ciphers.load(name) for name in dict.fromkeys([*(names or known), *beside])]
    return sorted(found, key=lambda c: (known.index(c.slug) if c.slug in known else len(known), c.slug))


def _waiting(made: Sequence[Part], outcome: Outcome[Rows]) -> list[str]:
    """Return the titles of parts that are not complete yet, each with how many of its results are missing."""
    missing = {part.title: [job for job in part.jobs if job.name not in outcome.results] for part in made}
    return [f"{title} ({len(jobs)})" for title, jobs in missing.items() if jobs]


def _left_out(made: Sequence[Part], outcome: Outcome[Rows]) -> list[str]:
    """Return what is not in the report, and why."""
    left = {job.name for job in outcome.left}
    texts: dict[str, None] = {}
    for part in made:
        late = sum(job.name in left for job in part.jobs)
        if late:
            texts[f"{part.title}: {late} results were not made in time (run the report again)"] = None
        for error in (outcome.failed[job.name] for job in part.jobs if job.name in outcome.failed):
            texts[f"{part.title}: {error.message}{f' ({error.help})' if error.help else ''}"] = None
        for result in _results(part, outcome):
            texts.update(dict.fromkeys(result.remarks))
    return list(texts)


def _results(part: Part, outcome: Outcome[Rows]) -> list[Rows]:
    return [outcome.results[job.name] for job in part.jobs if job.name in outcome.results]


def _gather(
    ciphers: Sequence[Cipher],
    made: Sequence[Part],
    outcome: Outcome[Rows],
    store: Store,
    options: Options,
) -> ReportData:
    from cipherassay.native.environment import machine_name
    from cipherassay.report.simulated import simulated_samples
    from cipherassay.results.published import published_rows

    fields: dict[str, Any] = {"rows": []}
    for part in made:
        fields.setdefault(part.field, []).extend(
            row for result in _results(part, outcome) for row in result.rows
        )
    left = {job.name for job in outcome.left}
    known = {field.name for field in fields_of(ReportData)}
    own = {name: rows for name, rows in fields.items() if name not in known}
    return ReportData(
        **{name: rows for name, rows in fields.items() if name not in own},
        studies=own,
        published=published_rows(),
        samples=_samples(store, machine_name()),
        strategies={cipher.name: preferred(cipher) for cipher in ciphers},
        described={cipher.name: cipher for cipher in ciphers},
        block_bytes={cipher.name: cipher.block_bits // 8 for cipher in ciphers},
        kernels_left=sum(job.name in left for part in made if part.field == "kernels" for job in part.jobs),
        simulated_samples=simulated_samples(store, ciphers),
        conditions=conditions(fields["rows"], options),
        machine=machine_name(),
        missing=_left_out(made, outcome),
    )


def _samples(store: Store, machine: str) -> dict[tuple[str, str, int, str], list[float]]:
    name = machine.replace("'", "''")
    lines = store.query(
        "select cipher, operation, key_bits, strategy, list(cycles order by input) from samples "
        f"where coalesce(variant, '') = '' and target = '{name}' and strategy is not null "
        "group by all order by 1, 2, 3, 4"
    )[1]
    return {
        (cipher, operation, bits, strategy): cycles for cipher, operation, bits, strategy, cycles in lines
    }


def conditions(rows: Sequence[Row], options: Options) -> list[tuple[str, str]]:
    """Return the facts about the measurement that the report states."""
    import platform

    ours = [row for row in rows if row.strategy and row.level == "native"]
    ratios = [row.value for row in ours if row.metric == "cycles_per_tick"]
    told = [
        ("processor", ", ".join(sorted({row.target or "" for row in ours}))),
        ("cores", str(os.cpu_count())),
        ("system", f"{platform.system()} {platform.release()}, {platform.machine()}"),
        ("compiler and flags", ", ".join(sorted({row.configuration or "" for row in ours}))),
        ("tools", "; ".join(sorted({row.tools or "" for row in ours}))),
        ("random inputs per operation", str(options.settings.inputs)),
        ("timed runs per input", str(options.settings.repeats)),
        ("seed", str(options.settings.seed)),
    ]
    if ratios:
        told.append(("core cycles per tick of the counter", f"{min(ratios):.4f} to {max(ratios):.4f}"))
    unstable = sum(row.stable is False for row in ours)
    told.append(("rows measured while unsteady", str(unstable)))
    return told
