"""The copy of a technology's Liberty file with its defects mended; the package's file stays."""

from __future__ import annotations

import hashlib
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

from cipherassay.cache import cache_folder
from cipherassay.errors import DescriptionError, Place
from cipherassay.hardware.libraries import liberty
from cipherassay.hardware.libraries.technology import Fix, Technology
from cipherassay.once import once


@dataclass(frozen=True)
class Edit:
    """A stretch of a text and what replaces it, with as many lines, so that lines keep their numbers."""

    begin: int
    end: int
    text: str


def fixed(technology: Technology, source: str | None = None) -> str:
    """Return the Liberty text of a technology with its fixes applied.

    Parameters
    ----------
    source : str, optional
        The text to mend; without it, the technology's own file.

    Raises
    ------
    DescriptionError
        ``H604``: it is no Liberty text; ``H606``: a fix does not fit it.
    ToolError
        ``H605``: the file is not there.
    """
    technology.timed()
    text = technology.library_text() if source is None else source
    return _fixed(technology, text)


@once
def _fixed(technology: Technology, text: str) -> str:
    known, _ = technology.timed()
    library = liberty.read(text, known.file)
    cells = {cell.name: cell for cell in library.of_kind("cell")}
    edits = [edit for fix in known.fix for edit in _edits(text, fix, cells, known.file)]
    for edit in sorted(edits, key=lambda one: one.begin, reverse=True):
        text = text[: edit.begin] + edit.text + text[edit.end :]
    return text


def fixed_file(technology: Technology) -> Path:
    """Return the file of the mended text, written into the cache if it is not there."""
    text = fixed(technology)
    folder = cache_folder("liberty")
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{technology.name}-{digest(technology)[:16]}.lib"
    if not path.exists():
        with tempfile.NamedTemporaryFile("w", dir=folder, delete=False, encoding="utf-8") as temporary:
            temporary.write(text)
        os.replace(temporary.name, path)
    return path


def digest(technology: Technology) -> str:
    """Return the hash of the mended text."""
    return hashlib.sha256(fixed(technology).encode()).hexdigest()


def _edits(text: str, fix: Fix, cells: dict[str, liberty.Group], file: str) -> list[Edit]:
    if fix.remove:
        found = [_cell(name, fix, cells, file) for name in fix.remove]
        return [Edit(cell.begin, cell.end, "\n" * text.count("\n", cell.begin, cell.end)) for cell in found]
    if fix.clamp_negative:
        return [e for name in fix.clamp_negative for e in _clamped(text, _cell(name, fix, cells, file))]
    cell = _cell(fix.cell, fix, cells, file)
    attribute = cell.find(fix.attribute)
    if attribute is None or float(attribute.value) != fix.found:
        seen = "is not there" if attribute is None else f"is {attribute.value}, not {fix.found:g}"
        line = cell.line if attribute is None else attribute.line
        raise _unfit(f"`{fix.attribute}` of `{cell.name}` {seen}", fix, Place(file, line))
    return [Edit(attribute.begin, attribute.end, f"{fix.value:g}")]


def _clamped(text: str, cell: liberty.Group) -> list[Edit]:
    edits = []
    for group in cell.walk():
        values = group.find("values")
        if group.kind in ("cell_rise", "cell_fall") and values is not None:
            table = liberty.numbers(values)
            if min(table) < 0:
                rows = [
                    ", ".join(f"{max(0.0, float(word)):g}" for word in row.replace(",", " ").split())
                    for row in values.values
                ]
                lines = "\\\n" * text.count("\n", values.begin, values.end)
                quoted = ", ".join(f'"{row}"' for row in rows)
                edits.append(Edit(values.begin, values.end, f" {lines}{quoted}"))
    return edits


def _cell(name: str, fix: Fix, cells: dict[str, liberty.Group], file: str) -> liberty.Group:
    if name not in cells:
        raise _unfit(f"there is no cell `{name}`", fix, Place(file))
    return cells[name]


def _unfit(message: str, fix: Fix, place: Place) -> DescriptionError:
    return DescriptionError(
        "H606",
        f"a fix does not fit the Liberty file: {message}",
        places=[place],
        notes=[f"the fix: {fix.reason}"],
        help="another release of the library: mend the fix list of the technology's file",
    )
