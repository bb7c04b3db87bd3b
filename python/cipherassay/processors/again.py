"""Kept kernels and stored schedules, made and judged again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from cipherassay.errors import AssayError, DescriptionError
from cipherassay.processors import checking, library, proving, schedules, stored
from cipherassay.processors.kernel import OPERATIONS, Choice, Kernel, make, scheduled
from cipherassay.processors.many import Job, run


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
    stale: tuple[str, ...] = ()
    """Files of stored schedules that are of another graph: the kernel has changed since."""
    proved: bool = False
    """No schedule of its instructions is shorter."""
    error: AssayError | None = None


def kept() -> list[Kept]:
    """Return every kernel whose choice is kept, by processor and name."""
    return [
        Kept(path.stem, name, choice)
        for path in sorted(library.FOLDER.glob("*.json"))
        for name, choice in sorted(library.choices(path.stem).items())
    ]


def unused(known: Sequence[Kept]) -> list[str]:
    """Return the files of stored schedules, from their folder on, that belong to none of the kernels."""
    stems = {f"{job.cipher.slug}/{_stem(one, job)}" for one in known for job in [one.job()]}
    found = sorted(schedules.FOLDER.glob("*/*.json"))
    names = [f"{path.parent.name}/{path.stem}" for path in found]
    return [f"{name}.json" for name in names if name.rpartition("-")[0] not in stems]


def _stem(one: Kept, job: Job) -> str:
    return stored.stem(job.operation, job.key_bits, job.variant, job.processor, (), one.choice)


def verify(
    chosen: Sequence[Kept], *, advance: Callable[[float, str], None] = lambda amount, note: None
) -> list[Verified]:
    """Make each kernel, check its schedule, run its text on random inputs and known answers.

    Stored schedules of its regions are loaded too, which checks edges and caps and derives the bound anew;
    stale ones are counted apart.
    """
    jobs = [one.job() for one in chosen]
    by_job = {id(job): one for job, one in zip(jobs, chosen, strict=True)}
    return run(jobs, lambda job: _verified(by_job[id(job)], job), advance=advance)


def renew(
    chosen: Sequence[Kept],
    seconds: float,
    *,
    advance: Callable[[float, str], None] = lambda amount, note: None,
) -> None:
    """Remove stale stored schedules; let the solver work on every straight region that is not proved.

    One kernel after the other, as the solver takes all cores. Kernels that cannot be made are passed over.
    """
    for name in unused(kept()):
        (schedules.FOLDER / name).unlink()
    for one in chosen:
        job = one.job()
        try:
            kernel = make(
                job.cipher, job.operation, job.processor, one.choice,
                key_bits=job.key_bits, variant=job.variant,
            )  # fmt: skip
            if not kernel.processor.issues_out_of_order:
                _remove_stale(kernel)
                proving.prove(kernel, job.cipher, seconds)
        except DescriptionError:
            pass
        advance(1, job.title)


def _remove_stale(kernel: Kernel) -> None:
    resources = kernel.processor.resources()
    for number, graph in enumerate(scheduled(kernel).graphs()):
        name = stored.name_of(kernel, number)
        path = schedules.path_of(kernel.cipher, name)
        if path.exists() and not schedules.load(graph, resources, kernel.cipher, name).solved:
            path.unlink()


def _verified(one: Kept, job: Job) -> Verified:
    try:
        kernel = make(
            job.cipher, job.operation, job.processor, one.choice, key_bits=job.key_bits, variant=job.variant
        )
        found = checking.check(kernel, job.cipher)
        code = scheduled(kernel)
        used, stale = 0, []
        for number, graph in enumerate(code.graphs()):
            name = stored.name_of(kernel, number)
            if schedules.path_of(kernel.cipher, name).exists():
                loaded = schedules.load(graph, kernel.processor.resources(), kernel.cipher, name)
                used += loaded.solved is not None
                stale += [] if loaded.solved else [f"{kernel.cipher}/{name}.json"]
    except AssayError as error:
        return Verified(one, error=error)
    return Verified(one, found.cycles, kernel.bound, used, tuple(stale), kernel.proved)
