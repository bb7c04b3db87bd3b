"""Kept kernels and stored schedules, made and judged again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from cipherassay.errors import AssayError
from cipherassay.processors import checking, library, proving
from cipherassay.processors.kernel import OPERATIONS, Choice, make, selected
from cipherassay.processors.many import Job, run
from cipherassay.processors.schedules import load as load_schedule
from cipherassay.processors.schedules import path_of


@dataclass(frozen=True)
class Kept:
    """A kernel whose choice is kept."""

    processor: str
    name: str
    """As `cipherassay.processors.library.name_of` gives it."""
    choice: Choice

    @property
    def cipher(self) -> str:
        """The cipher's name."""
        return self.name.split(" ", 1)[0]

    def job(self) -> Job:
        """Return the kernel to be made."""
        from cipherassay import ciphers, processors

        cipher, *words = self.name.split(" ")
        operation, bits, form = words[-3:]
        assert operation in OPERATIONS, self.name
        variant = " ".join(words[:-3])
        return Job(ciphers.load(cipher), operation, processors.load(self.processor), form, variant, int(bits))


@dataclass(frozen=True)
class Verified:
    """What a kept kernel came to; `error` says what was wrong."""

    kept: Kept
    cycles: int | None = None
    bound: int | None = None
    schedules: int = 0
    """Stored schedules of its regions that were checked, too."""
    error: AssayError | None = None


def kept() -> list[Kept]:
    """Return every kernel whose choice is kept, by processor and name."""
    return [
        Kept(path.stem, name, choice)
        for path in sorted(library.FOLDER.glob("*.json"))
        for name, choice in sorted(library.choices(path.stem).items())
    ]


def verify(
    chosen: Sequence[Kept], *, advance: Callable[[float, str], None] = lambda amount, note: None
) -> list[Verified]:
    """Make each kernel, check its schedule, run its text on random inputs and known answers.

    Stored schedules of its regions are loaded too, which checks edges and caps and derives the bound anew.
    """
    jobs = [one.job() for one in chosen]
    by_job = {id(job): one for job, one in zip(jobs, chosen, strict=True)}
    return run(jobs, lambda job: _verified(by_job[id(job)], job), advance=advance)


def _verified(one: Kept, job: Job) -> Verified:
    try:
        kernel = make(
            job.cipher, job.operation, job.processor, one.choice, key_bits=job.key_bits, variant=job.variant
        )
        found = checking.check(kernel, job.cipher)
        code = selected(kernel.program, kernel.function, kernel.processor, kernel.choice)
        count = 0
        for number, graph in enumerate(code.graphs()):
            name = proving.name_of(kernel, number)
            if path_of(kernel.cipher, name).exists():
                load_schedule(graph, kernel.processor.resources(), kernel.cipher, name)
                count += 1
    except AssayError as error:
        return Verified(one, error=error)
    return Verified(one, found.cycles, kernel.bound, count)
