"""Many kernels at once, on all cores: the engine works without Python's lock."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import TypeVar

from cipherassay._engine import Processor
from cipherassay.lang.cipher import Cipher
from cipherassay.processors import library
from cipherassay.processors.kernel import Choice, Kernel, best, make

Result = TypeVar("Result")


@dataclass(frozen=True)
class Job:
    """A kernel to be made: the best of all choices, without some instructions."""

    cipher: Cipher
    operation: str
    processor: Processor
    form: str = "unrolled"
    variant: str = ""
    key_bits: int = 128
    avoid: tuple[str, ...] = ()
    choice: Choice | None = None
    """Of this choice instead of the best one."""
    key: bytes = b""
    """The one key that the code is for; empty: it serves all."""

    @property
    def title(self) -> str:
        """What it is, for people."""
        variant = f" ({self.variant})" if self.variant else ""
        return f"{self.cipher.name}{variant} {self.operation}, {self.processor.name}"

    def kept(self) -> Choice | None:
        """Return the choice kept for it."""
        return library.kept(
            self.cipher, self.operation, self.processor.name, self.key_bits, self.variant, self.form
        )

    def kernel(self) -> Kernel:
        """Make it; errors as `cipherassay.processors.kernel.best`.

        Without some instructions, the choice kept for the processor serves as well, if there is one.
        """
        chosen = self.choice or (None if self.key else self.kept())
        if chosen is not None:
            choice = replace(chosen, avoid=(*chosen.avoid, *self.avoid))
            return make(
                self.cipher, self.operation, self.processor, choice,
                key_bits=self.key_bits, variant=self.variant,
            )  # fmt: skip
        return best(
            self.cipher, self.operation, self.processor,
            key_bits=self.key_bits, variant=self.variant, form=self.form, avoid=self.avoid,
            key=self.key,
        )  # fmt: skip


def run(
    jobs: Sequence[Job],
    work: Callable[[Job], Result],
    *,
    advance: Callable[[float, str], None] = lambda amount, note: None,
) -> list[Result]:
    """Do the work for every job and return the results in the jobs' order.

    The first error ends it, as does Ctrl-C: what has not begun is not begun any more.
    """
    pool = ThreadPoolExecutor(os.cpu_count())
    try:
        pending = [pool.submit(work, job) for job in jobs]
        results = []
        for job, one in zip(jobs, pending, strict=True):
            results.append(one.result())
            advance(1, job.title)
        return results
    finally:
        pool.shutdown(cancel_futures=True)
