"""What instructions would buy: kernels without and with them, each by the better of both sides' choices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from cipherassay._engine import Processor
from cipherassay.errors import AssayError, DescriptionError
from cipherassay.processors import document
from cipherassay.processors.kernel import Kernel
from cipherassay.processors.requests import Request


@dataclass(frozen=True)
class Gain:
    """A kernel without and with instructions: its cycles, None where there is no such kernel."""

    cipher: str
    operation: str
    without: int | None
    cycles: int | None
    used: dict[str, int] = field(default_factory=dict)
    """How often the kernel has each of the instructions."""
    reason: str = ""
    """Why there is no kernel with them."""

    @property
    def difference(self) -> int | None:
        """The cycles with them less those without."""
        return None if self.without is None or self.cycles is None else self.cycles - self.without

    def as_dict(self) -> dict[str, object]:
        """Return it as a document."""
        return {
            "cipher": self.cipher, "operation": self.operation, "without": self.without, "with": self.cycles,
            "difference": self.difference, "used": self.used, "reason": self.reason,
        }  # fmt: skip


def added(base: Processor, extended: Processor) -> list[str]:
    """Return the names of the instructions that only the second processor has."""
    known = {one["name"] for one in document(base)["isa"]["instructions"]}
    return [one["name"] for one in document(extended)["isa"]["instructions"] if one["name"] not in known]


def gain(extended: Request, base: Processor, names: Sequence[str]) -> Gain:
    """Compare a kernel without and with instructions; each side may take the choice made for the other.

    Parameters
    ----------
    extended : Request
        The kernel on the processor that has them.
    base : Processor
        The one that has not.
    names : sequence of str
        Theirs.
    """
    plain = replace(extended, processor=base)
    title = plain.cipher.name, plain.operation
    without, kernel = _kernel(plain), _kernel(extended)
    if isinstance(kernel, AssayError):
        before = None if isinstance(without, AssayError) else without.cycles
        return Gain(*title, before, None, reason=kernel.message)
    of_other = _kernel(replace(plain, choice=kernel.choice))
    known = [one for one in (without, of_other) if not isinstance(one, AssayError)]
    least = min(known, key=_cycles, default=None)
    if least is not None:
        # The selector need not take an instruction: the code without it is code with it, too.
        same = _kernel(replace(extended, choice=least.choice))
        kernel = min((one for one in (least, kernel, same) if not isinstance(one, AssayError)), key=_cycles)
    used = {name: count for name in names if (count := kernel.counts.get(name, 0))}
    return Gain(*title, None if least is None else least.cycles, kernel.cycles, used)


def _kernel(job: Request) -> Kernel | AssayError:
    """Make a kernel; a processor may lack what a cipher needs, which the table then says."""
    try:
        return job.kernel()
    except DescriptionError as error:
        return error


def _cycles(kernel: Kernel) -> int:
    return kernel.cycles
