"""Truth tables in files: numbers, decimal or hexadecimal, separated by spaces or commas."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from cipherassay.errors import DescriptionError, Place

LONGEST = 40
"""Characters of a word that errors show, and of what stands around it."""


def read_values(path: Path) -> tuple[int | None, list[int]]:
    """Return the output bits that a truth table states, and its values at input 0, 1, 2, …

    `#` starts a comment; a line ``outputs N`` states the output bits. Numbers are decimal, or hexadecimal
    after ``0x``; ``hex`` in a line of its own makes all of them hexadecimal.

    Raises
    ------
    DescriptionError
        ``C121``: the file cannot be read; ``C122``, ``C128``: what is no number.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no text"
        raise DescriptionError(
            "C121", f"the truth table `{path}` cannot be read", notes=[reason or str(error)]
        ) from None
    outputs: int | None = None
    base = 10
    values: list[int] = []
    for number, line in enumerate(text.splitlines(), 1):
        words = re.split(r"[\s,;\[\]{}()]+", line.partition("#")[0].strip())
        words = [word for word in words if word]
        place = Place(str(path), number, text=line)
        if words[:1] == ["outputs"]:
            outputs = _outputs(words, place)
        elif [word.lower() for word in words] == ["hex"]:
            base = 16
        else:
            values += [_value(word, base, place) for word in words]
    return outputs, values


def _outputs(words: list[str], place: Place) -> int:
    if len(words) == 2 and words[1].isdigit() and 1 <= int(words[1]) <= 8:
        return int(words[1])
    raise DescriptionError(
        "C122", "`outputs` needs one number from 1 to 8", places=[place], help="write `outputs 4`"
    )


def _value(word: str, base: int, place: Place) -> int:
    try:
        return int(word, 16) if word.lower().startswith("0x") else int(word, base)
    except ValueError:
        pass
    place = replace(place, text=_around(word, place.text))
    hexadecimal = re.fullmatch(r"[0-9a-fA-F]+", word)
    raise DescriptionError(
        "C128",
        f"`{_shortened(word)}` is no number",
        places=[place],
        help="a line `hex` before the values makes them hexadecimal; or write `0x` before each"
        if hexadecimal
        else "write the values as numbers, separated by spaces or commas",
    )


def _around(word: str, line: str) -> str:
    """Return what stands around a word in a line, which may hold a whole table."""
    at = line.find(word)
    begin, end = max(0, at - LONGEST // 2), at + min(len(word), LONGEST) + LONGEST // 2
    return ("…" if begin else "") + line[begin:end] + ("…" if end < len(line) else "")


def _shortened(word: str) -> str:
    return word if len(word) <= LONGEST else f"{word[:LONGEST]}…"
