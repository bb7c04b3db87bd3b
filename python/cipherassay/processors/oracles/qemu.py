"""Kernels under an emulator in user mode, from a program without a library: `[emulator]` of an ISA."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from cipherassay.errors import UsageError, VerificationError
from cipherassay.processors.oracles.batch import Batch, Emulator
from cipherassay.processors.oracles.gas import described


@dataclass(frozen=True)
class Qemu(Emulator):
    """The emulator of an instruction set: ``[emulator]`` of its file."""

    described: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def of(cls, isa: str) -> Qemu:
        """Return the emulator of an instruction set of this project.

        Raises
        ------
        UsageError
            ``M612``: its file names none.
        """
        known = described(isa).get("emulator")
        if known is None:
            raise UsageError(
                "M612", f"no emulator is known for `{isa}`", help=f"add [emulator] to isas/{isa}.toml"
            )
        return cls(name=known["tool"], isa=isa, described=known)

    def command(self) -> tuple[str, ...]:
        """Return the options of the emulator."""
        return tuple(self.described.get("options", ()))

    def start(self, batch: Batch) -> str:
        """Return the program that calls the kernel for every record and writes the records.

        Raises
        ------
        VerificationError
            ``M606``: an argument is in the register from which the arguments are made.
        """
        record = self.described["record"]
        lines = []
        for register, common, distance in batch.pointers():
            if register == record:
                message = f"`{record}`, which calls the kernel, is one of its arguments"
                raise VerificationError("M606", message)
            made = self.described["to_tables" if common else "to_record"]
            lines += ["\t" + line.format(register=register, distance=distance) for line in made]
        start: str = self.described["start"]
        arguments = "\n".join(lines)
        return start.format(
            arguments=arguments, size=batch.size, total=len(batch.records), count=batch.count
        )
