"""Oracles from outside: assemblers, disassemblers and emulators that share no code with what they check."""

from cipherassay.processors.oracles.gas import AssembledKernel, assemble
from cipherassay.processors.oracles.ia64 import Disassembly, Ski
from cipherassay.processors.oracles.qemu import Qemu

__all__ = ["AssembledKernel", "Disassembly", "Qemu", "Ski", "assemble"]
