"""Figures 1 and 2 of the HP paper: Serpent's linear transform and its inverse on each machine."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from cipherassay.published import lookup
from cipherassay.report.drawings.levelled import levelled
from cipherassay.report.elements.figures import Figure
from cipherassay.report.elements.tables import EMPTY, Cell, Column, Table

if TYPE_CHECKING:
    from cipherassay.processors.parts import PartSchedule

TRANSFORM = "L"
PARTS = {False: "linear transform", True: "inverse linear transform"}
DRAWN = {
    "pa8500-infinite": "no limits",
    "pa8500": "PA-8500",
    "mckinley-paper": "IA-64, the paper's snapshot",
}
SHOWN = {**DRAWN, "mckinley": "IA-64, one shifter", "ia64pp": "IA-64++"}
PRINTED = {"pa8500-infinite": "ideal", "pa8500": "pa8500", "mckinley-paper": "ia64"}
"""The paper's machines, as the published data name them."""


@lru_cache(maxsize=1)
def schedules() -> dict[tuple[bool, str], PartSchedule]:
    """Return both transforms scheduled alone on each machine."""
    from cipherassay import processors
    from cipherassay.ciphers import load
    from cipherassay.processors.parts import schedule

    serpent = load("serpent")
    models = {name: processors.load(name) for name in SHOWN}
    return {
        (inverted, name): schedule(serpent, TRANSFORM, model, inverted=inverted)
        for inverted in PARTS
        for name, model in models.items()
    }


def figures() -> list[Figure]:
    """Return the two figures."""
    found = schedules()
    made = []
    for number, (inverted, title) in enumerate(PARTS.items(), start=1):
        panels = [found[inverted, name] for name in DRAWN]
        titles = [f"{label}: {one.cycles} cycles" for one, label in zip(panels, DRAWN.values(), strict=True)]
        made.append(
            Figure(
                f"serpent-{title.replace(' ', '-')}",
                f"Serpent's {title} (the paper's Figure {number})",
                "A row per cycle; operands and results in registers. ⊕ XOR, <<< rotation, << and >> "
                "shifts, + with a shift before it: one instruction (shladd); shrp n: bits from n on of a "
                "pair of registers, a rotation where both hold one word.",
                drawing=levelled(panels, titles),
            )
        )
    return made


def table() -> Table:
    """Return the cycles of both transforms on each machine beside the paper's."""
    columns = [Column("part", text=True), Column("processor", text=True), Column("operations")]
    columns += [Column("cycles"), Column("bound"), Column("certificate", text=True), Column("the paper")]
    lines = []
    for (inverted, name), one in schedules().items():
        proof = f"proved: {one.bound_kind}" if one.cycles == one.bound else "not proved"
        label = PARTS[inverted] if name == next(iter(SHOWN)) else ""
        lines.append(
            [
                Cell(label), Cell(SHOWN[name]), Cell(str(len(one.operations)), number=len(one.operations)),
                Cell(str(one.cycles), number=one.cycles), Cell(str(one.bound), number=one.bound),
                Cell(proof, note=one.bound_why), _printed(PARTS[inverted], name),
            ]
        )  # fmt: skip
    notes = [
        "Each transform alone. The paper's round on IA-64 takes 12 cycles with the key's XOR; it "
        "prints 12 for the inverse as well, which needs fewer (see the contradictions)."
    ]
    return Table("serpent-transforms", "Serpent's linear transforms alone", columns, lines, notes)


def _printed(part: str, name: str) -> Cell:
    target = PRINTED.get(name, "none")
    found = lookup(paper="worley2000", table="text", part=part, target=target, metric="cycles")
    return Cell(found[0].printed, number=found[0].value, note=found[0].where) if found else EMPTY
