"""Every column, table and view has a meaning, and docs/data.md names all of them."""

from __future__ import annotations

import re

from cipherassay.results import meanings, tables
from support.places import ROOT


def test_columns_and_tables_have_meanings() -> None:
    assert tuple(meanings.COLUMNS) == tables.COLUMNS
    assert set(meanings.TABLES) == {*tables.OF_ROWS, "samples", "metrics"}
    assert all(text.strip() == text and text for text in (*meanings.COLUMNS.values(), *meanings.TABLES.values()))


def test_the_document_names_them() -> None:
    text = (ROOT / "docs" / "data.md").read_text(encoding="utf-8")
    first = [set(re.findall(r"`(\w+)`", line.split("|")[1])) for line in text.splitlines() if line.startswith("| `")]
    assert set().union(*first) == {*meanings.COLUMNS, *meanings.TABLES}
