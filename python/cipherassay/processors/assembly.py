"""Assembly of scheduled code: text, registers, and how the kernel is called."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from cipherassay._engine import Code, emit_assembly, kernel_interface
from cipherassay.processors.harness import Interface, Object, Pointer


@dataclass(frozen=True)
class Registers:
    """Registers of one class that a kernel uses."""

    kind: str
    statics: int
    stacked: int
    rotating: int
    notation: str
    """As in Worley et al.: statics/stacked/rotating."""


@dataclass(frozen=True)
class Assembly:
    """A kernel as text, and what is counted in it."""

    text: str
    expanded: str | None
    """The text with hypothetical instructions written as real ones, for judges; None where all are real."""
    registers: tuple[Registers, ...]
    operations: int
    """Operations that do something, each counted once."""
    nops: int
    groups: int
    bundles: int | None
    copies: int
    """Copies that register allocation added."""
    cycles: int
    """Cycles as planned, every trip of a loop counted."""


def emit(code: Code, schedules: Sequence[str]) -> Assembly:
    """Give registers to scheduled code and write its text.

    Parameters
    ----------
    code : Code
        The kernel.
    schedules : sequence of str
        Of each region its schedule, as JSON.

    Raises
    ------
    DescriptionError
        ``M401``: registers run out, by how many and where; ``M402``, ``M404`` to ``M406``: what the
        instruction set lacks; ``M403``: the schedules are of other code; ``M410``: a cycle fits no bundles.
    """
    found = json.loads(emit_assembly(code, list(schedules)))
    registers = tuple(
        Registers(r["class"], r["statics"], r["stacked"], r["rotating"], r["notation"])
        for r in found.pop("registers")
    )
    return Assembly(registers=registers, **found)


def interface(code: Code) -> Interface:
    """Return how a kernel is called: its objects and its pointer arguments."""
    found = json.loads(kernel_interface(code))
    objects = tuple(
        Object(
            **{**one, "elements": tuple(one["elements"]), "base": tuple(one["base"]) if one["base"] else None}
        )
        for one in found["objects"]
    )
    pointers = tuple(Pointer(one["object"], one["offset"]) for one in found["pointers"])
    return Interface(objects, pointers, tuple(found["registers"]), found["big_endian"])
