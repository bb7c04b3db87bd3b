"""Small processors: every cipher's cycles, code and RAM on each, beside what is published."""

from __future__ import annotations

from collections.abc import Container, Sequence

from cipherassay.lang.shapes import BACKWARDS, SHAPES
from cipherassay.published import same_processor
from cipherassay.report.data import ReportData
from cipherassay.report.elements.section import Block, Section
from cipherassay.report.elements.tables import EMPTY, Cell, Column, Table, ratio_cell, row_cell
from cipherassay.results import Row

ORDER = 32
PAGE = "small"
_SHOWN = {
    "setup": ("key_setup_both", "key_setup_encrypt", "key_setup_evaluate"),
    "encrypt": tuple(shape.forward for shape in SHAPES),
    "decrypt": BACKWARDS,
}
"""Columns, and the operations of which a cipher, a permutation or a function has one there."""
_FORMS = {"rounds in loops": "loops", "rounds unrolled": "straight"}
_CALL = "call to return"
_OTHERS = ("in RAM", "on the fly")
"""Published code that is of another kind: ours reads tables from flash or ROM and round keys from RAM."""


def section(data: ReportData) -> Section | None:
    """Return the section, if code for a small processor was measured."""
    if not data.embedded:
        return None
    blocks: list[Block] = [
        "The same descriptions on processors of eight and sixteen bits: assembly of every cipher, run in a "
        "simulator that counts cycles, after known answers and random inputs passed. Cycles are the least "
        "over the inputs, without what a caller does: assay measure prints the whole call, too. Code "
        "counts the tables that a function reads; RAM is what a call leaves changed, with key or round keys, "
        "block and stack. Published code is compared where it keeps round keys and reads tables as ours does."
    ]
    targets = dict.fromkeys(row.target or "" for row in data.embedded if row.metric != "refused")
    blocks += [_table(data, target) for target in targets]
    return Section("small-processors", "Small processors", blocks, label="Small processors")


def _table(data: ReportData, target: str) -> Table:
    own = [row for row in data.embedded if row.target == target]
    theirs = _published(data, target, {row.cipher for row in own})
    columns = [Column("cipher", text=True), Column("key", "bits"), Column("rounds", text=True)]
    for group in ("cycles", "bytes of code", *(["ours / published"] if theirs else [])):
        columns += [Column(title, group=group) for title in _SHOWN]
    columns += [Column("RAM", "bytes")]
    lines = []
    for cipher, bits, form in _lines(data, own):
        of = [r for r in own if (r.cipher, r.key_bits or 0) == (cipher, bits) and _form(r) == form]
        cycles = [_find(of, o, "cycles") for o in _SHOWN.values()]
        ram = [r for r in of if r.metric == "ram_bytes"]
        key = Cell(str(bits), number=bits) if bits else EMPTY
        line = [Cell(cipher), key, Cell(_FORMS[form]), *map(row_cell, cycles)]
        line += [row_cell(_find(of, o, "code_bytes")) for o in _SHOWN.values()]
        if theirs:
            line += _compared(theirs, cipher, bits, cycles)
        lines.append([*line, row_cell(max(ram, key=lambda r: r.value)) if ram else EMPTY])
    tools = next(r.tools or "" for r in own).split("; ")
    notes = [f"Assembled and run by: {'; '.join(tools[:2])}."]
    sources = dict.fromkeys(", ".join(filter(None, (r.reference_source, r.configuration))) for r in theirs)
    notes += [f"Published: {'; '.join(sources)}."] if theirs else []
    if any(bits == 0 for _, bits, _ in _lines(data, own)):
        notes.append("A permutation or function stands under encrypt, an inverse under decrypt.")
    name = "small-" + "".join(c if c.isalnum() else "-" for c in target.split(" (")[0].lower())
    return Table(name, target, columns, lines, notes, dense=True)


def _lines(data: ReportData, own: Sequence[Row]) -> list[tuple[str, int, str]]:
    """Return every cipher, key size and form with rows, in the report's order."""
    known = {(r.cipher or "", r.key_bits or 0, _form(r)) for r in own}
    order = list(data.strategies)
    return sorted(known, key=lambda k: (order.index(k[0]), k[1], list(_FORMS).index(k[2])))


def _form(row: Row) -> str:
    return (row.configuration or "").split(", ")[0]


def _find(rows: Sequence[Row], operations: Sequence[str], metric: str) -> Row | None:
    """Return the row of one of these operations; of cycles those without what a caller does."""
    found = [r for r in rows if r.operation in operations and r.metric == metric]
    return next((r for r in found if not (r.configuration or "").endswith(_CALL)), None)


def _published(data: ReportData, target: str, ciphers: Container[str | None]) -> list[Row]:
    """Return the published rows of ciphers on a processor; theirs is named by its family alone."""
    family = same_processor(target.split(" (")[0])
    return [
        r for r in data.published
        if r.metric == "cycles" and r.cipher in ciphers and same_processor(r.target or "") == family
        and not any(kind in (r.configuration or "") for kind in _OTHERS)
    ]  # fmt: skip


def _compared(theirs: Sequence[Row], cipher: str, bits: int, cycles: Sequence[Row | None]) -> list[Cell]:
    found = [
        min(
            (r for r in theirs if r.cipher == cipher and r.operation in o and r.key_bits in (None, bits)),
            key=lambda r: r.value, default=None,
        )
        for o in _SHOWN.values()
    ]  # fmt: skip
    return [ratio_cell(ours, one) for ours, one in zip(cycles, found, strict=True)]
