"""The solver for a kernel: shorter schedules than list scheduling found, or proofs that there are none."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass

from cipherassay.errors import DescriptionError
from cipherassay.lang.cipher import Cipher
from cipherassay.processors import solving
from cipherassay.processors.kernel import Kernel, Part, again, selected
from cipherassay.processors.schedules import FOLDER, Certificate, Schedule, Solved


@dataclass(frozen=True)
class Proved:
    """A kernel with the certificate of each of its regions."""

    kernel: Kernel
    certificates: tuple[Certificate, ...]
    origins: tuple[str, ...]
    """Where the schedule of each region comes from."""

    @property
    def proved(self) -> bool:
        """Every region's schedule is as short as possible."""
        return all(one.kind != "none" for one in self.certificates)


def of(kernel: Kernel) -> Proved:
    """Return what is known of a kernel by its bounds alone."""
    certificates = tuple(_certificate(part) for part in kernel.parts)
    return Proved(kernel, certificates, ("scheduled now",) * len(certificates))


def _certificate(part: Part) -> Certificate:
    kind = part.bound_kind if part.proved else "none"
    stop = "bound reached" if part.proved else "restarts spent"
    return Certificate(kind, part.bound, part.bound_why, stop)


def prove(kernel: Kernel, cipher: Cipher, seconds: float) -> Proved:
    """Return the kernel with what the solver finds within some seconds, shared by its regions.

    Only straight regions are solved. Schedules that need more registers than there are leave the kernel as it
    was. An interrupted search keeps its best.
    """
    known = of(kernel)
    code = selected(kernel.program, kernel.function, kernel.processor, kernel.choice)
    resources = kernel.processor.resources()
    schedules = json.loads(kernel.schedules)
    certificates, origins = list(known.certificates), list(known.origins)
    open_ones = [
        number
        for number, part in enumerate(kernel.parts)
        if not part.proved and part.interval is None and part.operations
    ]
    for number, graph in enumerate(code.graphs()):
        if number not in open_ones:
            continue
        listed = Solved(Schedule.of(schedules[number]), certificates[number])
        solved, origins[number] = solving.best(
            graph,
            resources,
            listed,
            cipher=kernel.cipher,
            name=name_of(kernel, number),
            seconds=seconds / len(open_ones),
            folder=FOLDER,
        )
        schedules[number] = json.loads(solved.schedule.json())
        certificates[number] = solved.certificate
    try:
        made = again(kernel, cipher, json.dumps(schedules))
    except DescriptionError:
        return known
    return Proved(made, tuple(certificates), tuple(origins))


def name_of(kernel: Kernel, number: int) -> str:
    """Return the name under which the schedule of a region is stored."""
    choice = hashlib.sha256(repr(kernel.choice).encode()).hexdigest()[:8]
    words = [
        kernel.operation.replace("_", "-"), str(kernel.key_bits), kernel.variant, kernel.processor.name,
        kernel.choice.strategy, choice, str(number),
    ]  # fmt: skip
    return "-".join(word for word in words if word)
