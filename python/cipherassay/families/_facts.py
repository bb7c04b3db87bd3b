"""Files of facts: sections with a source and a confidence, those of the file where they have none."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from cipherassay.errors import DescriptionError, Place, nearest
from cipherassay.families import CONFIDENCE, Entry


def read(path: Path) -> dict[str, Any]:
    """Return a file's facts; raises DescriptionError ``M001`` if it cannot be read."""
    try:
        known = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise DescriptionError(
            "M001", f"the file cannot be read: {error}", places=[Place(str(path))]
        ) from None
    return sourced(known)


def sourced(known: dict[str, Any]) -> dict[str, Any]:
    """Return facts whose sections each have ``source`` and ``confidence``."""
    own = {key: known[key] for key in ("source", "confidence") if key in known}
    return {key: own | value if isinstance(value, dict) else value for key, value in known.items()}


def entry(known: Mapping[str, Any], *, order: str, issue: int) -> Entry:
    """Return the list's line of a processor from its document."""
    return Entry(
        name=known["name"], isa=known["isa"], order=order, issue=issue, mhz=known["clock"]["mhz"],
        instructions=len(known["instructions"]) or None, confidence=known["confidence"], title=known["title"],
    )  # fmt: skip


def contradictions(
    known: Mapping[str, Any], wanted: Mapping[str, Sequence[str]], path: Path
) -> list[DescriptionError]:
    """Return what is missing or wrong: fields of sections (``""`` is the file's head), sources, numbers.

    ``M073`` a section, ``M050`` a field is missing, ``M051`` a confidence that there is not, ``M052`` a
    number that is not above zero.
    """
    found = []
    for section, fields in wanted.items():
        part = known.get(section) if section else known
        where = f" in [{section}]" if section else ""
        if part is None:
            found.append(_error("M073", f"there is no section [{section}]", path))
            continue
        lacks = [one for one in (*fields, "source", "confidence") if one not in part]
        found += [_error("M050", f"there is no `{one}`{where}", path) for one in lacks]
        confidence = part.get("confidence", CONFIDENCE[0])
        if confidence not in CONFIDENCE:
            why = nearest(confidence, CONFIDENCE)
            found.append(_error("M051", f"the confidence `{confidence}`{where} is unknown", path, why))
        for name, value in part.items():
            if isinstance(value, int | float) and not isinstance(value, bool) and value <= 0:
                found.append(_error("M052", f"`{name}`{where} is {value}, not above zero", path))
    return found


def _error(code: str, message: str, path: Path, why: str = "") -> DescriptionError:
    return DescriptionError(code, message, places=[Place(str(path))], help=why)
