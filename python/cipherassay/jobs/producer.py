"""Producers: kinds of jobs, each with the code that their results depend on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from cipherassay.jobs import code

FRONT = ("cipherassay.lang", "cipherassay.ciphers", "cipherassay.strategies")
"""What makes a program of a cipher; a producer whose inputs have the program's digest goes `without` it."""


@dataclass(frozen=True)
class Producer:
    """A kind of job.

    Parameters
    ----------
    name : str
        What it makes.
    version : int
        Raised when its results change for a reason that no code or data file shows.
    modules : tuple of str
        The modules that make and check a result; all that they import counts, too (`cipherassay.jobs.code`).
    crates : tuple of str
        The crates of the engine that make and check a result; those that they depend on count, too.
    without : tuple of str
        Modules and packages whose outcome is among the inputs instead.
    records : tuple of str
        Packages of which only those data files count that are among the inputs.
    """

    name: str
    version: int
    modules: tuple[str, ...]
    crates: tuple[str, ...] = ()
    without: tuple[str, ...] = FRONT
    records: tuple[str, ...] = ()

    def inputs(self, **parts: Any) -> dict[str, Any]:
        """Return the inputs of a job: `parts`, what it is made from, with the code that makes it."""
        own = {
            "producer": [self.name, self.version],
            "code": code.digest(self.modules, self.without, self.records),
            "crates": engine_digests(self.crates),
        }
        if own.keys() & parts.keys():
            raise ValueError(f"inputs of `{self.name}` hide those of its code: {own.keys() & parts.keys()}")
        return own | parts


def engine_digests(crates: tuple[str, ...]) -> dict[str, str]:
    """Return the digests of crates of the engine, each with those that it depends on."""
    known = crate_digests()
    return {name: known[name] for name in crates}


def crate_digests() -> dict[str, str]:
    """Return the digest of every crate of the engine: of its code without comments."""
    from cipherassay import _engine

    return _engine.crate_digests()
