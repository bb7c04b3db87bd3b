"""Judges from outside: assemblers, disassemblers and emulators that share no code with what they check."""

from cipherassay.judges.alpha import QemuAlpha
from cipherassay.judges.gas import Assembled, assemble
from cipherassay.judges.hppa import Qemu
from cipherassay.judges.ia64 import Disassembly, Ski

__all__ = ["Assembled", "Disassembly", "Qemu", "QemuAlpha", "Ski", "assemble"]
