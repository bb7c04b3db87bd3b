"""The solver for a kernel: shorter schedules than list scheduling found, or proofs that there are none."""

from __future__ import annotations

import json
from dataclasses import replace

from cipherassay.errors import DescriptionError
from cipherassay.lang.cipher import Cipher
from cipherassay.processors import solving
from cipherassay.processors.kernel import Kernel, Part
from cipherassay.processors.making import again, scheduled
from cipherassay.processors.schedules import Certificate, Schedule, SolvedSchedule
from cipherassay.processors.stored import name_of


def prove(kernel: Kernel, cipher: Cipher, seconds: float) -> Kernel:
    """Return the kernel with what the solver finds in some seconds, shared by its regions; it is stored.

    Only straight-line regions are solved. A schedule that needs more registers than there are leaves the
    kernel as it was. An interrupted search keeps its best.
    """
    code = scheduled(kernel)
    resources = kernel.processor.resources()
    known = json.loads(kernel.schedules)
    unproved = [
        number
        for number, part in enumerate(kernel.parts)
        if not part.proved and part.interval is None and part.operations
    ]
    graphs = code.graphs() if unproved else []
    found: dict[int, tuple[SolvedSchedule, str]] = {}
    for number in unproved:
        found[number] = solving.best(
            graphs[number],
            resources,
            SolvedSchedule(Schedule.of(known[number]), certificate(kernel.parts[number])),
            cipher=kernel.cipher,
            name=name_of(kernel, number),
            seconds=seconds / len(unproved),
        )
        known[number] = json.loads(found[number][0].schedule.json())
    try:
        made = again(kernel, cipher, json.dumps(known))
    except DescriptionError:
        return kernel
    parts = [
        _told(part, *found[n]) if n in found else old
        for n, (part, old) in enumerate(zip(made.parts, kernel.parts, strict=True))
    ]
    return replace(made, parts=tuple(parts))


def certificate(part: Part) -> Certificate:
    """Return what is known below a region's schedule."""
    return Certificate(part.bound_kind if part.proved else "none", part.bound, part.bound_why, part.stop)


def _told(part: Part, solved: SolvedSchedule, origin: str) -> Part:
    one = solved.certificate
    kind = part.bound_kind if one.kind == "none" else one.kind
    return replace(part, bound=one.bound, bound_kind=kind, bound_why=one.why, stop=one.stop, origin=origin)
