"""The libraries measured beside our code in the same run."""

from __future__ import annotations

from collections.abc import Sequence

from cipherassay.native.comparison import EQUAL, Comparison, compared_rows, compiler_kinds
from cipherassay.native.comparison_jobs import grouped
from cipherassay.report.data import OPERATIONS, ReportData
from cipherassay.report.elements.section import Section
from cipherassay.report.elements.tables import EMPTY, Cell, Column, Table, number_text, ratio_text, row_cell
from cipherassay.results import Row

ORDER = 60
PAGE = "native"


def section(data: ReportData) -> Section | None:
    """Return the section, if any library was measured."""
    names = list(dict.fromkeys(_short_name(row) for row in data.compared if not row.strategy))
    if not names:
        return None
    names.sort(key=str.lower)
    words = (
        "One loop measures our code and each library's by turns, on one core: blocks chained, each the "
        "output of the last. Vector code and AES instructions of the libraries are switched off where they "
        "allow it. Ratio = ours / the fastest library without AES instructions; of our kind: ours / "
        "the fastest that is constant time if ours is, or is not if ours is not."
        f"{_compiled(_kinds(data))}"
    )
    tables = [table for bits in data.key_sizes if (table := _table(data, names, bits)).lines]
    blocks: list[str | Table] = [words, _outcome(data), *tables]
    return Section("libraries", "Other libraries, same machine, same run", blocks, "Libraries")


def _kinds(data: ReportData) -> list[str]:
    return compiler_kinds(grouped(data.compared))


def _compiled(kinds: list[str]) -> str:
    if len(kinds) < 2:
        return ""
    return (
        f" Ours is compiled by {' and by '.join(kinds)}; where a ratio names none, it is of {kinds[0]}. "
        "The libraries are as their packages have them; their rows say by which compiler."
    )


def _outcome(data: ReportData) -> str:
    found = compared_rows(grouped(data.compared))
    return " ".join(_count(rows, f"by {how}" if len(found) > 1 else "") for how, rows in found.items())


def _count(rows: Sequence[Row], how: str) -> str:
    level = sum((row.ratio or 0) <= EQUAL for row in rows)
    compiled = f"Compiled {how}, ours" if how else "Ours"
    return (
        f"{compiled} is the fastest or equal (within 2 %) in {level} of {len(rows)} rows, slower in "
        f"{len(rows) - level}."
    )


def _table(data: ReportData, names: list[str], bits: int) -> Table:
    there = {_short_name(row) for row in data.compared if row.key_bits == bits and not row.strategy}
    names, kinds = [name for name in names if name in there], _kinds(data)
    called = [f", {kind}" if len(kinds) > 1 else "" for kind in kinds]
    columns = [Column("cipher", text=True), Column("operation", text=True)]
    columns += [Column(f"ratio{kind}") for kind in called] + [Column("of our kind")]
    columns += [Column(name, "", "cycles") for name in (*(f"ours{kind}" for kind in called), *names)]
    lines = [
        line
        for cipher in data.ciphers
        for operation in OPERATIONS
        if (line := _line(data, cipher, operation, bits, kinds, names))
    ]
    return Table(f"libraries-{bits}", f"{bits}-bit keys", columns, lines, _notes(data, bits), dense=True)


def _line(
    data: ReportData, cipher: str, operation: str, bits: int, kinds: list[str], names: list[str]
) -> list[Cell]:
    """Return the cells of an operation; none if it was not measured in a library."""
    compiled = data.compiled_beside_libraries(cipher, operation, bits)
    others = data.libraries(cipher, operation, bits)
    if not compiled or not others:
        return []
    one = Comparison(tuple(compiled), tuple(others))
    by_name = {_short_name(row): row for row in reversed(others)}
    ours = [one.by(kind) for kind in kinds]
    return [
        Cell(cipher), Cell(OPERATIONS[operation]), *(_ratio_cell(row) if row else EMPTY for row in ours),
        _kind_cell(one.fastest_of_kind(), one.ours),
        *(_marked(row_cell(row), row) if row else EMPTY for row in ours),
        *(_library_cell(by_name.get(name), one.ours) for name in names),
    ]  # fmt: skip


def _ratio_cell(ours: Row) -> Cell:
    if ours.ratio is None:
        return EMPTY
    tone = "good" if ours.ratio <= EQUAL else "bad"
    return Cell(ratio_text(ours.ratio), ours, ours.ratio, tone, f"against {ours.reference_source}")


def _kind_cell(theirs: Row | None, ours: Row) -> Cell:
    if theirs is None:
        return EMPTY
    ratio = ours.value / theirs.value
    tone = "good" if ratio <= EQUAL else "bad"
    return Cell(ratio_text(ratio), ours, ratio, tone, f"against {theirs.configuration}")


def _marked(cell: Cell, row: Row) -> Cell:
    mark = "†" if _uses_instructions(row) else "‡" if row.basis == "published" else ""
    mark += "°" if row.constant_time else ""
    return Cell(cell.text + mark, cell.row, cell.number, cell.tone, cell.note)


def _library_cell(row: Row | None, ours: Row) -> Cell:
    if row is None:
        return EMPTY
    best = row.configuration == ours.reference_source
    return _marked(row_cell(row, tone="best" if best else ""), row)


def _notes(data: ReportData, bits: int) -> list[str]:
    here = [row for row in data.compared if row.key_bits == bits and not row.strategy]
    notes = []
    if any(row.constant_time for row in data.compared if row.key_bits == bits):
        notes.append("° Constant time: no branch and no address depends on key or data; rows say why.")
    if any(_uses_instructions(row) for row in here):
        notes.append("† uses AES instructions; not compared with.")
    notes += _other_run(data, bits)
    scaled = {
        (row.reference_source or "").partition("scaled by ")[2] for row in here if row.basis == "published"
    }
    kernels = sorted({how.partition(":")[0] for how in scaled})
    notes += [f"‡ Published for another machine, scaled by {kernel}, measured on both." for kernel in kernels]
    return notes


def _other_run(data: ReportData, bits: int) -> list[str]:
    """Say by how much our numbers of this run differ from those of the tables of this machine."""
    pairs = [
        (ours, alone)
        for ours in data.compared
        if ours.strategy and ours.key_bits == bits
        and (alone := data.ours(ours.cipher or "", ours.operation or "", bits, strategy=ours.strategy))
        and alone.compiler == ours.compiler
    ]  # fmt: skip
    if not pairs:
        return []
    ours, alone = max(pairs, key=lambda pair: abs(pair[0].value / pair[1].value - 1))
    percent = 100 * (ours.value / alone.value - 1)
    return [
        "Ours here is of the run that measured the libraries, by turns with them; the other tables of this "
        "machine "
        f"have it measured alone. They differ most for {ours.cipher} "
        f"{(ours.operation or '').replace('_', ' ')}: "
        f"{number_text(ours.value, 'cycles')} here, {number_text(alone.value, 'cycles')} alone "
        f"({percent:+.1f} %)."
    ]


def _short_name(row: Row) -> str:
    """Return the library's name without version: the first word."""
    return (row.configuration or "").split()[0].removesuffix("'s")


def _uses_instructions(row: Row) -> bool:
    from cipherassay.native.comparison import AES_INSTRUCTIONS

    return AES_INSTRUCTIONS in (row.configuration or "")
