"""A card as JSON.

The schema's version counts up with each change that a reader of earlier documents has to know of; fields may
be added without.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cipherassay.coverage.documents import cell_document
from cipherassay.hardware.timing import hold
from cipherassay.report.cards.card import Card
from cipherassay.report.comparing import platforms

if TYPE_CHECKING:
    from cipherassay.coverage import Cell
    from cipherassay.lang.cipher import Cipher
    from cipherassay.report.data import ReportData

SCHEMA, VERSION = "cipherassay.card", 1


def document(card: Card) -> dict[str, Any]:
    """Return the card's document: schema and version, state, machine, and an entry per cipher."""
    data = card.data()
    return {
        "schema": SCHEMA, "schema_version": VERSION, "state": card.state, "machine": data.machine,
        "levels": [{"name": one.name, "group": one.group, "title": one.title} for one in card.levels],
        "ciphers": [_cipher(one, data) for one in card.ciphers],
    }  # fmt: skip


def _cipher(cipher: Cipher, data: ReportData) -> dict[str, Any]:
    from cipherassay.circuits import boxes

    program = cipher.compile(cipher.key_bits[0])
    names = [one["name"] for one in program.functions()]
    return {
        "name": cipher.name, "slug": cipher.slug, "structure": cipher.structure, "source": cipher.source,
        "block_bits": cipher.block_bits, "key_bits": [bits for bits in cipher.key_bits if bits],
        "tweak_bits": cipher.tweak_bits, "variants": list(cipher.variants),
        "strategy": data.strategies[cipher.name],
        "operations": {name: _counts(program.statistics(name)) for name in names},
        "constant_time": {name: program.constant_time(name) for name in names},
        "s_boxes": [
            {"name": box.name, "inputs": box.inputs, "outputs": box.outputs, "values": list(box.data)}
            for box in boxes.of_cipher(cipher)
        ],
        "cells": [_cell(one) for one in data.cells if one.cipher is cipher],
        "ranks": [*_ranks(cipher.name, data)],
    }  # fmt: skip


def _counts(statistics: Any) -> dict[str, int]:
    return {kind: count["dynamic"] for kind, count in statistics.items()}


def _cell(cell: Cell) -> dict[str, Any]:
    made = cell_document(cell)
    if not cell.code and cell.row is None:
        made["status"] = "pending"
    fails = cell.row is not None and hold.fails(cell.row)
    return made | {"fails_hold": fails, "rows": [row.as_dict() for row in cell.rows]}


def _ranks(cipher: str, data: ReportData) -> list[dict[str, Any]]:
    found = []
    for one in platforms(data, list(data.strategies)):
        if cipher in one.rows:
            rank = one.rank(cipher)
            found.append({
                "platform": one.title, "group": one.group, "metric": one.metric, "unit": one.unit,
                "value": one.value(cipher), "better": one.better,
                "rank": rank[0] if rank else None, "of": rank[1] if rank else None,
            })  # fmt: skip
    return found
