"""The main job: verify the ciphers, measure their C here, compare, and write the report.

Each stage keeps what it finished in the store and takes from there what still holds, so that an interrupted
report goes on where it stopped and a second one redoes nothing.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from cipherassay.cli._common import progress, say
from cipherassay.cli.measure import Job, run_jobs
from cipherassay.errors import MeasurementError
from cipherassay.report.data import ReportData
from cipherassay.results import Row, Store

if TYPE_CHECKING:
    from cipherassay.ciphers import Cipher
    from cipherassay.native.measurement import Settings

TRIES, PAUSE_SECONDS = 4, 15.0
"""How often in a row a refused measurement is tried, and how long to wait for a calmer machine."""
EMBEDDED_SECONDS = 120.0
"""After this time a report measures no other code for small processors; the next one goes on."""
Found = TypeVar("Found")
ORDER = ("mars", "rc6", "rijndael", "serpent", "twofish", "e2")
"""The ciphers of the papers in the order of their tables; others follow by name."""


@dataclass(frozen=True)
class Options:
    """What to report on and how thoroughly."""

    settings: Settings
    ciphers: Sequence[str] = ()
    """Names; all without any."""
    accept_unstable: bool = False
    libraries: bool = True
    strategies: bool = True
    """Whether to measure every strategy, or only each cipher's own."""
    devices: bool = True
    """Whether to synthesize devices; at few points, as far as time allows."""
    quiet: bool = False


def make_report(folder: Path, options: Options) -> Path:
    """Make the whole report in a folder and return the page's path.

    Raises
    ------
    AssayError
        A known answer that is wrong, no compiler, an unsteady machine, a folder that cannot be written.
    """
    from cipherassay.cli._common import output_folder
    from cipherassay.report.writing import write_report

    output_folder(folder)  # before hours of work, not after them
    store = Store()
    ciphers = chosen_ciphers(options.ciphers)
    answers = _known_answers(ciphers, store, options)
    kernels = _kernels(ciphers, store, options)
    jobs = jobs_of(ciphers, every_strategy=options.strategies)
    _compile(jobs, options)
    rows = _patiently(store, lambda: run_jobs(
        jobs, options.settings, accept_unstable=options.accept_unstable, fresh=False, quiet=options.quiet
    ))  # fmt: skip
    compared, missing = _libraries(ciphers, store, options) if options.libraries else ([], [])
    data = _gather(ciphers, rows, compared, kernels, answers, missing, store, options)
    return write_report(folder, data)


def chosen_ciphers(names: Sequence[str]) -> list[Cipher]:
    """Return the ciphers asked for (all without names) in the order of the report."""
    from cipherassay import ciphers

    known = [*ORDER, *(name for name in ciphers.names() if name not in ORDER)]
    found = [ciphers.load(name) for name in names or known]
    return sorted(found, key=lambda c: (known.index(c.slug) if c.slug in known else len(known), c.slug))


def jobs_of(ciphers: Sequence[Cipher], *, every_strategy: bool) -> list[Job]:
    """Return what is measured: each cipher's own strategy at every key size, then variants and strategies."""
    from cipherassay import strategies

    jobs = [Job(cipher, cipher.strategy, "", cipher.key_bits) for cipher in ciphers]
    for cipher in ciphers:
        jobs += [Job(cipher, cipher.strategy, variant, cipher.key_bits[:1]) for variant in cipher.variants]
        for name in strategies.applicable(cipher) if every_strategy else ():
            if name != cipher.strategy and not strategies.load(name).for_each_key:
                jobs.append(Job(cipher, name, "", cipher.key_bits[:1]))
    return jobs


def _known_answers(ciphers: Sequence[Cipher], store: Store, options: Options) -> list[Row]:
    from cipherassay.report.verifying import checks_of, verify

    checks = [
        c for cipher in ciphers for variant in ("", *cipher.variants) for c in checks_of(cipher, variant)
    ]
    with progress("known answers", len(checks), quiet=options.quiet) as bar:
        return verify(checks, store, advance=bar.advance)


def _kernels(ciphers: Sequence[Cipher], store: Store, options: Options) -> tuple[list[Row], int]:
    """Schedule and simulate the kernels for modelled processors that the store does not have."""
    from cipherassay.processors.wanted import kernels
    from cipherassay.report.kernels import kernel_rows

    with progress("kernels", len(kernels(ciphers)), quiet=options.quiet) as bar:
        return kernel_rows(ciphers, store, advance=bar.advance)


def _compile(jobs: Sequence[Job], options: Options) -> None:
    """Compile everything first, on all cores: while something is measured, nothing else should run."""
    from cipherassay.native.generated import build, generate

    def compile_one(job: Job) -> None:
        build(generate(job.cipher, job.key_bits, strategy=job.strategy, variant=job.variant))

    with (
        progress("compile", len(jobs), quiet=options.quiet) as bar,
        ThreadPoolExecutor(os.cpu_count()) as pool,
    ):
        for job, _ in zip(jobs, pool.map(compile_one, jobs), strict=True):
            bar.advance(1, f"{job.cipher.name} {job.strategy}")


