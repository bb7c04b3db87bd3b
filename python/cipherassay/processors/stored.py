"""Stored schedules in kernels: what a solver found or proved, checked again whenever a kernel is made."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

from cipherassay import keeping
from cipherassay.errors import DescriptionError, VerificationError
from cipherassay.processors import schedules
from cipherassay.processors.schedules import StoredSchedule, load

if TYPE_CHECKING:
    from pathlib import Path

    from cipherassay import _engine
    from cipherassay._engine import Processor
    from cipherassay.processors.kernel import Choice, Kernel, Part


def stem(
    operation: str, key_bits: int, variant: str, processor: Processor, settings: Sequence[str], choice: Choice
) -> str:
    """Return the name of a kernel's stored schedules; each adds ``-`` and the number of its region."""
    # Fields with their usual values are left out, so that a new field renames nothing.
    told = {f.name: getattr(choice, f.name) for f in fields(choice) if getattr(choice, f.name) != f.default}
    chosen = hashlib.sha256(repr(sorted(told.items())).encode()).hexdigest()[:8]
    words = [operation.replace("_", "-"), str(key_bits), variant, processor.name, *settings]
    return "-".join(word for word in (*words, choice.strategy, chosen) if word)


def name_of(kernel: Kernel, number: int) -> str:
    """Return the name under which the schedule of a region is stored."""
    settings = _settings(kernel.processor)
    known = kernel.operation, kernel.key_bits, kernel.variant, kernel.processor, settings, kernel.choice
    return f"{stem(*known)}-{number}"


def find(cipher: str, name: str) -> Path | None:
    """Return the file of a stored schedule, None if there is none."""
    return keeping.find(schedules.KIND, schedules.file_of(cipher, name))


def _settings(processor: Processor) -> list[str]:
    """Return the parameters of a processor that are set to another value than its file's."""
    from cipherassay.processors import document

    known = document(processor)["parameters"]
    return [f"{one['name']}={one['value']}" for one in known if str(one["value"]) != str(one["default"])]


def with_stored(kernel: Kernel, code: _engine.Kernel, emitted: Callable[[str], dict[str, Any]]) -> Kernel:
    """Return the kernel with the stored schedules and proofs of its unproved straight-line regions.

    A schedule of another graph (the kernel has changed since) is stale: it is not used, and the region says
    so. One that is shorter than the kernel's replaces it, unless it needs more registers than there are.

    Parameters
    ----------
    emitted : function
        Returns the fields of a kernel that follow from its schedules, given as JSON.

    Raises
    ------
    DescriptionError, VerificationError
        A001, M310 to M312, M321 as `schedules.load`; M322: a solver's proof that a shorter schedule refutes.
    """
    named = {
        number: name_of(kernel, number)
        for number, part in enumerate(kernel.parts)
        if part.interval is None and not part.proved
    } if keeping.files(schedules.KIND, f"{kernel.cipher}/*.json") else {}  # fmt: skip
    named = {k: name for k, name in named.items() if find(kernel.cipher, name)}
    if not named:
        return kernel
    graphs, resources = code.graphs(), kernel.processor.resources()
    found = {k: load(graphs[k], resources, kernel.cipher, name) for k, name in named.items()}
    for number, one in found.items():
        _agrees(kernel, named[number], kernel.parts[number], one)
    kernel = _shorter(kernel, found, emitted)
    parts = [_part(part, found.get(number)) for number, part in enumerate(kernel.parts)]
    return replace(kernel, parts=tuple(parts))


def _agrees(kernel: Kernel, name: str, part: Part, one: StoredSchedule) -> None:
    solved = one.solved
    if solved is not None and solved.certificate.kind == "solver" and part.cycles < solved.certificate.bound:
        raise VerificationError(
            "M322",
            f"the stored schedule {kernel.cipher}/{name} claims that the solver proved "
            f"{solved.certificate.bound} cycles",
            notes=[f"list scheduling takes {part.cycles}"],
            help="remove the file and solve again",
        )


def _shorter(
    kernel: Kernel, found: dict[int, StoredSchedule], emitted: Callable[[str], dict[str, Any]]
) -> Kernel:
    known = json.loads(kernel.schedules)
    shorter = {
        number: json.loads(one.solved.schedule.json())
        for number, one in found.items()
        if one.solved is not None and one.solved.schedule.value < kernel.parts[number].cycles
    }
    if not shorter:
        return kernel
    try:
        made = emitted(json.dumps([shorter.get(number, one) for number, one in enumerate(known)]))
    except DescriptionError:  # it needs more registers than there are
        return kernel
    return replace(kernel, **made)


def _part(part: Part, one: StoredSchedule | None) -> Part:
    """Return the region with what its stored schedule says of it."""
    if one is None or part.proved:
        return part
    solved = one.solved
    if solved is None:
        return replace(part, origin=one.reason)
    if solved.schedule.value > part.cycles:
        return replace(part, origin="scheduled now (the stored schedule is longer)")
    if solved.schedule.value < part.cycles:
        return replace(part, origin="scheduled now (the stored schedule needs more registers than there are)")
    told = solved.certificate
    if told.kind != "solver":
        return replace(part, stop=told.stop, origin=one.reason)
    return replace(
        part, bound=told.bound, bound_kind=told.kind, bound_why=told.why, stop=told.stop, origin=one.reason
    )
