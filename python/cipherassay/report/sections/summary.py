"""The summary: what each cipher costs here, in one table and two pictures."""

from __future__ import annotations

from typing import Any

from cipherassay.report.charts import cost_bars, key_size_lines
from cipherassay.report.data import KEY_BITS, ReportData
from cipherassay.report.figures import Figure
from cipherassay.report.section import Section
from cipherassay.report.tables import EMPTY, Cell, Column, Table, number_text, row_cell
from cipherassay.results import Row

ORDER = 10
SHOWN = {"key_setup": "Key setup", "encrypt": "Encryption", "decrypt": "Decryption"}


def section(data: ReportData) -> Section | None:
    """Return the summary."""
    if not data.ciphers:
        return None
    pending = [f"This page is not complete yet; still to come: {', '.join(data.pending)}."]
    blocks = [*(pending if data.pending else []), *_words(data)]
    return Section("summary", "Summary", [*blocks, _table(data), _costs(data), *_key_sizes(data)])


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
    columns += [Column("encryption, per byte", group=group), Column("key setup", "blocks")]
    lines = []
    for cipher in data.ciphers:
        rows = {operation: data.cost(cipher, operation, 128) for operation in SHOWN}
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
        "Cycles of one block, each input the output of the one before, and of one key setup: the median over "
        "the inputs of each input's least time. Key setup in blocks: how many blocks are encrypted meanwhile."
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


def _costs(data: ReportData) -> Figure:
    points: list[dict[str, Any]] = []
    for operation, name in SHOWN.items():
        for cipher in data.ciphers:
            compared = {
                "ours": data.cost(cipher, operation, 128),
                "best library here": data.best_library(cipher, operation, 128),
                "PA-8500, 2000": data.published_cost("worley2000", cipher, operation, target="pa8500"),
            }
            points += [
                {"cipher": cipher, "operation": name, "series": series, "cycles": round(row.value, 2)}
                for series, row in compared.items()
                if row is not None
            ]
    return Figure(
        "costs",
        "Cycles of one key setup and of one block, 128-bit keys",
        "Bars: the code generated from the descriptions, on this machine. Marks: the fastest library "
        "measured in the same run, and the hand-written assembly of the HP paper on the PA-8500.",
        cost_bars(points, data.ciphers),
    )


def _key_sizes(data: ReportData) -> list[Figure]:
    points = [
        {"cipher": cipher, "operation": name, "key_bits": bits, "cycles": round(row.value, 2)}
        for operation, name in SHOWN.items()
        for cipher in data.ciphers
        for bits in KEY_BITS
        if (row := data.cost(cipher, operation, bits)) is not None
    ]
    if len({point["key_bits"] for point in points}) < 2:
        return []
    return [
        Figure(
            "key-sizes",
            "The price of a longer key",
            "Cycles on this machine, by key size.",
            key_size_lines(points, data.ciphers),
        )
    ]
