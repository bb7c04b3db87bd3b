"""How a cipher is built: an iteration of its round and of its key schedule, drawn from its description."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from cipherassay import ir
from cipherassay.report.data import ReportData
from cipherassay.report.elements.gallery import Gallery, Picture
from cipherassay.report.elements.section import Section
from cipherassay.report.sheets import file_name

if TYPE_CHECKING:
    from cipherassay.report.drawings.outlines import Source

ORDER = 14
MOST = 80
"""Operations of a picture; a larger one cannot be read."""


def section(data: ReportData, cipher: str) -> Section | None:
    """Return the section; None where there is no description, or no loop that can be drawn."""
    from cipherassay.hardware.emission.structures import STYLE
    from cipherassay.report.drawings import outlines

    described = data.cipher(cipher)
    if described is None:
        return None
    program = described.compile(described.key_bits[0]).mirror()
    drawn: list[str] = [described.directions[0]]
    if schedule := described.schedule(described.directions[0]):
        drawn.append(schedule)
    source = outlines.expressions(program, Path(described.file))
    pictures = [one for name in drawn for one in _pictures(program, name, source, cipher)]
    if not pictures:
        return None
    words = (
        "The longest loop of a function, one iteration, with the names of the description: values enter at "
        "the top and leave at the bottom. ⊕ XOR, ∧ and, ∨ or, + addition, ⋘ rotation, ≪ shift."
    )
    gallery = Gallery(f"sheet-{file_name(cipher)}-structure", pictures, STYLE)
    return Section("structure", "Its structure", [words, gallery], label="Structure")


def _pictures(program: ir.Program, function: str, source: Source, cipher: str) -> Iterator[Picture]:
    from cipherassay.hardware.emission.structures import data_flow
    from cipherassay.report.drawings import outlines

    loops = [op.loop for op in ir.walk(program.functions[function].ops) if op.loop and op.kind == "rounds"]
    if not loops:
        return
    longest = max(loops, key=lambda one: one.iteration_count)
    title = function.replace("_", " ")
    scope = outlines.loop(program, function, longest.counter)
    body = outlines.outline(scope, source, title=title)
    if 0 < len(body.operations) <= MOST:
        name = f"sheet-{file_name(cipher)}-structure-{function.replace('_', '-')}"
        note = f"one of {longest.iteration_count} iterations"
        inner, own = data_flow(body, alone=False, title=title), data_flow(body, title=title)
        yield Picture(name, title, note, inner, own)
