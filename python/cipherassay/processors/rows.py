"""Kernels as rows of results: made, checked in the simulator, kept by what they depend on."""

from __future__ import annotations

import hashlib
import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from cipherassay import engine_file
from cipherassay.errors import AssayError, UsageError
from cipherassay.processors import caching, checking, document, references, schedules, sizes
from cipherassay.processors.kernel import Kernel
from cipherassay.processors.many import Job, run
from cipherassay.results import Row, Store

BLOCK_BITS = 128
REFUSED = "refused"
"""The metric of a kernel that could not be made or failed its check: its certificate says why."""
PACKAGE = Path(__file__).parents[1]
SOURCES = (
    "processors/*.py", "strategies/*", "lang/*.py", "circuits/*.txt", "circuits/library/*/*",
    "published/worley2000/*", "published/aoki1999.toml", "vectors/data/*/ecb_v*",
)  # fmt: skip
"""What every kernel depends on besides its cipher, its processor and the engine."""


@dataclass(frozen=True)
class Wanted:
    """A kernel that the report shows, and what sets it apart from others on the same processor."""

    job: Job
    target: str
    """The processor, with the settings of its parameters."""
    configuration: str
    """``unrolled`` or ``loop``, and instructions that are not used."""
    command: str

    @property
    def name(self) -> str:
        """The name of its run in the store."""
        job = self.job
        slug = f"{job.cipher.slug}-{job.variant}" if job.variant else job.cipher.slug
        words = f"{job.operation}-{job.key_bits}-{self.configuration}".replace("_", "-")
        return f"processor/{_plain(self.target)}/{slug}-{_plain(words)}"


def _plain(text: str) -> str:
    words = "".join(c if c.isalnum() or c in "-." else " " for c in text).split()
    return "-".join(words).lower()


def kernel_rows(
    wanted: Sequence[Wanted],
    store: Store,
    *,
    seconds: float = math.inf,
    advance: Callable[[float, str], None] = lambda amount, note: None,
) -> tuple[list[Row], int]:
    """Return the rows of kernels, made in parallel where the store does not have them, and how many are left.

    After so many seconds no other kernel is begun: those are left for the next time.

    A kernel that cannot be made, or that the simulator finds wrong, gives one row of the metric ``refused``;
    one that no strategy is for gives none.
    """
    end = time.monotonic() + seconds
    found: dict[int, list[Row]] = {}
    missing: list[int] = []
    for number, one in enumerate(wanted):
        rows = store.find(one.name, _inputs(one))
        if rows is None:
            missing.append(number)
        else:
            found[number] = rows
            advance(1, one.job.title)
    by_job = {id(wanted[number].job): wanted[number] for number in missing}

    def work(job: Job) -> list[Row] | None:
        if time.monotonic() > end:
            return None
        one = by_job[id(job)]
        rows = list(_rows(one))
        store.put(one.name, _inputs(one), rows)
        return rows

    made = run([wanted[number].job for number in missing], work, advance=advance)
    found.update((number, rows) for number, rows in zip(missing, made, strict=True) if rows is not None)
    return [row for number in sorted(found) for row in found[number]], made.count(None)


def _rows(one: Wanted) -> Iterator[Row]:
    try:
        kernel = one.job.kernel()
        checked = checking.check(kernel, one.job.cipher)
        yield from rows_of(one, kernel, checked)
    except AssayError as error:
        if not (isinstance(error, UsageError) and error.code == "M711"):
            reason = "; ".join([f"{error.code}: {error.message}", *error.notes])
            yield Row(**_common(one), metric=REFUSED, value=1, certificate=reason)


def rows_of(one: Wanted, kernel: Kernel, checked: checking.Checked) -> Iterator[Row]:
    """Yield the rows of a kernel that has been checked; the clocks are the simulator's, on average where
    its data cache may be missed."""
    common = _common(one) | {"strategy": kernel.choice.strategy, "tools": str(checked)}
    # Where accesses may miss the data cache, clocks are an average over more inputs than the check's.
    cycles = kernel.cycles if caching.may_miss(kernel) else checked.cycles
    size, measured = sizes.code_bytes(kernel)
    bound, certificate = _certificate(kernel, cycles)
    yield _row(one, common, "cycles", cycles, bound=bound, certificate=certificate)
    if checked.most != cycles:
        yield _row(one, common, "cycles_max", checked.most)
    yield _row(one, common, "ops", kernel.operations, certificate=str(kernel.choice))
    yield _row(one, common, "ipc", kernel.operations / cycles)
    speed = throughput(kernel, cycles)
    if speed is not None:
        yield _row(one, common, "throughput_mbps", speed)
    yield from _registers(one, common, kernel)
    if size is not None:
        yield _row(one, common, "code_bytes", size, certificate=measured)
    yield _row(one, common, "table_bytes", sizes.table_bytes(kernel))
    for name, count in sorted(kernel.counts.items()):
        yield Row(**common, part=name, metric="instructions", value=count)


