"""The HP paper's distributions on the modelled PA-8500: rows and samples, kept by what they depend on."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from cipherassay import processors
from cipherassay.errors import AssayError
from cipherassay.lang.cipher import Cipher
from cipherassay.processors import distributions
from cipherassay.processors.kernel import Kernel
from cipherassay.processors.many import Job, run
from cipherassay.processors.rows import depends_on
from cipherassay.processors.wanted import operations
from cipherassay.results import Row, Store
from cipherassay.results.store import Sample

TARGET = "pa8500"
SEED = 1
SIMULATED = 5_000_000
"""Operations that the simulator runs for a cell, unless all of the paper's inputs are wanted."""
LEAST, STEP = 1000, 1000


@dataclass(frozen=True)
class Cell:
    """A line of the tables: an operation of a cipher, and over how many inputs its clocks are wanted."""

    job: Job
    full: bool

    @cached_property
    def kernel(self) -> Kernel:
        """Its code, made when it is first asked for."""
        return self.job.kernel()

    @property
    def inputs(self) -> int:
        """Random inputs: the paper's number, or as many as take about the same time in every cell."""
        if self.full:
            return distributions.FULL_INPUTS
        fitting = SIMULATED // self.kernel.operations // STEP * STEP
        return min(max(fitting, LEAST), distributions.FULL_INPUTS)

    @property
    def name(self) -> str:
        """The name of its run in the store."""
        job = self.job
        slug = f"{job.cipher.slug}-{job.variant}" if job.variant else job.cipher.slug
        return f"distribution/{TARGET}/{slug}-{job.operation.replace('_', '-')}"


def cells(ciphers: Sequence[Cipher], *, full: bool) -> list[Cell]:
    """Return the cells of the tables: every operation and key schedule that the report shows."""
    model = processors.load(TARGET)
    return [
        Cell(Job(cipher, operation, model, variant=variant), full)
        for cipher in ciphers
        for operation, variant in operations(cipher)
    ]


def distribution_rows(
    wanted: Sequence[Cell],
    store: Store,
    *,
    advance: Callable[[float, str], None] = lambda amount, note: None,
) -> list[Row]:
    """Return the statistics of every cell's clocks; those whose kernel cannot be made have none."""
    by_job = {id(one.job): one for one in wanted}

    def work(job: Job) -> list[Row]:
        return _kept(by_job[id(job)], store)

    return [row for rows in run([one.job for one in wanted], work, advance=advance) for row in rows]


def _kept(one: Cell, store: Store) -> list[Row]:
    inputs = _depends_on(one)
    known = store.find(one.name, inputs)
    if known is not None:
        return known
    try:
        sampled = distributions.sample(one.kernel, inputs=one.inputs, seed=SEED)
    except AssayError:  # the kernels' own table says why there is none
        store.put(one.name, inputs, [])
        return []
    rows = list(rows_of(one, sampled))
    cycles = [float(cycles) for cycles in sampled.cycles]
    store.put(one.name, inputs, rows, [Sample(rows[0], cycles, cycles)])
    return rows


def rows_of(one: Cell, sampled: distributions.Sampled) -> Iterator[Row]:
    """Yield the statistics of a sample; the certificate of the standard deviation is what causes it."""
    found = sampled.distribution
    common = _common(one)
    yield Row(**common, metric="cycles_min", value=found.min)
    yield Row(**common, metric="cycles_average", value=found.average)
    yield Row(**common, metric="cycles_mode", value=found.mode)
    yield Row(**common, metric="cycles_max", value=found.max)
    yield Row(**common, metric="cycles_sigma", value=found.sigma, certificate=sampled.cause)
    yield Row(**common, metric="inputs", value=found.count)
    normality = found.normality
    if normality.p is not None:
        yield Row(**common, metric="normality_p", value=normality.p, certificate=normality.verdict)


def _common(one: Cell) -> dict[str, Any]:
    job = one.job
    words = ["assay", "simulate", job.cipher.slug, job.operation, "--processor", TARGET]
    words += ["--variant", job.variant] if job.variant else []
    words += ["--inputs", str(one.inputs), "--seed", str(SEED)]
    return {
        "cipher": job.cipher.name, "variant": job.variant or None, "operation": job.operation,
        "key_bits": job.key_bits, "strategy": one.kernel.choice.strategy, "level": "processor",
        "target": TARGET, "basis": "simulated", "configuration": "distribution", "command": shlex.join(words),
    }  # fmt: skip


def _depends_on(one: Cell) -> dict[str, Any]:
    wanted = distributions.FULL_INPUTS if one.full else SIMULATED
    native = Path(__file__).parents[1] / "native" / "statistics.py"
    return {**depends_on(one.job), "inputs": wanted, "seed": SEED, "statistics": native.read_text("utf-8")}
