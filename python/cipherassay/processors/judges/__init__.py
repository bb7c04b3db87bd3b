"""Judges from outside: assemblers, disassemblers and emulators that share no code with what they check."""

from cipherassay.processors.judges.gas import Assembled, assemble
from cipherassay.processors.judges.ia64 import Disassembly, Ski
from cipherassay.processors.judges.qemu import Qemu

__all__ = ["Assembled", "Disassembly", "Qemu", "Ski", "assemble"]
