"""A small processor is one folder: a copy of one is another, with firmware files and budgets of RAM."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from cipherassay.ciphers import load
from cipherassay.embedded import processors, ram_budget, target
from cipherassay.families import small


@pytest.fixture
def another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Give the name of a processor that is a copy of AVR's folder, the only one there is."""
    name = "copy-of-avr"
    folder = tmp_path / "copy_of_avr"
    shutil.copytree(processors.folder("avr"), folder, ignore=shutil.ignore_patterns("__pycache__"))
    for file in folder.glob("*.py"):
        text = file.read_text().replace("embedded.processors.avr", "embedded.processors.copy_of_avr")
        file.write_text(text.replace('name = "avr"', f'name = "{name}"'))
    monkeypatch.setattr(processors, "FOLDER", tmp_path)
    monkeypatch.setattr(processors, "__path__", [str(tmp_path)])
    yield name
    for module in [one for one in sys.modules if one.startswith(processors.module(name))]:
        del sys.modules[module]


def test_a_folder_is_a_processor(another: str) -> None:
    assert processors.names() == small.FAMILY.names() == [another]
    assert small.FAMILY.check(another) == []
    made = target.make(load("rijndael"), 128, processor=another)
    assert made.processor.name == another
    assert [name for name, _ in processors.firmware(made, "assay …")] == ["rijndael.S", "main.c", "README.md"]
    assert list(ram_budget.offering()) == [another]


def test_a_processor_without_budgets(another: str) -> None:
    (processors.folder(another) / "budget.py").unlink()
    assert processors.budgets(another) is None
    assert ram_budget.offering() == {}
