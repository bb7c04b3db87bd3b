"""The kernels for the Pentiums that the report shows, and the jobs that make their rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Protocol, cast

from cipherassay import keeping, scanning
from cipherassay.errors import DescriptionError
from cipherassay.inputs import description_digest, known_answers_digest, published_digest
from cipherassay.jobs import Job, Place, Producer, Rows
from cipherassay.jobs.key_sizes import shown
from cipherassay.processors.report_list import FULL_KEYING, ONE_KEY
from cipherassay.processors.requests import RECIPE
from cipherassay.published import platform
from cipherassay.results.refusal import refusal
from cipherassay.x86 import kept, model

if TYPE_CHECKING:
    from cipherassay.ciphers import Cipher
    from cipherassay.results import Row
    from cipherassay.x86.fitting import Effort
    from cipherassay.x86.kernel import Kernel

PRODUCER = Producer(
    "x86 kernel", 1, ("cipherassay.x86.kernel", "cipherassay.x86.rows"), ("program", "processor"),
    records=("cipherassay.processors", "cipherassay.published"),
)  # fmt: skip


ONE_CHOICE = "one choice"
"""What rows call a kernel of one strategy in one order."""


@dataclass(frozen=True)
class Request:
    """A kernel that the report shows."""

    cipher: Cipher
    operation: str
    key_bits: int
    processor: str
    key: str = ""
    recipe: str = ""
    """The strategy that does what a paper describes; empty: the best code is wanted."""
    quick: bool = False
    """One strategy, one order of its steps."""
    variant: str = ""
    strategy: str = ""
    """The best order of this strategy alone; empty: of all."""
    loops: bool = False
    """Of the strategies that keep rounds as loops alone."""

    @property
    def title(self) -> str:
        """What it is, for progress."""
        one = " for one key" if self.key else f", {RECIPE}," if self.recipe else ""
        size = f" {self.key_bits}" if self.key_bits else ""
        return f"{self.cipher.name} {self.operation}{size}{one} on {self.processor}"

    @property
    def name(self) -> str:
        """The name of its job."""
        operation = self.operation.replace("_", "-")
        one = "-one-key" if self.key else "-recipe" if self.recipe else "-quick" if self.quick else ""
        one += "".join(f"-{word}" for word in (self.variant, self.strategy, "loops" * self.loops) if word)
        return f"processor/{self.processor}/{self.cipher.slug}-{operation}-{self.key_bits}{one}"

    def job(self) -> Job[Rows]:
        """Return the job that makes and checks it."""
        return Job(self.name, self.title, self.rows, inputs=self.inputs, place=Place.PROCESS)

    def inputs(self) -> dict[str, Any]:
        """Return what its rows depend on."""
        from cipherassay.x86.oracle import available

        return PRODUCER.inputs(
            cipher=description_digest(self.cipher), strategies=_strategies_digest(), kept=_kept_digest(),
            known_answers=known_answers_digest(self.cipher), published=published_digest(self.cipher),
            executed_by=available() or "this machine",
        )  # fmt: skip

    def rows(self) -> Rows:
        """Make and check it; where that fails, one row of metric ``refused`` says why."""
        try:
            return self.rows_of(self.kernel())
        except DescriptionError as error:
            return Rows([self._refused(error)])

    def kernel(self, effort: Effort | None = None) -> Kernel:
        """Make it; errors as `cipherassay.x86.kernel.best`, whose effort it takes."""
        from cipherassay.x86.kernel import best, for_blocks, looping, quick

        machine = model.load(self.processor)
        if self.quick:
            return quick(self.cipher, self.operation, machine, key_bits=self.key_bits)
        among = for_blocks(self.cipher, machine) if self.operation.startswith("key") else ()
        return best(
            self.cipher, self.operation, machine, key_bits=self.key_bits, variant=self.variant, key=self.key,
            among=looping(self.cipher) if self.loops else among, strategy=self.recipe or self.strategy,
            effort=effort,
        )  # fmt: skip

    def rows_of(self, made: Kernel) -> Rows:
        """Return the rows of a kernel that was made for it, once it has been checked."""
        from cipherassay.x86.rows import rows

        configuration = RECIPE if self.recipe else ONE_CHOICE if self.quick else self.strategy
        return Rows(list(rows(made, configuration=configuration)))

    def _command(self) -> str:
        from cipherassay.ciphers import argument

        return (
            f"assay measure {argument(self.cipher)} --processor {self.processor} --operation {self.operation}"
            f"{self.cipher.key_option(self.key_bits)}"
        ) + (f" --key {self.key}" if self.key else "")

    def _refused(self, error: DescriptionError) -> Row:
        return refusal(
            error, cipher=self.cipher.name, operation=self.operation, key_bits=self.key_bits or None,
            level="processor", target=self.processor, platform=platform(self.processor), basis="simulated",
            configuration=ONE_CHOICE if self.quick else "", command=self._command(),
        )  # fmt: skip


@cache
def _strategies_digest() -> str:
    from cipherassay import strategies

    return strategies.strategies_digest(strategies.names())


@cache
def _kept_digest() -> str:
    return keeping.digest(kept.KIND, "*.json")


_OF_CIPHERS = ("encrypt", "decrypt")


class StudyModule(Protocol):
    """A study's module ``pentiums``."""

    def requests(self, ciphers: Sequence[Cipher]) -> Iterable[Request]:
        """Return the kernels of ciphers that the study shows."""


def requests(ciphers: Sequence[Cipher]) -> list[Request]:
    """Return what a report shows: ciphers by their shortest keys, key setup by all that studies ask for.

    Studies bring recipes of their papers besides. Ciphers whose tables depend on the key have their blocks
    for one key, too.
    Processors of one kernel follow each other: they share its program and its steps.
    """
    kernels = [
        (cipher, operation, bits)
        for cipher in ciphers
        for operation in ((*_OF_CIPHERS, "key_setup_encrypt") if cipher.keyed else cipher.directions)
        for bits in (shown(cipher) if operation.startswith("key") else cipher.key_bits[:1])
    ]
    found = [Request(*one, processor) for one in kernels for processor in model.names()]
    keyed = [
        cipher for cipher in ciphers if FULL_KEYING in cipher.forms and len(ONE_KEY) * 8 in cipher.key_bits
    ]
    studies = cast(list[StudyModule], scanning.brought("pentiums"))
    found += [one for study in studies for one in study.requests([one for one in ciphers if one.keyed])]
    return found + [
        Request(cipher, operation, 8 * len(ONE_KEY), processor, ONE_KEY.hex())
        for cipher in keyed
        for operation in _OF_CIPHERS
        for processor in model.names()
    ]