def _common(one: Wanted) -> dict[str, Any]:
    return {
        "cipher": one.job.cipher.name, "variant": one.job.variant or None, "operation": one.job.operation,
        "key_bits": one.job.key_bits, "level": "processor", "target": one.target, "basis": "simulated",
        "configuration": one.configuration, "command": one.command,
    }  # fmt: skip


def _row(one: Wanted, common: dict[str, Any], metric: str, value: float, **more: Any) -> Row:
    job = one.job
    paper = references.printed(
        job.cipher.name, job.operation, job.processor.name, metric, variant=job.variant
    )
    if paper is not None and job.key_bits == 128 and not (job.avoid or job.key):
        more |= {"reference": paper.value, "reference_source": f"{paper.paper}, {paper.where}"}
    return Row(**common, metric=metric, value=value, **more)


def throughput(kernel: Kernel, cycles: int) -> float | None:
    """Return Mbit/s of blocks of 128 bits, one after the other, where the processor's file has a clock."""
    clock = document(kernel.processor)["clock"]
    if clock is None or kernel.operation not in ("encrypt", "decrypt"):
        return None
    return BLOCK_BITS * float(clock["mhz"]) / cycles


def _certificate(kernel: Kernel, cycles: int) -> tuple[int | None, str]:
    """Return the bound and in words how it is known; loops have a bound per region."""
    parts = kernel.parts
    if kernel.bound is not None and kernel.bound <= cycles:
        (kind,) = {part.bound_kind for part in parts[:1]}
        stops = ", ".join(dict.fromkeys(part.stop for part in parts if not part.proved))
        out_of_order = kernel.processor.issues_out_of_order
        proof = "proved" if kernel.bound == cycles else "issued out of order" if out_of_order else stops
        return kernel.bound, f"{proof}; {kind}: {'; '.join(part.bound_why for part in parts)}"
    if kernel.processor.issues_out_of_order:
        return None, "no bound: issued out of order"
    texts = [f"{p.trips} × {p.value} (bound {p.bound}, {p.bound_kind})" for p in parts]
    return None, f"regions: {', '.join(texts)}"


def _registers(one: Wanted, common: dict[str, Any], kernel: Kernel) -> Iterator[Row]:
    """Yield the registers used: of each class by kind, which its paper writes in one notation, and all."""
    classes = kernel.assembly["registers"]
    total = sum(c["statics"] + c["stacked"] + c["rotating"] for c in classes)
    notation = ", ".join(f"{c['class']} {c['notation']}" for c in classes)
    yield _row(one, common, "registers", total, certificate=notation)


def _inputs(one: Wanted) -> dict[str, Any]:
    checks = [checking.INPUTS, checking.ANSWERS, checking.SEED]
    return {**depends_on(one.job), "checks": checks, "command": one.command}


def depends_on(job: Job) -> dict[str, Any]:
    """Return everything that a job's kernel depends on, as inputs of a run in the store."""
    return {
        "cipher": _digest(Path(job.cipher.file).read_bytes()),
        "processor": _digest(job.processor.json().encode()),
        "choice": repr(job.choice or job.kept()),
        "stored": _stored(job),
        "kernel": [job.operation, job.key_bits, job.variant, job.form, *job.avoid, job.key.hex()],
        "sources": _sources(),
    }


@lru_cache(maxsize=1)
def _sources() -> str:
    """Return the hash of the engine and of the files that every kernel depends on."""
    digest = hashlib.sha256(engine_file.digest().encode())
    files = [path for pattern in SOURCES for path in sorted(PACKAGE.glob(pattern))]
    for path in files:
        if path.is_file():
            digest.update(f"{path.parent.name}/{path.name}\n".encode() + path.read_bytes())
    return digest.hexdigest()


def _stored(job: Job) -> list[str]:
    """Return the hashes of the stored schedules that may be the kernel's."""
    begin = f"{job.operation.replace('_', '-')}-{job.key_bits}-"
    found = sorted((schedules.FOLDER / job.cipher.slug).glob(f"{begin}*.json"))
    return [_digest(path.read_bytes()) for path in found if f"-{job.processor.name}-" in path.name]


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
