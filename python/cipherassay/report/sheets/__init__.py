"""Data sheets: a page per cipher, made of the sections of the modules in this folder.

A module has ``ORDER`` and ``section(data, cipher) -> Section | None``, as those of ``report/sections``, of
one cipher.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from typing import Protocol, cast

from cipherassay import scanning
from cipherassay.lang.naming import slug_of
from cipherassay.report.data import ReportData
from cipherassay.report.elements.section import Section
from cipherassay.report.pages import CIPHERS, Page


class SheetModule(Protocol):
    """A module that makes a section of every data sheet."""

    ORDER: int

    def section(self, data: ReportData, cipher: str) -> Section | None:
        """Return the section of a cipher; None if there is nothing to say."""


def sheet_pages(data: ReportData) -> Iterator[Page]:
    """Yield the data sheets of the ciphers in their order; none of a cipher without a row."""
    for number, cipher in enumerate(data.strategies):
        sections = sections_of(data, cipher)
        if sections and (cipher in data.ciphers or cipher in data.permutations):
            yield Page(
                f"sheet-{file_name(cipher)}", sheet_path(cipher), cipher, cipher, CIPHERS, 30 + number,
                f"Data sheet: what {cipher} is, and what it costs on every level.", sections,
            )  # fmt: skip


def sections_of(data: ReportData, cipher: str) -> list[Section]:
    """Return the sections of a cipher's data sheet."""
    found = [importlib.import_module(name) for name in scanning.names("report.sheets")]
    modules = sorted(cast(list[SheetModule], found), key=lambda one: one.ORDER)
    return [section for module in modules if (section := module.section(data, cipher))]


def sheet_path(cipher: str) -> str:
    """Return the file of a cipher's data sheet within the report."""
    return f"ciphers/{file_name(cipher)}.html"


def file_name(cipher: str) -> str:
    """Return a cipher's name as it stands in names of files."""
    return slug_of(cipher).replace("_", "-")
