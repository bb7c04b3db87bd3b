"""The cells of standard-cell technologies that gates of circuits can be: ``technologies/NAME.toml``."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from cipherassay.circuits.functions import truth_table
from cipherassay.errors import DescriptionError, Place

FOLDER = Path(__file__).parent.parent / "technologies"
MOST_PINS = 4


def names() -> list[str]:
    """Return the names of the technologies that circuits are searched for (`circuits` of their files)."""
    return sorted(path.stem for path in FOLDER.glob("*.toml") if _read(path).get("circuits", True))


def read(name: str) -> tuple[str, str, list[tuple[str, int, int, float]]]:
    """Return title and source of a technology, and its combinational cells of one output and 1 to 4 inputs.

    Of a cell that is its name, how many inputs it has, its truth table and its area in µm².

    Raises
    ------
    DescriptionError
        ``C205``: the file is wrong; ``C204``: so is a function in it.
    """
    path = FOLDER / f"{name}.toml"
    fields = _read(path)
    found = []
    for entry in fields.get("cell", []):
        pins = list(entry.get("pins", ()))
        if not entry.get("function") or not 1 <= len(pins) <= MOST_PINS:
            continue  # a register, or a cell that no gate of a circuit is
        table = truth_table(entry["function"], pins, Place(str(path)))
        found.append((entry["name"], len(pins), table, float(entry["area_um2"])))
    return str(fields.get("title", name)), str(fields.get("source", "")), found


@cache
def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise DescriptionError(
            "C205", f"`{path.name}` cannot be read", places=[Place(str(path))], notes=[str(error)]
        ) from None
