"""Kernels for the Pentiums that several tests look at, each made once; how they are judged."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from cipherassay.ciphers import load
from cipherassay.x86 import checking, judge, kernel, model
from cipherassay.x86.kernel import Kernel

if TYPE_CHECKING:
    from cipherassay._engine import MicroOpsRun

PRO, SECOND = model.load("pentium-pro"), model.load("pentium-ii")


@cache
def made(cipher: str, operation: str, strategy: str = "two-operands") -> Kernel:
    """Return a kernel for the Pentium II in the order kept for it, or in one found by a short search."""
    return kernel.make(load(cipher), operation, SECOND, strategy)


def judged(one: Kernel, count: int) -> list[MicroOpsRun]:
    """Have a kernel judged by whoever can here; return its runs."""
    runs, judges = checking.judged(one, count)
    assert len(runs) == count
    assert ("this machine" in judges) == (not judge.available())
    return runs


def average(runs: list[MicroOpsRun]) -> float:
    """Return the cycles of runs."""
    return sum(run["cycles"] for run in runs) / len(runs)
