"""What each cipher costs on this machine, in one table and a picture."""

from __future__ import annotations

from typing import Any, Protocol, cast

from cipherassay.report.comparing import key_bits
from cipherassay.report.data import ReportData
from cipherassay.report.drawings.charts import cost_bars
from cipherassay.report.elements.figures import Figure
from cipherassay.report.elements.section import Section, additions
from cipherassay.report.elements.tables import EMPTY, Cell, Column, Table, number_text, row_cell
from cipherassay.report.sections.pictures import unsteady_words
from cipherassay.results import Row

ORDER = 10
PAGE = "native"
SHOWN = {"key_setup": "Key setup", "encrypt": "Encryption", "decrypt": "Decryption"}


def section(data: ReportData) -> Section | None:
    """Return the summary."""
    if not data.ciphers:
        return None
    return Section("summary", "One key and one block", [*_words(data), _table(data), _costs(data)])


def _words(data: ReportData) -> list[str]:
    """Say in words what the table shows: the order of the ciphers, computed from the rows."""
    said = []
    for operation, what in (("encrypt", "encrypts a block"), ("key_setup", "sets up a key")):
        rows = [(data.cost(cipher, operation, 128), cipher) for cipher in data.ciphers]
        known = sorted(
            ((row.value, cipher) for row, cipher in rows if row is not None), key=lambda pair: pair[0]
        )
        if len(known) > 1:
            (least, first), (most, last) = known[0], known[-1]
            said.append(
                f"{first} {what} in the fewest cycles ({number_text(least, 'cycles')}), {last} in the most "
                f"({number_text(most, 'cycles')}: {most / least:.1f} times as many)."
            )
    return [" ".join(["With 128-bit keys on this machine:", *said])] if said else []


def _table(data: ReportData) -> Table:
    columns = [Column("cipher", text=True), Column("strategy", text=True)]
    group = "cycles with a 128-bit key"
    columns += [Column(name.lower(), group=group) for name in SHOWN.values()]
    columns += [Column("encryption, per byte", group=group), Column("key setup / block")]
    lines = []
    for cipher in data.ciphers:
        rows = {operation: data.cost(cipher, operation, key_bits(data, cipher)) for operation in SHOWN}
        encrypt, setup = rows["encrypt"], rows["key_setup"]
        lines.append(
            [
                Cell(cipher),
                Cell(data.strategies[cipher]),
                *(row_cell(row) for row in rows.values()),
                _per_byte(encrypt, data.block_bytes.get(cipher)),
                _in_blocks(setup, encrypt),
            ]
        )
    notes = [
        "Cycles of one block, each input the output of the one before, and of one key setup: the median "
        "over the "
        "inputs of each input's minimum. Key setup / block: key-setup time in units of one block encryption.",
        *filter(None, [data.setup_words]),
    ]
    return Table("summary", "One key and one block on this machine", columns, lines, notes)


def _per_byte(encrypt: Row | None, block_bytes: int | None) -> Cell:
    if encrypt is None or block_bytes is None:
        return EMPTY
    cycles = encrypt.value / block_bytes
    return Cell(number_text(cycles), encrypt, cycles)


def _in_blocks(setup: Row | None, encrypt: Row | None) -> Cell:
    if setup is None or encrypt is None:
        return EMPTY
    blocks = setup.value / encrypt.value
    return Cell(f"{blocks:.1f}", setup, blocks)


class Mark(Protocol):
    """What a study adds to the summary: a paper's number beside ours."""

    PAPER: str
    TARGET: str
    """The machine that the paper's rows name."""
    LABEL: str
    """The picture's legend: ``PA-8500, 2000``."""
    WORDS: str
    """What it is, for the picture's caption."""


def _costs(data: ReportData) -> Figure:
    marks = cast(list[Mark], additions("summary"))
    points: list[dict[str, Any]] = []
    used: list[Row | None] = []
    for operation, name in SHOWN.items():
        for cipher in data.ciphers:
            compared = {
                "ours": data.cost(cipher, operation, 128),
                "best library here": data.best_library(cipher, operation, 128),
                **{
                    mark.LABEL: data.published_cost(mark.PAPER, cipher, operation, target=mark.TARGET)
                    for mark in marks
                },
            }
            used += [row for row in compared.values() if row is not None]
            points += [
                {
                    "cipher": cipher, "operation": name, "series": series, "cycles": round(row.value, 2),
                    "label": f"{row.value:,.0f}{'*' if row.stable is False else ''}",
                }
                for series, row in compared.items()
                if row is not None
            ]  # fmt: skip
    return Figure(
        "costs",
        "Cycles of one key setup and of one block, 128-bit keys",
        "Bars: the code generated from the descriptions, on this machine. Marks: "
        f"{', and '.join(['the fastest library measured in the same run', *(m.WORDS for m in marks)])}. "
        + data.setup_words + unsteady_words(used),
        cost_bars(points, data.ciphers),
    )
