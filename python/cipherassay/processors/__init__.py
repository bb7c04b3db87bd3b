"""Processors: instruction sets (`isas/*.toml`) and their implementations (`processors/*.toml`).

A user's folder (``path``) may hold more of both: ``isas/NAME.toml``, ``processors/NAME.toml``, and
``NAME.toml`` directly in it for processors. A file there replaces the project's of the same name.
`docs/processors.md` describes the files.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from cipherassay import _engine
from cipherassay._engine import Processor
from cipherassay.errors import AssayError, DescriptionError, Place, UsageError

PROCESSORS = Path(__file__).parent
ISAS = PROCESSORS.parent / "isas"
INFINITE = "-infinite"

File = tuple[str, str, str]
"""Name without ``.toml``, text, path."""

__all__ = ["INFINITE", "Processor", "check", "document", "isa_files", "load", "names", "processor_files"]


def isa_files(path: Path | None = None) -> list[File]:
    """Return the instruction sets' files, the project's first."""
    return _files(ISAS) + (_files(_folder(path) / "isas") if path else [])


def processor_files(path: Path | None = None) -> list[File]:
    """Return the processors' files, the project's first; raises UsageError M700 if ``path`` is no folder."""
    own = [] if path is None else _files(_folder(path)) + _files(path / "processors")
    return _files(PROCESSORS) + own


def _folder(path: Path) -> Path:
    if not path.is_dir():
        raise UsageError(
            "M700", f"`{path}` is not a folder", help="name the folder that holds the files of processors"
        )
    return path


def _files(folder: Path) -> list[File]:
    found = sorted(folder.glob("*.toml")) if folder.is_dir() else []
    return [(file.stem, _text(file), str(file)) for file in found]


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise DescriptionError(
            "M001", f"the file cannot be read: {error}", places=[Place(str(file))]
        ) from None


def names(path: Path | None = None, *, infinite: bool = False) -> list[str]:
    """Return the names of the processors; with ``infinite`` also those without limits."""
    found = sorted({name for name, _, _ in processor_files(path)})
    return sorted(found + [name + INFINITE for name in found]) if infinite else found


def base_name(target: str) -> str:
    """Return the processor of a row's target: without values of parameters, with its limits."""
    return target.split(" ")[0].removesuffix(INFINITE)


def load(
    name: str,
    *,
    path: Path | None = None,
    parameters: Mapping[str, str | int] | None = None,
    instructions: Path | None = None,
) -> Processor:
    """Read a processor, with settings of its parameters (``width``, ``addressing``, …).

    ``instructions`` is a file of records ``[[instruction]]``, and of the classes that they need, which the
    processor has in addition; what comes back is named ``NAME+FILE``.

    Raises
    ------
    UsageError
        ``M002`` no such processor, ``M006`` no such parameter, ``M007`` a value it cannot have.
    DescriptionError
        ``M001`` to ``M023`` where a file is wrong, ``M101`` in the semantics of an instruction.
    """
    given = [(key, str(value)) for key, value in (parameters or {}).items()]
    files = processor_files(path)
    base = name.removesuffix(INFINITE)
    if instructions is None or base not in {known for known, _, _ in files}:
        return Processor.load(isa_files(path), files, name, given)
    own = f"{base}+{instructions.stem}"
    text = _text(instructions)
    if not re.search(r"^\s*\[\[\s*instruction\s*\]\]", text, re.M):
        raise DescriptionError(
            "M023",
            "the file holds no instruction",
            places=[Place(str(instructions))],
            help="records `[[instruction]]`, as in the files of processors",
        )
    # The line before the file's first is not the file's.
    files.append((own, f'inherits = "{base}"\n{text}', str(instructions)))
    try:
        return Processor.load(isa_files(path), files, own + name[len(base) :], given)
    except AssayError as error:
        error.places = tuple(_line_before(place, instructions) for place in error.places)
        raise


def _line_before(place: Place, file: Path) -> Place:
    if place.file != str(file) or place.line is None:
        return place
    return replace(place, line=max(place.line - 1, 1))


def document(processor: Processor) -> dict[str, Any]:
    """Return everything that is known of a processor: ports, classes, latencies, instructions, sources."""
    known: dict[str, Any] = json.loads(processor.json())
    return known


def check(name: str, *, path: Path | None = None) -> list[DescriptionError]:
    """Return the contradictions in the files of a processor; empty if there are none.

    Raises
    ------
    UsageError
        ``M002`` no such processor.
    """
    found = json.loads(_engine.processor_check(isa_files(path), processor_files(path), name))
    if found and found[0]["code"] == "M002" and not found[0]["places"]:
        raise UsageError("M002", found[0]["message"], help=found[0]["help"])
    return [
        DescriptionError(
            error["code"],
            error["message"],
            places=[Place(*place) for place in error["places"]],
            notes=error["notes"],
            help=error["help"],
        )
        for error in found
    ]
