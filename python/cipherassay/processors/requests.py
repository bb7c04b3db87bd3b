"""A request for a kernel: of which cipher, for which processor, how it is to be chosen."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, replace

from cipherassay._engine import Processor
from cipherassay.ciphers import argument
from cipherassay.lang.cipher import Cipher
from cipherassay.processors import library
from cipherassay.processors.exploring import best
from cipherassay.processors.kernel import Choice, Kernel
from cipherassay.processors.making import FULL, Effort, make

RECIPE = "the paper's recipe"
"""What rows call a kernel that does what a paper describes."""


@dataclass(frozen=True)
class Request:
    """A kernel to be made: the best of all choices, without some instructions."""

    cipher: Cipher
    operation: str
    processor: Processor
    form: str = "unrolled"
    variant: str = ""
    key_bits: int = 0
    """0: the cipher's first."""
    avoid: tuple[str, ...] = ()
    choice: Choice | None = None
    """Of this choice instead of the best one."""
    key: bytes = b""
    """The one key that the code is for; empty: it serves all."""
    settings: tuple[tuple[str, str], ...] = ()
    """Values of the processor's parameters that are not those of its file."""
    configuration: str = ""
    """What rows call it; empty: the form."""
    effort: Effort = FULL
    """How much is tried for its schedules."""
    strategy: str = ""
    """The best of this strategy alone; empty: of all."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "key_bits", self.cipher.key_size(self.key_bits))

    @property
    def title(self) -> str:
        """What it is, for people."""
        variant = f" ({self.variant})" if self.variant else ""
        return f"{self.cipher.name}{variant} {self.operation}, {self.processor.name}"

    @property
    def target(self) -> str:
        """The processor, with the settings of its parameters."""
        return " ".join([self.processor.name, *(f"{name}={value}" for name, value in self.settings)])

    @property
    def command(self) -> str:
        """The command that makes it again."""
        words = ["--processor", self.processor.name, "--operation", self.operation]
        words += [f"--{self.form}"] if self.form != "unrolled" else []
        words += ["--variant", self.variant] if self.variant else []
        words += ["--key-bits", str(self.key_bits)] if self.key_bits != self.cipher.key_bits[0] else []
        strategy = self.choice.strategy if self.choice else self.strategy
        words += ["--strategy", strategy] if strategy else []
        words += [word for name, value in self.settings for word in ("--set", f"{name}={value}")]
        without = (*(self.choice.avoid if self.choice else ()), *self.avoid)
        words += [word for record in without for word in ("--without", record)]
        words += ["--key", self.key.hex()] if self.key else []
        return f"assay measure {argument(self.cipher)} {shlex.join(words)}"

    def kept(self) -> Choice | None:
        """Return the choice kept for it."""
        return library.kept(
            self.cipher, self.operation, self.processor.name, self.key_bits, self.variant, self.form
        )

    def chosen(self) -> Choice | None:
        """Return the choice that it is made of: its own, or the one kept for it; None: the best."""
        return self.choice or (None if self.key or self.strategy else self.kept())

    def kernel(self) -> Kernel:
        """Make it; errors as `cipherassay.processors.exploring.best`.

        Without some instructions, the choice kept for the processor serves as well, if there is one.
        """
        chosen = self.chosen()
        if chosen is not None:
            choice = replace(chosen, avoid=(*chosen.avoid, *self.avoid))
            return make(
                self.cipher, self.operation, self.processor, choice,
                key_bits=self.key_bits, variant=self.variant, effort=self.effort,
            )  # fmt: skip
        return best(
            self.cipher, self.operation, self.processor,
            key_bits=self.key_bits, variant=self.variant, form=self.form, avoid=self.avoid,
            strategy=self.strategy, key=self.key,
        )  # fmt: skip
