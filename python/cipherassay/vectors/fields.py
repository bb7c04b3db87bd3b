"""Reading one field of a vector file: bytes, numbers, names; errors name file and line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from cipherassay.errors import DescriptionError, Place, nearest
from cipherassay.lang.naming import MOST_BITS
from cipherassay.vectors.backend import BLOCK

_BYTES = re.compile("(?:[0-9a-fA-F]{2})+")


class Field(NamedTuple):
    """A ``NAME=value`` with the line that it stands on."""

    name: str
    value: str
    place: Place

    def error(self, code: str, message: str, *notes: str, help: str = "") -> DescriptionError:
        """Make an error that points at this field's line."""
        return DescriptionError(code, message, places=[self.place], notes=notes, help=help)

    def data(self) -> bytes:
        """Return the value as bytes.

        Raises
        ------
        DescriptionError
            ``K029``: no digits, or an odd number of them; ``K006``: a character that is none.
        """
        value = self.value
        if _BYTES.fullmatch(value):
            return bytes.fromhex(value)
        for column, character in enumerate(value):
            if character not in "0123456789abcdefABCDEF":
                raise self.error(
                    "K006",
                    f"{self.name} holds `{character}`, which is not a hexadecimal digit",
                    f"character {column + 1} of `{shorten(value)}`",
                )
        found = "found an odd number" if value else "found none"
        raise self.error(
            "K029",
            f"{self.name} is not a string of whole bytes",
            f"expected an even number of hexadecimal digits, {found} ({len(value)})",
        )

    def blocks(self, *, whole: bool, size: int = BLOCK) -> bytes:
        """Return the value as one block of `size` bytes, or with `whole` unset as one block or more.

        Raises
        ------
        DescriptionError
            ``K006``, ``K029``: not hexadecimal; ``K007``: not one block, or not a whole number of them.
        """
        data = self.data()
        if whole and len(data) != size:
            raise self.wrong_length(f"{size} bytes (one block)", len(data))
        if len(data) % size:
            raise self.wrong_length(f"a multiple of {size} bytes (whole blocks)", len(data))
        return data

    def key(self, key_bits: int) -> bytes:
        """Return the value as a key of the given size (``K007``: it has another)."""
        data = self.data()
        if 8 * len(data) != key_bits:
            raise self.wrong_length(f"{key_bits // 8} bytes (key size {key_bits} bits)", len(data))
        return data

    def wrong_length(self, expected: str, found: int) -> DescriptionError:
        """Make the error of a value that is too long or too short."""
        return self.error(
            "K007", f"{self.name} has the wrong length", f"expected {expected}, found {found} bytes"
        )

    def number(self) -> int:
        """Return the value as a number of decimal digits (``K008``: it is none)."""
        if not (self.value.isascii() and self.value.isdigit() and len(self.value) <= 9):
            raise self.error(
                "K008",
                f"{self.name} is not a number",
                f"expected decimal digits, found `{shorten(self.value)}`",
            )
        return int(self.value)

    def key_size(self) -> int:
        """Return the value as a key size in bits: a multiple of 8 up to 4096 (``K030``: it is none)."""
        size = self.number()
        if size % 8 or not 0 < size <= MOST_BITS:
            raise self.error(
                "K030",
                f"{self.name} is not a key size",
                f"expected a multiple of 8 bits up to {MOST_BITS}, found {size}",
            )
        return size

    def choice(self, known: Iterable[str]) -> str:
        """Return the value if it is one of the known words (``K031``: it is not)."""
        words = list(known)
        if self.value not in words:
            raise self.error(
                "K031", f"{self.name} is `{shorten(self.value)}`", help=closest(self.value, words)
            )
        return self.value


def require(fields: Mapping[str, Field], names: Iterable[str], place: Place, what: str) -> None:
    """Check that a record has all the fields it needs.

    Raises
    ------
    DescriptionError
        ``K005``: some are missing.
    """
    wanted = list(names)
    missing = [name for name in wanted if name not in fields]
    if missing:
        raise DescriptionError(
            "K005",
            f"{what} lacks {' and '.join(missing)}",
            places=[place],
            notes=[f"expected {', '.join(wanted)}; found {', '.join(fields) or 'nothing'}"],
        )


def closest(name: str, known: Iterable[str]) -> str:
    """Say what is known, the closest name first; unlike `nearest` for names in capitals."""
    capitals = {word.lower(): word for word in known}
    text = nearest(name, capitals)
    return re.sub(r"[a-z_0-9]+", lambda word: capitals.get(word[0], word[0]), text)


def shorten(text: str, limit: int = 40) -> str:
    """Cut a text that an error quotes."""
    return text if len(text) <= limit else text[: limit - 1] + "…"
