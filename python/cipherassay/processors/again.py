"""Kept kernels and stored schedules, made and checked again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from cipherassay import keeping
from cipherassay.errors import AssayError, DescriptionError, VerificationError
from cipherassay.jobs import SILENT, Progress, each
from cipherassay.processors import checking, library, proving, schedules, stored
from cipherassay.processors.kernel import OPERATIONS, Choice, Kernel
from cipherassay.processors.making import make, scheduled
from cipherassay.processors.requests import Request


@dataclass(frozen=True)
class KeptKernel:
    """A kernel whose choice is kept."""

    processor: str
    name: str
    """As `cipherassay.processors.library.name_of` gives it."""
    choice: Choice

    @property
    def cipher(self) -> str:
        """The cipher's name."""
        return self.name.split(" ", 1)[0]

    def request(self) -> Request:
        """Return the kernel to be made."""
        from cipherassay import ciphers, processors

        cipher, *words = self.name.split(" ")
        operation, bits, form = words[-3:] if len(words) >= 3 else ("", "", "")
        if operation not in OPERATIONS or not bits.isdecimal():
            raise VerificationError(
                "M725",
                f"`{self.name}` names no kernel that could be made again",
                help="a name is CIPHER VARIANT OPERATION BITS FORM, the form `unrolled` or `loop`",
            )
        variant = " ".join(words[:-3])
        model = processors.load(self.processor)
        return Request(ciphers.load(cipher), operation, model, form, variant, int(bits))


@dataclass(frozen=True)
class KernelVerification:
    """What a kept kernel came to; `error` says what was wrong."""

    kept: KeptKernel
    cycles: int | None = None
    bound: int | None = None
    schedules: int = 0
    """Stored schedules of its regions that were checked, too."""
    stale: tuple[Path, ...] = ()
    """Files of stored schedules that are of another graph: the kernel has changed since."""
    proved: bool = False
    """No schedule of its instructions is shorter."""
    error: AssayError | None = None


def kept() -> list[KeptKernel]:
    """Return every kernel whose choice is kept, by processor and name."""
    return [
        KeptKernel(processor, name, choice)
        for processor in library.processors()
        for name, choice in sorted(library.choices(processor).items())
    ]


def unused(known: Sequence[KeptKernel]) -> list[Path]:
    """Return the files of stored schedules that belong to none of the kernels."""
    stems = {stem(one) for one in known}
    found = keeping.files(schedules.KIND, "*/*.json")
    return [path for path in found if (path.parent.name, path.stem.rpartition("-")[0]) not in stems]


def stem(one: KeptKernel) -> tuple[str, str]:
    """Return the folder of a kernel's stored schedules, and how the names of its files begin."""
    job = one.request()
    name = stored.stem(job.operation, job.key_bits, job.variant, job.processor, (), one.choice)
    return job.cipher.slug, name


def verify(chosen: Sequence[KeptKernel], *, progress: Progress = SILENT) -> list[KernelVerification]:
    """Make each kernel, check its schedule, run its text on random inputs and known answers.

    Stored schedules of its regions are loaded too, which checks edges and caps and derives the bound anew;
    stale ones are counted apart.
    """
    return each(verified, chosen, lambda one: one.request().title, progress=progress)


def renew(
    chosen: Sequence[KeptKernel],
    seconds: float,
    *,
    advance: Callable[[float, str], None] = lambda amount, note: None,
) -> None:
    """Remove stale stored schedules; let the solver work on every straight-line region that is not proved.

    One kernel after the other, as the solver takes all cores. Kernels that cannot be made are passed over.
    """
    for path in unused(kept()):
        keeping.remove(path)
    for one in chosen:
        job = one.request()
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
        path = stored.find(kernel.cipher, stored.name_of(kernel, number))
        if path is not None and not schedules.load_file(graph, resources, path).solved:
            keeping.remove(path)


def verified(one: KeptKernel) -> KernelVerification:
    """Make a kernel and check it as `verify` does; an error is part of the result."""
    try:
        job = one.request()
        kernel = make(
            job.cipher, job.operation, job.processor, one.choice, key_bits=job.key_bits, variant=job.variant
        )
        found = checking.check(kernel, job.cipher)
        code = scheduled(kernel)
        used, stale = 0, list[Path]()
        for number, graph in enumerate(code.graphs()):
            path = stored.find(kernel.cipher, stored.name_of(kernel, number))
            if path is not None:
                loaded = schedules.load_file(graph, kernel.processor.resources(), path)
                used += loaded.solved is not None
                stale += [] if loaded.solved else [path]
    except AssayError as error:
        return KernelVerification(one, error=error)
    return KernelVerification(one, found.cycles, kernel.bound, used, tuple(stale), kernel.proved)