def _patiently(store: Store, measure: Callable[[], Found]) -> Found:
    """Measure, and go on after a pause if the machine was not steady; what was finished is kept meanwhile.

    Raises
    ------
    MeasurementError
        Nothing more could be finished in several tries.
    """
    refused, finished = 0, -1
    while True:
        try:
            return measure()
        except MeasurementError as error:
            now = len(store.runs())
            refused, finished = (refused + 1 if now == finished else 1), now
            if refused >= TRIES:
                raise
            say(f"{error}\n   = going on in {PAUSE_SECONDS:.0f} s")
            time.sleep(PAUSE_SECONDS)


def _libraries(ciphers: Sequence[Cipher], store: Store, options: Options) -> tuple[list[Row], list[str]]:
    """Measure the libraries that are here beside ours; what is left out is said, not an error."""
    from cipherassay.cli.compare import INPUTS, REPEATS, run_comparison
    from cipherassay.native.comparison import load_peers
    from cipherassay.native.measurement import Settings

    peers = load_peers()
    jobs = jobs_of(ciphers, every_strategy=False)
    jobs = [job for job in jobs if not job.variant]
    settings = Settings(INPUTS, REPEATS)
    found = _patiently(store, lambda: run_comparison(
        jobs, peers, settings, accept_unstable=options.accept_unstable, quiet=options.quiet
    ))  # fmt: skip
    compared = [row for one in found for row in (one.ours, *one.others)]
    return compared, [f"{s.name}: {s.reason}{f' ({s.help})' if s.help else ''}" for s in peers.skipped]


def _gather(
    ciphers: Sequence[Cipher],
    rows: Sequence[Row],
    compared: Sequence[Row],
    kernels: tuple[Sequence[Row], int],
    answers: Sequence[Row],
    missing: Sequence[str],
    store: Store,
    options: Options,
) -> ReportData:
    from cipherassay.native.environment import machine_name
    from cipherassay.report.addressing import addressing_rows
    from cipherassay.report.circuits import circuit_rows, equation_rows
    from cipherassay.report.hardware_rows import hardware_rows
    from cipherassay.report.ntt_rows import call_rows, layout_rows
    from cipherassay.report.platforms import platform_rows
    from cipherassay.report.simulated import simulated_rows, simulated_samples
    from cipherassay.results.published import published_rows

    strategies = {cipher.name: cipher.strategy for cipher in ciphers}
    devices, left_out = hardware_rows(ciphers, store, make=options.devices, quiet=options.quiet)
    embedded, not_measured = _embedded(ciphers, store, options)
    elsewhere, gaps = platform_rows(ciphers, store, quiet=options.quiet)
    return ReportData(
        rows=rows,
        compared=compared,
        published=published_rows(),
        samples=_samples(store, machine_name()),
        strategies=strategies,
        circuits=[row for row in circuit_rows(store) if not options.ciphers or row.cipher in strategies],
        equations=equation_rows(store) if "Serpent" in strategies else [],
        kernels=kernels[0],
        kernels_left=kernels[1],
        distributions=simulated_rows(ciphers, store, full=_full(options), quiet=options.quiet),
        simulated_samples=simulated_samples(store, ciphers),
        answers=answers,
        addressing=[] if options.ciphers else addressing_rows(ciphers, store, quiet=options.quiet),
        hardware=devices,
        embedded=embedded,
        elsewhere=elsewhere,
        layouts=layout_rows(ciphers, store, quiet=options.quiet),
        calls=call_rows(ciphers),
        conditions=conditions(rows, options),
        machine=machine_name(),
        missing=[*missing, *left_out, *not_measured, *gaps],
    )


def _embedded(ciphers: Sequence[Cipher], store: Store, options: Options) -> tuple[list[Row], list[str]]:
    """Measure the code for small processors that the store does not have."""
    from cipherassay.embedded.rows import embedded_rows, wanted

    asked = wanted(ciphers)
    with progress("small processors", len(asked), quiet=options.quiet) as bar:
        return embedded_rows(asked, store, seconds=EMBEDDED_SECONDS, advance=bar.advance)


def _full(options: Options) -> bool:
    """Whether as many inputs are wanted as the HP paper took."""
    from cipherassay.processors.distributions import FULL_INPUTS

    return options.settings.inputs >= FULL_INPUTS


def _samples(store: Store, machine: str) -> dict[tuple[str, str, int, str], list[float]]:
    name = machine.replace("'", "''")
    lines = store.query(
        "select cipher, operation, key_bits, strategy, list(cycles order by input) from samples "
        f"where coalesce(variant, '') = '' and target = '{name}' and strategy is not null group by all"
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
