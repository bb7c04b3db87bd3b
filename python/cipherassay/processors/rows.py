"""Kernels as rows of results: made, checked in the simulator."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cipherassay import keeping, published, strategies
from cipherassay.errors import AssayError, UsageError
from cipherassay.inputs import description_digest, known_answers_digest, program_digest, published_digest
from cipherassay.jobs import Job, Producer, Rows
from cipherassay.jobs.digests import text_digest
from cipherassay.lang.shapes import BLOCK_OPERATIONS
from cipherassay.once import once
from cipherassay.processors import (
    caching,
    checking,
    document,
    programs,
    proofs,
    references,
    schedules,
    sizes,
)
from cipherassay.processors.kernel import Choice, Kernel
from cipherassay.processors.making import FULL
from cipherassay.processors.requests import Request
from cipherassay.results import Row
from cipherassay.results.refusal import refusal

PRODUCER = Producer(
    "kernel", 1, ("cipherassay.processors.rows",), ("processor",),
    records=("cipherassay.processors", "cipherassay.published"),
)  # fmt: skip


def job(request: Request, made: Kernel | None = None) -> Job[Rows]:
    """Return the job that makes the rows of a kernel, or of the one that was made for the request already.

    A kernel that cannot be made, or that the simulator finds wrong, gives one row of the metric ``refused``;
    one that no strategy is for gives none. Of one that was made already these are errors.
    """
    return Job(
        name_of(request), request.title,
        lambda: Rows(list(_rows(request) if made is None else _checked(request, made))),
        inputs=lambda: PRODUCER.inputs(**depends_on(request), command=request.command),
    )  # fmt: skip


def name_of(request: Request) -> str:
    """Return the name of a kernel's job."""
    slug = f"{request.cipher.slug}-{request.variant}" if request.variant else request.cipher.slug
    words = f"{request.operation}-{request.key_bits}-{_configuration(request)}".replace("_", "-")
    return f"processor/{_plain(request.target)}/{slug}-{_plain(words)}"


def _configuration(request: Request) -> str:
    return request.configuration or request.form


def _plain(text: str) -> str:
    words = "".join(c if c.isalnum() or c in "-." else " " for c in text).split()
    return "-".join(words).lower()


def depends_on(request: Request) -> dict[str, Any]:
    """Return everything that a request's kernel and its check depend on, besides code."""
    chosen = request.chosen()
    return {
        "programs": [_program_digest(request, chosen)] if chosen else all_programs(request),
        "processor": text_digest(request.processor.json()),
        "choice": repr(chosen),
        "schedules": _stored(request),
        "kernel": [request.operation, request.key_bits, request.variant, request.form, *request.avoid,
                   request.key.hex(), *filter(None, [request.strategy]),
                   *([] if request.effort == FULL else [repr(request.effort)])],
        "known answers": known_answers_digest(request.cipher, request.variant),
        "published": published_digest(request.cipher),
    }  # fmt: skip


def _program_digest(request: Request, choice: Choice) -> str:
    made_of = (
        "kernel", request.key_bits, request.variant,
        choice.strategy, strategies.strategy_digest(choice.strategy), choice.circuits, choice.key,
        request.processor.word_bits, *choice.avoid, *request.avoid,
    )  # fmt: skip
    cipher, bits, variant = request.cipher, request.key_bits, request.variant
    word_bits = request.processor.word_bits
    return program_digest(
        cipher, made_of, lambda: programs.program_of(cipher, bits, choice, variant, word_bits)
    )


def all_programs(request: Request) -> list[str]:
    """Return what every program depends on from which the best kernel may be made."""
    return [description_digest(request.cipher), _strategies_digest()]


@once
def _strategies_digest() -> str:
    return strategies.strategies_digest(n for n in strategies.names() if strategies.load(n).for_processors)


def _stored(request: Request) -> str:
    """Return the digest of the stored schedules that may be the kernel's."""
    begin = f"{request.cipher.slug}/{request.operation.replace('_', '-')}-{request.key_bits}-"
    return keeping.digest(schedules.KIND, f"{begin}*-{request.processor.name}-*.json")


def _rows(request: Request) -> Iterator[Row]:
    try:
        yield from _checked(request, request.kernel())
    except AssayError as error:
        if not (isinstance(error, UsageError) and error.code == "M711"):
            yield refusal(error, **_common(request))


def _checked(request: Request, made: Kernel) -> Iterator[Row]:
    return rows_of(request, made, checking.check(made, request.cipher))


def rows_of(request: Request, made: Kernel, checked: checking.KernelCheck) -> Iterator[Row]:
    """Yield the rows of a kernel that has been checked; the cycles are the simulator's, on average where
    its data cache may be missed."""
    common = _common(request) | {"strategy": made.choice.strategy, "tools": str(checked)}
    # Where accesses may miss the data cache, cycles are an average over more inputs than the check's.
    cycles = made.cycles if caching.may_miss(made) else checked.cycles
    size, measured = sizes.code_bytes(made)
    certificate = proofs.certificate(made, cycles)
    yield _row(request, common, "cycles", cycles, bound=made.bound, certificate=certificate)
    if checked.most != cycles:
        yield _row(request, common, "cycles_max", checked.most)
    yield _row(request, common, "ops", made.operations, certificate=str(made.choice))
    yield _row(request, common, "ipc", made.operations / cycles)
    speed = throughput(made, request.cipher.output_bits, cycles)
    if speed is not None:
        yield _row(request, common, "throughput_mbps", speed)
    yield from _registers(request, common, made)
    if size is not None:
        yield _row(request, common, "code_bytes", size, certificate=measured)
    yield _row(request, common, "table_bytes", sizes.table_bytes(made))
    for name, count in sorted(made.counts.items()):
        yield Row(**common, part=name, metric="instructions", value=count)


def _common(request: Request) -> dict[str, Any]:
    return {
        "cipher": request.cipher.name, "variant": request.variant or None, "operation": request.operation,
        "key_bits": request.key_bits or None, "level": "processor", "target": request.target,
        "basis": "simulated",
        "platform": published.platform(request.target), "architecture": request.form,
        "key_mode": ("one key" if request.key else "one size") if request.cipher.keyed else None,
        "configuration": _configuration(request), "command": request.command,
    }  # fmt: skip


def _row(request: Request, common: dict[str, Any], metric: str, value: float, **more: Any) -> Row:
    paper = references.printed(
        request.cipher.name, request.operation, request.processor.name, metric,
        key_bits=request.key_bits, variant=request.variant,
    )  # fmt: skip
    if paper is not None and not (request.avoid or request.key):
        more |= {"reference": paper.value, "reference_source": f"{paper.paper}, {paper.where}"}
    return Row(**common, metric=metric, value=value, **more)


def throughput(made: Kernel, block_bits: int, cycles: int) -> float | None:
    """Return Mbit/s of blocks, one after the other, where the processor's file has a clock."""
    clock = document(made.processor)["clock"]
    if clock is None or made.operation not in BLOCK_OPERATIONS:
        return None
    return block_bits * float(clock["mhz"]) / cycles


def _registers(request: Request, common: dict[str, Any], made: Kernel) -> Iterator[Row]:
    """Yield the registers used: of each class by kind, which its paper writes in one notation, and all."""
    classes = made.assembly["registers"]
    total = sum(c["statics"] + c["stacked"] + c["rotating"] for c in classes)
    notation = ", ".join(f"{c['class']} {c['notation']}" for c in classes)
    yield _row(request, common, "registers", total, certificate=notation)
