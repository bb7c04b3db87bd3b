"""Standard-cell technologies as targets: ``cells:NAME`` from ``technologies/NAME.toml``."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cipherassay.circuits.functions import truth_table
from cipherassay.errors import DescriptionError, Place

if TYPE_CHECKING:
    from cipherassay.circuits.targets import Target

FOLDER = Path(__file__).parent.parent / "technologies"
MOST_PINS = 4


def names() -> list[str]:
    """Return the names of the technologies that circuits are searched for (`circuits` of their files)."""
    return sorted(path.stem for path in FOLDER.glob("*.toml") if _read(path).get("circuits", True))


@cache
def target(name: str) -> Target:
    """Return the target of a technology: its combinational cells of one output and up to four inputs.

    Raises
    ------
    DescriptionError
        ``C205``: the file is wrong; ``C204``: so is a function in it.
    """
    from cipherassay.circuits.targets import Operation, Target

    path = FOLDER / f"{name}.toml"
    place = Place(str(path))
    fields = _read(path)
    operations = []
    for entry in fields.get("cell", []):
        pins = list(entry.get("pins", ()))
        if not entry.get("function") or not 1 <= len(pins) <= MOST_PINS:
            continue  # a register, or a cell that no gate of a circuit is
        table = truth_table(entry["function"], pins, place)
        operations.append(Operation(entry["name"], len(pins), table, 1, float(entry["area_um2"])))
    title = f"Standard cells: {fields.get('title', name)}"
    return Target(f"cells:{name}", title, tuple(operations), ("area_um2", "depth"), source=_source(fields))


def _source(fields: dict[str, Any]) -> str:
    return str(fields.get("source", ""))


@cache
def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise DescriptionError(
            "C205", f"`{path.name}` cannot be read", places=[Place(str(path))], notes=[str(error)]
        ) from None
