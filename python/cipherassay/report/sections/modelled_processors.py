"""Modelled processors that no study is about: every cipher's cycles on each, beside what is published."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cipherassay import processors, published, scanning
from cipherassay.report.data import ReportData
from cipherassay.report.elements.section import Block, Section
from cipherassay.report.elements.tables import (
    EMPTY,
    Cell,
    Column,
    Table,
    number_text,
    printed_text,
    row_cell,
    without_empty,
)
from cipherassay.results import Row

ORDER = 33
PAGE = "processors"
_SHOWN = {"encrypt": "encrypt", "decrypt": "decrypt", "key_setup": "key setup"}
_FORMS = {"unrolled": "straight", "loop": "loops"}
_UNCONFIRMED = {"assumed": "Assumed", "inferred": "Inferred", "hypothetical": "Hypothetical"}


def section(data: ReportData) -> Section | None:
    """Return the section, if kernels for such processors were made."""
    own = [row for row in data.kernels if _shown(row)]
    targets = dict.fromkeys(row.target or "" for row in own if row.metric == "cycles")
    if not targets:
        return None
    blocks: list[Block] = [
        "The same descriptions on processors that are files alone: an instruction set as records, ports and "
        "latencies. Each kernel is simulated from its text on random inputs and known answers; cycles are "
        "those of the body, from the first issue to the last, without call, saved registers and return, with "
        "all code and data at hand. Key setup is for encryption where the directions differ. Published code "
        "is measured on chips, a call at a time."
    ]
    blocks += [_table(data, own, target) for target in targets]
    return Section("modelled-processors", "Processors as files", blocks, label="Processors as files")


def _shown(row: Row) -> bool:
    """Say whether a row is of a processor that no study has for its own."""
    model = published.modelled().get(processors.base_name(row.target or ""))
    return model is None or not (scanning.STUDIES / model[0].id).is_dir()


def _table(data: ReportData, rows: Sequence[Row], target: str) -> Table:
    own = [row for row in rows if row.target == target]
    columns = [Column("cipher", text=True), Column("code", text=True)]
    for group in ("cycles", "bound", "bytes of code"):
        columns += [Column(title, group=group) for title in _SHOWN.values()]
    columns += [Column("cycles a byte"), Column("published", "cycles"), Column("ours / published")]
    lines = [_line(data, own, cipher, form) for cipher, form in _lines(data, own)]
    columns, lines = without_empty(columns, lines)
    known = processors.document(processors.load(processors.base_name(target)))
    references = dict.fromkeys(row.reference_source for row in own if row.reference_source)
    notes = [f"Published: {'; '.join(str(one) for one in references)}."] if references else []
    name = "processor-" + "".join(c if c.isalnum() else "-" for c in target.lower())
    return Table(name, known["title"], columns, lines, [*_conditions(known), *notes], dense=True)


def _lines(data: ReportData, own: Sequence[Row]) -> list[tuple[str, str]]:
    order = list(data.strategies)
    known = {(row.cipher or "", row.configuration or "") for row in own if row.configuration in _FORMS}
    return sorted(known, key=lambda k: (order.index(k[0]), list(_FORMS).index(k[1])))


def _line(data: ReportData, own: Sequence[Row], cipher: str, form: str) -> list[Cell]:
    of = [row for row in own if (row.cipher, row.configuration) == (cipher, form) and row.key_bits == 128]
    found = [_find(of, operation, "cycles") for operation in _SHOWN]
    line = [Cell(cipher), Cell(_FORMS[form]), *map(row_cell, found), *map(_bound, found)]
    line += [row_cell(_find(of, operation, "code_bytes")) for operation in _SHOWN]
    encrypt = found[0]
    if encrypt is None:
        return [*line, EMPTY, EMPTY, EMPTY]
    each = encrypt.value / data.block_bytes[cipher]
    line.append(Cell(number_text(each), encrypt, each, note="of the block's cycles"))
    if encrypt.reference is None:
        return [*line, EMPTY, EMPTY]
    text, source = printed_text(encrypt.reference), encrypt.reference_source or ""
    theirs = Cell(text, encrypt, encrypt.reference, note=source)
    ratio = encrypt.value / encrypt.reference
    return [*line, theirs, Cell(f"{ratio:.2f}", encrypt, ratio)]


def _find(rows: Sequence[Row], operation: str, metric: str) -> Row | None:
    """Return the row of an operation; of key setups the one for encryption first."""
    found = [r for r in rows if (r.operation or "").startswith(operation) and r.metric == metric]
    return min(found, key=lambda r: r.operation != "key_setup_encrypt", default=None)


def _bound(row: Row | None) -> Cell:
    if row is None or row.bound is None:
        return EMPTY
    tone = "best" if row.bound == row.value else ""
    return Cell(number_text(row.bound), row, row.bound, tone, row.certificate or "")


def _conditions(known: dict[str, object]) -> Iterator[str]:
    """Yield what of a processor's timing nobody has confirmed: entries by confidence and source."""
    found: dict[tuple[str, str], list[str]] = {}
    for entries in ("classes", "bypasses", "parameters"):
        for entry in known[entries]:  # type: ignore[attr-defined]
            if entry["confidence"] in _UNCONFIRMED:
                what = entry.get("name") or f"{', '.join(entry['from'])} to {', '.join(entry['to'])}"
                found.setdefault((entry["confidence"], entry["source"] or ""), []).append(what)
    for (confidence, source), names in found.items():
        yield f"{_UNCONFIRMED[confidence]}: {'; '.join(dict.fromkeys(names))} ({source})."
