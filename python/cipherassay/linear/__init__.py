"""Linear layers of bytes as programs of bytes and of words: searched, proved, checked, written."""

from __future__ import annotations

from cipherassay.linear.machines import Machine
from cipherassay.linear.matrices import Matrix, of_cipher, read
from cipherassay.linear.program import Program, Step
from cipherassay.linear.searching import LinearResult, search

__all__ = ["LinearResult", "Machine", "Matrix", "Program", "Step", "of_cipher", "read", "search"]
