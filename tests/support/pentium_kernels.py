"""Kernels for the Pentiums that several tests look at, each made once; how they are checked."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from cipherassay.ciphers import load
from cipherassay.x86 import checking, kernel, model, oracle
from cipherassay.x86.kernel import Kernel

if TYPE_CHECKING:
    from cipherassay._engine import MicroOpsRun

PRO, SECOND = model.load("pentium-pro"), model.load("pentium-ii")


@cache
def made(cipher: str, operation: str, strategy: str = "two-operands") -> Kernel:
    """Return a kernel for the Pentium II in the order kept for it, or in one found by a short search."""
    return kernel.make(load(cipher), operation, SECOND, strategy)


def checked(one: Kernel, count: int) -> list[MicroOpsRun]:
    """have a kernel checked by whoever can here; return its runs."""
    runs, checked_by = checking.checked(one, count)
    assert len(runs) == count
    assert ("this machine" in checked_by) == (not oracle.available())
    return runs


def average(runs: list[MicroOpsRun]) -> float:
    """Return the cycles of runs."""
    return sum(run["cycles"] for run in runs) / len(runs)
