"""The HP paper's distributions on the modelled PA-8500: rows and samples, kept by what they depend on."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from cipherassay import processors
from cipherassay.errors import AssayError
from cipherassay.jobs import Job, Producer, Rows
from cipherassay.lang.cipher import Cipher
from cipherassay.processors import distributions
from cipherassay.processors.kernel import Kernel
from cipherassay.processors.report_list import operations
from cipherassay.processors.requests import Request
from cipherassay.processors.rows import depends_on
from cipherassay.published import platform
from cipherassay.results import Row
from cipherassay.results.store import Sample

TARGET = "pa8500"
SEED = 1
SIMULATED = 5_000_000
"""Operations that the simulator runs for a cell, unless all of the paper's inputs are wanted."""
LEAST, STEP = 1000, 1000
PRODUCER = Producer(
    "distribution", 1, ("cipherassay.studies.worley2000.distribution_rows",), ("processor",),
    records=("cipherassay.processors", "cipherassay.published"),
)  # fmt: skip


@dataclass(frozen=True)
class Cell:
    """A line of the tables: an operation of a cipher, and over how many inputs its cycles are wanted."""

    request: Request
    full: bool

    @cached_property
    def kernel(self) -> Kernel:
        """Its code, made when it is first asked for."""
        return self.request.kernel()

    @property
    def inputs(self) -> int:
        """Random inputs: the paper's number, or as many as take about the same time in every cell."""
        if self.full:
            return distributions.FULL_INPUTS
        fitting = SIMULATED // self.kernel.operations // STEP * STEP
        return min(max(fitting, LEAST), distributions.FULL_INPUTS)

    def job(self) -> Job[Rows]:
        """Return the job that makes its rows; none where its kernel cannot be made."""
        request = self.request
        slug = f"{request.cipher.slug}-{request.variant}" if request.variant else request.cipher.slug
        name = f"distribution/{TARGET}/{slug}-{request.operation.replace('_', '-')}"
        wanted = distributions.FULL_INPUTS if self.full else SIMULATED
        return Job(
            name, f"{request.title}, distribution", self._rows,
            inputs=lambda: PRODUCER.inputs(**depends_on(request), inputs=wanted, seed=SEED),
        )  # fmt: skip

    def _rows(self) -> Rows:
        try:
            sampled = distributions.sample(self.kernel, inputs=self.inputs, seed=SEED)
        except AssayError:  # the kernels' own table says why there is none
            return Rows([])
        rows = list(rows_of(self, sampled))
        cycles = [float(cycles) for cycles in sampled.cycles]
        return Rows(rows, [Sample(rows[0], cycles, cycles)])


def cells(ciphers: Sequence[Cipher], *, full: bool) -> list[Cell]:
    """Return the cells of the tables: every operation and key schedule that the report shows."""
    model = processors.load(TARGET)
    return [
        Cell(Request(cipher, operation, model, variant=variant, key_bits=cipher.key_bits[0]), full)
        for cipher in ciphers
        for operation, variant in operations(cipher)
    ]


def rows_of(one: Cell, sampled: distributions.CycleSample) -> Iterator[Row]:
    """Yield the statistics of a sample; the certificate of the standard deviation is what causes it."""
    found = sampled.distribution
    common = _common(one)
    yield Row(**common, metric="cycles_min", value=found.min)
    yield Row(**common, metric="cycles_average", value=found.average)
    yield Row(**common, metric="cycles_mode", value=found.mode)
    yield Row(**common, metric="cycles_max", value=found.max)
    yield Row(**common, metric="cycles_sigma", value=found.sigma, certificate=sampled.cause or None)
    yield Row(**common, metric="inputs", value=found.count)
    normality = found.normality
    if normality.p is not None:
        yield Row(**common, metric="normality_p", value=normality.p, certificate=normality.verdict)


def _common(one: Cell) -> dict[str, Any]:
    job = one.request
    words = ["assay", "simulate", job.cipher.slug, job.operation, "--processor", TARGET]
    words += ["--variant", job.variant] if job.variant else []
    words += ["--inputs", str(one.inputs), "--seed", str(SEED)]
    return {
        "cipher": job.cipher.name, "variant": job.variant or None, "operation": job.operation,
        "key_bits": job.key_bits, "strategy": one.kernel.choice.strategy, "level": "processor",
        "target": TARGET, "platform": platform(TARGET), "architecture": job.form, "basis": "simulated",
        "configuration": "distribution", "command": shlex.join(words),
    }  # fmt: skip
