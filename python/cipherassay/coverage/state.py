"""The state of the table as a file: which cells have a number, and the code of the reason where one has none.

Numbers are not part of it: a cell that gets better does not change the state.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from cipherassay.coverage.level import BOUND, NUMBER, Cell
from cipherassay.errors import DescriptionError, Place

State = Mapping[str, Mapping[str, str]]
"""By primitive and level ``number``, or the code of a reason with a computed bound."""
_HEAD = "# Each primitive has a number at each level, but for those named with the code of their bound."


def read(path: Path) -> State:
    """Return the state of a file.

    Raises
    ------
    DescriptionError
        ``R043``: the file is not there, or holds something else.
    """
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
        levels: list[str] = document["levels"]
        bounds: dict[str, dict[str, str]] = document["primitives"]
        return {
            primitive: {level: codes.get(level, NUMBER) for level in levels}
            for primitive, codes in bounds.items()
        }
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, KeyError, AttributeError) as error:
        raise DescriptionError(
            "R043", f"the file holds no state of the table: {error}", places=[Place(str(path))],
            help="`assay coverage --quick --write-state FILE` writes one",
        ) from None  # fmt: skip


def text_of(cells: Sequence[Cell]) -> str:
    """Return the text of the state of cells; those that have neither number nor bound are not in it."""
    levels = list(dict.fromkeys(cell.level.name for cell in cells))
    lines = [_HEAD, "levels = [", *(f'    "{name}",' for name in levels), "]", "", "[primitives]"]
    for primitive in dict.fromkeys(cell.cipher.slug for cell in cells):
        own = [cell for cell in cells if cell.cipher.slug == primitive and cell.status == BOUND]
        codes = ", ".join(f'{cell.level.name} = "{cell.code}"' for cell in own)
        lines.append(f"{primitive} = {{ {codes} }}" if codes else f"{primitive} = {{}}")
    return "\n".join(lines) + "\n"


def differences(cells: Sequence[Cell], state: State) -> Iterator[tuple[Cell, str]]:
    """Yield cells that are not as the state has them, with what it has: ``number``, a code, or nothing."""
    for cell in cells:
        kept = state.get(cell.cipher.slug, {}).get(cell.level.name, "")
        found = NUMBER if cell.status == NUMBER else cell.code
        if kept != found:
            yield cell, kept
